"""What is read from a GeoJSON file, and the coordinates that are chosen for it."""

import json
import math
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from importing import geojson
from privacy.grammar.input_error import InputError
from privacy.kinds.place.section import MOST_CELLS, MOST_SHAPES

Corners = Sequence[tuple[float, float]]
SQUARE: Corners = ((0, 0), (1, 0), (1, 1), (0, 1))


def shift(corners: Corners, right: float, up: float = 0) -> Corners:
    return [(x + right, y + up) for x, y in corners]


def close_ring(corners: Corners) -> list[list[float]]:
    return [list(corner) for corner in (*corners, corners[0])]


def polygon(*rings: Corners) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [close_ring(ring) for ring in rings]}


def parts(*rings: Corners) -> dict[str, Any]:
    return {"type": "MultiPolygon", "coordinates": [[close_ring(ring)] for ring in rings]}


def feature(name: object, geometry: object, **more: object) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry, **more}


def collection(*features: object, **more: object) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features), **more}


def file(*features: object, **more: object) -> bytes:
    return json.dumps(collection(*features, **more)).encode()


def ring_file(corners: Corners) -> bytes:
    return file(feature("a", polygon(corners)))


CRS_84 = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
BOW_TIE: Corners = ((0, 0), (1, 1), (1, 0), (0, 1))  # crosses at (0.5, 0.5)
INNER: Corners = ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8))


def refusal_of(data: bytes) -> str:
    with pytest.raises(InputError) as found:
        geojson.read(data)
    return str(found.value)


def is_inside_ring(at: list[int], ring: list[int]) -> bool:
    """By the winding of the ring around the point, in floating point; no point of the tests is on an edge."""
    corners = list(zip(ring[::2], ring[1::2], strict=True))
    angles = [math.atan2(y - at[1], x - at[0]) for x, y in corners]
    turns = ((b - a + math.pi) % (2 * math.pi) - math.pi for a, b in pairwise([*angles, angles[0]]))
    return abs(sum(turns)) > math.pi


# --- what comes out


def test_features_become_cells_in_the_order_of_the_file() -> None:
    # A square becomes a cell in hundredths of a degree.
    found = geojson.read(file(feature("home", polygon(shift(SQUARE, 10, -50)))))
    assert found.cells == [
        {"name": "home", "at": [1050, -4950], "shape": [[1000, -5000, 1100, -5000, 1100, -4900, 1000, -4900]]}
    ]
    assert found.per_degree == 100
    # The parts of a feature become rings of one cell and the point lies in the largest.
    large: Corners = ((5, 5), (9, 5), (9, 9), (5, 9))
    (cell,) = geojson.read(file(feature("a", parts(SQUARE, large)))).cells
    assert len(cell["shape"]) == 2
    assert cell["at"] == [700, 700]
    # Cells stand in the order of the file.
    found = geojson.read(file(*(feature(name, polygon(shift(SQUARE, at))) for at, name in enumerate("cab"))))
    assert [cell["name"] for cell in found.cells] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"properties": {"name": "a", "NAME": "b", "id": "c"}, "id": "d"}, "a"),
        ({"properties": {"name": "", "NAME": "b", "id": "c"}, "id": "d"}, "b"),
        ({"properties": {"name": None, "id": "c"}, "id": "d"}, "c"),
        ({"properties": {"size": 5}, "id": "d"}, "d"),
        ({"properties": None, "id": 7}, "7"),
        ({"id": 7}, "7"),
        ({"properties": {"name": "Zu\u0308rich"}}, "Zürich"),
    ],
)
def test_cell_is_named_after_its_feature(members: dict[str, Any], name: str) -> None:
    (cell,) = geojson.read(file({"type": "Feature", "geometry": polygon(SQUARE), **members})).cells
    assert cell["name"] == name == unicodedata.normalize("NFC", name)


def test_point_lies_inside_its_cell_and_unneeded_points_are_dropped() -> None:
    horns: Corners = ((0, 0), (4, 0), (4, 3), (3, 3), (3, 1), (1, 1), (1, 3), (0, 3))
    (cell,) = geojson.read(ring_file(horns)).cells
    assert is_inside_ring(cell["at"], cell["shape"][0])
    high = polygon(SQUARE) | {"bbox": [0, 0, 1, 1]}
    high["coordinates"][0] = [[x, y, 512.5] for x, y in high["coordinates"][0]]
    plain = geojson.read(ring_file(SQUARE))
    assert geojson.read(file(feature("a", high, source="x"), generator={"by": [1.5]})) == plain
    for crs in (CRS_84, None, {"properties": {"name": "EPSG:4326"}}):
        assert geojson.read(file(feature("a", polygon(SQUARE)), crs=crs)) == plain


# --- which coordinates are chosen


def square_corners(size: float, right: float = 0) -> Corners:
    return [(x * size + right, y * size) for x, y in SQUARE]


def test_coarsest_grid_keeping_points_inside_and_apart_is_chosen() -> None:
    for size, per_degree in {1: 100, 0.02: 100, 0.01: 1_000, 0.002: 1_000, 0.0002: 10_000}.items():
        assert geojson.read(ring_file(square_corners(size))).per_degree == per_degree, size
    # In hundredths of a degree both are the square from 0 to 4, and in thousandths the second reaches to 44.
    found = geojson.read(
        file(feature("a", polygon(square_corners(0.04))), feature("b", polygon(square_corners(0.044))))
    )
    assert found.per_degree == 1_000
    assert found.cells[0]["at"] != found.cells[1]["at"]
    # The finest grid reaches as far as coordinates of a design.
    assert geojson.read(ring_file(square_corners(0.00002, 99))).per_degree == 100_000
    assert refusal_of(ring_file(square_corners(0.00002, 101))).startswith("features[0]: ")
    tiny = refusal_of(
        file(feature("a", polygon(SQUARE)), feature("b", polygon(square_corners(0.000_001, 5))))
    )
    assert tiny == "features[1]: has a part that is too small to be drawn"
    twice = refusal_of(file(feature("a", polygon(SQUARE)), feature("b", polygon(SQUARE))))
    assert twice == "features[1]: is too small, or lies too much in another feature, to be a cell"


def circle(corners: int, wide: float, right: float = 0) -> Corners:
    angles = (2 * math.pi * number / corners for number in range(corners))
    return [(right + wide * math.cos(angle), wide * math.sin(angle)) for angle in angles]


def test_simplified_rings_stay_rings() -> None:
    # Corners on a line and repeated corners are left out.
    more: Corners = ((0, 0), (0, 0), (0.5, 0), (1, 0.001), (1, 0.5), (1, 1), (0.999, 1), (0, 1), (0, 0.3))
    assert geojson.read(ring_file(more)).cells[0]["shape"] == [[0, 0, 100, 0, 100, 100, 0, 100]]
    # What closes when it is rounded becomes two rings: two squares, joined by a strait of 0.002 degrees at (1, 1).
    strait: Corners = ((0, 0), (1, 0), (1.001, 0.999), (2, 1), (2, 2), (1, 2), (0.999, 1.001), (0, 1))
    (cell,) = geojson.read(ring_file(strait)).cells
    squares = [[(0, 0), (0, 100), (100, 0), (100, 100)], [(100, 100), (100, 200), (200, 100), (200, 200)]]
    assert sorted(sorted(zip(ring[::2], ring[1::2], strict=True)) for ring in cell["shape"]) == squares
    # An island is kept by a finer grid.
    found = geojson.read(file(feature("a", parts(circle(50, 10), square_corners(0.002, 20)))))
    assert (found.per_degree, len(found.cells[0]["shape"])) == (1_000, 2)


@pytest.mark.night
@pytest.mark.page
def test_island_that_needs_too_fine_a_grid_is_left_out() -> None:
    # Some 5,000 corners differ in hundredths and fill the question; in thousandths all 20,000 do.
    found = geojson.read(file(feature("a", parts(circle(20_000, 13), square_corners(0.002, 20)))))
    assert (found.per_degree, len(found.cells[0]["shape"])) == (100, 1)


@pytest.mark.page
def test_shapes_fit_within_the_size_of_a_question() -> None:
    found = geojson.read(ring_file(circle(20_000, 13)))
    size = len(json.dumps([cell["shape"] for cell in found.cells], separators=(",", ":")))
    assert MOST_SHAPES / 2 < size <= MOST_SHAPES
    assert len(found.cells[0]["shape"][0]) < 2 * 20_000
    said = refusal_of(ring_file(circle(20_000, 80)))
    assert said.startswith("features: the shapes take ")
    assert said.endswith(" bytes or more, and 64,000 are possible: simplify them, or use fewer")


# --- what is refused

CLOSED = "is not closed: a ring has at least four positions, the last one is the first one"
ABROAD = "other coordinates than longitude and latitude: export the file as WGS 84 (EPSG:4326)"
POLYGON = "must be a Polygon or a MultiPolygon"
AT = "features[0].geometry"
LONG = "a number has at most 400 characters"
UTM = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32632"}}


def file_with_ring(*positions: object) -> bytes:
    return file(feature("a", {"type": "Polygon", "coordinates": [positions]}))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "file: line 1, column 1: not JSON"),
        (ring_file(SQUARE)[:-9], "file: line 1, column "),
        (b"\xff\xfe", "file: byte 0: not UTF-8"),
        (b" " * 4_000_001, "file: is longer than 4000000 bytes"),
        (b"[" * 100_000, "file: is nested too deeply"),
        (b"[]", "file: must be an object"),
        (b"{}", "file: must be a FeatureCollection"),
        (json.dumps(feature("a", polygon(SQUARE))).encode(), "file: must be a FeatureCollection"),
        (b'{"type": "FeatureCollection"}', "file: 'features' is missing"),
        (b'{"type": "FeatureCollection", "features": {}}', "features: must be a list"),
        (file(), "features: holds no feature"),
        (file({"type": "Polygon"}), "features[0]: must be a Feature"),
        (file(feature("a", polygon(SQUARE)), 3), "features[1]: must be an object"),
        (file({"type": "Feature", "id": "a"}), "features[0]: 'geometry' is missing"),
        (file(feature("a", None)), f"{AT}: {POLYGON}"),
        (file(feature("a", {"type": "Point", "coordinates": [1, 2]})), f"{AT}: {POLYGON}"),
        (file(feature("a", {"type": "GeometryCollection", "geometries": []})), f"{AT}: 'coordinates' is missing"),
        (file(feature("a", {"type": "Polygon", "coordinates": []})), f"{AT}.coordinates: holds no ring"),
        (file(feature("a", {"type": "MultiPolygon", "coordinates": []})), f"{AT}.coordinates: holds no polygon"),
        (file(feature("a", {"type": "MultiPolygon", "coordinates": [[]]})), f"{AT}.coordinates[0]: holds no ring"),
        (
            file(feature("a", polygon(SQUARE, INNER))),
            f"{AT}.coordinates[1]: is a hole: a place in it would belong to no cell; make it a feature or fill it",
        ),
        (file_with_ring(*SQUARE), f"{AT}.coordinates[0]: {CLOSED}"),
        (file_with_ring((0, 0), (1, 1), (0, 0)), f"{AT}.coordinates[0]: {CLOSED}"),
        (file_with_ring(), f"{AT}.coordinates[0]: {CLOSED}"),
        (file_with_ring((0, 0), (1, 1), (0, 0), (0, 0)), f"{AT}.coordinates[0]: has fewer than three different points"),
        (file_with_ring((0, 0), (1,)), f"{AT}.coordinates[0][1]: must be a longitude and a latitude"),
        (file_with_ring((0, "1")), f"{AT}.coordinates[0][0][1]: must be a number"),
        (file_with_ring((True, 1)), f"{AT}.coordinates[0][0][0]: must be a number"),
        (file_with_ring((math.nan, 1)), f"{AT}.coordinates[0][0][0]: {ABROAD}"),
        (file_with_ring((0, -math.inf)), f"{AT}.coordinates[0][0][1]: {ABROAD}"),
        (file_with_ring((180.01, 0)), f"{AT}.coordinates[0][0][0]: {ABROAD}"),
        (file_with_ring((0, -90.01)), f"{AT}.coordinates[0][0][1]: {ABROAD}"),
        (file_with_ring((691_607, 5_334_760)), f"{AT}.coordinates[0][0][0]: {ABROAD}"),
        (file(feature("a", polygon(SQUARE)), crs=UTM), f"crs: {ABROAD}"),
        (file(feature("a", polygon(SQUARE)), crs={}), f"crs: {ABROAD}"),
        (file(feature("a", polygon(SQUARE)), crs={"properties": {"name": 4326}}), f"crs: {ABROAD}"),
        (file(feature("a", polygon(SQUARE), crs=UTM)), f"features[0].crs: {ABROAD}"),
        (file(feature("a", polygon(SQUARE) | {"crs": UTM})), f"{AT}.crs: {ABROAD}"),
        (file(feature("", polygon(SQUARE))), 'features[0]: has no name: give every feature a property "name"'),
        (file(feature("?", polygon(SQUARE))), "features[0].properties.name: a name that can be read aloud"),
        (file(feature(["a"], polygon(SQUARE))), "features[0].properties.name: must be a text"),
        (file(feature("a\u202eb", polygon(SQUARE))), "features[0].properties.name: a name holds no U+202E"),
        (
            file(feature("é", polygon(SQUARE)), feature("e\u0301", polygon(shift(SQUARE, 5)))),
            "features[1].properties.name: two features are called 'é'",
        ),
        (ring_file(BOW_TIE), f"{AT}: a ring crosses or touches itself near longitude 0.5, latitude 0.5: repair it"),
        (file(feature("a", parts(SQUARE, shift(SQUARE, 0.5, 0.5)))), f"{AT}: two rings cross near longitude "),
        (ring_file(SQUARE).replace(b"[1, 0]", b"[0." + b"1" * 500 + b", 0]"), f"{AT}.coordinates[0][1][0]: {LONG}"),
        (b'{"type": "FeatureCollection", "type": "x"}', "file: the key 'type' appears twice"),
    ],
)  # fmt: skip
def test_file_without_cells_is_refused_by_place_and_reason(data: bytes, said: str) -> None:
    assert refusal_of(data).startswith(said)


def test_a_refusal_in_a_file_can_be_translated() -> None:
    with pytest.raises(InputError) as found:
        geojson.read(ring_file(BOW_TIE))
    assert found.value.template % found.value.values == found.value.reason
    assert found.value.values == {"longitude": "0.5", "latitude": "0.5"}


@pytest.mark.night
@pytest.mark.page
def test_features_are_read_up_to_the_limit_of_cells() -> None:
    tiny: Corners = ((0, 0), (0.02, 0), (0, 0.02))
    many = [feature(f"c{at}", polygon(shift(tiny, at % 64 * 0.02, at // 64 * 0.02))) for at in range(4_097)]
    assert refusal_of(file(*many)) == f"features: holds more than {MOST_CELLS:,} features"
    assert refusal_of(file(*many[:-1])).startswith("features: the shapes take")
    assert len(geojson.read(file(*many[:1_000])).cells) == 1_000


# --- any polygon


@st.composite
def star_polygons(draw: st.DrawFn) -> Corners:
    """A polygon around a point that sees all its corners: it never crosses itself."""
    x, y = draw(st.floats(-150, 150)), draw(st.floats(-70, 70))
    corners = draw(st.integers(3, 30))
    far = draw(st.lists(st.floats(0.5, 9), min_size=corners, max_size=corners))
    angles = [2 * math.pi * (number + 0.5) / corners for number in range(corners)]
    far_angles = zip(far, angles, strict=True)
    return [(x + wide * math.cos(angle), y + wide * math.sin(angle)) for wide, angle in far_angles]


@pytest.mark.page
@settings(max_examples=50)
@given(corners=star_polygons())
def test_any_simple_polygon_becomes_a_cell_with_its_point_inside(corners: Corners) -> None:
    found = geojson.read(ring_file(corners))
    (cell,) = found.cells
    assert any(is_inside_ring(cell["at"], ring) for ring in cell["shape"])
    given_corners = {(round(x * found.per_degree), round(y * found.per_degree)) for x, y in corners}
    for shape in cell["shape"]:
        kept = list(zip(shape[::2], shape[1::2], strict=True))
        assert all(min(math.dist(corner, one) for one in given_corners) <= 1 for corner in kept)
        assert len(set(kept)) == len(kept) > 2
