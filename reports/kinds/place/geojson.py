"""The cells and the regions of sensitive places as GeoJSON files, with what is published of them."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.text import slugify

from importing.geojson.writing import Feature, collection, feature, steps_per_degree
from reports.kinds.place.shown import ShownPlace


def geojson_files(places: Sequence[ShownPlace]) -> dict[str, bytes]:
    """Two files for each place, by name."""
    return {
        f"{place.place}-{slugify(place.name) or 'place'}-{what}.geojson": collection(features(place))
        for place in places
        for what, features in (("cells", cells), ("regions", regions))
    }


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
        yield _feature(place, [cell.number], said)


def regions(place: ShownPlace) -> Iterator[Feature]:
    for one in place.regions:
        said = {"name": one.item.split("=", 1)[1], "label": one.answer.choice}
        yield _feature(place, one.cells, {**said, "share": one.share, "low": one.low, "high": one.high})


def _feature(place: ShownPlace, numbers: Sequence[int], said: Mapping[str, object]) -> Feature:
    question = place.question
    return feature([question.cells[number] for number in numbers], said, steps_per_degree(question.outline))
