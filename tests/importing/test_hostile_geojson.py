"""GeoJSON files that are damaged, too large, or made to be slow to read."""

import json
import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from importing import geojson
from importing.isolated_reader_main import CELLS
from privacy.grammar.input_error import InputError
from privacy.kinds.place.section import MOST_SHAPES
from tests.hostile.arena import Arena
from tests.importing.test_geojson import SQUARE, Corners, collection, feature, file, parts, polygon, shift
from tests.odd_files.mutations import damage, mutate

GOOD = collection(
    feature("a", polygon([(7.1, 50.2), (8.3, 50.25), (8.1, 51), (7.5, 50.6)]), id=3),
    feature("字", parts(SQUARE, shift(SQUARE, 3, 3))),
    {"type": "Feature", "properties": {"NAME": "c", "people": 12.5}, "geometry": polygon(shift(SQUARE, -9))},
    crs={"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}},
)


def refusal_or_empty(data: bytes) -> str:
    """Why a file is refused, or nothing where it gives cells that a question can hold."""
    try:
        found = geojson.read(data)
    except InputError as refusal:
        said = refusal
    else:
        assert len({cell["name"] for cell in found.cells}) == len({tuple(cell["at"]) for cell in found.cells})
        shapes = json.dumps([cell["shape"] for cell in found.cells], separators=(",", ":"))
        assert len(shapes) <= MOST_SHAPES
        return ""
    assert said.path
    assert said.reason
    assert len(str(said)) < 500
    return str(said)


@pytest.mark.page
@settings(max_examples=100)
@given(seed=st.integers(0, 2**32))
def test_mutated_geojson_gives_cells_or_a_refusal(seed: int) -> None:
    draw, good = random.Random(seed), json.dumps(GOOD, ensure_ascii=False).encode()
    assert refusal_or_empty(good) == ""
    refusal_or_empty(mutate(good, ".geojson", draw))
    refusal_or_empty(damage(good, draw))


ANY_NUMBER = st.one_of(st.floats(), st.integers(), st.integers(-180, 180), st.floats(-1, 1))
ANY_CORNERS = st.lists(st.tuples(ANY_NUMBER, ANY_NUMBER), min_size=1, max_size=8)


@pytest.mark.night
@pytest.mark.page
@settings(max_examples=75)
@given(
    rings=st.lists(ANY_CORNERS, min_size=1, max_size=4), small=st.lists(st.floats(-0.001, 0.001), min_size=8)
)
def test_random_rings_give_cells_or_a_refusal(rings: list[Corners], small: list[float]) -> None:
    refusal_or_empty(file(feature("a", parts(*rings))))
    refusal_or_empty(file(feature("a", polygon(list(pairwise(small))))))


def random_corners(count: int) -> Corners:
    chance = random.Random(5)
    return [(round(chance.uniform(0, 90), 6), round(chance.uniform(0, 90), 6)) for _corner in range(count)]


def comb(count: int) -> Corners:
    """All teeth stand side by side: every edge is as long as the whole."""
    teeth = [(round(80 * at / count, 9), 80 * (at % 2)) for at in range(count)]
    return [*teeth, (80, -1), (0, -1)]


RING = "features[0].geometry.coordinates[0]"


def one_ring(positions: bytes) -> bytes:
    head = b'{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","geometry":'
    return head + b'{"type":"Polygon","coordinates":[[' + positions + b"]]}}]}"


def features(values: bytes) -> bytes:
    return b'{"type":"FeatureCollection","features":[' + values + b"]}"


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a comb": (lambda: file(feature("a", polygon(comb(50_000)))), "features: the shapes take"),
    "a comb on its side": (
        lambda: file(feature("a", polygon([(y, x) for x, y in comb(50_000)]))),
        "features: the shapes take",
    ),
    "random corners": (
        lambda: file(feature("a", polygon(random_corners(50_000)))),
        "features[0].geometry: a ring crosses",
    ),
    "one point": (lambda: one_ring(b"[0,0]," * 90_000 + b"[0,0]"), f"{RING}: has fewer than"),
    "spikes": (lambda: one_ring(b"[0,0],[1,0]," * 45_000 + b"[0,0]"), f"{RING}: has fewer than"),
    "a line forth and back": (
        lambda: one_ring(b"".join(b"[%d.%d,0]," % (at % 90, at) for at in range(80_000)) + b"[0.0,0]"),
        "features[0].geometry: a ring crosses or touches itself",
    ),
    "one ring many times": (
        lambda: file(feature("a", parts(*[SQUARE] * 20_000))),
        "features[0].geometry: two rings cross",
    ),
    "a fan": (
        lambda: file(feature("a", parts(*([(0, 0), (80, n / 500), (80, n / 500 + 0.001)] for n in range(20_000))))),
        "features: the shapes take",
    ),
    "too many points": (
        lambda: one_ring(b"[0,0]," * 600_000 + b"[0,0]"),
        f"{RING}[100000]: the file holds more than 100,000 points",
    ),
    "empty lists": (lambda: features(b"[]," * 1_300_000 + b"[]"), "features: holds more than 4,096 features"),
    "fractions": (lambda: features(b"0.1," * 990_000 + b"1"), "features: holds more than 4,096 features"),
    "a long number": (lambda: one_ring(b"[0." + b"9" * 3_900_000 + b",0]"), f"{RING}[0][0]: a number has at most"),
    "a large exponent": (lambda: one_ring(b"[1e999999999,0]"), f"{RING}[0][0]: other coordinates"),
    "a long position": (lambda: one_ring(b"[" + b"0," * 1_900_000 + b"0]"), f"{RING}: is not closed"),
    "many members": (
        lambda: features(b'{"type":"Feature",' + b",".join(b'"%d":0' % at for at in range(350_000)) + b"}"),
        "features[0]: has no name",
    ),
    "a deep file": (lambda: features(b'{"a":' * 100_000), "file: is nested too deeply"),
}  # fmt: skip


@pytest.mark.night
@pytest.mark.page
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_geojson_is_refused_within_the_process_limits(kind: str, forks: Arena) -> None:
    """The process that reads it says what is wrong with it, and not that its memory or its time was too little."""
    make, said = HOSTILE[kind]
    (forks.folder / "upload").write_bytes(make())
    ended = forks.run(str(forks.folder / "upload"), CELLS)
    assert not ended.broken
    ((place, reason),) = json.loads(ended.out)["faults"]
    assert f"{place}: {reason}".startswith(said)
    assert len(f"{place}: {reason}") < 500
