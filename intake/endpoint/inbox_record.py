"""The format of a record in the inbox: the digit of its group, then its answer text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design
from privacy.kinds.codes import Codes
from privacy.records import Record


def written(record: Record) -> bytes:
    return f"{record.group}{record.answers}".encode()


def read(design: Design, records: Sequence[bytes | memoryview]) -> tuple[NDArray[np.uint8], Codes]:
    """Group and codes of records that were checked when they came in."""
    digits = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), 1 + design.width).T - ord("0")
    most = max(question.not_applicable for question in design.questions)
    codes = np.zeros((len(design.questions), len(records)), np.min_scalar_type(most))
    at = 1
    for index, question in enumerate(design.questions):
        for digit in digits[at : at + question.width]:
            codes[index] = codes[index] * 10 + digit
        at += question.width
    return digits[0], codes
