"""Converts the answer codes of records to the codes that mining uses (`Design.mined`)."""

from collections.abc import Iterator

import numpy as np

from privacy.designs.design import Design
from privacy.grammar.question import Question
from privacy.kinds.answer_code_array_type import Codes


def mined_codes_of_question(question: Question, row: Codes) -> Codes:
    """Converts the codes of many records for one question to the codes that mining uses."""
    codes = question.mined_codes
    return row if codes is None else np.array(codes, np.uint8)[row]


def mined_codes_per_question(design: Design, codes: Codes) -> Iterator[Codes]:
    """Yields for each question the codes of all records that mining uses; `codes`: question x record."""
    return map(mined_codes_of_question, design.questions, codes)


def mined_codes(design: Design, codes: Codes) -> Codes:
    """Converts the codes of records to the codes that mining uses; `codes`: question x record."""
    if design.mined is design:
        return codes
    table = np.empty((len(design.mined.questions), codes.shape[1]), codes.dtype)
    for row, mined in zip(table, mined_codes_per_question(design, codes), strict=True):
        row[:] = mined
    return table
