"""A place in a draft: its normal form, what it promises and to whom, its errors, its warnings, and its settings."""

import json
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation
from hypothesis import HealthCheck, given, settings, strategies as st

from builder.protection.proposals import propose_settings
from builder.protection.settings_and_quick_fixes import apply_quick_fix
from builder.protection.summary import settings_warnings
from importing import candor_format
from importing.draft_check import MOST_TEXTS, too_large_reason
from importing.faults import FileRefused
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import MOST_SHAPES, PlaceSection
from surveys.kinds.place.guarantee_and_errors import PlaceProtection
from surveys.kinds.place.map_cell_creation import Corners, grid_cells, spreadsheet_cell_name
from surveys.kinds.place.protection_levels import level_with_same_excess, stronger_levels_with_same_excess
from surveys.kinds.read_draft import read_questionnaire
from surveys.kinds.registry import get_kind
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import path_in_words
from surveys.questionnaire.protection import (
    PRIOR,
    find_weak_settings,
    person_protection,
    protects_only_inside_regions,
)
from tests.builder.conftest import HTMX, refusal, saved_draft
from tests.builder.test_protection_pages import send
from tests.surveys.conftest import page_text
from tests.surveys.drafts import (
    NORTH,
    SOUTH,
    bilingual_text,
    complete,
    draft as written,
    grid,
    place,
    plain,
    put,
    question,
    read,
    region,
    section_of,
    sensitive,
    stored_draft as as_stored,
)

pytestmark = pytest.mark.page
TODAY = date(2026, 12, 1)


def normalize_json(given: Any) -> Any:
    return read_questionnaire(given).as_json()


def first_question(given: Any) -> Any:
    return given["sections"][0]["questions"][0]


def test_a_finished_place_is_in_order_becomes_a_design_and_comes_back_from_our_own_file() -> None:
    made = as_stored(place("home", {**NORTH, "near": 4, "odds": "4.19"}, SOUTH, outline="land"))
    assert normalize_json(made) == made
    [section] = freeze_design(made).sections
    assert isinstance(section, PlaceSection)
    found = section.question
    assert [each.name for each in found.regions] == ["north", "south"]
    assert (found.level.near, found.level.odds, found.outline) == (2, 738, "land")
    assert draft_problems(made, TODAY, 20) == []
    made = as_stored(place("home", outline=[[0, 0, 9, 0, 9, 9]]))
    again = candor_format.read(candor_format.write(made))
    assert again["sections"] == made["sections"]
    assert freeze_design(again).fingerprint == freeze_design(made).fingerprint


def make_place_section(**change: Any) -> dict[str, Any]:
    return {"kind": "place", "questions": [{**place("home")["questions"][0], **change}]}


def test_an_unfinished_place_comes_back_and_names_what_is_missing() -> None:
    for unfinished in (
        place("home", {**NORTH, "cells": []}),
        place("home", SOUTH, near=4),
        place("home", region("west", "A1"), near=3),
        make_place_section(regions=[]),
        make_place_section(cells=[], regions=[]),
    ):
        made = as_stored(unfinished)
        assert candor_format.read(candor_format.write(made))["sections"] == made["sections"]
        [found] = [each for each in draft_problems(made, TODAY, 20) if each.path.startswith("sections[0]")]
        assert found.path.startswith("sections[0].questions[0].")


def test_a_wrong_place_in_a_file_is_refused_with_place_and_reason() -> None:
    odds, many = "must lie between 1.01 and 1000.00", [{"name": f"c{n}", "at": [n, 0]} for n in range(4097)]
    here = {**NORTH, "near": 4, "odds": "4.18"}
    excess = "near times (odds - 1) differs from that of the question, so shares cannot be told"
    changes: list[tuple[dict[str, Any], str, str]] = [
        ({"odds": "1.00"}, ".odds", odds),
        ({"odds": "1000.01"}, ".odds", odds),
        ({"near": 0}, ".near", "must lie between 1 and 4096"),
        (
            {"regions": [NORTH, {**SOUTH, "cells": ["A1", "A3"]}]},
            ".regions[1].cells[1]",
            "'A3' lies in the region 'north' already",
        ),
        ({"regions": [{**NORTH, "cells": ["Z9"]}]}, ".regions[0].cells[0]", "no cell is called 'Z9'"),
        ({"cells": many}, ".cells", "at most 4096 cells"),
        ({"regions": [here, SOUTH]}, ".regions[0]", excess),
    ]
    for change, path, why in changes:
        draft = {**complete(), "sections": [make_place_section(**change)], "expected": 5}
        with pytest.raises(FileRefused) as refused:
            candor_format.read(json.dumps(draft).encode())
        [fault] = refused.value.faults
        assert (fault.location, fault.reason) == (f"sections[0].questions[0]{path}", why)


def test_cells_that_stand_together_are_moved_apart_and_one_of_two_regions_stays_in_the_first() -> None:
    cells = [{"name": "A", "at": [0, 0]}, {"name": "A", "at": [0, 0]}, {"name": "elsewhere"}, {"at": "x"}]
    made = first_question(as_stored(place("home", region("r", "A"), cells=cells)))
    assert [each["at"] for each in made["cells"]] == [[0, 0], [1, 0], [2, 0], [3, 0]]
    names = [each["name"] for each in made["cells"]]
    assert len(set(names)) == 4
    assert "elsewhere" not in names
    made = first_question(as_stored(place("home", NORTH, region("west", "A1", "A3", "Z9"))))
    assert [each["cells"] for each in made["regions"]] == [NORTH["cells"], ["A1"]]


def test_regions_need_a_label_in_every_language_and_cells_in_all_or_none() -> None:
    cells = [
        {**each, "label": bilingual_text("Harbour")} if each["name"] == "A1" else each for each in grid()
    ]
    made = as_stored(place("home", cells=cells), languages=["en", "fr"])
    found = {one.path: one.reason for one in draft_problems(made, TODAY, 20) if "questions[0]." in one.path}
    path = "sections[0].questions[0]"
    assert found[f"{path}.regions[0].label.fr"] == "required in French"
    assert found[f"{path}.cells.fr"] == "1 label is missing in French"
    assert path_in_words(f"{path}.regions[1].label") == "Section 1, question 1, region 2, label"


def test_labels_of_cells_count_as_texts_and_cells_without_do_not() -> None:
    cells: list[dict[str, Any]] = [{"name": f"c{number}", "at": [number, 0]} for number in range(4096)]
    section = place("home", region("r", "c1"), near=1, cells=cells)
    assert too_large_reason({"sections": [section], "languages": ["en"]}) == ""
    labelled = [{**each, "label": dict.fromkeys("abcdefg", "x")} for each in cells]
    assert MOST_TEXTS < 7 * 4096
    many = place("home", region("r", "c1"), near=1, cells=labelled)
    assert "hold more questions and answers" in too_large_reason({"sections": [many], "languages": ["en"]})


words = st.sampled_from(["land", "7.38", "A1", "elsewhere"])
keys = st.sampled_from(
    ["name", "cells", "regions", "at", "shape", "near", "odds", "outline", "label", "en", "text"]
)
values = st.recursive(
    st.none() | st.integers(-3, 9) | st.text(max_size=3) | words,
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=25,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["cells", "regions", "near", "odds", "outline", "name"]), values))
def test_any_json_becomes_an_orderly_place(given: dict[str, Any]) -> None:
    made = normalize_json({"sections": [{"kind": "place", "questions": [given]}]})
    assert normalize_json(made) == made
    names = [each["name"] for key in ("cells", "regions") for each in first_question(made)[key]]
    assert len(set(names)) == len(names)
    assert draft_problems(made, TODAY, 20)


# The cells of a grid; what the page refuses of one is in tests/importing/test_place_cells.py.


def test_cells_stand_row_by_row_from_the_north_west_and_with_corners_in_hundredths_of_a_degree() -> None:
    found = grid_cells(2, 2, None)
    places = [("A1", (1, 3)), ("B1", (3, 3)), ("A2", (1, 1)), ("B2", (3, 1))]
    assert [(cell.name, cell.at) for cell in found] == places
    assert found[3].shape == ((2, 0, 4, 0, 4, 2, 2, 2),)
    found = grid_cells(2, 1, Corners(Decimal("-0.5"), Decimal(1), Decimal(0), Decimal("1.1")))
    assert [cell.at for cell in found] == [(102, -25), (107, -25)]
    assert found[1].shape == ((105, -50, 110, -50, 110, 0, 105, 0),)
    columns = ((0, 0, "A1"), (25, 9, "Z10"), (26, 0, "AA1"), (701, 2, "ZZ3"), (702, 0, "AAA1"))
    for column, row, name in columns:
        assert spreadsheet_cell_name(column, row) == name, "letters as in a spreadsheet"


def test_a_grid_of_as_many_cells_as_a_place_holds_has_centres_alone_and_shapes_fit_into_a_question() -> None:
    found = grid_cells(64, 64, None)
    assert len({cell.at for cell in found}) == len({cell.name for cell in found}) == 4_096
    assert not any(cell.shape for cell in found)
    found = grid_cells(36, 36, Corners(Decimal(50), Decimal(-10), Decimal(60), Decimal(-1)))
    size = len(json.dumps([cell.shape for cell in found], separators=(",", ":")))
    assert MOST_SHAPES * 0.8 < size <= MOST_SHAPES


# What it promises.


LIMIT = GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))
THEFT = sensitive(question("theft"))


def place_protection(section: dict[str, Any], respondents: int = 5000) -> PlaceProtection:
    made = read(section)
    protection = get_kind(made).protection(made, respondents, PRIOR)
    assert isinstance(protection, PlaceProtection)
    return protection


def warning_kinds(given: Any) -> list[str]:
    return [each.kind for each in settings_warnings(given) if each.section is not None]


def test_place_promises_its_odds_to_people_inside_only() -> None:
    """gamma 7.38; 5 % becomes 7.38·.05/(1 + 6.38·.05) = .2797; b = 2·638/(2·638 + 600)."""
    protection = place_protection(place("home"))
    assert (protection.gamma, protection.posterior) == (Decimal("7.38"), 0.28)
    assert protection.keep_probability == pytest.approx(1276 / 1876)
    assert protection.is_inside_regions_only
    assert (len(protection.law.cells_in_regions), protection.cells_outside_regions) == (6, 6)
    with_place = person_protection(written(THEFT, place("home")), PRIOR)
    without = person_protection(written(THEFT), PRIOR)
    assert with_place
    assert without
    assert with_place.guarantee.gamma == without.guarantee.gamma * Fraction(738, 100)
    assert (with_place.is_inside_regions_only, without.is_inside_regions_only) == (True, False)
    empty = read({"kind": "place", "questions": [{"name": "home"}]})
    assert empty.disguise_law() is None, "without regions it has no law yet"
    assert get_kind(empty).protection(empty, 100, PRIOR) is None


def test_weak_settings_and_pages_of_the_survey_say_for_whom_they_hold(client: Client, draft: Survey) -> None:
    weak = freeze_design(as_stored(place("home", odds="200")))
    [problem] = find_weak_settings(weak)
    words = "the epsilon of a person inside the regions is 5.30, above 5; outside none is promised"
    assert problem.reason == words
    assert protects_only_inside_regions(weak)
    assert not protects_only_inside_regions(freeze_design(as_stored(THEFT)))
    put(draft, place("home", odds="200"), expected=5000)
    holds = "his holds for people inside the regions"
    assert "It holds only for people inside the regions of every place." in page_text(client, draft)
    page = page_text(client, draft, "edit")
    assert f"T{holds} of every place." in page
    assert f"T{holds}." in page
    page = page_text(client, draft, "edit/protection")
    assert f"T{holds} of every place. People outside them have no protection" in page
    assert "To people outside nothing is promised." in page


def test_the_error_of_a_region_is_that_of_an_unrelated_question() -> None:
    """North: 4 of 12 cells, 4 of 6 inside. P* = b/3 + (1-b)·2/3, se = sqrt(P*(1-P*)/n)/b."""
    [north, south] = place_protection(place("home"), 5000).region_margins
    keep = 1276 / 1876
    received = keep / 3 + (1 - keep) * 2 / 3
    assert north.half_width == pytest.approx(1.96 * sqrt(received * (1 - received) / 5000) / keep)
    assert (north.name, north.cells, north.near) == ("north", 4, 2)
    assert (north.odds, north.own) == (Fraction("7.38"), False)
    assert south.share == pytest.approx(2 / 12)
    # A constant answer may err less on the map: odds of 1.01 say nearly nothing of where inside people are.
    assert place_protection(place("home", odds="1.01")).expected_errors.is_constant_better
    assert not place_protection(place("home", near=1, odds="900")).expected_errors.is_constant_better


def test_levels_that_fit_have_the_same_excess_in_two_places_also_within_a_limit() -> None:
    """2·6.38 = 12.76: a third of it has no two places, a quarter has."""
    level = PlaceLevel(2, 738)
    assert level_with_same_excess(level, 3) is None
    assert list(stronger_levels_with_same_excess(level, 8)) == [PlaceLevel(4, 419)]
    levels = ((6, 200), (5, 220), (4, 250), (3, 300), (2, 400))
    stronger = stronger_levels_with_same_excess(PlaceLevel(1, 700), 6)
    assert list(stronger) == [PlaceLevel(*each) for each in levels]
    section = read(place("home", {**NORTH, "near": 4, "odds": "4.19"}, SOUTH))
    made = get_kind(section).section_within_limit(section, GammaLimit(Fraction(5), strict=True))
    assert made
    law = made.disguise_law()
    assert law
    assert law.gamma == Fraction("4.98")
    assert made.question.regions[0].as_json()["odds"] == "2.99"
    assert get_kind(section).section_within_limit(section, GammaLimit(Fraction(1), strict=False)) is None


# The protection page.


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(draft, place("home"), THEFT, expected=5000)


def stored_place(survey: Survey) -> Any:
    return section_of(saved_draft(survey)).question


def save(client: Client, survey: Survey, path: str = "save", **sent: str) -> Any:
    return send(client, survey, HTMX, path, do="", **sent)


def test_near_cells_and_odds_are_set_and_shown_while_they_move(client: Client, survey: Survey) -> None:
    before, page = stored_place(survey), page_text(client, survey, "edit")
    for words in ("one of the 2 nearest cells of that region", "Disguised place", "One of 12 places"):
        assert words in page
    page = save(client, survey, "live", **{"odds-0": "3"}).text
    assert "3.00 times" in page
    assert "Expected precision with 5,000 answers" in page
    assert stored_place(survey) == before
    save(client, survey, **{"near-0": "1", "odds-0": "9.5"})
    assert "sends the nearest cell of that region" in page_text(client, survey, "edit")
    assert stored_place(survey).level == PlaceLevel(1, 950)


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"near-0": "3"}, "The smallest region has 2 cells, fewer than 3."),
        ({"near-0": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"odds-0": "1"}, "Ensure this value is greater than or equal to 1.01."),
        ({"odds-0": "1000.01"}, "Ensure this value is less than or equal to 1000."),
        ({"odds-0": "2.005"}, "Ensure that there are no more than 2 decimal places."),
    ],
)
def test_wrong_settings_are_refused(client: Client, survey: Survey, sent: dict[str, str], why: str) -> None:
    before = stored_place(survey)
    assert why in refusal(save(client, survey, **sent))
    assert stored_place(survey) == before


def test_a_second_level_follows_the_first_and_refuses_other_odds(client: Client, survey: Survey) -> None:
    """With 4 near cells there, 2·(W - 1) must be a multiple of .04."""
    put(survey, place("home", {**NORTH, "near": 4, "odds": "4.19"}, SOUTH), expected=5000)
    page = save(client, survey, **{"odds-0": "8.01"}).text
    assert "These odds are not possible with 4 near cells in the regions protected more." in page
    assert "The next smaller that are possible: 8.00." in page
    save(client, survey, **{"odds-0": "8"})
    assert [stored_place(survey).level.odds, stored_place(survey).regions[0].level.odds] == [800, 450]


# Warnings, quick fixes, proposals.


def test_a_strong_place_and_few_answers_are_warned_of_and_cured() -> None:
    weak = written(place("home", odds="200"), expected=5000)
    assert "long" in warning_kinds(weak)
    cured = apply_quick_fix(weak, "limit 0")
    assert section_of(cured).question.level == PlaceLevel(2, 14_800)
    assert "long" not in warning_kinds(cured)
    few = written(place("home", odds="2"), expected=100)
    [warning] = [each for each in settings_warnings(few) if each.kind == "noisy"]
    assert "noisy" not in warning_kinds(apply_quick_fix(few, warning.cures[0].do))


def test_small_regions_cells_outside_and_a_second_place_are_warned_of() -> None:
    age = plain(question("age", *(str(year) for year in range(60))))
    many = written(age, place("home"), place("work", near=1), expected=1000)
    words = {(each.kind, each.section): each.words for each in settings_warnings(many)}
    assert "The region south has very few cells" in words["small", 1]
    assert "6 cells lie outside the regions." in words["outside", 1]
    # 60 years and 6 cells: 1000·(359/360)^999 = 62.1 people, also of those who are asked directly.
    alone = "sensitive. Together with the answers that are not disguised, about 62 of 1,000 people would be"
    assert alone in words["outside", 1]
    half = written(age, place("home"), expected=1000, direct="0.5000", open_answers=False)
    assert any(alone in each.words for each in settings_warnings(half))
    with translation.override("zh-hans"):
        [outside] = [each.words for each in settings_warnings(half) if each.kind == "outside"]
    assert "请把所有敏感地点都画入区域。如果所有组合同样可能" in outside
    assert ("twice", 1) not in words
    assert "The questionnaire asks for 2 places." in words["twice", 2]
    # Of a place that is all regions nobody is outside.
    cells = [each["name"] for each in grid()]
    halves = region("west", *cells[:6]), region("east", *cells[6:])
    whole = written(place("home", *halves), expected=5000)
    assert warning_kinds(whole) == []
    assert place_protection(section_of(whole).as_json()).cells_outside_regions == 0


def test_proposals_give_a_place_its_share_of_what_a_person_gives_away() -> None:
    """The root of 19 is 4.358…: odds of 4.35."""
    [first, *_others] = propose_settings(written(place("home"), THEFT, expected=5000), LIMIT, 1)
    assert first.resulting_summary.single_question_lines[0].startswith("Home: region kept")
    after = first.draft_with_proposal
    assert section_of(after).question.level == PlaceLevel(2, 435)
    person = person_protection(after, PRIOR)
    assert person
    assert LIMIT.admits(person.guarantee.gamma)


def test_how_far_the_sent_cell_lies_is_said_in_kilometres_on_land() -> None:
    outlines: list[tuple[dict[str, Any], str]] = [
        ({"outline": "land"}, "km from"),
        ({}, "units of the coordinates from"),
    ]
    for outline, unit in outlines:
        protection = place_protection(place("home", **outline))
        assert unit in render_to_string("builder/place-results.html", {"protection": protection})
