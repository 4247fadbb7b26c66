"""What is written of the cells can be read again, here and elsewhere."""

import json
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from importing import geojson
from privacy.grammar.input_error import InputError
from privacy.grammar.translated_texts import Texts
from privacy.kinds.place.section import PlaceCell
from surveys.kinds.place.map_cell_creation import Corners, grid_cells
from tests.importing.test_geojson import SQUARE, feature, file, parts, polygon, shift

CELL = PlaceCell("a", Texts(), (50, 50), ((0, 0, 0, 100, 100, 100, 100, 0),))
POINT = PlaceCell("b", Texts(), (120, -35))
OTHER_POINT = PlaceCell("c", Texts(), (130, -35))


def geometry(*cells: PlaceCell, steps: int = 1) -> Any:
    written: Any = geojson.feature(cells, {}, steps)
    return written["geometry"]


def read_back(cells: list[dict[str, Any]], steps: int) -> geojson.PlaceCells:
    """What is read of a file with these cells of a design."""
    features = []
    for cell in cells:
        shape = tuple(map(tuple, cell["shape"]))
        made = PlaceCell(cell["name"], Texts(), tuple(cell["at"]), shape)
        features.append(geojson.feature([made], {"name": made.name}, steps))
    return geojson.read(geojson.feature_collection(features))


def test_cells_are_written_as_features() -> None:
    # A cell is a feature with its properties.
    properties = {"name": "字", "share": 0.25, "high": None}
    written = geojson.feature_collection([geojson.feature([CELL], properties, 1)])
    assert "字".encode() in written
    corners = [[[[0, 0], [100, 0], [100, 100], [0, 100], [0, 0]]]]
    shape = {"type": "MultiPolygon", "coordinates": corners}
    expected = {"type": "Feature", "properties": properties, "geometry": shape}
    assert json.loads(written) == {"type": "FeatureCollection", "features": [expected]}
    # A cell without a shape is a point.
    assert geometry(POINT, steps=100) == {"type": "Point", "coordinates": [1.2, -0.35]}
    points = [[120, -35], [130, -35]]
    assert geometry(POINT, OTHER_POINT) == {"type": "MultiPoint", "coordinates": points}
    # Several cells are all their shapes and points.
    both = [geometry(CELL), geometry(POINT)]
    assert geometry(CELL, POINT) == {"type": "GeometryCollection", "geometries": both}
    assert len(geometry(CELL, CELL)["coordinates"]) == 2


def test_coordinates_are_in_degrees_and_rings_counterclockwise() -> None:
    # Only the outline of land tells the scale.
    outlines: list[Any] = ["land", None, ((0, 0, 1, 0, 1, 1),)]
    assert [geojson.steps_per_degree(outline) for outline in outlines] == [100, 1, 1]
    for steps, corner in {1: 100, 100: 1.0, 1_000: 0.1}.items():
        assert geometry(CELL, steps=steps)["coordinates"][0][0][1] == [corner, 0]
    other = PlaceCell("b", Texts(), (60, 10), ((0, 0, 100, 0, 100, 100),))
    for (ring,) in geometry(CELL, other)["coordinates"]:
        assert ring[0] == ring[-1] == [0, 0]
        assert sum(a * d - b * c for (a, b), (c, d) in pairwise(ring)) > 0
    with pytest.raises(ValueError, match="JSON"):
        geojson.feature_collection([geojson.feature([CELL], {"share": float("nan")}, 1)])


def test_cells_of_a_file_and_a_grid_on_land_are_written_and_read_back() -> None:
    triangle = polygon([(7.12, -3.4), (7.9, -3.41), (7.5, -2)])
    read = geojson.read(file(feature("a", parts(SQUARE, shift(SQUARE, 5, 5))), feature("字", triangle)))
    back = read_back(read.cells, read.per_degree)
    assert (back.cells, back.per_degree) == (read.cells, read.per_degree)
    corners = Corners(Decimal(50), Decimal(-4), Decimal(52), Decimal(-1))
    made = [cell.as_json() for cell in grid_cells(3, 2, corners)]
    back = read_back(made, geojson.steps_per_degree("land"))
    assert back.cells == [{key: cell[key] for key in ("name", "at", "shape")} for cell in made]


COORDINATES = st.tuples(st.floats(-170, 170), st.floats(-85, 85))


@pytest.mark.page
@given(
    corners=st.lists(COORDINATES, min_size=3, max_size=3, unique=True), at=COORDINATES, per=st.sampled_from([1, 30])
)  # fmt: skip
def test_any_cells_survive_a_round_trip(
    corners: list[tuple[float, float]], at: tuple[float, float], per: int
) -> None:
    second = [((x + at[0]) / 2 / per, (y + at[1]) / 2 / per) for x, y in corners]
    try:
        read = geojson.read(file(feature("a", polygon(corners)), feature("b", polygon(second))))
    except InputError:
        return
    back = read_back(read.cells, read.per_degree)
    assert {cell["name"] for cell in back.cells} == {"a", "b"}
    assert back.per_degree <= read.per_degree
