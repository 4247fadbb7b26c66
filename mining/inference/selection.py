"""Corrections for selection among many results: false discovery rates, and intervals after the search."""

import numpy as np

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95

LEVEL = 0.05


def q_values(p: Floats, family: int) -> Floats:
    """Benjamini and Hochberg's q; the rest of the family counts as p = 1.

    The family is at least as large as these p, so that q is never below p.
    """
    return _step_up(p, max(family, len(p)))


def q_holds(p: Floats, family: int) -> Floats:
    """q' of reported results: p is one-sided, at the threshold that every reported value reached.

    A reported result has p <= 1/2, and given that, 2 p is a p value; so it is enough to correct for twice the number
    of reported results, or for the family if that is smaller.
    """
    return _step_up(p, max(min(2 * len(p), family), len(p)))


def level_after(reported: int, family: int) -> float:
    """z0 of the intervals of what a search reported (Benjamini and Yekutieli, 2005): at most 5 % of them miss."""
    from scipy.special import ndtri  # late for cost

    if not 0 < reported < family:
        return NORMAL_95
    return max(NORMAL_95, float(-ndtri(0.025 * reported / family)))


def holm(p: Floats) -> Floats:
    """Holm's adjusted p."""
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(adjusted, 1.0)
    return result


def _step_up(p: Floats, tests: int) -> Floats:
    order = np.argsort(p)
    raw = p[order] * (tests / np.arange(1, len(p) + 1))
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(raw[::-1])[::-1]
    return np.minimum(q, 1.0)
