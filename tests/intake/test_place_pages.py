"""What the respondents' pages say of a place before any script runs, and what they bring for it."""

import json
import re
from typing import Any

import pytest

from intake.pages import pages
from surveys.models import Survey
from surveys.phrases.numbers_and_places import PLACES
from tests.intake import asked
from tests.intake.test_pages import ASKS, HIDDEN, Elements, get
from tests.privacy.node import COMPOSER
from ui import land

pytestmark = [pytest.mark.django_db, pytest.mark.page]

WHERE = {
    "name": "home",
    "cells": [{"name": name, "at": [place, 0]} for place, name in enumerate("abcd")],
    "regions": [{"name": "north", "cells": ["a", "b"]}, {"name": "south", "cells": ["c"]}],
    "near": 1,
    "odds": "7.38",
}
HOME = {"kind": "place", "questions": [WHERE]}


@pytest.fixture
def opened() -> Survey:
    """A survey that asks for no place."""
    return asked.survey(ASKS)


def place_page(**more: Any) -> str:
    survey = asked.survey(asked.written(HOME | {"questions": [WHERE | more]}))
    return str(get(survey.address).content.decode())


def as_text(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_the_start_page_says_what_a_place_gives_away_inside_and_outside() -> None:
    text = as_text(place_page())
    # b = 638 / (638 + 300)
    assert "any one place inside the regions at most 7.4 times as likely, compared with any other" in text
    assert "Outside the regions, your place is not protected." in text
    assert "is sent about 2 in 3 times (68.0 %) and counts as not disguised" in text
    assert "at most 7.4 times." not in text


def test_the_start_page_says_the_odds_of_each_level() -> None:
    regions = [
        {"name": "north", "cells": ["a", "b"], "near": 2, "odds": "4.19"},
        {"name": "south", "cells": ["c"]},
    ]
    text = as_text(place_page(regions=regions))
    assert "at most 7.4 times as likely" in text
    assert "In south: at most 7.4 times." in text
    assert "In north: at most 4.2 times." in text


def test_the_start_page_says_nothing_of_an_outside_that_no_cell_has() -> None:
    regions = [{"name": "all", "cells": ["a", "b", "c", "d"]}]
    assert "Outside the regions, nothing" not in as_text(place_page(regions=regions))


def test_the_start_page_says_for_whom_its_guarantee_holds(opened: Survey) -> None:
    holds = "Who is protected:"
    assert holds in as_text(place_page())
    assert holds not in as_text(get(opened.address).content.decode())
    mixed = asked.survey(asked.written(HIDDEN, HOME))
    assert holds in as_text(get(mixed.address).content.decode())


def test_the_words_about_places_come_where_a_place_is_asked_for() -> None:
    without = pages.respondent_context(ASKS, "answer")["page"]["words"]["en"]
    brought = pages.respondent_context(asked.written(HOME), "answer")["page"]["words"]["en"]
    assert brought.keys() - without.keys() == PLACES.keys()
    used = "".join((COMPOSER.parent / name).read_text() for name in ("places.js", "place_map.js"))
    assert [key for key in PLACES if f'"{key}"' not in used] == []


def test_the_outline_of_land_comes_with_the_page_where_the_design_says_land(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(land, "path", lambda: "M0 0l5 5 5-5z")
    page = json.loads(Elements(place_page(outline="land")).texts["page"])
    assert page["land"] == "M0 0l5 5 5-5z"
    assert "land" not in json.loads(Elements(place_page()).texts["page"])
    assert "land" not in json.loads(Elements(place_page(outline=[[0, 0, 9, 0, 9, 9]])).texts["page"])


def test_without_a_script_a_place_is_neither_asked_nor_named() -> None:
    body = place_page().split('<script type="application/json"')[0]
    found = Elements(body).found
    assert not [tag for tag, _attributes in found if tag in ("input", "select", "textarea", "form")]
