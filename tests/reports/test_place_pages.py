"""The page of places: for reviewers, and as it was published."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from reports.models import Review
from reports.review import publishing
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.reports import made, made_nodes
from tests.reports.paged import desk, reader, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
MAPS = ("place-1", "place-1-received", "place-1-illustration", "place-1-1")


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.places_survey(owner)


@pytest.fixture
def run(survey: Survey) -> Run:
    return made_nodes.places_run(survey)


@pytest.fixture
def page(review: Review, judging: Client) -> str:
    return shown(judging, desk("places"))


@pytest.fixture
def of_owner(review: Review, reviewer: Person, reading: Client) -> Client:
    made.publish(review, reviewer, ["age"])
    return reading


def test_a_reviewer_reads_the_shares_of_regions_with_their_intervals(page: str) -> None:
    assert "Where do you live? home" in page
    assert "From 1,506 records." in page
    assert "The north 45.0 % 41.0 % to 49.0 %" in page
    assert "Elsewhere (outside the regions) 30.0 %" in page


def test_the_shares_are_those_of_the_single_answers(run: Run, review: Review, judging: Client) -> None:
    run.findings["answers"][2]["support"] = 0.423
    run.save(update_fields=["findings"])
    assert "The north 42.3 %" in shown(judging, desk("places"))
    assert "The north" in shown(judging, desk("report"))


def test_maps_cells_and_classes_stand_with_what_they_are(page: str) -> None:
    # Each map stands above its table and says what it is.
    for title in ("Shares of regions", "Observed (disguised)", "Illustration"):
        assert page.count(f"{title} · Where do you live?") >= 4
    assert "conclude nothing from it" in page
    assert "The others were sent as they are." in page
    assert "Block A1 The north 20.319 %" in page
    # Cells outside have an estimate with its interval.
    assert "Cells outside the regions" in page
    # Of 1,506 disguised people 160 sent it, and it is sent with the probability that it is true alone.
    share = 160 / made_nodes.B / 1506
    assert f"Block C2 {share:.1%}".replace("%", " %") in page
    # Classes stand beside each other.
    by_age = page.split("By group: How old are you?")[1]
    assert "Of people who chose disguise." in by_age
    assert "18-39 50.0 % 45.0 % to 55.0 % 20.0 % 15.0 % to 25.0 %" in by_age
    assert (
        "One map for each group. Each region is compared with its share in all other groups together"
        in by_age
    )


def test_a_reader_sees_the_same_once_it_is_published(of_owner: Client) -> None:
    page = shown(of_owner, reader("places"))
    assert "The north 45.0 % 41.0 % to 49.0 %" in page
    assert "By group: How old are you?" in page


def test_the_tab_stands_only_where_a_survey_asks_places(owner: Person, judging: Client) -> None:
    made.run(made.survey(owner))
    publishing.create_reviews_of_finished_runs(NOW)
    assert "Places" not in shown(judging, desk("report"))
    assert judging.get(desk("places")).status_code == 404


def test_a_survey_of_places_has_no_tab_of_numbers(page: str, judging: Client) -> None:
    assert "Places" in page
    assert desk("numbers") not in judging.get(desk("places")).content.decode()
    assert judging.get(desk("numbers")).status_code == 404


def test_of_too_few_records_nothing_is_said(run: Run, review: Review, judging: Client) -> None:
    for row in run.findings["answers"]:
        row["support"] = None
    run.findings["places"][0] |= {"received": [], "illustration": [], "outside": []}
    run.findings["groups"] = []
    run.save(update_fields=["findings"])
    assert "Nothing can be said of everybody" in shown(judging, desk("places"))
    # A run without findings says what to do.
    del run.findings["places"]
    run.save(update_fields=["findings"])
    assert "This run was made without them. Start a new one." in shown(judging, desk("places"))


# --- files of maps --------------------------------------------------------------------------------------


def test_each_map_is_a_drawing_and_a_table_of_its_own(of_owner: Client) -> None:
    for name in MAPS:
        drawn = of_owner.get(reader(f"maps/{name}.svg"))
        assert drawn["Content-Type"] == "image/svg+xml"
        assert f'filename="candor-report-1-{name}.svg"' in drawn["Content-Disposition"]
        assert ET.fromstring(drawn.content).tag.endswith("svg")
        assert of_owner.get(reader(f"maps/{name}.csv")).status_code == 200
    for name in ("place-2", "place-1-2", "shares", "place-1-truth"):
        assert of_owner.get(reader(f"maps/{name}.svg")).status_code == 404
        assert of_owner.get(reader(f"maps/{name}.csv")).status_code == 404
    # A table has every cell, the most common first.
    lines = of_owner.get(reader("maps/place-1-received.csv")).content.decode().splitlines()
    assert lines[0] == "cell,region,received"
    assert lines[1].startswith("Block A1,The north,0.203")
    assert len(lines) == 10


def test_the_drawing_of_regions_says_what_its_classes_are(of_owner: Client) -> None:
    # 45 % are in the north and 25 % in the south, each 4 points to either side, where an equal share is a third.
    root = ET.fromstring(of_owner.get(reader("maps/place-1.svg")).content)
    texts = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [
        "Shares of regions · Where do you live?",
        *("45 %", "The north", "25 %", "The south"),
        "below an equal share (33.3\u00a0%)",
        "striped: no difference from an equal share (33.3\u00a0%) is shown",
        "above an equal share (33.3\u00a0%)",
        "outside the regions",
    ]
    fills = [one.get("class") for one in root.iter("{http://www.w3.org/2000/svg}path")]
    drawn = fills[fills.index("outside") :]
    assert drawn[:3] == ["outside", "region step-4", "region step-1"]


def test_only_those_who_may_read_a_report_see_its_maps(
    review: Review, stranger: Person, client: Client, signed_in_as: As, reading: Client, judging: Client
) -> None:
    for path in ("places", "maps/place-1.svg", "maps/place-1.csv"):
        assert client.get(reader(path)).status_code == 302
        assert signed_in_as(stranger).get(reader(path)).status_code == 404
        assert reading.get(reader(path)).status_code == 403
        assert reading.get(desk(path)).status_code in (302, 403, 404)
    assert judging.post(desk("places")).status_code == 405


def test_texts_in_a_drawing_are_escaped(owner: Person, judging: Client) -> None:
    survey = made_nodes.places_survey(owner, home={"text": {"en": "<script>alert(1)</script>"}})
    made_nodes.places_run(survey)
    publishing.create_reviews_of_finished_runs(NOW)
    drawn = judging.get(desk("maps/place-1.svg")).content.decode()
    assert "<script" not in drawn
    assert "&lt;script" in drawn
    assert "<script>alert" not in judging.get(desk("places")).content.decode()


def drawings(client: Client) -> list[Any]:
    text = client.get(desk("places")).content.decode()
    return re.findall(r'<svg class="map" .*?</svg>', text, re.DOTALL)


def test_a_map_has_a_path_for_each_region_and_for_each_fill_of_cells(review: Review, judging: Client) -> None:
    for drawn in drawings(judging):
        fills = re.findall(r'<path class="([^"]+)"', drawn)
        assert fills
        regions = [fill for fill in fills if "region" in fill]
        assert len(regions) in (0, 2)
        of_cells = [fill for fill in fills if fill not in (*regions, "uncertain")]
        assert len(of_cells) == len(set(of_cells))
