"""What record files say of questions that are not disguised."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from surveys.kinds.file_columns import Fact, FileColumns, cell_texts
from surveys.kinds.plain.draft import PLAIN


def _plain_facts(_section: object, question: Any) -> Mapping[str, Fact]:
    """The law of an answer that nothing disguises."""
    names = question.code_names
    return {
        "cells": cell_texts(names),
        "answers": tuple(names),
        "keep": Decimal(1),
        "noise": (Decimal(0),) * len(names),
    }


PLAIN_COLUMNS = FileColumns(PLAIN, "choices", script=_plain_facts)
