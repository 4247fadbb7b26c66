"""The cells of a place question as a GeoJSON file."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from surveys.formats.geojson.simplifying import doubled_area, points

OF_LAND = 100
"""Steps per degree of the outline of land."""

Position = list[float]


def as_geojson(
    question: Mapping[str, Any],
    properties: Mapping[str, Mapping[str, object]],
    per_degree: int | None = None,
) -> bytes:
    """A FeatureCollection: each cell with its name and its properties, as a MultiPolygon or, without a shape, a Point.

    `question` is a place question as in a design. Coordinates are degrees if `per_degree` is given or the outline is
    land, else as they are. Properties hold finite numbers, or None.
    """
    steps = per_degree or (OF_LAND if question.get("outline") == "land" else 1)
    features = [
        {
            "type": "Feature",
            "properties": {**properties.get(cell["name"], {}), "name": cell["name"]},
            "geometry": _geometry(cell, steps),
        }
        for cell in question["cells"]
    ]
    collection = {"type": "FeatureCollection", "features": features}
    return (json.dumps(collection, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _geometry(cell: Mapping[str, Any], steps: int) -> dict[str, Any]:
    if cell.get("shape"):
        rings = [[_closed(ring, steps)] for ring in cell["shape"]]
        return {"type": "MultiPolygon", "coordinates": rings}
    return {"type": "Point", "coordinates": _position(cell["at"], steps)}


def _closed(ring: Sequence[int], steps: int) -> list[Position]:
    """Against the clock, as RFC 7946 wants outer rings, and back to where it began."""
    corners = points(ring)
    ordered = corners if doubled_area(corners) >= 0 else corners[::-1]
    return [_position(point, steps) for point in [*ordered, ordered[0]]]


def _position(point: Sequence[int], steps: int) -> Position:
    return [number if steps == 1 else number / steps for number in point]
