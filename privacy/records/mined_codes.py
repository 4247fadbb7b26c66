"""Codes of records and of true answers as mining sees them: one row for each question of `Design.mined`."""

from collections.abc import Iterator

import numpy as np

from privacy.designs.design import Design
from privacy.grammar.question import Question
from privacy.kinds.codes import Codes


def mined_row(question: Question, row: Codes) -> Codes:
    """From the codes of records to one question those that mining sees."""
    codes = question.mined_codes
    return row if codes is None else np.array(codes, np.uint8)[row]


def mined_rows(design: Design, codes: Codes) -> Iterator[Codes]:
    """The same of all questions: questions x records, in order."""
    return map(mined_row, design.questions, codes)


def mined_codes(design: Design, codes: Codes) -> Codes:
    """The rows of the mined design as one table; these codes themselves where it is the design itself."""
    if design.mined is design:
        return codes
    table = np.empty((len(design.mined.questions), codes.shape[1]), codes.dtype)
    for row, mined in zip(table, mined_rows(design, codes), strict=True):
        row[:] = mined
    return table
