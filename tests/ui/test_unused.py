"""Nothing lies around: templates and classes of style sheets are named where they are used."""

import os
import re
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.page
BASE = settings.BASE_DIR
TEMPLATES = BASE / "templates"
ELSEWHERE = {"tests", "bench", "docs", "locale", "node_modules", "var", "build", "r"}
BY_DJANGO = {"400.html", "403.html", "404.html", "admin/base_site.html", "django/forms/field.html"}
"""Templates that Django asks for by these names."""
BY_STATUS = {"413.html"}
"""`ui/errors.py` composes it."""
OF_OTHERS = {
    *("addlink", "changelink", "deletelink", "inline-group", "object-tools", "submit-row", "htmx-request")
}
"""Classes that Django's administration and htmx give."""
SHEETS = sorted(
    sheet
    for folder in (BASE / "static", BASE / "intake/static", BASE / "surveys/static")
    for sheet in folder.rglob("*.css")
)


FOLDERS = sorted(path for path in BASE.glob("[a-z]*") if path.is_dir() and path.name not in ELSEWHERE)


@cache
def contents() -> dict[Path, str]:
    """Of every source of the product, read once."""
    suffixes = {".py", ".html", ".txt", ".js", ".svg"}
    paths = (
        path
        for top in FOLDERS
        for folder, _folders, names in os.walk(top)
        for name in names
        if (path := Path(folder, name)).suffix in suffixes
    )
    return {path: path.read_text() for path in paths if "vendor" not in path.parts}


def sources(*suffixes: str) -> dict[Path, str]:
    return {path: text for path, text in contents().items() if path.suffix in suffixes}


@cache
def words(suffix: str) -> frozenset[str]:
    return frozenset(word for text in sources(suffix).values() for word in re.findall(r"[\w-]+", text))


def words_of_files(*suffixes: str) -> frozenset[str]:
    return frozenset[str]().union(*map(words, suffixes))


def test_every_template_is_rendered_or_included_by_some_name() -> None:
    """Views name it whole, or its last part, as in `page(request, report, "shares", …)`."""
    code = "".join(sources(".py", ".html", ".txt").values())
    quoted = set(re.findall(r'["/]([^"/\n]+)(?=")', code))
    unused = [
        name
        for path in TEMPLATES.rglob("*.*")
        if path.suffix in (".html", ".txt", ".svg")
        and (name := str(path.relative_to(TEMPLATES))) not in BY_DJANGO | BY_STATUS
        and path.stem not in quoted
        and name not in code
    ]
    assert unused == []


def test_every_class_of_a_style_sheet_occurs_in_a_template_or_a_script() -> None:
    unused = set[tuple[str, str]]()
    composing, used = (
        words_of_files(".html", ".js", ".py"),
        words_of_files(".html", ".js", ".py", ".svg", ".txt"),
    )
    for sheet in SHEETS:
        rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", sheet.read_text(), flags=re.DOTALL)
        classes = set(re.findall(r"\.([A-Za-z_][\w-]*)", rules))
        # `theme-{{ theme }}` and the like: the first part is there.
        composed = {word for word in classes if f"{word.rpartition('-')[0]}-" in composing}
        left = classes - used - composed - OF_OTHERS
        unused |= {(sheet.name, word) for word in left}
    assert unused == set()
