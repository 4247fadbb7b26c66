"""What is left of a result that was selected among many: false discovery rates and intervals after the search."""

import numpy as np

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95

LEVEL = 0.05


def q_values(p: Floats, family: int) -> Floats:
    """Benjamini and Hochberg's q, where the rest of the family counts as p = 1.

    These p are of the family, so it is never taken for smaller than they are many, nor q for less than p.
    """
    return _step_up(p, max(family, len(p)))


def q_holds(p: Floats, family: int) -> Floats:
    """q' of what was reported: p is one-sided, at the thresholds that every reported value reached.

    Reported means p <= 1/2, and given that, 2 p is a p value again; so twice as many as were reported, or the whole
    family if that is smaller, are enough to correct for.
    """
    return _step_up(p, max(min(2 * len(p), family), len(p)))


def level_after(reported: int, family: int) -> float:
    """z0 of the intervals of what a search reported (Benjamini and Yekutieli, 2005): at most 5 % of them miss."""
    from scipy.special import ndtri  # late for cost

    if not 0 < reported < family:
        return NORMAL_95
    return max(NORMAL_95, float(-ndtri(0.025 * reported / family)))


def _step_up(p: Floats, tests: int) -> Floats:
    order = np.argsort(p)
    raw = p[order] * (tests / np.arange(1, len(p) + 1))
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(raw[::-1])[::-1]
    return np.minimum(q, 1.0)
