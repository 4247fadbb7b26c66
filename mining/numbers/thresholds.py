"""Shares above thresholds, mean and quantiles of a number (docs/mathematics.md, Numbers by thresholds).

Each record answers one threshold t_i, drawn at random: is the number at least t_i? `counts` are records by group (open,
disguised), threshold and answer (below, at least). `keep` is p; the noise of the answers is even.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import NORMAL_95, share_interval
from mining.inference.score import support_test
from mining.numbers.floors import Counts, enough

NOISE = 0.5


@dataclass(frozen=True, slots=True)
class ThresholdShares:
    """By threshold P(x >= t_i) by the estimator `stratified`, and its 95 % interval.

    NaN where too few answered the threshold; the interval also where the counts contradict each other.
    """

    share: Floats
    low: Floats
    high: Floats


def threshold_shares(counts: Counts, keep: Fraction | float) -> ThresholdShares:
    """The last three axes of `counts` are group, threshold and answer; axes before them are surveys."""
    answered = np.moveaxis(counts.sum(axis=-1), -2, -1)
    shape = answered.shape[:-1]
    found = np.full((3, *shape), np.nan)
    some = enough(answered)
    if some.any():
        at_least = np.stack([answered, np.moveaxis(counts[..., 1], -2, -1)])[:, some]
        table = ContingencyTable(
            (ItemsetPart(ANTECEDENT, 0),),
            np.swapaxes(at_least, 1, 2).astype(np.float64),
            np.array([[float(keep)]]),
            np.array([[NOISE]]),
        )
        test = support_test(table)
        found[0, some] = test.estimate
        found[1:, some] = share_interval(test)
    return ThresholdShares(*found)


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """The mean in the number's unit, its standard error and its 95 % interval inside [t_0, t_N]."""

    value: float
    se: float
    low: float
    high: float


def estimate_mean(counts: Counts, keep: Fraction | float, points: Sequence[int]) -> MeanEstimate | None:
    """The mean, only where the devices moved the numbers to thresholds (`mean` of the design).

    `points` are t_0..t_N: whoever lies beyond an end counts as there. None below the floors.
    """
    records = counts.sum(axis=(1, 2))
    if not enough(records):
        return None
    scores = mean_scores(keep, points)
    n = records.sum()
    value = (counts * scores).sum() / n
    square = (counts * scores**2).sum() / n
    se = np.sqrt(max(square - value**2, 0.0) / n)
    ends = np.clip(value + NORMAL_95 * se * np.array([-1, 1]), 0, points[-1] - points[0])
    mean, low, high = (float(points[0] + moved) for moved in (value, *ends))
    return MeanEstimate(mean, float(se), low, high)


def mean_scores(keep: Fraction | float, points: Sequence[int]) -> Floats:
    """N (t_i - t_(i-1)) z by group, threshold and answer: their mean is unbiased for the mean above t_0."""
    p = float(keep)
    gaps = np.diff(np.array(points, np.float64))
    answer = np.array([0.0, 1.0])
    z = np.stack([answer, (answer - (1 - p) * NOISE) / p])
    return np.asarray(len(gaps) * gaps[:, None] * z[:, None, :])


@dataclass(frozen=True, slots=True)
class QuantileStatement:
    """The q-quantile is `at_least` one threshold and `below` another; None where nothing is said of this end."""

    q: float
    at_least: int | None
    below: int | None


def quantile_statement(
    q: float, points: Sequence[int], low: Floats, high: Floats, *, moved: bool
) -> QuantileStatement:
    """Between which of t_0..t_N the q-quantile lies, 0 < q < 1, with 95 % confidence.

    `low` and `high` are the ends of 95 % intervals of P(x >= t_i), i = 1..N. The thresholds are tested in order from
    each end, each at 97.5 % one-sided, up to the first that does not pass; NaN does not. So at most one error is made
    from either end. `moved`: the devices moved the numbers to thresholds (`mean` of the design); then "about t_i" says
    no more than "above t_(i-1)".
    """
    from_below = _passed(low > 1 - q)
    from_above = _passed(high[::-1] < 1 - q)
    lower = from_below - 1 if moved else from_below
    return QuantileStatement(
        q,
        points[lower] if lower > 0 else None,
        points[len(points) - from_above] if from_above else None,
    )


def _passed(tests: NDArray[np.bool_]) -> int:
    """How many in a row, from the first on."""
    return int(np.logical_and.accumulate(tests).sum())
