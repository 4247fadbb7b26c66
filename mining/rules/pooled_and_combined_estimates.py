"""Estimates rules by the `pooled` and `combined` estimators: weighted group means, and Fieller's intervals of
ratios.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN, ContingencyTable, Floats
from mining.inference.intervals import NORMAL_95, Interval
from mining.reconstruction.pooled_estimator import pooled_scores_by_cell
from mining.reconstruction.score_moments_by_group import ScoreMoments
from mining.reconstruction.support_intervals import (
    VarianceParabola,
    combined_parabola,
    combined_support,
    group_weights,
    pooled_parabola,
)
from mining.reconstruction.supports import Estimator

SIDES = ((ANTECEDENT,), (CONSEQUENT,), (ANTECEDENT, CONSEQUENT))


@dataclass(frozen=True)
class WeightedSides:
    """Estimated supports of antecedent A, consequent C and whole itemset S, among the records to which all of S
    applies, and their covariances.

    The weights of the groups are held fixed.
    """

    table: ContingencyTable
    estimator: Estimator

    def take(self, rows: NDArray[Any]) -> "WeightedSides":
        """Returns the estimates of these `rows` (indexes or a mask)."""
        return WeightedSides(self.table.take(rows), self.estimator)

    @cached_property
    def side_scores(self) -> list[Floats]:
        """The scores of the antecedent A, of the consequent C and of the whole itemset S, each by cell, group and
        row."""
        if self.estimator == "combined":
            return [self.table.score(sides) for sides in SIDES]
        return [self._pooled_score_by_cell(sides) for sides in SIDES]

    @cached_property
    def means(self) -> list[Floats]:
        """The mean scores of the antecedent A, the consequent C and the whole itemset S, by group."""
        return [(self.table.received_shares * score).sum(axis=0) for score in self.side_scores]

    @cached_property
    def combined_supports(self) -> list[tuple[Floats, Floats]]:
        """Supports of A, C and S by the estimator `combined`, each with the variances of both groups at that
        support."""
        return [self._combined_support(index) for index in range(3)]

    @cached_property
    def group_weights_by_side(self) -> list[Floats]:
        """Weights of the groups (open, disguised) for the supports of A, C and S."""
        if self.estimator == "pooled":
            return [self.table.record_share_by_group] * 3
        return [group_weights(variance) for _support, variance in self.combined_supports]

    @cached_property
    def supports(self) -> tuple[Floats, ...]:
        """The estimated supports of the antecedent A, the consequent C and the whole itemset S, by row."""
        if self.estimator == "pooled":
            return tuple((self.table.record_share_by_group * mean).sum(axis=0) for mean in self.means)
        return tuple(support for support, _variance in self.combined_supports)

    def covariance(self, first: int, second: int) -> Floats:
        product = (self.table.received_shares * self.side_scores[first] * self.side_scores[second]).sum(
            axis=0
        )
        spread = (product - self.means[first] * self.means[second]) / np.maximum(self.table.n, 1.0)
        return np.asarray(
            (self.group_weights_by_side[first] * self.group_weights_by_side[second] * spread).sum(axis=0)
        )

    def confidence(self, first: int) -> "Ratio":
        return Ratio(
            self.supports[2],
            self.supports[first],
            self.covariance(2, 2),
            self.covariance(first, first),
            self.covariance(first, 2),
        )

    def lift(self) -> "Ratio":
        a, c, s = self.supports
        aa, cc, ac = self.covariance(0, 0), self.covariance(1, 1), self.covariance(0, 1)
        # P_A P_C, corrected for the covariance of A and C, and its variance.
        spread = c**2 * aa + a**2 * cc + 2 * a * c * ac + aa * cc + ac**2
        cov = c * self.covariance(0, 2) + a * self.covariance(1, 2)
        return Ratio(s, a * c - ac, self.covariance(2, 2), spread, cov)

    def parabola(self, side: int) -> VarianceParabola:
        """Returns the support of one side (A, C or S) with its variance at each true value."""
        moments = self._moments(side)
        if self.estimator == "combined":
            support, variance = self.combined_supports[side]
            return combined_parabola(support, variance, moments)
        sections = [section for section, _of in self.table.bits_by_section((side,)) if section != PLAIN]
        keep = self.table.keep[sections] * np.ones((len(sections), len(self.table)))
        return pooled_parabola(self.supports[side], np.sqrt(self.covariance(side, side)), keep, moments)

    def _combined_support(self, index: int) -> tuple[Floats, Floats]:
        moments = self._moments(index)
        return combined_support((self.table.record_share_by_group * moments.mean).sum(axis=0), moments)

    def _moments(self, index: int) -> ScoreMoments:
        table = self.table
        score = table.score(SIDES[index])
        mean, second = ((table.received_shares * score**power).sum(axis=0) for power in (1, 2))
        slope = np.ones((2, len(table)))
        for section, bits in table.bits_by_section(SIDES[index]):
            if section != PLAIN:
                p = table.keep[section]
                slope[1] *= (1 - 2 * (1 - p) * table.noise[bits].prod(axis=0)) / p
        return ScoreMoments(mean, second, slope, table.n)

    def _pooled_score_by_cell(self, sides: tuple[int, ...]) -> Floats:
        """Returns, for each cell, how much a record in it adds to the number of records times the `pooled` support; the
        same in both groups."""
        table = self.table
        sections = [(section, bits) for section, bits in table.bits_by_section(sides) if section != PLAIN]
        plain = [bit for section, bits in table.bits_by_section(sides) if section == PLAIN for bit in bits]
        rows = np.ones(len(table))
        keep = np.array([table.keep[section] * rows for section, _bits in sections]).reshape(-1, len(table))
        noise = np.array([table.noise[bits].prod(axis=0) * rows for _section, bits in sections])
        score = pooled_scores_by_cell(table.n, keep, (1 - keep) * noise.reshape(-1, len(table)))
        cells = np.zeros((len(table.at_least), 2, len(table)))
        for cell in range(len(cells)):
            if all(cell >> bit & 1 for bit in plain):
                has = [all(cell >> bit & 1 for bit in bits) for _section, bits in sections]
                cells[cell] = score[sum(1 << index for index, held in enumerate(has) if held)]
        return cells


@dataclass(frozen=True)
class Ratio:
    """Ratio of two estimates, above / below, with their variances."""

    above: Floats
    below: Floats
    var_above: Floats
    var_below: Floats
    covariance: Floats

    def take(self, rows: NDArray[Any]) -> "Ratio":
        """Returns the ratios of these `rows` (indexes or a mask)."""
        return Ratio(*(getattr(self, column.name)[rows] for column in fields(self)))

    def interval(self, critical_z: float | Floats = NORMAL_95) -> Interval:
        """Returns Fieller's interval: every t with (above - t below)^2 <= critical_z^2 of its variance; NaN where
        `below` may be 0."""
        square = critical_z**2
        first = self.below**2 - square * self.var_below
        middle = self.above * self.below - square * self.covariance
        last = self.above**2 - square * self.var_above
        root = np.sqrt(np.maximum(middle**2 - first * last, 0.0))
        first = np.where((self.below > 0) & (first > 0), first, np.nan)
        return (middle - root) / first, (middle + root) / first

    def z(self, t: float) -> Floats:
        """Returns by how many standard errors the ratio is above t."""
        variance = self.var_above - 2 * t * self.covariance + t**2 * self.var_below
        difference = self.above - t * self.below
        with np.errstate(divide="ignore", invalid="ignore"):
            z = difference / np.sqrt(np.maximum(variance, 0.0))
        return np.where(np.abs(difference) < 1e-9, 0.0, z)
