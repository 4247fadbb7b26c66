"""How far forged records may have moved the share of a single answer."""

import numpy as np
from numpy.typing import NDArray

from mining.counts import Item
from privacy.designs import Design, UnrelatedQuestionSection

Floats = NDArray[np.float64]


def scores(design: Design, item: Item) -> tuple[float, float]:
    """The least and the most that a disguised record counts for this answer in the `stratified` estimate.

    ( 1[y contains S] - (1-p) q(S) ) / p of an answer that is disguised; 0 or 1 of a plain one.
    """
    start = 0
    for section in design.sections:
        place = item[0] - start
        if 0 <= place < len(section.questions) and isinstance(section, UnrelatedQuestionSection):
            keep = float(section.keep)
            noise = (1 - keep) * float(section.questions[place].noise[item[1]])
            return -noise / keep, (1 - noise) / keep
        start += len(section.questions)
    return 0.0, 1.0


def without(
    base: float, support: float, forged: float, least: float, most: float
) -> tuple[float, float] | None:
    """The ends of a support over `base` records once `forged` of them are left out, each as harmful as it could be.

    (base * support - forged * score) / (base - forged), not clipped. None: nobody honest may be among them.
    """
    if forged >= base:
        return None
    low, high = ((base * support - forged * score) / (base - forged) for score in (most, least))
    return low, high
