import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template
from django.test import Client

from ui.templatetags.ui import register

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
SHEETS = sorted((settings.BASE_DIR / "static/ui").glob("*.css"))
NOT_SHOWN = {
    "block_again",
    "places",
    "languages",
    "themes",
    "home_address",
}  # the frame's own, on every page anyway

SAVED = {"templates/proof/report.html"}
"""Files that are saved and opened without a server: their styles stand in them."""


def name(path: Path) -> str:
    return str(path.relative_to(settings.BASE_DIR))


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_compiles_and_breaks_no_policy(path: Path) -> None:
    get_template(str(path.relative_to(settings.BASE_DIR / "templates")))
    source = path.read_text()
    styles = "" if name(path) in SAVED else "<style|"
    assert not re.search(rf"""\sstyle\s*=|{styles}\son[a-z]+\s*=\s*["']|javascript:|\shx-on""", source)
    assert not re.search(r'<script(?![^>]*\s(src=|type="application/json"))', source)
    assert not re.search(r"""(?:src|href|action)=["']?(?:https?:)?//""", source)


@pytest.mark.parametrize("path", SHEETS, ids=name)
def test_a_style_sheet_fetches_nothing(path: Path) -> None:
    assert not re.search(r"@import|url\(", path.read_text())


def test_the_style_sheets_of_every_page_stay_small() -> None:
    of_every_page = [
        "tokens",
        "base",
        "frame",
        "components",
        "office",
        "forms",
        "grammar",
        "intervals",
        "print",
    ]
    assert sum((settings.BASE_DIR / f"static/ui/{s}.css").stat().st_size for s in of_every_page) < 40_000


def test_every_component_stands_in_the_styleguide() -> None:
    guide = "".join(p.read_text() for p in (settings.BASE_DIR / "templates/ui").rglob("styleguide/*.html"))
    guide += (settings.BASE_DIR / "templates/ui/styleguide.html").read_text()
    used = set(re.findall(r"{%\s*(\w+)", guide))
    assert set(register.tags) - used == NOT_SHOWN


@pytest.mark.page
def test_the_styleguide_shows_every_state(staff: Client) -> None:
    page = staff.get("/styleguide/").content.decode()
    for part in [
        "button primary", "button danger", "button quiet", "disabled", "notice next", "notice error", "empty-state",
        "badge waiting", "badge active", "badge done", "badge stopped", "badge wrong", "<progress", "<dialog", "toast",
        "error-summary", "errorlist", 'type="radio"', 'type="checkbox"', 'type="file"', 'type="date"', "<textarea",
        "mark disguised", "mark hatched", "mark plain", "mark reconstructed", "mark truth", 'role="region"',
        "data-copy", "breadcrumbs", 'aria-current="page"', "pagination", "facts", "odds", "<details",
    ]:  # fmt: skip
        assert part in page, part
