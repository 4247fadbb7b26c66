"""What record files say of questions that are disguised together."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from privacy.grammar.node import decimal
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from surveys.kinds.file_columns import Fact, FileColumns, cell_texts


def grouped_facts(section: UnrelatedQuestionSection | CrosswiseSection, question: Any) -> Mapping[str, Fact]:
    return {
        "cells": cell_texts(question.code_names),
        "answers": tuple(question.code_names),
        "keep": Decimal(decimal(section.keep_parts)),
        "noise": tuple(Decimal(decimal(part)) for part in question.parts),
    }


GROUPED_COLUMNS = FileColumns(
    "grouped",
    "choices",
    has_keep=True,
    noise=lambda question: list(map(decimal, question.parts)),
    script=grouped_facts,
)
