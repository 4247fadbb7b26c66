"""From the codes of a number to the codes that mining sees."""

import numpy as np

from privacy.kinds.codes import Codes
from privacy.kinds.number.form import ThresholdsQuestion

YES_NO = 2


def items_of(question: ThresholdsQuestion, codes: Codes) -> Codes:
    """One row for each threshold: its answer where it was drawn; where it was not, or a rule hides it, *not asked*."""
    thresholds = np.arange(len(question.thresholds), dtype=codes.dtype)[:, None]
    return np.where(codes // YES_NO == thresholds, codes % YES_NO, codes.dtype.type(YES_NO))
