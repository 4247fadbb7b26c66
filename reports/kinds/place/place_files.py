"""Writes the cells and regions of sensitive places to files: as a table, and as GeoJSON.

The table has cells only: the shares of regions are in the table of shares.
"""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.text import slugify

from importing.geojson.cells_writer import Feature, feature, feature_collection, steps_per_degree
from reports.answer_labels import AnswerText
from reports.export_table import ExportTable, disguised_only_text
from reports.kinds.place.shown_place import VALUES, ShownPlace

CELLS = ("question", "question_text", "among", "cell", "cell_in_words", "x", "y", "item", "item_in_words")


def place_tables(places: Sequence[ShownPlace]) -> list[ExportTable]:
    """Returns one table with a row per map cell; withheld values are empty."""
    rows = []
    for place in places:
        for number, (cell, values) in enumerate(zip(place.question.cells, place.cell_values(), strict=True)):
            region = place.region_text(number)
            words = (cell.name, place.cell_text(number), *cell.at, region.name, region.choice)
            among = disguised_only_text(place.node.disguised_only)
            rows.append((place.name, place.text, among, *words, *values))
    return [ExportTable("cells", (*CELLS, *VALUES), tuple(rows))]


def geojson_files(places: Sequence[ShownPlace]) -> dict[str, bytes]:
    """Returns two GeoJSON files per place, cells and regions, by file name."""
    return {
        f"{place.place}-{slugify(place.name) or 'place'}-{what}.geojson": feature_collection(features(place))
        for place in places
        for what, features in (("cells", cell_features), ("regions", region_features))
    }


def cell_features(place: ShownPlace) -> Iterator[Feature]:
    """Yields a GeoJSON feature per map cell with its region and its shares; withheld values are null."""
    for number, (cell, values) in enumerate(zip(place.question.cells, place.cell_values(), strict=True)):
        region = _region_name(place.region_text(number))
        said = {"name": cell.name, "label": place.cell_text(number), "region": region}
        yield _feature(place, [number], {**said, **dict(zip(VALUES, values, strict=True))})


def region_features(place: ShownPlace) -> Iterator[Feature]:
    for one in place.regions:
        said = {"name": _region_name(one.answer), "label": one.answer.choice}
        ends = {"share": one.share, "low": one.node.low, "high": one.node.high}
        yield _feature(place, one.cells, {**said, **ends})


def _region_name(region: AnswerText) -> str:
    return region.name.split("=", 1)[1]


def _feature(place: ShownPlace, cell_numbers: Sequence[int], properties: Mapping[str, object]) -> Feature:
    question = place.question
    return feature(
        [question.cells[number] for number in cell_numbers], properties, steps_per_degree(question.outline)
    )
