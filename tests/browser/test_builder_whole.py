"""Every page of the builder, with questions of every kind: axe in both themes, 390 pixels, the keyboard; in Chinese."""

from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser import sessions
from tests.browser.building import Draft, Make, maker, usual
from tests.browser.conftest import Visit
from tests.browser.roads import another_language
from tests.builder.placed import grid, place, region
from tests.builder.written import classes, crosswise, drawn, plain, question, sensitive, window
from tests.product import Product
from tests.surveys.drafts import said

pytestmark = pytest.mark.browser

OPEN = (
    "=start",
    "=section-1",
    "like",
    "theft",
    "of=use",
    "version",
    "moon",
    "tax",
    "debt",
    "income",
    "years",
    "home",
)
"""Of each kind; beside most of them stands one of the kind that is closed."""


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def yes_no(name: str, **more: str) -> dict[str, Any]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def scale(name: str) -> dict[str, Any]:
    """A statement of a battery."""
    return question(name, "no", "perhaps", "yes", form="scale", of="views")


def on_land() -> list[dict[str, Any]]:
    """Squares in the middle of Europe, on the map of land."""
    return [
        {**each, "at": _moved(each["at"]), "shape": [_moved(ring) for ring in each["shape"]]}
        for each in grid()
    ]


def _moved(places: list[int]) -> list[int]:
    return [100 * each + 4500 * (at % 2) for at, each in enumerate(places)]


def of_every_kind(make: Make) -> Draft:
    asked_of_all, disguised = usual()
    asked_of_all["questions"] += [drawn("version"), drawn("wording"), yes_no("moon", known="0.0000")]
    asked_of_all["questions"][2]["none"] = said("None of these")
    asked_of_all["questions"] += [scale(name) for name in ("like", "know")]
    disguised["intro"], disguised["order"] = said("Now about your work."), "random"
    disguised["questions"].append(yes_no("mars", known="0.0000"))
    north = region("north", "A3", "B3", "C3", "D3", near=4, odds="4.19")
    turned = said("Was your mother born in autumn or winter?")
    return make(
        asked_of_all,
        disguised,
        crosswise("tax", turned_by="version", turned=turned),
        crosswise("fraud"),
        classes("debt", 0, 500, 1000, 2000, 5000, 10_000, unit={"en": "euros", "zh-hans": "欧元"}),
        window("income", expected=[100, 200, 500]),
        classes("hours", 0, 20, 40, 60, 80, rest=2, show_if={"work": ["employed"]}),
        classes("years", 0, 2, 4, 8, 16, 32, 60, wanted="quantiles", expected=[2, 5, 11]),
        place("home", north, region("south", "A1", "B1"), cells=on_land(), outline="land"),
        place("way", region("north", "A3", "B3")),
        languages=["en", "zh-hans"],
        expected=5000,
        open_answers=False,
    )


def unfolded(page: Page) -> None:
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")


def test_every_page_is_whole(visit: Visit, make: Make, product: Product) -> None:
    draft = of_every_kind(make)
    weak = make(
        plain(drawn("version")),
        sensitive(*(question(f"q{number}") for number in range(10)), asked=9),
        crosswise("tax", source=""),
        direct="0.4400",
        open_answers=False,
        expected=100,
    )
    keys = "&".join(f"open={quote(key)}" for key in OPEN)
    visitor = visit("researcher")
    pages = {
        "questions": f"{draft.path}/edit?{keys}",
        "protection": f"{draft.path}/edit/protection",
        "protection-weak": f"{weak.path}/edit/protection",
        "languages": f"{draft.path}/edit/translations",
        "cells": f"{draft.path}/edit/cells?key=home",
        "copy": f"{draft.path}/edit/copy",
    }
    for name, path in pages.items():
        page = visitor.go(path)
        unfolded(page)
        if name == "questions":
            expect(page.locator(".open")).to_have_count(len(OPEN))
        visitor.check()
        visitor.shoot(f"builder-{name}")
    visitor.go(f"{draft.path}/edit/appearance")
    visitor.check(within="main .part:not(#seen)")
    visitor.shoot("builder-appearance")
    # Both together are seen where a survey is made.
    for width in ("phone", "desktop"):
        visitor.go(f"{draft.path}/preview?width={width}")
        visitor.check(within="main > .flow")
        visitor.shoot(f"builder-preview-{width}")
    sessions.choose_language(product.var / "candor.sqlite3", product.passwords["researcher"][0], "zh-hans")
    for name in ("questions", "protection", "languages"):
        page = visitor.go(pages[name])
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        unfolded(page)
        another_language(page)
        visitor.shoot(f"builder-{name}-chinese")


def planned(make: Make) -> Draft:
    linear = {"name": "H3", "kind": "coefficient", "item": "theft=yes", "model": "linear"}
    hypotheses = [
        {"name": "H1", "kind": "share", "item": "theft=yes", "than": "0.1000"},
        {"name": "H2", "kind": "version", "item": "theft=yes", "by": "gone"},
        {**linear, "covariates": ["age", "arm", "age*arm"], "of": "age=old*arm"},
    ]
    return make(
        plain(question("age", "young", "old"), drawn("version")),
        sensitive(yes_no("theft")),
        direct="0.4400",
        open_answers=False,
        expected=2000,
        plan={"salt": "0" * 32, "hypotheses": hypotheses},
    )


def test_every_page_of_hypotheses_is_whole(visit: Visit, make: Make) -> None:
    draft = planned(make)
    visitor = visit("researcher")
    none_yet = make(*usual())
    for name, path in {
        "none": f"{none_yet.path}/edit/study",
        "added": f"{draft.path}/edit/study?hypothesis=coefficient",
    }.items():
        unfolded(visitor.go(path))
        visitor.check(within="main")
        visitor.shoot(f"hypotheses-{name}")
    for name, path in {
        "edited": f"{draft.path}/edit/study?edit=H3",
        "read": f"{draft.path}/hypotheses",
    }.items():
        unfolded(visitor.go(path))
        visitor.check()
        visitor.shoot(f"hypotheses-{name}")
