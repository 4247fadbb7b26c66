"""The cells and the regions of sensitive places as GeoJSON (RFC 7946), with what is published of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.utils.text import slugify

from mining.reports.places.shown_places import ShownPlace
from privacy.kinds.place.form import LAND, PlaceQuestion, Ring

OF_LAND = 100
"""Steps per degree where the outline is that of land; else coordinates stand as they are."""

Feature = dict[str, Any]
Properties = Mapping[str, object]


def geojson_files(places: Sequence[ShownPlace]) -> dict[str, bytes]:
    """Two files for each place, by name."""
    return {
        f"{place.place}-{slugify(place.name) or 'place'}-{what}.geojson": collection(features(place))
        for place in places
        for what, features in (("cells", cells), ("regions", regions))
    }


def collection(features: Iterator[Feature]) -> bytes:
    whole = {"type": "FeatureCollection", "features": list(features)}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()


def cells(place: ShownPlace) -> Iterator[Feature]:
    """Each with its region, the share received, the illustration and, outside, its estimate; null: withheld."""
    for cell in place.cells():
        outside = cell.outside
        said: dict[str, object] = {
            "name": cell.name,
            "label": cell.words,
            "region": cell.item.split("=", 1)[1],
        }
        said |= {"received": cell.received, "illustration": cell.illustration}
        said |= {name: getattr(outside, name) if outside else None for name in ("share", "low", "high")}
        yield feature(place, [cell.number], said)


def regions(place: ShownPlace) -> Iterator[Feature]:
    for one in place.regions:
        said = {"name": one.item.split("=", 1)[1], "label": one.answer.choice}
        yield feature(place, one.cells, {**said, "share": one.share, "low": one.low, "high": one.high})


def feature(place: ShownPlace, numbers: Sequence[int], said: Properties) -> Feature:
    steps = OF_LAND if place.question.outline == LAND else 1
    return {"type": "Feature", "properties": dict(said), "geometry": geometry(place.question, numbers, steps)}


def geometry(question: PlaceQuestion, numbers: Sequence[int], steps: int) -> dict[str, Any]:
    """All shapes of these cells as one, and the points of cells without any."""
    shown = [question.cells[number] for number in numbers]
    shapes = [[closed(ring, steps)] for cell in shown for ring in cell.shape]
    points = [[degrees(number, steps) for number in cell.at] for cell in shown if not cell.shape]
    of_shapes = {"type": "MultiPolygon", "coordinates": shapes}
    if not points:
        return of_shapes
    of_points = (
        {"type": "Point", "coordinates": points[0]}
        if len(points) == 1
        else {"type": "MultiPoint", "coordinates": points}
    )
    return {"type": "GeometryCollection", "geometries": [of_shapes, of_points]} if shapes else of_points


def closed(ring: Ring, steps: int) -> list[list[float]]:
    """Against the clock, as outer rings are, and back to where it began."""
    corners = list(zip(ring[::2], ring[1::2], strict=True))
    around = [*corners, corners[0]]
    twice = sum(x * v - u * y for (x, y), (u, v) in pairwise(around))
    ordered = around if twice >= 0 else around[::-1]
    return [[degrees(x, steps), degrees(y, steps)] for x, y in ordered]


def degrees(number: int, steps: int) -> float:
    return number if steps == 1 else number / steps
