"""Places in the files of a published report, read back by programs that did not write them."""

import csv
import io
import json
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from openpyxl import load_workbook
from pyarrow import parquet

from accounts.models import Person
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.reports import made, made_places
from tests.reports.paged import reader, shown
from tests.reports.test_places_published import FEW_OUTSIDE, run

pytestmark = pytest.mark.page


def published(survey: Survey, reviewer: Person, owner: Person, signed_in_as: As) -> Client:
    made.publish(made.waiting(Run.objects.get(survey=survey)), reviewer, ["age"])
    return signed_in_as(owner)


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_places.survey(owner)


@pytest.fixture
def client(survey: Survey, reviewer: Person, owner: Person, signed_in_as: As) -> Client:
    made_places.run(survey)
    return published(survey, reviewer, owner, signed_in_as)


@pytest.fixture
def with_few(survey: Survey, reviewer: Person, owner: Person, signed_in_as: As) -> Client:
    """Six people are outside."""
    run(survey, disguised=FEW_OUTSIDE)
    return published(survey, reviewer, owner, signed_in_as)


def bundle(client: Client, kind: str) -> ZipFile:
    return ZipFile(io.BytesIO(client.get(reader(f"files/{kind}")).content))


def rows(client: Client, table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(bundle(client, "csv").read(f"{table}.csv").decode())))


def features(client: Client, what: str) -> list[dict[str, Any]]:
    read: dict[str, Any] = json.loads(bundle(client, "geojson").read(f"1-home-{what}.geojson"))
    assert read["type"] == "FeatureCollection"
    found: list[dict[str, Any]] = read["features"]
    return found


# --- tables ---------------------------------------------------------------------------------------------


def test_every_table_of_places(client: Client) -> None:
    # Every cell has a row with its region and what was received.
    found = rows(client, "cells")
    assert [row["cell"] for row in found] == made_places.NAMES
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
    assert found[5]["item_in_words"] == made_places.ELSEWHERE
    assert float(found[5]["share"]) == pytest.approx(160 / made_places.B / 1506)
    # Regions and elsewhere stand among the answers and the questions.
    said = {row["items"]: row["items_in_words"] for row in rows(client, "shares")}
    assert said["home=elsewhere"] == "Where do you live? Elsewhere (outside the regions)"
    assert said["home=north"] == "Where do you live? The north"
    choices = [row["choice"] for row in rows(client, "questions") if row["question"] == "home"]
    assert choices == ["north", "south", "elsewhere"]
    # The files agree.
    book = load_workbook(io.BytesIO(client.get(reader("files/excel")).content), read_only=True)
    of_book = [row[3] for row in book["cells"].iter_rows(min_row=2, values_only=True)]
    columns = parquet.read_table(io.BytesIO(bundle(client, "parquet").read("cells.parquet"))).to_pydict()
    of_json = json.loads(client.get(reader("files/json")).content)["report"]["places"][0]
    assert of_book == columns["cell"] == made_places.NAMES
    assert columns["received"] == of_json["received"]


def test_what_is_withheld_is_empty_in_every_file(with_few: Client) -> None:
    gone = [*made_places.SOUTH, *made_places.OUTSIDE]
    found = rows(with_few, "cells")
    for name in ("received", "illustration", "share", "low", "high"):
        assert {found[cell][name] for cell in gone} == {""}
    of_json = json.loads(with_few.get(reader("files/json")).content)["report"]["places"][0]
    assert [cell for cell, share in enumerate(of_json["received"]) if share is None] == gone
    received = [one["properties"]["received"] for one in features(with_few, "cells")]
    assert [cell for cell, share in enumerate(received) if share is None] == gone
    assert [one["properties"]["share"] for one in features(with_few, "regions")] == [0.45, None, None]


# --- GeoJSON --------------------------------------------------------------------------------------------


def test_cells_are_closed_shapes_or_points(client: Client) -> None:
    found = features(client, "cells")
    assert [one["properties"]["name"] for one in found] == made_places.NAMES
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
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    clockwise = {**made_places.cell(0), "shape": [[0, 200, 0, 300, 100, 300, 100, 200]]}
    cells = [clockwise, *made_places.HOME["cells"][1:]]
    survey = made_places.survey(owner, home={"outline": "land", "cells": cells})
    made_places.run(survey)
    first = features(published(survey, reviewer, owner, signed_in_as), "cells")[0]
    ((ring,),) = first["geometry"]["coordinates"]
    assert ring == [[0, 2], [1, 2], [1, 3], [0, 3], [0, 2]]


def test_the_page_of_files_offers_geojson_only_where_there_are_places(client: Client) -> None:
    assert "GeoJSON" in shown(client, reader("files"))


def test_a_report_without_places_has_no_geojson(owner: Person, reviewer: Person, signed_in_as: As) -> None:
    survey = made.survey(owner)
    made.run(survey)
    client = published(survey, reviewer, owner, signed_in_as)
    assert "GeoJSON" not in shown(client, reader("files"))
    assert client.get(reader("files/geojson")).status_code == 404
