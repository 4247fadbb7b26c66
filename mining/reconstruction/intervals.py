"""Intervals of a support at 95 %."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.cells import either, quotient
from mining.reconstruction.combined import weights
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Moments

NORMAL_95 = 1.96


def group_bounds(of: Moments) -> tuple[Floats, Floats]:
    """Wilson's interval for each group's mean score, mapped through the inverse of the disguise."""
    level = NORMAL_95**2 / np.maximum(of.records, 1)
    middle = 2 * of.mean + level * of.slope
    product = 4 * (1 + level) * (of.mean**2 - level * of.constant)
    root = np.sqrt(np.maximum(middle**2 - product, 0.0))
    twice = 2 * (1 + level)
    return (middle - root) / twice, (middle + root) / twice


def stratified_bounds(support: Floats, of: Moments) -> tuple[Floats, Floats]:
    """The two groups' intervals as one; which of the groups somebody joins is chance too."""
    low, high = group_bounds(of)
    difference = NORMAL_95 * (of.mean[0] - of.mean[1])
    between = of.weight[0] * of.weight[1] * difference**2 / np.maximum(of.everybody, 1)
    below = np.sqrt(either((of.weight * (of.mean - low)) ** 2) + between)
    above = np.sqrt(either((of.weight * (high - of.mean)) ** 2) + between)
    return support - below, support + above


def combined_bounds(support: Floats, variance: Floats, of: Moments) -> tuple[Floats, Floats]:
    """All t with (P - t)^2 <= 1.96^2 SUM_g w_g^2 (A_g + B_g t - t^2)/n_g, for weights that stand still."""
    # The error is taken at t and not at P: where hardly anybody open has S, P says that nothing was uncertain.
    each = NORMAL_95**2 * weights(variance) ** 2 / np.maximum(of.records, 1)
    constant, slope = _at_least_the_truths(support, of)
    low, high = _all_within(support, either(each * constant), either(each * slope), either(each))
    # Noise may put P where no group's error is above nothing.
    return np.minimum(low, support), np.maximum(high, support)


def pooled_bounds(support: Floats, se: Floats, keep: Floats, of: Moments) -> tuple[Floats, Floats]:
    """As those of the combined estimate, with the inversion's weights; at P the error is se."""
    weight = of.records * np.stack([np.ones(keep.shape[1]), keep.prod(axis=0)])
    each = NORMAL_95**2 * quotient(weight, either(weight)) ** 2 / np.maximum(of.records, 1)
    slope, level = either(each * of.slope), either(each)
    constant = (NORMAL_95 * se) ** 2 - support * slope + support**2 * level
    return _all_within(support, constant, slope, level)


def _all_within(support: Floats, constant: Floats, slope: Floats, level: Floats) -> tuple[Floats, Floats]:
    """All t with (P - t)^2 <= constant + slope t - level t^2."""
    middle, twice = 2 * support + slope, 2 * (1 + level)
    root = np.sqrt(np.maximum(middle**2 - 2 * twice * (support**2 - constant), 0.0))
    return (middle - root) / twice, (middle + root) / twice


def _at_least_the_truths(at: Floats, of: Moments) -> tuple[Floats, Floats]:
    """A and B of each group; 0 and 1, which are the truth's own, where A + B P would be below P."""
    is_below = of.constant + of.slope * at < at
    return np.where(is_below, 0.0, of.constant), np.where(is_below, 1.0, of.slope)


def exact_bounds(containing: NDArray[Any], records: NDArray[Any]) -> tuple[Floats, Floats]:
    """Clopper and Pearson: for what is counted and not estimated."""
    from scipy.special import betaincinv

    containing, records = np.broadcast_arrays(containing, records)
    with np.errstate(invalid="ignore"):
        low = np.where(containing > 0, betaincinv(containing, records - containing + 1, 0.025), 0.0)
        high = np.where(containing < records, betaincinv(containing + 1, records - containing, 0.975), 1.0)
    return low, high
