"""What is written of the cells can be read again, here and elsewhere."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from privacy.grammar.refusal import Refusal
from surveys.formats import geojson
from surveys.formats.cell_grid import grid
from tests.surveys.formats.geojson_files import SQUARE, feature, file, moved, parts, polygon

CELL = {"name": "a", "at": [50, 50], "shape": [[0, 0, 0, 100, 100, 100, 100, 0]]}


def written(question: dict[str, Any], per_degree: int | None = None, **of_cells: Any) -> Any:
    return json.loads(geojson.as_geojson(question, of_cells, per_degree))


def test_each_cell_is_a_feature_with_its_name_and_its_properties() -> None:
    found = written({"cells": [CELL]}, a={"share": 0.25, "high": None, "name": "another"})
    assert found == {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"share": 0.25, "high": None, "name": "a"},
                "geometry": {
                    "type": "MultiPolygon",
                    "coordinates": [[[[100, 0], [100, 100], [0, 100], [0, 0], [100, 0]]]],
                },
            }
        ],
    }


def test_a_cell_without_a_shape_is_a_point() -> None:
    (found,) = written({"cells": [{"name": "a", "at": [120, -35]}], "outline": "land"})["features"]
    assert found["geometry"] == {"type": "Point", "coordinates": [1.2, -0.35]}


@pytest.mark.parametrize(
    ("outline", "per_degree", "corner"),
    [
        ("land", None, 1.0),
        (None, 1_000, 0.1),
        ("land", 1_000, 0.1),
        (None, None, 100),
        ([[0, 0, 1, 0, 1, 1]], None, 100),
    ],
)
def test_coordinates_are_degrees_where_their_scale_is_known(
    outline: object, per_degree: int | None, corner: float
) -> None:
    question = {"cells": [CELL]} | ({"outline": outline} if outline else {})
    (found,) = written(question, per_degree)["features"]
    assert found["geometry"]["coordinates"][0][0][0] == [corner, 0]


def test_rings_are_closed_and_run_against_the_clock() -> None:
    cells = [CELL, CELL | {"name": "b", "shape": [[0, 0, 100, 0, 100, 100]]}]
    for each in written({"cells": cells})["features"]:
        for (ring,) in each["geometry"]["coordinates"]:
            assert ring[0] == ring[-1]
            assert sum(a * d - b * c for (a, b), (c, d) in pairwise(ring)) > 0


def test_what_is_not_a_number_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        geojson.as_geojson({"cells": [CELL]}, {"a": {"share": float("nan")}})


def test_cells_of_a_file_are_written_and_read_back() -> None:
    data = file(
        feature("a", parts(SQUARE, moved(SQUARE, 5, 5))),
        feature("字", polygon([(7.12, -3.4), (7.9, -3.41), (7.5, -2)])),
    )
    read = geojson.read(data)
    back = geojson.read(geojson.as_geojson({"cells": read.cells}, {}, read.per_degree))
    assert back.cells == read.cells
    assert back.per_degree == read.per_degree


def test_a_grid_on_land_is_written_and_read_back() -> None:
    made = grid(3, 2, (-400, 5_000), 100).cells
    back = geojson.read(geojson.as_geojson({"cells": made, "outline": "land"}, {}))
    assert back.cells == made


COORDINATES = st.tuples(st.floats(-170, 170), st.floats(-85, 85))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    corners=st.lists(COORDINATES, min_size=3, max_size=3, unique=True), at=COORDINATES, per=st.sampled_from([1, 30])
)  # fmt: skip
def test_any_cells_that_are_read_are_read_again(
    corners: list[tuple[float, float]], at: tuple[float, float], per: int
) -> None:
    second = [((x + at[0]) / 2 / per, (y + at[1]) / 2 / per) for x, y in corners]
    try:
        read = geojson.read(file(feature("a", polygon(corners)), feature("b", polygon(second))))
    except Refusal:
        return
    back = geojson.read(geojson.as_geojson({"cells": read.cells}, {}, read.per_degree))
    assert {cell["name"] for cell in back.cells} == {"a", "b"}
    assert back.per_degree <= read.per_degree
