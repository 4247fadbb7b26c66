"""The page where the cells of a place come from: a grid, a file, a list of names."""

import re
import sys
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import translation

from accounts.models import Person
from importing import geojson, isolated_reader
from importing.faults import Fault, FileRefused
from importing.place_cells_views import MOST_BYTES, cells_from_geojson
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import ROOM
from tests.builder.conftest import (
    asking_for_a_place,
    choose_cells as cells,
    drawn_regions as drawn,
    post_act,
    removed_in,
    stored_question as home,
)
from tests.importing.test_geojson import UTM, feature, file, polygon
from tests.surveys.conftest import reload as reread
from tests.surveys.drafts import grid, place, stored_draft

pytestmark = pytest.mark.page


@pytest.fixture
def client(reading: Client) -> Client:
    return reading


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return asking_for_a_place(draft)


def test_a_grid_on_land_has_corners_in_hundredths_of_a_degree(client: Client, survey: Survey) -> None:
    corners = {"south": "50", "west": "-1", "north": "51", "east": "1"}
    answer = cells(client, survey, "grid", columns="2", rows="1", land="on", **corners)
    assert answer["Location"].startswith(f"/app/surveys/{survey.pk}/edit?open=home#block-")
    made = home(survey)
    assert made["outline"] == "land"
    assert [(each["name"], each["at"]) for each in made["cells"]] == [("A1", [-50, 5050]), ("B1", [50, 5050])]
    assert made["cells"][0]["shape"] == [[-100, 5000, 0, 5000, 0, 5100, -100, 5100]]
    assert 'class="land"' in client.get(f"/app/surveys/{survey.pk}/edit", {"open": "home"}).text


ON_LAND = {"columns": "2", "rows": "2", "land": "on", "south": "0", "west": "0", "north": "1", "east": "1"}


def test_impossible_cells_are_refused(client: Client, survey: Survey) -> None:
    before = home(survey)
    for source, sent, why in (
        ("grid", {"columns": "4097", "rows": "1"}, "Ensure this value is less than or equal to 4096."),
        ("grid", {"columns": "65", "rows": "64"}, "65 times 64 are 4,160 cells. A place has at most 4,096."),
        ("grid", {"columns": "1", "rows": "1"}, "A place has at least 2 cells."),
        ("grid", {"columns": "", "rows": "2"}, "This field is required."),
        ("grid", {"columns": "2", "rows": "2", "land": "on"}, "This field is required."),
        ("grid", {**ON_LAND, "south": "5"}, "The north-east corner must lie north and east of the south-west one."),
        ("grid", {**ON_LAND, "columns": "64"}, "So many cells would be smaller than two hundredths of a degree."),
        ("grid", {**ON_LAND, "south": "-91"}, "Ensure this value is greater than or equal to -90."),
        ("names", {"names": "a\nb\na"}, "Line 3: “a” appears twice."),
        ("names", {"names": "a\n=\n"}, "Line 2 holds no name."),
        ("names", {"names": "a"}, "A place has at least 2 cells."),
        ("names", {"names": "a\nb", "same": "on"}, "There are 12 cells and 2 names."),
        ("names", {"names": "\n".join(map(str, range(4097)))}, "A place has at most 4,096 cells."),
        ("file", {}, "This field is required."),
    ):  # fmt: skip
        page = cells(client, survey, source, **sent)
        assert (page.status_code, why in page.text) == (422, True), why
    assert home(survey) == before


def area_feature(name: str | None, *corners: tuple[float, float]) -> dict[str, Any]:
    return feature(name, polygon(corners))


SQUARE = ((0, 50), (1, 50), (1, 51), (0, 51))
WEST, EAST = area_feature("West", *SQUARE), area_feature("East", (1, 50), (2, 50), (2, 51), (1, 51))
OPEN_RING = feature("West", {"type": "Polygon", "coordinates": [[list(corner) for corner in SQUARE]]})
HOLE = feature("West", polygon(SQUARE, [(0.2, 50.2), (0.4, 50.2), (0.4, 50.4)]))


def upload(client: Client, survey: Survey, data: bytes) -> Any:
    return cells(client, survey, "file", file=SimpleUploadedFile("map.geojson", data), land="on")


@pytest.mark.usefixtures("read_here")
def test_areas_of_a_file_become_cells(client: Client, survey: Survey) -> None:
    assert upload(client, survey, file(WEST, EAST)).status_code == 302
    made = home(survey)
    assert [each["name"] for each in made["cells"]] == ["West", "East"]
    assert made["cells"][0]["shape"]
    assert (made["regions"], made["outline"]) == ([], "land")
    one = area_feature("West", (0, 50), (0.01, 50), (0.01, 50.01))
    other = area_feature("East", (0.011, 50), (0.02, 50), (0.02, 50.01))
    page = upload(client, survey, file(one, other))
    assert "These areas are too small for the outline of land" in page.text


def test_web_processes_read_no_geojson_file(
    client: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_if_read_here(data: bytes) -> None:
        raise AssertionError("read in the web process")

    monkeypatch.setattr(geojson, "read", fail_if_read_here)
    assert upload(client, survey, file(WEST, EAST)).status_code == 302


def test_exhausting_file_is_refused_and_too_many_people_are_asked_to_wait(
    client: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = home(survey)
    assert upload(client, survey, b" " * (MOST_BYTES + ROOM)).status_code == 413
    for signal, words in {
        "SIGXCPU": "Takes too long to read; take a smaller or simpler one.",
        "SIGABRT": "Is damaged, or takes too much memory to read; save it again, or take a smaller one.",
    }.items():
        code = f"import os, signal; os.kill(os.getpid(), signal.{signal})"
        monkeypatch.setattr(isolated_reader, "ENTRY", (sys.executable, "-c", code))
        page = upload(client, survey, file(WEST, EAST))
        assert (page.status_code, f"the file: {words}" in page.text) == (422, True), signal
    monkeypatch.setattr(isolated_reader, "AT_ONCE", 0)
    page = upload(client, survey, file(WEST, EAST))
    assert (page.status_code, page["Retry-After"]) == (503, "10")
    assert "Try again in a few seconds" in page.text
    assert home(survey) == before


def test_all_faults_of_a_file_are_joined_as_the_language_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_data: bytes, _person: int) -> None:
        raise FileRefused([Fault("features[0]", "has no name"), Fault("features[1]", "has no name")])

    monkeypatch.setattr(isolated_reader, "read_cells", refuse)
    for language, said in (
        ("en", "features[0]: Has no name. features[1]: Has no name."),
        ("zh-hans", "features[0]：Has no name.features[1]：Has no name."),
    ):
        with translation.override(language), pytest.raises(NotAllowed, match=f"^{re.escape(said)}$"):
            cells_from_geojson(b"", 1, on_land=False)


@pytest.mark.usefixtures("read_here")
def test_wrong_geojson_file_is_refused_with_place_and_reason(client: Client, survey: Survey) -> None:
    before = home(survey)
    for data, where in (
        (file(WEST, EAST)[:-9], ""),
        (b"\x89PNG", ""),
        (file(WEST, OPEN_RING), "features[1]"),
        (file(area_feature("bow", (0, 0), (1, 1), (1, 0), (0, 1)), EAST), "features[0]"),
        (file(WEST, area_feature("metres", (4e5, 5e6), (5e5, 5e6), (5e5, 6e6))), "features[1]"),
        (file(WEST, EAST, crs=UTM), "crs"),
        (file(HOLE, EAST), "features[0]"),
        (file(WEST, area_feature(None, (1, 50), (2, 50), (2, 51))), "features[1]"),
        (file(WEST, WEST), "features[1]"),
    ):
        page = upload(client, survey, data)
        assert page.status_code == 422, where
        words = re.search(r'class="error-summary.*?</div>', page.text, re.DOTALL)
        assert words, where
        assert where in words[0]
    assert home(survey) == before


def test_names_alone_make_a_row_of_cells_without_a_map(client: Client, survey: Survey) -> None:
    assert cells(client, survey, "names", names="Lyon\n Nantes \n\nA1").status_code == 302
    made = home(survey)
    places = [(each["name"], each["at"]) for each in made["cells"]]
    assert places == [("Lyon", [0, 0]), ("Nantes", [1, 0]), ("A1", [2, 0])]
    # A region keeps the cells whose names stay.
    assert drawn(survey) == {"south": ["A1"]}
    assert "data-map" not in client.get(f"/app/surveys/{survey.pk}/edit", {"open": "home"}).text


def test_cells_get_other_names_and_stay_where_they_are(client: Client, survey: Survey) -> None:
    names = [each["name"].lower() for each in grid()]
    assert cells(client, survey, "names", names="\n".join(names), same="on").status_code == 302
    made = home(survey)
    assert [each["name"] for each in made["cells"]] == names
    assert [each["at"] for each in made["cells"]] == [each["at"] for each in grid()]
    assert drawn(survey) == {"north": ["a3", "b3", "c3", "d3"], "south": ["a1", "b1"]}
    # Other cells are taken back.
    cells(client, survey, "names", names="Lyon\nNantes")
    page = client.get(f"/app/surveys/{survey.pk}/edit", {"open": "home"})
    post_act(client, survey, "undo", removed=removed_in(page))
    assert home(survey) == made


def test_only_a_place_has_cells_and_a_name_has_one_meaning(client: Client, survey: Survey) -> None:
    for key in ("work", "lost"):
        assert client.get(f"/app/surveys/{survey.pk}/edit/cells", {"key": key}).status_code == 302
    assert client.get(f"/app/surveys/{survey.pk}/edit/cells", {"key": "home"}).status_code == 200
    # In files *elsewhere* means all cells outside the regions.
    assert cells(client, survey, "names", names="elsewhere\nharbour").status_code == 302
    [asked] = reread(survey).draft["sections"][1]["questions"]
    assert [cell["name"] for cell in asked["cells"]] == ["elsewhere-2", "harbour"]


def test_cell_page_needs_a_token(survey: Survey, owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    sent = {"source": "names", "names": "a\nb"}
    assert client.post(f"/app/surveys/{survey.pk}/edit/cells?key=home", sent).status_code == 403
    assert home(survey)["cells"] == stored_draft(place("home"))["sections"][0]["questions"][0]["cells"]
