"""How far forged records may have shifted the share of a single answer.

See docs/mathematics.md, Forged records.
"""

import numpy as np
from numpy.typing import NDArray

from mining.counts import Item
from privacy.designs import Design
from privacy.kinds.scores import scores_of

Floats = NDArray[np.float64]


def score_range(design: Design, item: Item) -> tuple[float, float]:
    """The least and the largest score of a disguised record for this answer in the `stratified` estimate.

    ( 1[y contains S] - (1-p) q(S) ) / p of a sensitive answer; 0 or 1 of a plain one; of an item of scores the ends of
    what the codes of its law score.
    """
    start = 0
    for section in design.sections:
        index = item[0] - start
        if 0 <= index < len(section.questions):
            question = section.questions[index]
            if question.scored:
                least, most = scores_of(question).ends[:, item[1]].tolist()
                return least, most
            mined = section.mined
            keep = mined.keep
            noise = (1 - keep) * mined.noise_parts[index][item[1]] / mined.noise_whole
            return -noise / keep, (1 - noise) / keep
        start += len(section.questions)
    raise IndexError(f"no question {item[0]} in this design")


def bounds_without_forged(
    base: float, support: float, forged: float, least: float, most: float
) -> tuple[float, float] | None:
    """The lowest and the highest support over `base` records without `forged` ones, each with the worst score.

    (base * support - forged * score) / (base - forged), not clipped. None: all of the records may be forged.
    """
    if forged >= base:
        return None
    low, high = ((base * support - forged * score) / (base - forged) for score in (most, least))
    return low, high
