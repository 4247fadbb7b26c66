"""From the codes of a number to the codes that mining sees, and back."""

import numpy as np

from privacy.kinds.codes import Codes
from privacy.kinds.number.form import ThresholdsQuestion

YES_NO = 2


def items_of(question: ThresholdsQuestion, codes: Codes) -> Codes:
    """One row for each threshold: its answer where it was drawn; where it was not, or a rule hides it, *not asked*."""
    thresholds = np.arange(len(question.thresholds), dtype=codes.dtype)[:, None]
    return np.where(codes // YES_NO == thresholds, codes % YES_NO, codes.dtype.type(YES_NO))


def codes_of(question: ThresholdsQuestion, items: Codes) -> Codes:
    """The codes of the number from the answers to its thresholds; *not applicable* where none was asked."""
    answered = items < YES_NO
    drawn = answered.argmax(axis=0)
    answers = np.take_along_axis(items, drawn[None], axis=0)[0]
    return np.where(answered.any(axis=0), YES_NO * drawn + answers, question.not_applicable)
