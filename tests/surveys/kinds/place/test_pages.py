"""Sensitive places on the builder's pages: adding, drawing, refusing, moving, undoing."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.commands import section_digest
from privacy.kinds.place.section import PlaceSection
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from tests.builder.conftest import (
    HTMX,
    SCRIPT,
    asking_for_a_place,
    choose_cells,
    drawn_regions as drawn,
    of_question,
    post_act,
    refusal,
    removed_in,
    save as save_question,
    saved_draft,
    stored_question as home,
    translate,
)
from tests.surveys.conftest import page_text, post, update_row
from tests.surveys.drafts import NORTH, names, place, plain, put, question, region, stored_draft

pytestmark = pytest.mark.page
WORK = plain(question("work"))


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return asking_for_a_place(draft)


def save(client: Client, survey: Survey, do: str = "", headers: Any = None, **sent: object) -> Any:
    return save_question(client, survey, "home", do, headers, **sent)


# Adding, moving, copying, deleting.


def test_a_place_is_added_with_a_grid_and_finished_by_a_region(client: Client, draft: Survey) -> None:
    """Eight by eight cells and no region yet; odds within what the other sections leave."""
    survey = put(draft, WORK)
    assert "Add a region" in post_act(client, survey, "section-add", kind="place", headers=HTMX).text
    added = home(survey)
    assert [len(added["cells"]), added["regions"], added["near"], added["odds"]] == [64, [], 1, "19.00"]
    assert (added["cells"][0]["name"], added["cells"][-1]["name"]) == ("A1", "H8")
    save_question(client, survey, "q1", "region-add", HTMX)
    sent: dict[str, Any] = {"text": "Where?", "region-0": "Old town", "in-0": ["A1", "B1"]}
    assert save_question(client, survey, "q1", **sent).status_code == 200
    section = freeze_design(survey.draft).sections[1]
    assert isinstance(section, PlaceSection)
    assert section.law.cells_in_regions == (0, 1)
    seen = section_digest(saved_draft(survey).sections[0])
    post_act(client, survey, "add", kind="place", section=0, seen=seen)
    assert [each.kind for each in saved_draft(survey).sections] == ["plain", "place", "place"]


def test_place_moves_and_is_deleted_with_its_section(client: Client, survey: Survey, owner: Person) -> None:
    post_act(client, survey, "up", key="home")
    assert home(survey, 0)["name"] == "home"
    post_act(client, survey, "down", key="home")
    post_act(client, survey, "duplicate", key="home")
    assert names(saved_draft(survey)) == [["work"], ["home"], ["home-2"], ["theft"]]
    assert home(survey, 2)["regions"] == home(survey)["regions"]
    before = saved_draft(survey)
    page = post_act(client, survey, "delete", key="home", headers=HTMX)
    post_act(client, survey, "undo", removed=removed_in(page))
    assert home(survey)["name"] == "home"
    for sent in ({"key": "work", "section": 1, "row": 0}, {"key": "home", "section": 0, "row": 0}):
        post_act(client, survey, "move", **sent)
    assert saved_draft(survey) == before
    # Another survey copies it.
    other = Survey.objects.create(owner=owner, draft=stored_draft(plain(question("age"))))
    post(client, other, "edit/copy", section=f"{survey.pk}:1", sure="on")
    assert home(other)["regions"] == home(survey)["regions"]


# Drawing regions.


def test_cells_are_ticked_and_no_other_drawing_overwritten(client: Client, survey: Survey) -> None:
    earlier = of_question(survey, "home")
    sent: dict[str, Any] = {"in-0": ["A2", "B2", "C2"], "in-1": ["D1", "A1"], "region-1": "Harbour"}
    assert save(client, survey, **sent, text="Where?").status_code == 200
    assert drawn(survey) == {"north": ["A2", "B2", "C2"], "south": ["A1", "D1"]}
    assert home(survey)["regions"][1]["label"] == {"en": "Harbour"}
    assert post(client, survey, "edit/save", SCRIPT, **{**earlier, "in-0": ["A3", "B3"]}).status_code == 409
    assert drawn(survey)["south"] == ["A1", "D1"]
    # A region may be too small while it is drawn, and that is said.
    assert save(client, survey, "", **{"in-1": ["A1"]}).status_code == 200
    assert "Region 2: has 1 cells, fewer than the 2 near ones" in page_text(
        client, survey, "edit", open="home"
    )


def test_a_region_is_added_deleted_undone_and_renamed(client: Client, survey: Survey) -> None:
    save(client, survey, "region-add")
    assert list(drawn(survey)) == ["north", "south", "region-1"]
    page = save(client, survey, "region-remove 0", headers=HTMX)
    assert list(drawn(survey)) == ["south", "region-1"]
    post_act(client, survey, "undo", removed=removed_in(page))
    assert drawn(survey)["north"] == NORTH["cells"]
    assert "This region is not there any more." in save(client, survey, "region-remove 7", headers=HTMX).text
    taken = save(client, survey, "rename", **{"name-0": "A1"}, headers=HTMX).text
    assert "Another cell or region is called “A1”." in taken
    save(client, survey, "rename", **{"name": "address", "name-0": "upper", "name-1": "lower"})
    assert home(survey)["name"] == "address"
    assert list(drawn(survey))[:2] == ["upper", "lower"]
    # A hundred are enough.
    put(survey, WORK, place("home", *(region(f"r{number}") for number in range(100))))
    assert "A place has at most 100 regions." in save(client, survey, "region-add", headers=HTMX).text


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"in-1": ["A1", "A3"]}, "Cells of region 2: “A3” lies in region 1 already."),
        ({"in-1": ["Z9"]}, "Cells of region 2: Select a valid choice. Z9 is not one of the available"),
        (
            {"near": "3"},
            "Near cells: Region 2: has 2 cells, fewer than the 3 near ones: choose a smaller near.",
        ),
        ({"near": "0"}, "Near cells: Ensure this value is greater than or equal to 1."),
        ({"near": "x"}, "Near cells: Enter a whole number."),
        ({"odds": "1"}, "Odds: Ensure this value is greater than or equal to 1.01."),
        ({"odds": "1000.01"}, "Odds: Ensure this value is less than or equal to 1000."),
        ({"odds": "7.384"}, "Odds: Ensure that there are no more than 2 decimal places."),
        ({"labels": "Z9 = Zoo"}, "Labels of cells: Line 1: no cell is called “Z9”."),
        ({"labels": "A1 = Zoo\nA2"}, "Labels of cells: Line 2: write “A2 = label”."),
    ],
)
def test_what_does_not_fit_is_refused(client: Client, survey: Survey, sent: dict[str, Any], why: str) -> None:
    before = home(survey)
    assert why in refusal(save(client, survey, **sent))
    assert home(survey) == before


@pytest.mark.night
def test_thousands_of_cells_are_lines_and_two_corners_a_rectangle(client: Client, survey: Survey) -> None:
    """64 times 64: no page holds a field for each."""
    assert choose_cells(client, survey, "grid", columns="64", rows="64").status_code == 302
    draft = saved_draft(survey).as_json()
    draft["sections"][1]["questions"][0]["regions"] = [region("north", "A64"), region("south", "A1")]
    page = page_text(client, update_row(survey, draft=draft), "edit", open="home")
    assert page.count("<input") < 80
    assert len(page) < 700_000
    assert save(client, survey, near="1", **{"in-0": "A64:C63", "in-1": "BL1\nA1"}).status_code == 200
    assert drawn(survey) == {"north": ["A63", "B63", "C63", "A64", "B64", "C64"], "south": ["A1", "BL1"]}
    assert "Line 2: no cell is called “A99”." in save(client, survey, **{"in-0": "A1\nA99:B1"}).json()["said"]


def test_cells_and_regions_have_labels_in_every_language(client: Client, survey: Survey) -> None:
    assert save(client, survey, labels="A1 = Harbour\nB2 = Market").status_code == 200
    page = page_text(client, survey, "edit/translations")
    assert "A1 = Harbour" in page
    assert 'id="sections-1-questions-0-regions-0-label-zh-hans"' in page
    words = {"text": "哪里？", "region-0": "北", "region-1": "南"}
    wrong = translate(client, survey, "home", "zh-hans", **words, labels="Z1 = 港口")
    assert "no cell is called “Z1”" in wrong.json()["said"]
    assert (
        translate(client, survey, "home", "zh-hans", **words, labels="A1 = 港口\nB2 = 市场").status_code
        == 200
    )
    labels = {each["name"]: each["label"] for each in home(survey)["cells"]}
    assert labels["A1"] == {"en": "Harbour", "zh-hans": "港口"}
    assert home(survey)["regions"][0]["label"] == {"en": "North", "zh-hans": "北"}


# Levels.


def test_a_region_is_protected_more_with_odds_that_fit(client: Client, survey: Survey) -> None:
    """2·(7.38 - 1) = 12.76 = 4·(4.19 - 1)."""
    assert 'name="own-near" value="4"' in save(client, survey, "region-more 0", headers=HTMX).text
    assert [home(survey)["regions"][0][each] for each in ("near", "odds")] == [4, "4.19"]
    freeze_design(survey.draft)
    save(client, survey, "region-less 0")
    assert "near" not in home(survey)["regions"][0]
    assert "No stronger protection is possible" in save(client, survey, "region-more 1", headers=HTMX).text


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (
            {"own-odds": "4.20"},
            "it is 12.76 for the others and 12.80 here. These are possible: 4 near and odds 4.19.",
        ),
        (
            {"odds": "8"},
            "it is 14.00 for the others and 12.76 here. These are possible: 4 near and odds 4.50.",
        ),
        ({"own-odds": "7.38"}, "The odds must be smaller than those of the other regions."),
    ],
)
def test_place_refuses_other_odds(client: Client, survey: Survey, sent: dict[str, str], why: str) -> None:
    save(client, survey, "region-more 0")
    assert why in refusal(save(client, survey, **sent))


def test_the_best_level_is_found_for_what_is_wanted(client: Client, survey: Survey) -> None:
    page = save(client, survey, "best-level", learn="regions", headers=HTMX)
    assert (home(survey)["near"], home(survey)["odds"]) == (2, "6.33")
    post_act(client, survey, "undo", removed=removed_in(page))
    assert (home(survey)["near"], home(survey)["odds"]) == (2, "7.38")
    save(client, survey, "best-level", learn="map")
    # The other section has gamma 3: 3 * 6.33 is within the 19 of the preset.
    assert home(survey)["odds"] == "6.33"
    page = save(client, survey, "best-level", learn="all", headers=HTMX)
    assert "That could not be understood." in page.text


def test_the_errors_move_with_what_is_drawn_and_nothing_is_stored(client: Client, survey: Survey) -> None:
    before, fields = home(survey), of_question(survey, "home")
    expected = post(client, survey, "edit/number", **fields).text
    assert "Expected precision with 5,000 answers" in expected
    moved = {**fields, "in-1": ["A1", "B1", "C1"]}
    assert post(client, survey, "edit/number", **moved).text != expected
    assert post(client, survey, "edit/number", **{**fields, "odds": "0"}).status_code == 204
    assert home(survey) == before
