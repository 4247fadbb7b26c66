import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import TemplateSyntaxError
from django.template.loader import get_template
from django.test import Client

from ui.templatetags.ui import register

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
SHEETS = sorted((settings.BASE_DIR / "static/ui").glob("*.css"))
# The frame's own, on every page anyway.
NOT_SHOWN = {"repeat_block", "navigation_entries", "languages", "themes", "home_address", "statement"}
ALONE = {("templates/proof/report.html", "<style"), ("templates/intake/frame.html", "<script")}
"""In a file that is opened without this server its styles stand, or the script that says where it belongs."""
FORBIDDEN = re.compile(
    r"""\sstyle\s*=|<style|\son[a-z]+\s*=\s*["']|javascript:|\shx-on"""
    r"""|<script(?![^>]*\s(?:src=|type="application/json"))|(?:src|href|action)=["']?(?:https?:)?//"""
)


def name(path: Path) -> str:
    return str(path.relative_to(settings.BASE_DIR))


def test_a_template_compiles_and_breaks_no_policy() -> None:
    faults = [
        (name(path), fault)
        for path in TEMPLATES
        for fault in [*refusals(path), *FORBIDDEN.findall(path.read_text())]
        if (name(path), fault) not in ALONE
    ]
    assert faults == []


def refusals(path: Path) -> list[str]:
    try:
        get_template(str(path.relative_to(settings.BASE_DIR / "templates")))
    except TemplateSyntaxError as error:
        return [str(error)]
    return []


def test_template_breaking_a_policy_is_noticed() -> None:
    broken = [
        *('<p style="a">', "<style>", "<p onclick='a()'>", "javascript:a", "<p hx-on:click>", "<script>"),
        *('<script type="module">', '<a href="https://a">', "<img src=//a>", "<form action='//a'>"),
    ]
    assert [text for text in broken if not FORBIDDEN.search(text)] == []
    allowed = ['<script src="/static/a.js">', '<script type="application/json">', '<a href="/a">']
    assert [text for text in allowed if FORBIDDEN.search(text)] == []


def test_no_style_sheet_fetches_anything_and_those_of_every_page_stay_small() -> None:
    assert [name(path) for path in SHEETS if re.search(r"@import|url\(", path.read_text())] == []
    sheets = ["tokens", "base", "frame", "components", "office", "forms", "grammar", "intervals", "print"]
    assert sum((settings.BASE_DIR / f"static/ui/{s}.css").stat().st_size for s in sheets) < 40_000


def test_every_component_stands_in_the_styleguide() -> None:
    guide = "".join(p.read_text() for p in (settings.BASE_DIR / "templates/ui").rglob("styleguide/*.html"))
    guide += (settings.BASE_DIR / "templates/ui/styleguide.html").read_text()
    used = set(re.findall(r"{%\s*(\w+)", guide))
    assert set(register.tags) - used == NOT_SHOWN


@pytest.mark.page
def test_the_styleguide_shows_every_state(staff: Client) -> None:
    page = staff.get("/app/styleguide/").content.decode()
    for part in [
        "button primary", "button danger", "button quiet", "disabled", "notice next", "notice error", "empty-state",
        "badge waiting", "badge active", "badge done", "badge stopped", "badge wrong", "<progress", "<dialog", "toast",
        "error-summary", "errorlist", 'type="radio"', 'type="checkbox"', 'type="file"', 'type="date"', "<textarea",
        "mark disguised", "mark hatched", "mark plain", "mark reconstructed", "mark truth", 'role="region"',
        "data-copy", "breadcrumbs", 'aria-current="page"', "pagination", "facts", "<details",
    ]:  # fmt: skip
        assert part in page, part
