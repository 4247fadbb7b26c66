"""What record files say of a question that is sent as sets."""

from collections.abc import Mapping
from decimal import Decimal

from privacy.grammar.node import decimal
from privacy.kinds.subset.section import SubsetQuestion, SubsetSection
from surveys.kinds.file_columns import Fact, FileColumns, cell_texts, names_of_choices


def _subset_facts(section: SubsetSection, question: SubsetQuestion) -> Mapping[str, Fact]:
    return {
        "cells": cell_texts(names_of_choices(question)),
        "keep": Decimal(decimal(section.keep_parts)),
        "size": question.size,
    }


SUBSET_COLUMNS = FileColumns(
    SubsetSection.kind, "sets", are_sets=True, names=names_of_choices, script=_subset_facts
)
