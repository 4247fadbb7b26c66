"""Sensitive places on the builder's pages: adding, drawing, refusing, moving, undoing."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.commands import section_digest
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import TranslationPart
from privacy.kinds.place.section import PlaceSection
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from tests.builder.conftest import HTMX, SCRIPT, act, of_question
from tests.builder.placed import (
    NORTH,
    asking_for_a_place,
    cells,
    drawn,
    home,
    place,
    region,
    removed_in,
    reread,
    save,
)
from tests.builder.written import plain, question, stored
from tests.cast import As

pytestmark = pytest.mark.page


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return asking_for_a_place(draft)


# Adding, moving, copying, deleting.


def test_a_place_is_added_with_a_section_of_its_own_and_a_grid(client: Client, survey: Survey) -> None:
    """Eight by eight cells and no region yet; odds within what the other sections leave."""
    survey.draft = stored(plain(question("work")))
    survey.save()
    page = act(client, survey, "section-add", kind="place", headers=HTMX)
    assert "Add a region" in page.content.decode()
    added = home(survey)
    assert [len(added["cells"]), added["regions"], added["near"], added["odds"]] == [64, [], 1, "19.00"]
    assert (added["cells"][0]["name"], added["cells"][-1]["name"]) == ("A1", "H8")
    seen = section_digest(load_questionnaire(survey).sections[0])
    act(client, survey, "add", kind="place", section=0, seen=seen)
    kinds = [each.kind for each in load_questionnaire(reread(survey)).sections]
    assert kinds == ["plain", "place", "place"]


def test_it_is_finished_by_a_region_with_cells_and_words(client: Client, survey: Survey) -> None:
    survey.draft = stored(plain(question("work")))
    survey.save()
    act(client, survey, "section-add", kind="place")
    fields = {**of_question(reread(survey), "q1"), "do": "region-add"}
    client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=HTMX)
    fields = of_question(reread(survey), "q1") | {
        "text": "Where?",
        "region-0": "Old town",
        "in-0": ["A1", "B1"],
    }
    assert client.post(f"/app/surveys/{survey.pk}/edit/save", fields, headers=SCRIPT).status_code == 200
    section = freeze_design(reread(survey).draft).sections[1]
    assert isinstance(section, PlaceSection)
    assert section.law.cells_in_regions == (0, 1)


def test_it_moves_is_copied_and_deleted_with_its_section(client: Client, survey: Survey) -> None:
    act(client, survey, "up", key="home")
    assert home(survey, 0)["name"] == "home"
    act(client, survey, "down", key="home")
    act(client, survey, "duplicate", key="home")
    sections = load_questionnaire(reread(survey)).as_json()["sections"]
    assert [each["questions"][0]["name"] for each in sections] == ["work", "home", "home-2", "theft"]
    assert sections[2]["questions"][0]["regions"] == sections[1]["questions"][0]["regions"]
    page = act(client, survey, "delete", key="home", headers=HTMX)
    act(client, survey, "undo", removed=removed_in(page))
    assert home(survey)["name"] == "home"
    for sent in ({"key": "work", "section": 1, "row": 0}, {"key": "home", "section": 0, "row": 0}):
        act(client, survey, "move", **sent)
    assert load_questionnaire(reread(survey)).as_json()["sections"] == sections


def test_a_survey_copies_a_place_from_another(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=stored(plain(question("age"))))
    client.post(f"/app/surveys/{other.pk}/edit/copy", {"section": f"{survey.pk}:1", "sure": "on"})
    assert home(other)["regions"] == home(survey)["regions"]


# Drawing regions.


def test_cells_are_ticked_and_words_saved(client: Client, survey: Survey) -> None:
    sent: dict[str, Any] = {
        "in-0": ["A2", "B2", "C2"],
        "in-1": ["D1", "A1"],
        "text": "Where?",
        "region-1": "Harbour",
    }
    assert save(client, survey, **sent).status_code == 200
    assert drawn(survey) == {"north": ["A2", "B2", "C2"], "south": ["A1", "D1"]}
    assert home(survey)["regions"][1]["label"] == {"en": "Harbour"}


def test_a_region_is_added_deleted_and_comes_back(client: Client, survey: Survey) -> None:
    save(client, survey, "region-add")
    assert list(drawn(survey)) == ["north", "south", "region-1"]
    page = save(client, survey, "region-remove 0", headers=HTMX)
    assert list(drawn(survey)) == ["south", "region-1"]
    act(client, survey, "undo", removed=removed_in(page))
    assert drawn(survey)["north"] == NORTH["cells"]
    assert (
        "This region is not there any more."
        in save(client, survey, "region-remove 7", headers=HTMX).content.decode()
    )


def test_a_hundred_regions_are_enough(client: Client, survey: Survey) -> None:
    regions = [region(f"r{number}") for number in range(100)]
    survey.draft = stored(plain(question("work")), place("home", *regions))
    survey.save()
    assert (
        "A place has at most 100 regions."
        in save(client, survey, "region-add", headers=HTMX).content.decode()
    )


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
def test_what_does_not_fit_is_refused_at_its_field(
    client: Client, survey: Survey, sent: dict[str, Any], why: str
) -> None:
    before = home(survey)
    answer = save(client, survey, **sent)
    assert answer.status_code == 422
    assert why in answer.json()["said"]
    assert home(survey) == before


def test_a_region_may_be_too_small_while_it_is_drawn_and_that_is_said(client: Client, survey: Survey) -> None:
    assert save(client, survey, "", **{"in-1": ["A1"]}, headers=HTMX).status_code == 200
    page = client.get(f"/app/surveys/{survey.pk}/edit", {"open": "home"}).content.decode()
    assert "Region 2: has 1 cells, fewer than the 2 near ones" in page


@pytest.mark.night
def test_thousands_of_cells_are_lines_of_text_and_two_corners_a_rectangle(
    client: Client, survey: Survey
) -> None:
    """64 times 64: no page holds a field for each."""
    assert cells(client, survey, "grid", columns="64", rows="64").status_code == 302
    regions = [region("north", "A64"), region("south", "A1")]
    draft = load_questionnaire(reread(survey)).as_json()
    draft["sections"][1]["questions"][0]["regions"] = regions
    survey.draft = draft
    survey.save()
    page = client.get(f"/app/surveys/{survey.pk}/edit", {"open": "home"}).content.decode()
    assert page.count("<input") < 80
    assert len(page) < 700_000
    assert save(client, survey, near="1", **{"in-0": "A64:C63", "in-1": "BL1\nA1"}).status_code == 200
    assert drawn(survey) == {"north": ["A63", "B63", "C63", "A64", "B64", "C64"], "south": ["A1", "BL1"]}
    answer = save(client, survey, **{"in-0": "A1\nA99:B1"})
    assert "Line 2: no cell is called “A99”." in answer.json()["said"]


def test_cells_and_regions_have_labels_in_every_language(client: Client, survey: Survey) -> None:
    assert save(client, survey, labels="A1 = Harbour\nB2 = Market").status_code == 200
    part = TranslationPart("home", "en", "zh-hans")
    page = client.get(f"/app/surveys/{survey.pk}/edit/translations").content.decode()
    assert "A1 = Harbour" in page
    assert 'id="sections-1-questions-0-regions-0-label-zh-hans"' in page
    sent = {
        "part": "home",
        "from": "en",
        "in": "zh-hans",
        "text": "哪里？",
        "region-0": "北",
        "region-1": "南",
    }
    sent |= {"labels": "A1 = 港口\nB2 = 市场", "base": part_digest(part, load_questionnaire(survey))}
    address = f"/app/surveys/{survey.pk}/edit/translations/save"
    wrong = client.post(address, sent | {"labels": "Z1 = 港口"}, headers=SCRIPT)
    assert "no cell is called “Z1”" in wrong.json()["said"]
    assert client.post(address, sent, headers=SCRIPT).status_code == 200
    labels = {each["name"]: each["label"] for each in home(survey)["cells"]}
    assert labels["A1"] == {"en": "Harbour", "zh-hans": "港口"}
    assert home(survey)["regions"][0]["label"] == {"en": "North", "zh-hans": "北"}


def test_place_and_regions_get_other_names_in_files(client: Client, survey: Survey) -> None:
    save(client, survey, "rename", **{"name": "address", "name-0": "upper", "name-1": "lower"})
    draft = load_questionnaire(reread(survey)).as_json()
    assert draft["sections"][1]["questions"][0]["name"] == "address"
    assert list(drawn(survey)) == ["upper", "lower"]


def test_a_region_is_not_called_like_a_cell(client: Client, survey: Survey) -> None:
    page = save(client, survey, "rename", **{"name-0": "A1"}, headers=HTMX)
    assert "Another cell or region is called “A1”." in page.content.decode()


def test_somebody_elses_drawing_is_not_overstored(client: Client, survey: Survey) -> None:
    earlier = of_question(survey, "home")
    save(client, survey, "", **{"in-1": ["C1", "D1"]})
    later = client.post(
        f"/app/surveys/{survey.pk}/edit/save", {**earlier, "in-0": ["A2", "B2"]}, headers=SCRIPT
    )
    assert later.status_code == 409
    assert drawn(survey)["south"] == ["C1", "D1"]


# Levels.


def test_a_region_is_protected_more_with_odds_that_fit(client: Client, survey: Survey) -> None:
    """2·(7.38 - 1) = 12.76 = 4·(4.19 - 1)."""
    page = save(client, survey, "region-more 0", headers=HTMX).content.decode()
    assert 'name="own-near" value="4"' in page
    assert [home(survey)["regions"][0][each] for each in ("near", "odds")] == [4, "4.19"]
    freeze_design(reread(survey).draft)
    save(client, survey, "region-less 0")
    assert "near" not in home(survey)["regions"][0]
    page = save(client, survey, "region-more 1", headers=HTMX).content.decode()
    assert "No stronger protection is possible" in page


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
def test_other_odds_are_refused_with_those_that_fit(
    client: Client, survey: Survey, sent: dict[str, str], why: str
) -> None:
    save(client, survey, "region-more 0")
    answer = save(client, survey, **sent)
    assert answer.status_code == 422
    assert why in answer.json()["said"]


def test_the_best_level_is_found_for_what_is_wanted(client: Client, survey: Survey) -> None:
    page = save(client, survey, "best-level", learn="regions", headers=HTMX)
    assert (home(survey)["near"], home(survey)["odds"]) == (2, "6.33")
    act(client, survey, "undo", removed=removed_in(page))
    assert (home(survey)["near"], home(survey)["odds"]) == (2, "7.38")
    save(client, survey, "best-level", learn="map")
    # The other section has gamma 3: 3 * 6.33 is within the 19 of the preset.
    assert home(survey)["odds"] == "6.33"
    page = save(client, survey, "best-level", learn="all", headers=HTMX)
    assert "That could not be understood." in page.content.decode()


def test_the_errors_move_with_what_is_drawn_and_nothing_is_stored(client: Client, survey: Survey) -> None:
    before, address = home(survey), f"/app/surveys/{survey.pk}/edit/number"
    fields = of_question(survey, "home")
    now = client.post(address, fields).content.decode()
    assert "Expected precision with 5,000 answers" in now
    assert client.post(address, {**fields, "in-1": ["A1", "B1", "C1"]}).content.decode() != now
    assert client.post(address, {**fields, "odds": "0"}).status_code == 204
    assert home(survey) == before
