"""Nothing lies around: templates, classes of style sheets and phrases are named where they are used."""

import re
from functools import cache
from pathlib import Path

from django.conf import settings

from surveys.phrases.all_phrases import PHRASES

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
def sources(*suffixes: str) -> dict[Path, str]:
    paths = (path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in suffixes)
    return {path: path.read_text() for path in paths if "vendor" not in path.parts}


@cache
def named(*suffixes: str) -> frozenset[str]:
    return frozenset(word for text in sources(*suffixes).values() for word in re.findall(r"[\w-]+", text))


def test_every_template_is_rendered_or_included_by_some_name() -> None:
    """Views name it whole, or its last part, as in `page(request, report, "shares", …)`."""
    code = "".join(text for path, text in sources(".py", ".html", ".txt").items())
    unused = [
        name
        for path in TEMPLATES.rglob("*.*")
        if path.suffix in (".html", ".txt", ".svg")
        and (name := str(path.relative_to(TEMPLATES))) not in BY_DJANGO | BY_STATUS
        and name not in code
        and not re.search(rf'["/]{re.escape(path.stem)}"', code)
    ]
    assert unused == []


def test_every_class_of_a_style_sheet_occurs_in_a_template_or_a_script() -> None:
    unused = set[tuple[str, str]]()
    for sheet in SHEETS:
        rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", sheet.read_text(), flags=re.DOTALL)
        classes = set(re.findall(r"\.([A-Za-z_][\w-]*)", rules))
        # `theme-{{ theme }}` and the like: the first part is there.
        composed = {word for word in classes if f"{word.rpartition('-')[0]}-" in named(".html", ".js", ".py")}
        left = classes - named(".html", ".js", ".py", ".svg", ".txt") - composed - OF_OTHERS
        unused |= {(sheet.name, word) for word in left}
    assert unused == set()


def test_every_phrase_is_said_somewhere() -> None:
    composed = {
        re.sub(r"(?:\\\$)?\\\{.*?\\\}", r"[a-z_]+", re.escape(key))
        for text in sources(".js", ".py").values()
        for key in re.findall(
            r'[`"]((?:[a-z]+_)*\$?\{[\w.]+\}(?:_[a-z]+)+|(?:[a-z]+_)+\$?\{[\w.]+\})[`"]', text
        )
    }
    defined = r"\b\w+=_\("
    words = {
        word
        for text in sources(".js", ".py", ".html").values()
        for word in re.findall(r"\w+", re.sub(defined, "", text))
    }
    unsaid = [key for key in PHRASES if key not in words and not any(re.fullmatch(c, key) for c in composed)]
    assert unsaid == []
