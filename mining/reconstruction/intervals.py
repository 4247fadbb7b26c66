"""Intervals of `pooled` and `combined` supports: weighted group means, with the variance at each tested value.

See docs/mathematics.md, Scores of one answer.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.intervals import NORMAL_95, Interval
from mining.reconstruction.combined import weights
from mining.reconstruction.contingency import quotient, sum_of_groups
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Moments


@dataclass(frozen=True)
class Parabola:
    """The variance of an estimate P if the truth is t: constant + slope t - curve t^2."""

    estimate: Floats
    constant: Floats
    slope: Floats
    curve: Floats

    def take(self, rows: NDArray[Any]) -> "Parabola":
        """The rows at these places."""
        return Parabola(*(getattr(self, column.name)[rows] for column in fields(self)))

    def interval(self, level: float | Floats = NORMAL_95) -> Interval:
        """The bounds, cut to [0, 1]."""
        low, high = self.bounds(level)
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    def bounds(self, level: float | Floats = NORMAL_95) -> Interval:
        """All t with (P - t)^2 <= level^2 of the variance at t."""
        square = level**2
        middle, twice = 2 * self.estimate + square * self.slope, 2 * (1 + square * self.curve)
        root = np.sqrt(np.maximum(middle**2 - 2 * twice * (self.estimate**2 - square * self.constant), 0.0))
        # Noise may push P to where the variance is 0.
        low = np.minimum((middle - root) / twice, self.estimate)
        return low, np.maximum((middle + root) / twice, self.estimate)


def of_combined(support: Floats, variance: Floats, moments: Moments) -> Parabola:
    """The variance SUM_g w_g^2 (A_g + B_g t - t^2)/n_g, the weights held fixed."""
    # The variance is taken at t and not at P: where hardly an open record has S, it would be almost 0 at P.
    each = weights(variance) ** 2 / np.maximum(moments.records, 1)
    constant, slope = _at_least_the_truths(support, moments)
    return Parabola(support, sum_of_groups(each * constant), sum_of_groups(each * slope), sum_of_groups(each))


def of_pooled(support: Floats, se: Floats, keep: Floats, moments: Moments) -> Parabola:
    """The same variance with the weights of the inversion, shifted so that at P it is se^2."""
    weight = moments.records * np.stack([np.ones(keep.shape[1]), keep.prod(axis=0)])
    each = quotient(weight, sum_of_groups(weight)) ** 2 / np.maximum(moments.records, 1)
    slope, curve = sum_of_groups(each * moments.slope), sum_of_groups(each)
    return Parabola(support, se**2 - support * slope + support**2 * curve, slope, curve)


def _at_least_the_truths(at: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """A and B of each group; 0 and 1, as for undisguised answers, where A + B P would be below P."""
    is_below = moments.constant + moments.slope * at < at
    return np.where(is_below, 0.0, moments.constant), np.where(is_below, 1.0, moments.slope)
