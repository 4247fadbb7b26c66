"""The cells and the regions of a place question as GeoJSON (RFC 7946)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from importing.geojson.ring_simplification import doubled_area, points
from privacy.kinds.place.section import LAND, Outline, PlaceCell, Ring

OF_LAND = 100
"""Steps per degree of the outline of land."""

Feature = dict[str, Any]
Position = list[float]


def steps_per_degree(outline: Outline) -> int:
    """Of the coordinates of a question; 1 where they stand as they are, since nothing tells their scale."""
    return OF_LAND if outline == LAND else 1


def feature(cells: Sequence[PlaceCell], properties: Mapping[str, object], steps: int) -> Feature:
    """One or several cells with properties: finite numbers, texts, or None. Coordinates are divided by `steps`."""
    return {"type": "Feature", "properties": dict(properties), "geometry": _geometry(cells, steps)}


def collection(features: Iterable[Feature]) -> bytes:
    whole = {"type": "FeatureCollection", "features": list(features)}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()


def _geometry(cells: Sequence[PlaceCell], steps: int) -> dict[str, Any]:
    """All shapes of these cells as one, and the points of cells without any."""
    shapes = [[_closed(ring, steps)] for cell in cells for ring in cell.shape]
    bare = [_position(cell.at, steps) for cell in cells if not cell.shape]
    of_shapes = {"type": "MultiPolygon", "coordinates": shapes}
    if not bare:
        return of_shapes
    of_points = (
        {"type": "Point", "coordinates": bare[0]}
        if len(bare) == 1
        else {"type": "MultiPoint", "coordinates": bare}
    )
    return {"type": "GeometryCollection", "geometries": [of_shapes, of_points]} if shapes else of_points


def _closed(ring: Ring, steps: int) -> list[Position]:
    """Against the clock, as RFC 7946 wants outer rings, and back to where it began."""
    corners = points(ring)
    around = [*corners, corners[0]]
    ordered = around if doubled_area(corners) >= 0 else around[::-1]
    return [_position(point, steps) for point in ordered]


def _position(point: Sequence[int], steps: int) -> Position:
    return [number if steps == 1 else number / steps for number in point]
