"""Converts codes of records and true answers to the codes of mining (`Design.mined`)."""

from collections.abc import Iterator

import numpy as np

from privacy.designs.design import Design
from privacy.grammar.question import Question
from privacy.kinds.code_arrays import Codes


def mined_row(question: Question, row: Codes) -> Codes:
    """Converts the codes of many records for one question to the codes that mining uses."""
    codes = question.mined_codes
    return row if codes is None else np.array(codes, np.uint8)[row]


def mined_rows(design: Design, codes: Codes) -> Iterator[Codes]:
    """Yields the codes that mining uses, question by question; `codes`: question x record."""
    return map(mined_row, design.questions, codes)


def mined_codes(design: Design, codes: Codes) -> Codes:
    """Converts a table of codes, question x record; returns `codes` itself if the design is its own mined design."""
    if design.mined is design:
        return codes
    table = np.empty((len(design.mined.questions), codes.shape[1]), codes.dtype)
    for row, mined in zip(table, mined_rows(design, codes), strict=True):
        row[:] = mined
    return table
