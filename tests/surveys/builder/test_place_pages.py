"""Sensitive places on the builder's pages: adding, drawing, refusing, moving, undoing."""

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from people.models import Person
from privacy.kinds.place.form import PlaceSection
from surveys import draft as drafts
from surveys.builder.commands import section_digest
from surveys.builder.parts import TranslationPart, base_of
from surveys.builder.saving import normalized_draft
from surveys.cells_views import MOST_BYTES, ROOM
from surveys.models import Survey
from tests.cast import As
from tests.surveys.builder.conftest import HTMX, SCRIPT, of_question
from tests.surveys.builder.placed import NORTH, grid, place, region
from tests.surveys.builder.written import draft as written, plain, question, sensitive


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = written(
        plain(question("work", "employed", "none")),
        place("home"),
        sensitive(question("theft")),
        languages=["en", "zh-hans"],
        expected=5000,
    )
    draft.save()
    return draft


def act(client: Client, survey: Survey, do: str, **sent: object) -> Any:
    return client.post(f"/surveys/{survey.pk}/edit/act", {"do": do, "in": "en", **sent}, headers=HTMX)


def save(client: Client, survey: Survey, do: str = "", **sent: object) -> Any:
    fields = {**of_question(reread(survey), "home"), "do": do, **sent}
    return client.post(f"/surveys/{survey.pk}/edit/save", fields, headers=HTMX if do else SCRIPT)


def cells(client: Client, survey: Survey, source: str, **sent: object) -> Any:
    return client.post(f"/surveys/{survey.pk}/edit/cells?key=home", {"source": source, **sent})


def reread(survey: Survey) -> Survey:
    survey.refresh_from_db()
    return survey


def home(survey: Survey, section: int = 1) -> Any:
    return normalized_draft(reread(survey))["sections"][section]["questions"][0]


def drawn(survey: Survey) -> dict[str, list[str]]:
    return {each["name"]: each["cells"] for each in home(survey)["regions"]}


def removed_in(page: Any) -> str:
    found = re.search(r'name="removed" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


# Adding, moving, copying, deleting.


def test_a_place_is_added_with_a_section_of_its_own_and_a_grid(client: Client, survey: Survey) -> None:
    """Eight by eight cells and no region yet; odds within what the other sections leave."""
    survey.draft = written(plain(question("work")))
    survey.save()
    page = act(client, survey, "section-add", kind="place")
    assert "Add a region" in page.content.decode()
    added = home(survey)
    assert [len(added["cells"]), added["regions"], added["near"], added["odds"]] == [64, [], 1, "18.99"]
    assert (added["cells"][0]["name"], added["cells"][-1]["name"]) == ("A1", "H8")
    seen = section_digest(normalized_draft(survey)["sections"][0])
    act(client, survey, "add", kind="place", section=0, seen=seen)
    kinds = [each["kind"] for each in normalized_draft(reread(survey))["sections"]]
    assert kinds == ["plain", "place", "place"]


def test_it_is_finished_by_a_region_with_cells_and_words(client: Client, survey: Survey) -> None:
    survey.draft = written(plain(question("work")))
    survey.save()
    act(client, survey, "section-add", kind="place")
    fields = {**of_question(reread(survey), "q1"), "do": "region-add"}
    client.post(f"/surveys/{survey.pk}/edit/save", fields, headers=HTMX)
    fields = of_question(reread(survey), "q1") | {
        "text": "Where?",
        "region-0": "Old town",
        "in-0": ["A1", "B1"],
    }
    assert client.post(f"/surveys/{survey.pk}/edit/save", fields, headers=SCRIPT).status_code == 200
    section = drafts.frozen(reread(survey).draft).sections[1]
    assert isinstance(section, PlaceSection)
    assert section.law.inside == (0, 1)


def test_it_moves_is_copied_and_deleted_with_its_section(client: Client, survey: Survey) -> None:
    act(client, survey, "up", key="home")
    assert home(survey, 0)["name"] == "home"
    act(client, survey, "down", key="home")
    act(client, survey, "duplicate", key="home")
    sections = normalized_draft(reread(survey))["sections"]
    assert [each["questions"][0]["name"] for each in sections] == ["work", "home", "home-2", "theft"]
    assert sections[2]["questions"][0]["regions"] == sections[1]["questions"][0]["regions"]
    page = act(client, survey, "delete", key="home")
    act(client, survey, "undo", removed=removed_in(page))
    assert home(survey)["name"] == "home"
    for sent in ({"key": "work", "section": 1, "row": 0}, {"key": "home", "section": 0, "row": 0}):
        act(client, survey, "move", **sent)
    assert normalized_draft(reread(survey))["sections"] == sections


def test_a_survey_copies_a_place_from_another(client: Client, survey: Survey, owner: Person) -> None:
    other = Survey.objects.create(owner=owner, draft=written(plain(question("age"))))
    client.post(f"/surveys/{other.pk}/edit/copy", {"section": f"{survey.pk}:1", "sure": "on"})
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
    page = save(client, survey, "region-remove 0")
    assert list(drawn(survey)) == ["south", "region-1"]
    act(client, survey, "undo", removed=removed_in(page))
    assert drawn(survey)["north"] == NORTH["cells"]
    assert "This region is not there any more." in save(client, survey, "region-remove 7").content.decode()


def test_a_hundred_regions_are_enough(client: Client, survey: Survey) -> None:
    regions = [region(f"r{number}") for number in range(100)]
    survey.draft = written(plain(question("work")), place("home", *regions))
    survey.save()
    assert "A place has at most 100 regions." in save(client, survey, "region-add").content.decode()


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
    assert save(client, survey, "", **{"in-1": ["A1"]}).status_code == 200
    page = client.get(f"/surveys/{survey.pk}/edit", {"open": "home"}).content.decode()
    assert "Region 2: has 1 cells, fewer than the 2 near ones" in page


@pytest.mark.slow
def test_thousands_of_cells_are_lines_of_text_and_two_corners_a_rectangle(
    client: Client, survey: Survey
) -> None:
    """64 times 64: no page holds a field for each."""
    assert cells(client, survey, "grid", columns="64", rows="64").status_code == 302
    regions = [region("north", "A64"), region("south", "A1")]
    draft = normalized_draft(reread(survey))
    draft["sections"][1]["questions"][0]["regions"] = regions
    survey.draft = draft
    survey.save()
    page = client.get(f"/surveys/{survey.pk}/edit", {"open": "home"}).content.decode()
    assert page.count("<input") < 60
    assert len(page) < 700_000
    assert save(client, survey, near="1", **{"in-0": "A64:C63", "in-1": "BL1\nA1"}).status_code == 200
    assert drawn(survey) == {"north": ["A63", "B63", "C63", "A64", "B64", "C64"], "south": ["A1", "BL1"]}
    answer = save(client, survey, **{"in-0": "A1\nA99:B1"})
    assert "Line 2: no cell is called “A99”." in answer.json()["said"]


def test_cells_and_regions_have_labels_in_every_language(client: Client, survey: Survey) -> None:
    assert save(client, survey, labels="A1 = Harbour\nB2 = Market").status_code == 200
    part = TranslationPart("home", "en", "zh-hans")
    page = client.get(f"/surveys/{survey.pk}/edit/translations").content.decode()
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
    sent |= {"labels": "A1 = 港口\nB2 = 市场", "base": base_of(part, normalized_draft(survey))}
    address = f"/surveys/{survey.pk}/edit/translations/save"
    wrong = client.post(address, sent | {"labels": "Z1 = 港口"}, headers=SCRIPT)
    assert "no cell is called “Z1”" in wrong.json()["said"]
    assert client.post(address, sent, headers=SCRIPT).status_code == 200
    labels = {each["name"]: each["label"] for each in home(survey)["cells"]}
    assert labels["A1"] == {"en": "Harbour", "zh-hans": "港口"}
    assert home(survey)["regions"][0]["label"] == {"en": "North", "zh-hans": "北"}


def test_place_and_regions_get_other_names_in_files(client: Client, survey: Survey) -> None:
    save(client, survey, "rename", **{"name": "address", "name-0": "upper", "name-1": "lower"})
    draft = normalized_draft(reread(survey))
    assert draft["sections"][1]["questions"][0]["name"] == "address"
    assert list(drawn(survey)) == ["upper", "lower"]


def test_a_region_is_not_called_like_a_cell(client: Client, survey: Survey) -> None:
    page = save(client, survey, "rename", **{"name-0": "A1"})
    assert "Another cell or region is called “A1”." in page.content.decode()


def test_somebody_elses_drawing_is_not_overwritten(client: Client, survey: Survey) -> None:
    earlier = of_question(survey, "home")
    save(client, survey, "", **{"in-1": ["C1", "D1"]})
    later = client.post(f"/surveys/{survey.pk}/edit/save", {**earlier, "in-0": ["A2", "B2"]}, headers=SCRIPT)
    assert later.status_code == 409
    assert drawn(survey)["south"] == ["C1", "D1"]


# Levels.


def test_a_region_is_protected_more_with_odds_that_fit(client: Client, survey: Survey) -> None:
    """2·(7.38 - 1) = 12.76 = 4·(4.19 - 1)."""
    page = save(client, survey, "region-more 0").content.decode()
    assert 'name="own-near" value="4"' in page
    assert [home(survey)["regions"][0][each] for each in ("near", "odds")] == [4, "4.19"]
    drafts.frozen(reread(survey).draft)
    save(client, survey, "region-less 0")
    assert "near" not in home(survey)["regions"][0]
    page = save(client, survey, "region-more 1").content.decode()
    assert "No stronger protection fits" in page


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (
            {"own-odds": "4.20"},
            "it is 12.76 for the others and 12.80 here. These fit: 4 near and odds 4.19.",
        ),
        ({"odds": "8"}, "it is 14.00 for the others and 12.76 here. These fit: 4 near and odds 4.50."),
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
    page = save(client, survey, "best-level", learn="regions")
    assert (home(survey)["near"], home(survey)["odds"]) == (2, "18.99")
    act(client, survey, "undo", removed=removed_in(page))
    assert (home(survey)["near"], home(survey)["odds"]) == (2, "7.38")
    save(client, survey, "best-level", learn="map")
    assert home(survey)["odds"] == "18.99"
    page = save(client, survey, "best-level", learn="all")
    assert "That could not be understood." in page.content.decode()


def test_the_errors_move_with_what_is_drawn_and_nothing_is_stored(client: Client, survey: Survey) -> None:
    before, address = home(survey), f"/surveys/{survey.pk}/edit/number"
    fields = of_question(survey, "home")
    now = client.post(address, fields).content.decode()
    assert "Errors to expect with 5,000 answers" in now
    assert client.post(address, {**fields, "in-1": ["A1", "B1", "C1"]}).content.decode() != now
    assert client.post(address, {**fields, "odds": "0"}).status_code == 204
    assert home(survey) == before


# Other cells.


def test_a_grid_on_land_has_corners_in_hundredths_of_a_degree(client: Client, survey: Survey) -> None:
    corners = {"south": "50", "west": "-1", "north": "51", "east": "1"}
    answer = cells(client, survey, "grid", columns="2", rows="1", land="on", **corners)
    assert answer["Location"].startswith(f"/surveys/{survey.pk}/edit?open=home#block-")
    made = home(survey)
    assert made["outline"] == "land"
    assert [(each["name"], each["at"]) for each in made["cells"]] == [("A1", [-50, 5050]), ("B1", [50, 5050])]
    assert made["cells"][0]["shape"] == [[-100, 5000, 0, 5000, 0, 5100, -100, 5100]]
    page = client.get(f"/surveys/{survey.pk}/edit", {"open": "home"}).content.decode()
    assert 'class="land"' in page


@pytest.mark.parametrize(
    ("source", "sent", "why"),
    [
        ("grid", {"columns": "4097", "rows": "1"}, "Ensure this value is less than or equal to 4096."),
        ("grid", {"columns": "65", "rows": "64"}, "65 times 64 are 4160 cells. A place has at most 4096."),
        ("grid", {"columns": "1", "rows": "1"}, "A place has at least 2 cells."),
        ("grid", {"columns": "", "rows": "2"}, "This field is required."),
        ("grid", {"columns": "2", "rows": "2", "land": "on"}, "This field is required."),
        (
            "grid",
            {"columns": "2", "rows": "2", "land": "on", "south": "5", "west": "0", "north": "4", "east": "9"},
            "The north-east corner must lie north and east of the south-west one.",
        ),
        (
            "grid",
            {
                "columns": "64",
                "rows": "2",
                "land": "on",
                "south": "0",
                "west": "0",
                "north": "1",
                "east": "1",
            },
            "So many cells would be smaller than two hundredths of a degree.",
        ),
        (
            "grid",
            {
                "columns": "2",
                "rows": "2",
                "land": "on",
                "south": "-91",
                "west": "0",
                "north": "1",
                "east": "1",
            },
            "Ensure this value is greater than or equal to -90.",
        ),
        ("names", {"names": "a\nb\na"}, "Line 3: “a” stands twice."),
        ("names", {"names": "a\n=\n"}, "Line 2 holds no name."),
        ("names", {"names": "a"}, "A place has at least 2 cells."),
        ("names", {"names": "a\nb", "same": "on"}, "There are 12 cells and 2 names."),
        ("names", {"names": "\n".join(map(str, range(4097)))}, "A place has at most 4096 cells."),
        ("file", {}, "This field is required."),
    ],
)
def test_cells_that_cannot_be_are_refused(
    client: Client, survey: Survey, source: str, sent: dict[str, str], why: str
) -> None:
    before = home(survey)
    page = cells(client, survey, source, **sent)
    assert page.status_code == 422
    assert why in page.content.decode()
    assert home(survey) == before


def feature(name: str | None, *corners: tuple[float, float], **more: Any) -> dict[str, Any]:
    ring = [list(each) for each in (*corners, corners[0])]
    properties = {"name": name} if name else {}
    geometry = {"type": "Polygon", "coordinates": [ring], **more}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": list(features), **more}).encode()


WEST = feature("West", (0, 50), (1, 50), (1, 51), (0, 51))
EAST = feature("East", (1, 50), (2, 50), (2, 51), (1, 51))


def upload(client: Client, survey: Survey, data: bytes) -> Any:
    return cells(client, survey, "file", file=SimpleUploadedFile("map.geojson", data), land="on")


def test_areas_of_a_file_become_cells(client: Client, survey: Survey) -> None:
    assert upload(client, survey, collection(WEST, EAST)).status_code == 302
    made = home(survey)
    assert [each["name"] for each in made["cells"]] == ["West", "East"]
    assert made["cells"][0]["shape"]
    assert (made["regions"], made["outline"]) == ([], "land")


def test_small_areas_are_too_fine_for_the_outline_of_land(client: Client, survey: Survey) -> None:
    one = feature("West", (0, 50), (0.01, 50), (0.01, 50.01))
    other = feature("East", (0.011, 50), (0.02, 50), (0.02, 50.01))
    page = upload(client, survey, collection(one, other))
    assert "These areas are too small for the outline of land" in page.content.decode()


OPEN_RING = json.loads(json.dumps(WEST))
OPEN_RING["geometry"]["coordinates"][0].pop()
HOLE = json.loads(json.dumps(WEST))
HOLE["geometry"]["coordinates"].append([[0.2, 50.2], [0.4, 50.2], [0.4, 50.4], [0.2, 50.2]])
CRS = {"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}}


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (collection(WEST, EAST)[:-9], ""),
        (b"\x89PNG", ""),
        (collection(WEST, OPEN_RING), "features[1]"),
        (collection(feature("bow", (0, 0), (1, 1), (1, 0), (0, 1)), EAST), "features[0]"),
        (collection(WEST, feature("metres", (4e5, 5e6), (5e5, 5e6), (5e5, 6e6))), "features[1]"),
        (collection(WEST, EAST, **CRS), "crs"),
        (collection(HOLE, EAST), "features[0]"),
        (collection(WEST, feature(None, (1, 50), (2, 50), (2, 51))), "features[1]"),
        (collection(WEST, WEST), "features[1]"),
    ],
)
def test_a_wrong_file_is_refused_with_place_and_reason(
    client: Client, survey: Survey, data: bytes, where: str
) -> None:
    before = home(survey)
    page = upload(client, survey, data)
    assert page.status_code == 422
    words = re.search(r'class="error-summary.*?</div>', page.content.decode(), re.DOTALL)
    assert words
    assert where in words[0]
    assert home(survey) == before


def test_a_file_that_is_too_large_is_not_read(client: Client, survey: Survey) -> None:
    assert upload(client, survey, b" " * (MOST_BYTES + ROOM)).status_code == 413


def test_names_make_cells_in_a_row_without_a_map(client: Client, survey: Survey) -> None:
    assert cells(client, survey, "names", names="Lyon\n Nantes \n\nA1").status_code == 302
    made = home(survey)
    assert [(each["name"], each["at"]) for each in made["cells"]] == [
        ("Lyon", [0, 0]),
        ("Nantes", [1, 0]),
        ("A1", [2, 0]),
    ]
    # A region keeps the cells whose names stay.
    assert drawn(survey) == {"south": ["A1"]}
    assert "data-map" not in client.get(f"/surveys/{survey.pk}/edit", {"open": "home"}).content.decode()


def test_cells_get_other_names_and_stay_where_they_are(client: Client, survey: Survey) -> None:
    names = [each["name"].lower() for each in grid()]
    assert cells(client, survey, "names", names="\n".join(names), same="on").status_code == 302
    made = home(survey)
    assert [each["name"] for each in made["cells"]] == names
    assert [each["at"] for each in made["cells"]] == [each["at"] for each in grid()]
    assert drawn(survey) == {"north": ["a3", "b3", "c3", "d3"], "south": ["a1", "b1"]}


def test_other_cells_are_taken_back(client: Client, survey: Survey) -> None:
    before = home(survey)
    cells(client, survey, "names", names="Lyon\nNantes")
    page = client.get(f"/surveys/{survey.pk}/edit", {"open": "home"})
    act(client, survey, "undo", removed=removed_in(page))
    assert home(survey) == before


def test_only_a_place_has_cells(client: Client, survey: Survey) -> None:
    for key in ("work", "lost"):
        assert client.get(f"/surveys/{survey.pk}/edit/cells", {"key": key}).status_code == 302
    assert client.get(f"/surveys/{survey.pk}/edit/cells", {"key": "home"}).status_code == 200


def test_the_page_of_cells_wants_a_token(survey: Survey, owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    sent = {"source": "names", "names": "a\nb"}
    assert client.post(f"/surveys/{survey.pk}/edit/cells?key=home", sent).status_code == 403
    assert home(survey)["cells"] == written(place("home"))["sections"][0]["questions"][0]["cells"]
