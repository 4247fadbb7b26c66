"""The error to expect of a number asked by thresholds (docs/mathematics.md, Numbers by guarantee).

A record answers one of N thresholds, with keep p and even noise. Its score z of that threshold's share P has the
variance P (1 - P) + w, w = (1 - p^2) / (4 p^2), and N is the price of asking one of N:

    share        n se^2 = N ( P_i (1 - P_i) + w )
    mean         n se^2 = N SUM_i g_i^2 ( P_i + w ) - (SUM_i g_i P_i)^2,      g_i = t_i - t_(i-1)
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from math import lcm, sqrt

import numpy as np

from privacy.grammar.refusal import Refusal, marked as _
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.error import LEAST_BASE, NORMAL_95
from privacy.guarantee.expected_numbers import ExpectedNumbers, Floats
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.number.form import FEWEST_POINTS, MOST_POINTS

EVEN = (Fraction(1, 2), Fraction(1, 2))
FEWEST, MOST = FEWEST_POINTS - 1, MOST_POINTS - 1
"""Thresholds that a section can have."""


@dataclass(frozen=True, slots=True)
class ExpectedShare:
    """The share at `threshold` or above as expected, and half the width of its 95 % interval."""

    threshold: int
    share: float
    half_width: float


@dataclass(frozen=True, slots=True)
class ExpectedMean:
    """The mean as expected and its standard error; `most_se`: under the worst distribution. The range is t_N - t_0."""

    mean: float
    se: float
    most_se: float
    range: int

    @property
    def relative_se(self) -> float:
        """The standard error as a part of the range."""
        return self.se / self.range

    @property
    def relative_most_se(self) -> float:
        return self.most_se / self.range


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Keep, and t_0 .. t_N in steps of the numbers; with `mean` the device moves a number to a threshold first."""

    keep: Fraction
    points: tuple[int, ...]
    mean: bool

    @property
    def count(self) -> int:
        """N."""
        return len(self.points) - 1

    @property
    def gaps(self) -> tuple[int, ...]:
        return tuple(above - below for below, above in pairwise(self.points))

    @property
    def sides(self) -> int:
        """L, the sides of the coin that moves a number; 1 where none does."""
        return lcm(*self.gaps) if self.mean else 1

    @property
    def law(self) -> SectionLaw:
        return SectionLaw(self.keep, (EVEN,) * self.count, 1)

    def expected_shares(self, expected: ExpectedNumbers, respondents: int) -> tuple[ExpectedShare, ...]:
        shares = self._shares(expected)
        errors = NORMAL_95 * np.sqrt(self.count * (shares * (1 - shares) + noise(self.keep)) / respondents)
        return tuple(
            ExpectedShare(threshold, float(share), float(error))
            for threshold, share, error in zip(self.points[1:], shares, errors, strict=True)
        )

    def expected_mean(self, expected: ExpectedNumbers, respondents: int) -> ExpectedMean:
        """Of `mean` only: without it nothing between the thresholds is seen."""
        shares, gaps = self._shares(expected), np.array(self.gaps, dtype=np.float64)
        above = float(gaps @ shares)
        seen = self.count * gaps**2 @ (shares + noise(self.keep)) - above**2
        return ExpectedMean(
            self.points[0] + above,
            sqrt(seen / respondents),
            sqrt(self._worst() / respondents),
            self.points[-1] - self.points[0],
        )

    def enough(self, respondents: int) -> bool:
        """Whether each threshold is expected to be asked often enough for an estimate."""
        return respondents >= LEAST_BASE * self.count

    def _shares(self, expected: ExpectedNumbers) -> Floats:
        """P of each threshold: at or above it, or, with `mean`, moved there."""
        if not self.mean:
            return expected.share_from(self.points[1:])
        return np.asarray(np.diff(expected.mean_up_to(self.points)) / np.array(self.gaps))

    def _worst(self) -> float:
        """The largest n se^2 of the mean: half of it from the noise, the rest with everybody at one of two points.

        Of all distributions with one mean, those at two points have the largest SUM_i g_i^2 P_i.
        """
        places = [point - self.points[0] for point in self.points]
        squares = list(accumulate((self.count * gap**2 for gap in self.gaps), initial=0))
        spread = 0.0
        for (below, least), (above, most) in combinations(zip(places, squares, strict=True), 2):
            apart, gained = above - below, most - least
            share = min(max((gained / (2 * apart) - below) / apart, 0), 1)
            spread = max(spread, least + share * gained - (below + share * apart) ** 2)
        return spread + float(noise(self.keep)) * squares[-1]


def noise(keep: Fraction) -> float:
    """w: the variance that the disguise adds to the score of one answer."""
    return float((1 - keep**2) / (4 * keep**2))


def largest_keep(limit: GammaLimit) -> Fraction:
    """The largest p of four places with (1 + p) / (1 - p) within the limit."""
    keep = admissible_keep((EVEN,), 1, limit)
    if keep is None:
        raise Refusal("limit", _("no keep of four places is within this limit"))
    return keep
