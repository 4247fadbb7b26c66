"""Intervals of a support at 95 %."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.cells import either
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


def exact_bounds(containing: NDArray[Any], records: NDArray[Any]) -> tuple[Floats, Floats]:
    """Clopper and Pearson: for what is counted and not estimated."""
    from scipy.special import betaincinv

    containing, records = np.broadcast_arrays(containing, records)
    with np.errstate(invalid="ignore"):
        low = np.where(containing > 0, betaincinv(containing, records - containing + 1, 0.025), 0.0)
        high = np.where(containing < records, betaincinv(containing + 1, records - containing, 0.975), 1.0)
    return low, high
