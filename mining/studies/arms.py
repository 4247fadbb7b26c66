"""Compares the direct arm with the disguised one (docs/mathematics.md, Arms).

Arrays are group by row: group 0 is the direct arm, group 1 the disguised one, a row per answer. All counts of an answer
are among E(S). That more is truer is an assumption that no number here can test.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.differences import Differences, compare, smallest_found
from mining.inference.intervals import Interval
from mining.studies.answer_scores import AnswerLaw, enough_of_both, group_sides


def compare_arms(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> Differences:
    """Disguised less direct."""
    return compare(*group_sides(records, having, law), enough_of_both(records))


def smallest_of_arms(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw, of: Differences
) -> tuple[Floats, Floats]:
    """The smallest differences, more and fewer, that would have been found with 80 % power."""
    return smallest_found(*group_sides(records, having, law), of.first)


def bounds_if_left(direct: Floats, disguised: Floats, completion: Floats) -> Interval:
    """The least and the largest difference, whatever those would have answered who left because of their arm.

    `completion` is q, the direct arm's completion rate over the disguised arm's. It holds where nobody leaves only
    because of the arm that loses fewer. The bounds hold the sampling error of neither arm.
    """
    direct, disguised = np.clip(direct, 0.0, 1.0), np.clip(disguised, 0.0, 1.0)
    lost = 1 - np.minimum(completion, 1 / completion)
    fewer_direct = completion < 1
    larger = np.where(fewer_direct, disguised, direct)
    least = np.maximum(0.0, (larger - lost) / (1 - lost))
    most = np.minimum(1.0, larger / (1 - lost))
    low = np.where(fewer_direct, least - direct, disguised - most)
    return low, np.where(fewer_direct, most - direct, disguised - least)
