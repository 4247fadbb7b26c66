"""Places in the files of a published report, read back by programs that did not write them."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from surveys.models import Survey
from tests.reports import made, made_nodes
from tests.reports.paged import bundle, from_csv, from_excel, from_json, parquet_table, reader, shown
from tests.reports.test_places_published import FEW_OUTSIDE, run

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.places_survey(owner)


@pytest.fixture
def client(survey: Survey, reviewer: Person, reading: Client) -> Client:
    made.publish(made.waiting(made_nodes.places_run(survey)), reviewer, ["age"])
    return reading


@pytest.fixture
def with_few(survey: Survey, reviewer: Person, reading: Client) -> Client:
    """Six people are outside."""
    made.publish(made.waiting(run(survey, disguised=FEW_OUTSIDE)), reviewer, ["age"])
    return reading


def features(client: Client, what: str) -> list[dict[str, Any]]:
    read: dict[str, Any] = json.loads(bundle(client, "geojson").read(f"1-home-{what}.geojson"))
    assert read["type"] == "FeatureCollection"
    found: list[dict[str, Any]] = read["features"]
    return found


# --- tables ---------------------------------------------------------------------------------------------


def test_every_table_of_places(client: Client) -> None:
    # Every cell has a row with its region and what was received.
    found = from_csv(client, "cells")
    assert [row["cell"] for row in found] == made_nodes.CELLS
    first = found[0]
    assert (first["x"], first["y"], first["item"], first["item_in_words"]) == (
        "50",
        "250",
        "home=north",
        "The north",
    )
    assert float(first["received"]) == pytest.approx(306 / 1506)
    assert (first["illustration"], first["share"], first["among"]) == (
        "0.2",
        "",
        "of people who chose disguise",
    )
    assert found[5]["item_in_words"] == made_nodes.ELSEWHERE
    assert float(found[5]["share"]) == pytest.approx(160 / made_nodes.B / 1506)
    # Regions and elsewhere stand among the answers and the questions.
    said = {row["items"]: row["items_in_words"] for row in from_csv(client, "shares")}
    assert said["home=elsewhere"] == "Where do you live? Elsewhere (outside the regions)"
    assert said["home=north"] == "Where do you live? The north"
    choices = [row["choice"] for row in from_csv(client, "questions") if row["question"] == "home"]
    assert choices == ["north", "south", "elsewhere"]
    # The files agree.
    of_book = [row["cell"] for row in from_excel(client, "cells")]
    columns = parquet_table(client, "cells").to_pydict()
    of_json = from_json(client)["report"]["places"][0]
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


# --- GeoJSON --------------------------------------------------------------------------------------------


def test_cells_are_closed_shapes_or_points(client: Client) -> None:
    found = features(client, "cells")
    assert [one["properties"]["name"] for one in found] == made_nodes.CELLS
    assert {one["properties"]["region"] for one in found} == {"north", "south", "elsewhere"}
    *shaped, point = found
    assert point["geometry"] == {"type": "Point", "coordinates": [250, 50]}
    for one in shaped:
        ((ring,),) = one["geometry"]["coordinates"]
        assert ring[0] == ring[-1]
        assert len(ring) == 5


def test_regions_hold_the_shapes_of_their_cells_and_their_shares(client: Client) -> None:
    north, south, elsewhere = features(client, "regions")
    assert north["properties"] == {
        "name": "north",
        "label": "The north",
        "share": 0.45,
        "low": 0.41,
        "high": 0.49,
    }
    assert len(north["geometry"]["coordinates"]) == 3
    assert len(south["geometry"]["coordinates"]) == 2
    assert [one["type"] for one in elsewhere["geometry"]["geometries"]] == ["MultiPolygon", "Point"]


def test_on_land_coordinates_are_degrees_and_rings_run_against_the_clock(
    owner: Person, reviewer: Person, reading: Client
) -> None:
    clockwise = {**made_nodes.cell(0), "shape": [[0, 200, 0, 300, 100, 300, 100, 200]]}
    cells = [clockwise, *made_nodes.HOME["cells"][1:]]
    survey = made_nodes.places_survey(owner, home={"outline": "land", "cells": cells})
    made.publish(made.waiting(made_nodes.places_run(survey)), reviewer, ["age"])
    first = features(reading, "cells")[0]
    ((ring,),) = first["geometry"]["coordinates"]
    assert ring == [[0, 2], [1, 2], [1, 3], [0, 3], [0, 2]]


def test_the_page_of_files_offers_geojson_only_where_there_are_places(client: Client) -> None:
    assert "GeoJSON" in shown(client, reader("files"))


def test_a_report_without_places_has_no_geojson(owner: Person, reviewer: Person, reading: Client) -> None:
    made.publish(made.waiting(made.run(made.survey(owner))), reviewer, ["age"])
    assert "GeoJSON" not in shown(reading, reader("files"))
    assert reading.get(reader("files/geojson")).status_code == 404
