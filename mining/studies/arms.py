"""Compares the direct arm with the disguised one (docs/mathematics.md, Arms).

Arrays are group by row: group 0 is the direct arm, group 1 the disguised one, a row per answer. All counts of an answer
are among E(S). That more is truer is an assumption that no number here can test.
"""

from dataclasses import dataclass

import numpy as np

from mining.inference.contingency_table import Floats
from mining.inference.intervals import Interval, difference_interval, two_sided
from mining.reconstruction.combined import common_error
from mining.reconstruction.group_test import holm
from mining.reconstruction.moments import Moments
from mining.studies.answer_scores import enough_of_both, mapped_bounds
from privacy.guarantee.arm_planner import POWER_80


@dataclass(frozen=True)
class ArmDifferences:
    """By answer the share in each arm, disguised less direct, its 95 % interval, z and p of no difference.

    `holm` is p after Holm over all answers here, `smallest` the smallest difference that would have been found with
    80 % power. Where one arm is too small all is NaN.
    """

    direct: Floats
    disguised: Floats
    difference: Floats
    low: Floats
    high: Floats
    z: Floats
    p: Floats
    holm: Floats
    smallest: Floats


def compare_arms(of: Moments) -> ArmDifferences:
    """The interval squares the distances of the mapped bounds; the test has the variances at the common share."""
    low, high = mapped_bounds(of)
    direct, disguised = of.mean
    difference = disguised - direct
    ends = difference_interval(direct, (low[0], high[0]), disguised, (low[1], high[1]))
    error = common_error(of)
    z = difference / error
    enough = enough_of_both(of.records)
    z = np.where(enough, z, np.nan)
    estimates = [direct, disguised, difference, *ends, POWER_80 * error]
    direct, disguised, difference, low, high, smallest = np.where(enough, np.stack(estimates), np.nan)
    p = two_sided(z)
    return ArmDifferences(direct, disguised, difference, low, high, z, p, holm_of_known(p), smallest)


def holm_of_known(p: Floats) -> Floats:
    """Holm's adjusted p; NaN (what could not be tested) stays NaN and does not count."""
    adjusted = np.full(len(p), np.nan)
    known = np.isfinite(p)
    adjusted[known] = holm(p[known])
    return adjusted


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
