"""What record files say of a place."""

from collections.abc import Mapping
from decimal import Decimal

from privacy.kinds.place.section import PlaceQuestion, PlaceSection
from surveys.kinds.file_columns import Fact, FileColumns, cell_texts


def _place_facts(_section: PlaceSection, question: PlaceQuestion) -> Mapping[str, Fact]:
    """By cell its answer, the region or *elsewhere*; by answer its probability under noise."""
    law = question.law
    answers = tuple(question.item_choices[code].name for code in question.mined_codes[: question.codes])
    shares = (Decimal(share.numerator) / share.denominator for share in law.shares)
    return {
        "cells": cell_texts(question.code_names),
        "answers": answers,
        "names": tuple(question.code_names),
        "outside": tuple(cell in law.outside for cell in range(question.codes)),
        "keep": Decimal(law.keep.numerator) / law.keep.denominator,
        "noise": (*shares, *(Decimal(0),) * bool(law.outside)),
    }


PLACE_COLUMNS = FileColumns(PlaceSection.kind, "places", script=_place_facts)
