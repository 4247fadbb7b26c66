"""Makes static/vendor/land.svg, the outline of all land, from world-atlas: `python -m ui.land_outline`.

land-110m.json is Natural Earth (public domain) at 1:110 million, in TopoJSON as world-atlas publishes it. The
output is one path in hundredths of a degree: x is the longitude, y the latitude, north up. outline.json names
its hash.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCE = HERE / "land-110m.json"
TARGET, SHA256 = (json.loads((HERE / "outline.json").read_text())[key] for key in ("target", "sha256"))
PER_DEGREE = 100

Point = tuple[int, int]

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="-18000 -9000 36000 18000">
<!-- Land by Natural Earth (public domain), of world-atlas by Michael Bostock (ISC, land.licence.txt). -->
<g transform="scale(1 -1)"><path id="land" fill-rule="evenodd" d="{path}"/></g>
</svg>
"""


class OutlineMismatch(Exception):
    """Raised if the outline is not the one that outline.json names."""


def make_outline(source: bytes) -> bytes:
    return SVG.format(path="".join(map(ring_as_path, polygon_rings(json.loads(source))))).encode()


def polygon_rings(topology: dict[str, Any]) -> list[list[Point]]:
    """Returns every ring of every polygon, without those too small to be seen."""
    arcs = [list(decode_arc(arc, **topology["transform"])) for arc in topology["arcs"]]
    polygons = (polygon for shape in topology["objects"]["land"]["geometries"] for polygon in shape["arcs"])
    candidates = (drop_repeated_points(join_arcs(arcs, ring)) for polygon in polygons for ring in polygon)
    return [ring for ring in candidates if len(ring) > 2]


def decode_arc(arc: Sequence[Point], scale: Sequence[float], translate: Sequence[float]) -> Iterable[Point]:
    """Yields the points of an arc, which TopoJSON writes as steps on a grid."""
    x = y = 0
    for right, up in arc:
        x, y = x + right, y + up
        longitude, latitude = x * scale[0] + translate[0], y * scale[1] + translate[1]
        yield round(longitude * PER_DEGREE), round(latitude * PER_DEGREE)


def join_arcs(arcs: Sequence[list[Point]], numbers: Iterable[int]) -> list[Point]:
    """Joins the arcs with these numbers into a ring of points; a number ~n stands for arc n backwards."""
    pieces = (arcs[number] if number >= 0 else arcs[~number][::-1] for number in numbers)
    return [point for piece in pieces for point in piece[:-1]]


def drop_repeated_points(ring: Sequence[Point]) -> list[Point]:
    return [point for before, point in pairwise([*ring[-1:], *ring]) if point != before]


def ring_as_path(ring: Sequence[Point]) -> str:
    """Returns an SVG path of relative steps, half as long as absolute points."""
    steps = "".join(f"{x - a} {y - b} " for (a, b), (x, y) in pairwise(ring))
    return f"M{ring[0][0]} {ring[0][1]}l{steps[:-1]}z".replace(" -", "-")


def verify_outline(made: bytes) -> bytes:
    digest = hashlib.sha256(made).hexdigest()
    if digest != SHA256:
        raise OutlineMismatch(f"{TARGET}: the outline has the SHA-256 {digest}, not {SHA256}")
    return made


def main() -> int:
    try:
        made = verify_outline(make_outline(SOURCE.read_bytes()))
    except OutlineMismatch as difference:
        print(difference, file=sys.stderr)
        return 1
    (ROOT / TARGET).write_bytes(made)
    print(f"{TARGET}: {len(made):,} bytes")
    return 0
