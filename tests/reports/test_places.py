"""Places in a report: what a publication says of them and withholds, on the page, in maps and in files."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, DisclosureKind
from mining.nodes.report_nodes import Report, report_from_json, report_to_json
from reports.answer_labels import Labels
from reports.models import Publication, Review
from reports.review import build_content, read_published_content
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.reports import made, made_nodes
from tests.reports.conftest import (
    bundle,
    desk_page,
    from_csv,
    from_excel,
    from_json,
    page_text,
    parquet_table,
    reader,
)
from tests.reports.made import published_content
from tests.reports.made_nodes import DISGUISED, NORTH, OUTSIDE, SOUTH

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.places_survey(owner)


@pytest.fixture
def run(survey: Survey) -> Run:
    return made_nodes.places_run(survey)


@pytest.fixture
def page(review: Review, judging: Client) -> str:
    return page_text(judging, desk_page("places"))


def test_a_reviewer_reads_the_shares_of_regions(page: str, run: Run, judging: Client) -> None:
    assert "Where do you live? home" in page
    assert "From 1,506 records." in page
    assert "The north 45.0 % 41.0 % to 49.0 %" in page
    assert "Elsewhere (outside the regions) 30.0 %" in page
    # A survey of places has no tab of numbers.
    assert "Places" in page
    assert desk_page("numbers") not in judging.get(desk_page("places")).content.decode()
    assert judging.get(desk_page("numbers")).status_code == 404
    # The shares are those of the single answers.
    run.findings["answers"][2]["support"] = 0.423
    run.save(update_fields=["findings"])
    assert "The north 42.3 %" in page_text(judging, desk_page("places"))
    assert "The north" in page_text(judging, desk_page("report"))


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
    said = "One map for each group. Each region is compared with its share in all other groups together"
    assert said in by_age


def test_the_classes_of_one_plain_question_are_shown_and_the_others_are_a_link_away(
    run: Run, review: Review, judging: Client
) -> None:
    run.findings["groups"] *= 2
    run.save(update_fields=["findings"])
    said = [
        page_text(judging, desk_page(page)) for page in ("places", "places?question=1&by=2", "places?by=9")
    ]
    assert [page.count("By group: How old are you?") for page in said] == [1, 1, 1]
    answer = judging.get(desk_page("places?by=2")).text
    assert 'places?question=1&amp;by=1#by">How old are you?</a>' in answer
    assert 'by=2#by" aria-current="page">' in answer


def test_a_reader_sees_the_same_once_it_is_published(of_owner: Client) -> None:
    page = page_text(of_owner, reader("places"))
    assert "The north 45.0 % 41.0 % to 49.0 %" in page
    assert "By group: How old are you?" in page
    assert "GeoJSON" in page_text(of_owner, reader("files"))


def test_report_without_places_has_no_place_page(
    owner: Person, reviewer: Person, judging: Client, reading: Client
) -> None:
    review = made.waiting_review(made.run(made.survey(owner)))
    assert "Places" not in page_text(judging, desk_page("report"))
    assert judging.get(desk_page("places")).status_code == 404
    made.publish(review, reviewer, ["age"])
    assert "GeoJSON" not in page_text(reading, reader("files"))
    assert reading.get(reader("files/geojson")).status_code == 404


def test_places_of_too_few_records_are_not_estimated(run: Run, review: Review, judging: Client) -> None:
    for row in run.findings["answers"]:
        row["support"] = None
    run.findings["places"][0] |= {"received": [], "illustration": [], "outside": []}
    run.findings["groups"] = []
    run.save(update_fields=["findings"])
    assert "Nothing can be said of everybody" in page_text(judging, desk_page("places"))
    # A run without findings says what to do.
    del run.findings["places"]
    run.save(update_fields=["findings"])
    assert "This run was made without them. Start a new one." in page_text(judging, desk_page("places"))


def test_each_map_is_a_drawing_and_a_table_of_its_own(of_owner: Client) -> None:
    for name in ("place-1", "place-1-received", "place-1-illustration", "place-1-1"):
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
        assert reading.get(desk_page(path)).status_code in (302, 403, 404)
    assert judging.post(desk_page("places")).status_code == 405


def test_texts_in_a_drawing_are_escaped(owner: Person, judging: Client) -> None:
    survey = made_nodes.places_survey(owner, home={"text": {"en": "<script>alert(1)</script>"}})
    made.waiting_review(made_nodes.places_run(survey))
    drawn = judging.get(desk_page("maps/place-1.svg")).content.decode()
    assert "<script" not in drawn
    assert "&lt;script" in drawn
    assert "<script>alert" not in judging.get(desk_page("places")).content.decode()


def test_a_map_has_a_path_for_each_region_and_for_each_fill_of_cells(review: Review, judging: Client) -> None:
    text = judging.get(desk_page("places")).content.decode()
    for drawn in re.findall(r'<svg class="map" .*?</svg>', text, re.DOTALL):
        fills = re.findall(r'<path class="([^"]+)"', drawn)
        assert fills
        regions = [fill for fill in fills if "region" in fill]
        assert len(regions) in (0, 2)
        of_cells = [fill for fill in fills if fill not in (*regions, "uncertain")]
        assert len(of_cells) == len(set(of_cells))


FEW_OUTSIDE = (500, 300, 306, 100, 100, 3, 2, 1, 0)


@pytest.fixture
def with_few(survey: Survey, reviewer: Person, reading: Client) -> Client:
    """Six people are outside."""
    made.publish(made.waiting_review(run_of(survey, FEW_OUTSIDE)), reviewer, ["age"])
    return reading


def features(client: Client, what: str) -> list[dict[str, Any]]:
    read: dict[str, Any] = json.loads(bundle(client, "geojson").read(f"1-home-{what}.geojson"))
    assert read["type"] == "FeatureCollection"
    found: list[dict[str, Any]] = read["features"]
    return found


def test_place_tables_are_exact(of_owner: Client) -> None:
    # Every cell has a row with its region and what was received.
    found = from_csv(of_owner, "cells")
    assert [row["cell"] for row in found] == made_nodes.CELLS
    first = found[0]
    place = [first[name] for name in ("x", "y", "item", "item_in_words")]
    assert place == ["50", "250", "home=north", "The north"]
    assert float(first["received"]) == pytest.approx(306 / 1506)
    among = [first[name] for name in ("illustration", "share", "among")]
    assert among == ["0.2", "", "of people who chose disguise"]
    assert found[5]["item_in_words"] == made_nodes.ELSEWHERE
    assert float(found[5]["share"]) == pytest.approx(160 / made_nodes.B / 1506)
    # Regions and elsewhere stand among the answers and the questions.
    said = {row["items"]: row["items_in_words"] for row in from_csv(of_owner, "shares")}
    assert said["home=elsewhere"] == "Where do you live? Elsewhere (outside the regions)"
    assert said["home=north"] == "Where do you live? The north"
    choices = [row["choice"] for row in from_csv(of_owner, "questions") if row["question"] == "home"]
    assert choices == ["north", "south", "elsewhere"]
    # The files agree.
    of_book = [row["cell"] for row in from_excel(of_owner, "cells")]
    columns = parquet_table(of_owner, "cells").to_pydict()
    of_json = from_json(of_owner)["report"]["places"][0]
    assert of_book == columns["cell"] == made_nodes.CELLS
    assert columns["received"] == of_json["received"]


def test_what_is_withheld_is_empty_in_every_file(with_few: Client) -> None:
    gone = [*made_nodes.SOUTH, *made_nodes.OUTSIDE]
    found = from_csv(with_few, "cells")
    for name in ("received", "illustration", "share", "low", "high"):
        assert {found[cell][name] for cell in gone} == {""}
    of_json = from_json(with_few)["report"]["places"][0]
    assert [cell for cell, share in enumerate(of_json["received"]) if share is None] == gone
    received = [one["properties"]["received"] for one in features(with_few, "cells")]
    assert [cell for cell, share in enumerate(received) if share is None] == gone
    assert [one["properties"]["share"] for one in features(with_few, "regions")] == [0.45, None, None]


def test_cells_are_closed_shapes_or_points_and_regions_hold_them_with_their_shares(of_owner: Client) -> None:
    found = features(of_owner, "cells")
    assert [one["properties"]["name"] for one in found] == made_nodes.CELLS
    assert {one["properties"]["region"] for one in found} == {"north", "south", "elsewhere"}
    *shaped, point = found
    assert point["geometry"] == {"type": "Point", "coordinates": [250, 50]}
    for one in shaped:
        ((ring,),) = one["geometry"]["coordinates"]
        assert ring[0] == ring[-1]
        assert len(ring) == 5
    north, south, elsewhere = features(of_owner, "regions")
    share = {"share": 0.45, "low": 0.41, "high": 0.49}
    assert north["properties"] == {"name": "north", "label": "The north", **share}
    assert len(north["geometry"]["coordinates"]) == 3
    assert len(south["geometry"]["coordinates"]) == 2
    assert [one["type"] for one in elsewhere["geometry"]["geometries"]] == ["MultiPolygon", "Point"]


def test_on_land_coordinates_are_degrees(owner: Person, reviewer: Person, reading: Client) -> None:
    clockwise = {**made_nodes.cell(0), "shape": [[0, 200, 0, 300, 100, 300, 100, 200]]}
    cells = [clockwise, *made_nodes.HOME["cells"][1:]]
    survey = made_nodes.places_survey(owner, home={"outline": "land", "cells": cells})
    made.publish(made.waiting_review(made_nodes.places_run(survey)), reviewer, ["age"])
    first = features(reading, "cells")[0]
    ((ring,),) = first["geometry"]["coordinates"]
    assert ring == [[0, 2], [1, 2], [1, 3], [0, 3], [0, 2]]


def run_of(survey: Survey, disguised: Sequence[int] = DISGUISED, **more: Any) -> Run:
    tables = made_nodes.places_tables(disguised)
    found = made_nodes.places_finding(disguised)
    return made_nodes.places_run(survey, found, plain_tables=tables, **more)


def home_shares(found: Report) -> dict[str, float | None]:
    return {share.items[0]: share.support for share in found.shares if share.items[0].startswith("home")}


def hidden_cells(found: Report) -> list[int]:
    return [cell for cell, share in enumerate(found.places[0].received) if share is None]


def test_where_all_cells_have_ten_nothing_is_withheld(run: Run, reviewer: Person) -> None:
    labels = Labels(run.content.mined)
    true = build_content.true_shares(run, labels)
    whole = build_content.content_without_itemsets_and_rules(run, labels, true)
    assert whole.places[0].n_asked == 1506
    assert report_from_json(json.loads(json.dumps(report_to_json(whole), allow_nan=False))) == whole
    found = published_content(run, "age")
    assert home_shares(found) == {"home=north": 0.45, "home=south": 0.25, "home=elsewhere": 0.3}
    assert hidden_cells(found) == []
    assert None not in found.places[0].outside
    assert found.compared == ()
    assert all(cell.share is not None for row in found.groups[0].rows for cell in row.cells)
    review = made.waiting_review(run)
    made.publish(review, reviewer, ["age"])
    (place,) = read_published_content.published_report_without_rules(review).places
    assert place.received[0] == pytest.approx(306 / 1506)
    assert Publication.objects.get().content["places"][0]["illustration"][0] == 0.2


def test_a_small_cell_outside_is_withheld_with_the_next_smallest_outside(survey: Survey) -> None:
    """Four people are in a3, and 70 in b3; the regions' cells stay, though they may be smaller than that."""
    found = published_content(run_of(survey, (306, 3, 200, 200, 200, 160, 4, 70, 70)))
    (place,) = found.places
    assert len(hidden_cells(found)) >= 2
    assert {6} < set(hidden_cells(found)) <= set(OUTSIDE)
    for values in (place.received, place.illustration):
        assert [cell for cell, share in enumerate(values) if share is None] == hidden_cells(found)
    assert [one is None for one in place.outside] == [cell in hidden_cells(found) for cell in OUTSIDE]
    assert home_shares(found)["home=elsewhere"] == 0.3


def test_small_differences_of_publications_are_withheld(survey: Survey, reviewer: Person) -> None:
    """Three more people sent a3 from then on."""
    made.publish(made.waiting_review(run_of(survey)), reviewer)
    later = run_of(survey, (*DISGUISED[:5], 260, 103, 170, 170))
    Run.objects.filter(pk=later.pk).update(through=3)
    later.refresh_from_db()
    assert set(hidden_cells(published_content(made.decide_again(later, {})))) == {6, 7}


def test_what_was_withheld_of_the_same_records_stays_withheld(survey: Survey, reviewer: Person) -> None:
    made.publish(made.waiting_review(run_of(survey)), reviewer)
    row = Disclosure.objects.get(door=DisclosureKind.REPORT)
    (cells,) = row.tables["cells"].values()
    cells["hidden"][:2] = [True, True]
    QuerySet(Disclosure).filter(pk=row.pk).delete()
    row._state.adding = True
    row.save()
    assert hidden_cells(published_content(run_of(survey))) == [5, 6]


def test_a_small_elsewhere_is_withheld_with_the_smallest_region_and_all_their_cells(survey: Survey) -> None:
    """Six people are elsewhere; the south is the smaller region, so that the north stays."""
    found = published_content(run_of(survey, FEW_OUTSIDE), "age")
    assert home_shares(found) == {"home=north": 0.45, "home=south": None, "home=elsewhere": None}
    assert hidden_cells(found) == [*SOUTH, *OUTSIDE]
    assert all(found.places[0].received[cell] is not None for cell in NORTH)
    # No count of them stands in the publication.
    told = report_to_json(found)["shares"]
    rows = [row for row in told if row["items"] in (["home=south"], ["home=elsewhere"])]
    assert {(row["observed"], row["n_asked"]) for row in rows} == {(None, None)}


def test_classes_with_few_elsewhere_have_no_shares_of_the_place(survey: Survey) -> None:
    """Of 40+ four people are elsewhere; the shares of the regions would tell how many."""
    tables = made_nodes.places_tables()
    tables[2]["counts"][-1][-1] = 4
    found = published_content(made_nodes.places_run(survey, plain_tables=tables), "age")
    assert {cell.share for row in found.groups[0].rows for cell in row.cells} == {None}
    assert home_shares(found)["home=elsewhere"] == 0.3


def test_of_a_place_without_cells_outside_nothing_is_counted_as_plain(owner: Person) -> None:
    regions = [made_nodes.HOME["regions"][0], {"name": "south", "cells": made_nodes.CELLS[3:]}]
    survey = made_nodes.places_survey(owner, home={"regions": regions})
    found = made_nodes.places_finding((900, 1, 1, 1, 1, 1, 1, 1, 1))
    found["outside"] = []
    told = {"plain_tables": made_nodes.places_tables()[:1], "alike": [], "groups": []}
    answers = [made.answer(item, made_nodes.PLACES_SHARES[item], 1656) for item in range(4)]
    content = published_content(made_nodes.places_run(survey, found, **told, answers=answers))
    assert hidden_cells(content) == []
    assert home_shares(content) == {"home=north": 0.45, "home=south": 0.25}


def test_a_place_behind_a_rule_that_would_reveal_a_small_class_is_withheld(owner: Person) -> None:
    """Three people of 40+ are not shown it: how many were would tell."""
    survey = made_nodes.places_survey(owner, home={"show_if": {"age": ["18-39"]}})
    ages = {"questions": [0], "counts": [1503, 3]}
    homes = {"questions": [1], "counts": [706, 400, 397, 3]}
    found = published_content(made_nodes.places_run(survey, plain_tables=[ages, homes], alike=[]))
    assert found.places[0].n_asked is None
    assert found.places[0].received == ()
    assert set(home_shares(found).values()) == {None}


def test_a_reviewer_sees_before_publishing_what_was_not_looked_at(survey: Survey, judging: Client) -> None:
    few, all_told = run_of(survey, FEW_OUTSIDE), run_of(survey)
    page = page_text(judging, desk_page("publish", made.waiting_review(few)))
    assert "Not looked at" in page
    assert ": The south, Elsewhere (outside the regions)" in page
    assert "Not looked at" not in page_text(judging, desk_page("publish", made.waiting_review(all_told)))
