"""Writes the cells and the regions of a place question as GeoJSON (RFC 7946)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from importing.geojson.ring_simplification import doubled_area, ring_points
from privacy.kinds.place.section import LAND, Outline, PlaceCell, Ring

OF_LAND = 100
"""Coordinate steps per degree in the outline of land."""

Feature = dict[str, Any]
Position = list[float]


def steps_per_degree(outline: Outline) -> int:
    """Returns how many steps of a question's integer coordinates make one degree.

    On the outline of land these are 100. Otherwise the scale is unknown, and coordinates are written unchanged (1).
    """
    return OF_LAND if outline == LAND else 1


def feature(cells: Sequence[PlaceCell], properties: Mapping[str, object], steps: int) -> Feature:
    """Returns a feature of one or several cells with `properties` (finite numbers, texts or None).

    Coordinates are divided by `steps`.
    """
    return {"type": "Feature", "properties": dict(properties), "geometry": _geometry(cells, steps)}


def feature_collection(features: Iterable[Feature]) -> bytes:
    """Returns the features as the bytes of a GeoJSON file."""
    whole = {"type": "FeatureCollection", "features": list(features)}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()


def _geometry(cells: Sequence[PlaceCell], steps: int) -> dict[str, Any]:
    """Returns one GeoJSON geometry with the shapes of all cells; cells without a shape are points in it."""
    shapes = [[_closed_anticlockwise_ring(ring, steps)] for cell in cells for ring in cell.shape]
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


def _closed_anticlockwise_ring(ring: Ring, steps: int) -> list[Position]:
    """Returns the ring closed and anticlockwise, as RFC 7946 requires for outer rings."""
    corners = ring_points(ring)
    around = [*corners, corners[0]]
    ordered = around if doubled_area(corners) >= 0 else around[::-1]
    return [_position(point, steps) for point in ordered]


def _position(point: Sequence[int], steps: int) -> Position:
    return [number if steps == 1 else number / steps for number in point]
