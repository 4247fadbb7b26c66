"""Small GeoJSON files."""

import json
from collections.abc import Sequence
from typing import Any

Corners = Sequence[tuple[float, float]]
SQUARE: Corners = ((0, 0), (1, 0), (1, 1), (0, 1))


def moved(corners: Corners, right: float, up: float = 0) -> Corners:
    return [(x + right, y + up) for x, y in corners]


def closed(corners: Corners) -> list[list[float]]:
    return [list(corner) for corner in (*corners, corners[0])]


def polygon(*rings: Corners) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [closed(ring) for ring in rings]}


def parts(*rings: Corners) -> dict[str, Any]:
    return {"type": "MultiPolygon", "coordinates": [[closed(ring)] for ring in rings]}


def feature(name: object, geometry: object, **more: object) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry, **more}


def collection(*features: object, **more: object) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features), **more}


def file(*features: object, **more: object) -> bytes:
    return json.dumps(collection(*features, **more)).encode()


def of_one_ring(corners: Corners) -> bytes:
    return file(feature("a", polygon(corners)))
