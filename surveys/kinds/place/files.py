"""What record files say of a place."""

from collections.abc import Mapping
from decimal import Decimal

from privacy.kinds.place.section import PlaceQuestion, PlaceSection
from surveys.kinds.file_columns import Fact, FileColumns


def _place_facts(_section: PlaceSection, question: PlaceQuestion) -> Mapping[str, Fact]:
    """By cell its item, the region or the cell itself, and whether it lies inside."""
    law, names = question.law, question.code_names
    regions = [question.regions[index].name for index in law.region_of.values()]
    items = dict(zip(law.region_of, regions, strict=True))
    return {
        "choices": names,
        "items": tuple(items.get(cell, name) for cell, name in enumerate(names)),
        "inside": tuple(cell in items for cell in range(len(names))),
        "keep": Decimal(law.keep.numerator) / law.keep.denominator,
    }


PLACE_COLUMNS = FileColumns(PlaceSection.kind, "places", script=_place_facts)
