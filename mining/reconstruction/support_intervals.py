"""Computes intervals of supports; for `pooled` and `combined` from weighted group means and their variance at
each value.

See docs/mathematics.md, Scores of one answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ContingencyTable
from mining.inference.intervals import (
    NORMAL_95,
    Interval,
    exact_interval,
    intervals_by_critical_z,
    share_interval_ends,
)
from mining.inference.score_test import support_test
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import divide_or_zero, sum_of_groups
from mining.reconstruction.score_moments_by_group import ScoreMoments, SupportCounts

# --- combined
# The combined estimator: the groups' means weighted by 1 / variance, on the assumption that the groups are
# alike.

ROUNDS = 3


def combined_support(stratified: Floats, moments: ScoreMoments) -> tuple[Floats, Floats]:
    """Returns the support that the `combined` estimator gives for both groups, and the variance of each group's mean at
    that support."""
    support = stratified
    for _ in range(ROUNDS):
        certainty = 1 / group_variances(support, moments)
        support = divide_or_zero((certainty * moments.mean).sum(axis=0), certainty.sum(axis=0))
    return support, group_variances(support, moments)


def group_weights(variance: Floats) -> Floats:
    """Returns the weight of each group, proportional to 1 / variance."""
    certainty = 1 / variance
    return divide_or_zero(certainty, sum_of_groups(certainty))


def group_variances(at: Floats, moments: ScoreMoments) -> Floats:
    """Returns v_g, the variance of each group's mean score if the support were `at`; infinite for a group without
    records.

    `at` is clipped to half a record inside [0, 1]. v_g is never below P(1-P)/n, since disguise only adds variance.
    """
    half = 0.5 / np.maximum(moments.total_record_count, 1)
    at = np.clip(at, half, 1 - half)
    spread = np.maximum(moments.constant + moments.slope * at, at) - at**2
    return np.where(moments.records > 0, spread / np.maximum(moments.records, 1), np.inf)


# --- intervals


@dataclass(frozen=True)
class VarianceParabola:
    """An estimate P with its variance as a function of the true value t: constant + slope t - curve t^2."""

    estimate: Floats
    constant: Floats
    slope: Floats
    curve: Floats

    def take(self, rows: NDArray[Any]) -> "VarianceParabola":
        """Returns the parabolas of these `rows` (indexes or a mask)."""
        return VarianceParabola(*(getattr(self, column.name)[rows] for column in fields(self)))

    def interval(self, critical_z: float | Floats = NORMAL_95) -> Interval:
        """Returns the interval of the estimate (as `bounds`), clipped to [0, 1]."""
        low, high = self.bounds(critical_z)
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    def bounds(self, critical_z: float | Floats = NORMAL_95) -> Interval:
        """Returns the ends of the interval of all t with (P - t)^2 <= critical_z^2 times the variance at t."""
        square = critical_z**2
        middle, twice = 2 * self.estimate + square * self.slope, 2 * (1 + square * self.curve)
        root = np.sqrt(np.maximum(middle**2 - 2 * twice * (self.estimate**2 - square * self.constant), 0.0))
        # Noise may push P to where the variance is 0.
        low = np.minimum((middle - root) / twice, self.estimate)
        return low, np.maximum((middle + root) / twice, self.estimate)


def combined_parabola(support: Floats, variance: Floats, moments: ScoreMoments) -> VarianceParabola:
    """Returns the `combined` estimate with its variance at each true value t: SUM_g w_g^2 (A_g + B_g t - t^2)/n_g, the
    weights held fixed."""
    # The variance is taken at t and not at P: where hardly an open record has S, it would be almost 0 at P.
    each = group_weights(variance) ** 2 / np.maximum(moments.records, 1)
    constant, slope = _raise_to_binomial(support, moments)
    return VarianceParabola(
        support, sum_of_groups(each * constant), sum_of_groups(each * slope), sum_of_groups(each)
    )


def pooled_parabola(support: Floats, se: Floats, keep: Floats, moments: ScoreMoments) -> VarianceParabola:
    """Returns the `pooled` estimate P with its variance at each true value: as in `combined_parabola`, with the
    inversion's weights, shifted so that it is se^2 at P."""
    weight = moments.records * np.stack([np.ones(keep.shape[1]), keep.prod(axis=0)])
    each = divide_or_zero(weight, sum_of_groups(weight)) ** 2 / np.maximum(moments.records, 1)
    slope, curve = sum_of_groups(each * moments.slope), sum_of_groups(each)
    return VarianceParabola(support, se**2 - support * slope + support**2 * curve, slope, curve)


def _raise_to_binomial(at: Floats, moments: ScoreMoments) -> tuple[Floats, Floats]:
    """Returns A and B of each group's variance A + B P - P^2; 0 and 1, as for undisguised answers, where it would be
    below the binomial P - P^2."""
    is_below = moments.constant + moments.slope * at < at
    return np.where(is_below, 0.0, moments.constant), np.where(is_below, 1.0, moments.slope)


# --- evidence
# The evidence of supports: intervals of each, at several critical z.

Rows = NDArray[np.intp]

BATCH = 2048
"""Number of itemsets tested at a time, so that their tests stay in the processor's cache."""


@dataclass(frozen=True)
class IntervalsByCriticalZ:
    """Intervals of the supports of itemsets, NaN until they are filled in: itemset by critical z by end. The `add_`
    methods fill in rows in place."""

    critical_zs: Floats
    ends: Floats

    @classmethod
    def empty_at(cls, critical_zs: Floats) -> "IntervalsByCriticalZ":
        """Makes empty intervals for these critical z, by itemset and column."""
        return cls(critical_zs, np.full((*critical_zs.shape, 2), np.nan))

    def add_exact_intervals(self, rows: Rows, tally: SupportCounts) -> None:
        """Fills in Clopper and Pearson's intervals, for itemsets of plain items alone, which are counted."""
        containing, records = sum_of_groups(tally.supersets[-1]), sum_of_groups(tally.base)
        self._fill_in(rows, exact_interval(containing[:, None], records[:, None], self.critical_zs[rows]))

    def add_score_intervals(self, tables: Sequence[tuple[Rows, ContingencyTable]]) -> None:
        """Fills in intervals of the `stratified` estimator, by score tests."""
        for rows, table in tables:
            for start in range(0, len(rows), BATCH):
                chunk = slice(start, start + BATCH)
                test = support_test(table.take(chunk))
                self._fill_in(rows[chunk], share_interval_ends(test, self.critical_zs[rows[chunk]]))

    def add_parabola_intervals(self, rows: Rows, parabola: VarianceParabola) -> None:
        """Fills in intervals of the `pooled` and the `combined` estimator."""
        self.ends[rows] = intervals_by_critical_z(parabola.interval, self.critical_zs[rows])

    def _fill_in(self, rows: Rows, ends: Interval) -> None:
        self.ends[rows] = np.stack(ends, axis=-1)
