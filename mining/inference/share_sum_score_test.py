"""The score test of a sum of shares, T = SUM a_g s_g (docs/mathematics.md, Sums of shares).

Groups are on the first axis, rows on the last. Group g has n_g records, x_g of them with the answer; its law is
lambda_g = chance_g + keep_g s_g (answers that nothing disguises: 1 and 0). One z serves p, interval and power, so that
they cannot contradict each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95, Interval, find_interval_ends, find_root
from mining.special_functions import ndtr

HALVINGS = 80
WIDEST = 1e-15
"""Least value of 1 - u^2 in mu = 10 N u / (1 - u^2)."""
NO_VARIANCE, NO_DIFFERENCE = 1e-18, 1e-9
NO_SKEW = 1e-4
POWER = 0.8


class ReceivedSide(NamedTuple):
    """The received data of one side of a comparison, by group and row; a row is an answer.

    `records`: numbers of records; `having`: numbers of records with the answer; `keep` p and `chance` (1-p) q: the law
    of the disguise.
    """

    records: NDArray[Any]
    having: NDArray[Any]
    keep: Floats
    chance: Floats

    def take(self, rows: NDArray[Any]) -> "ReceivedSide":
        """Returns the side with these `rows` alone (indexes or a mask)."""
        return ReceivedSide(*(column[:, rows] for column in self))


@dataclass(frozen=True)
class SumOfShares:
    """The score test of T = SUM a_g s_g, a row per answer; a_g is `factor`.

    `x` of the `n` records of a group have the answer. `low` and `high` are the range of T by row. `added` and
    `added_variance`: a mean of other records that T contains, and its variance; 0 where there is none. `shared`:
    the first half of the groups is one side, the second half the other, and people may be in both.
    """

    x: Floats
    n: Floats
    keep: Floats
    chance: Floats
    factor: Floats
    low: Floats
    high: Floats
    added: Floats
    added_variance: Floats
    shared: bool = False

    @classmethod
    def with_factors(
        cls,
        received: ReceivedSide,
        factor: Floats | Sequence[float],
        between: tuple[float, float],
        *,
        added: tuple[Floats, Floats] | None = None,
        shared: bool = False,
    ) -> Self:
        """Makes the test of a sum of shares with factor a_g for group g (by group, or group by row).

        `between` is the range of the sum. `added` is an independent mean that the sum contains too, and its variance.
        """
        n = np.asarray(received.records, np.float64)
        given = np.asarray(factor, np.float64)
        by_row = given[:, None] if given.ndim < n.ndim else given
        x, keep, chance, factors = (
            np.array(np.broadcast_to(one, n.shape), np.float64)
            for one in (received.having, received.keep, received.chance, np.where(n > 0, by_row, 0.0))
        )
        low, high = (np.full(n.shape[1], float(end)) for end in between)
        value, variance = added or (np.zeros(n.shape[1]), np.zeros(n.shape[1]))
        return cls(x, n, keep, chance, factors, low, high, value, variance, shared)

    @classmethod
    def from_difference(cls, first: ReceivedSide, second: ReceivedSide, *, shared: bool = False) -> Self:
        """Makes the test of a difference: the share of the second side less that of the first.

        The groups of a side may have different shares: the share of a side is that among all its records.
        """
        both = ReceivedSide(*(np.concatenate(pair) for pair in zip(first, second, strict=True)))
        factor = np.concatenate(
            [-_share_of_records_by_group(first.records), _share_of_records_by_group(second.records)]
        )
        return cls.with_factors(both, factor, (-1.0, 1.0), shared=shared)

    @classmethod
    def from_share(cls, side: ReceivedSide) -> Self:
        return cls.with_factors(side, _share_of_records_by_group(side.records), (0.0, 1.0))

    def __len__(self) -> int:
        return len(self.low)

    def take(self, rows: NDArray[Any]) -> Self:
        """Returns the test with these `rows` alone (indexes or a mask)."""
        taken = {
            column.name: getattr(self, column.name)[..., rows]
            for column in fields(self)
            if column.name != "shared"
        }
        return replace(self, **taken)

    def _select_groups(self, groups: Any) -> Self:
        by_group = {name: getattr(self, name)[groups] for name in ("x", "n", "keep", "chance", "factor")}
        return replace(self, **by_group)

    def point_estimate(self) -> Floats:
        """Returns the estimate of the sum, at which z is 0."""
        received = self.x / np.where(self.n > 0, self.n, 1.0)
        return np.asarray((self.factor * (received - self.chance) / self.keep).sum(axis=0) + self.added)

    def z(self, t: Floats) -> Floats:
        """Returns by how many standard errors the estimate is above t, with or without correction for skewness,
        whichever is nearer to 0."""
        variance, third = self._moments(self.constrained_received_shares(t))
        return _standardised_z(self.point_estimate() - t, variance, third)

    def interval(self, critical_z: float = NORMAL_95) -> Interval:
        """Returns the interval of all t with |z(t)| <= critical_z; both ends are NaN where the counts contradict
        each other."""
        low, high = self.low.copy(), self.high.copy()
        at_low, at_high = self.z(low), self.z(high)
        need_low, need_high = np.flatnonzero(at_low > critical_z), np.flatnonzero(at_high < -critical_z)
        ends = float(self.low.min(initial=0.0)), float(self.high.max(initial=0.0))
        low[need_low], high[need_high] = find_interval_ends(
            self, need_low, need_high, critical_z, ends, at_low, at_high
        )
        contradicted = (at_high > critical_z) | (at_low < -critical_z)
        low[contradicted] = high[contradicted] = np.nan
        return low, high

    def standard_error(self) -> Floats:
        """Returns the standard error of the sum, computed at the estimate clipped to its range."""
        variance, _third = self._moments(
            self.constrained_received_shares(np.clip(self.point_estimate(), self.low, self.high))
        )
        return np.sqrt(variance)

    def constrained_received_shares(self, t: Floats) -> Floats:
        """Returns the received share lambda of each group at the most likely true shares whose weighted sum is t.

        Found by bisection over the Lagrange multiplier mu, since the sum falls as mu grows.
        """
        some = self.n.any(axis=1)
        if not some.all():
            result = self.chance.copy()
            result[some] = self._select_groups(some).constrained_received_shares(t)
            return result
        everybody = self.n.sum(axis=0)
        low, high = np.full(len(self), -1.0), np.ones(len(self))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if ((middle == low) | (middle == high)).all():
                break
            mu = _lagrange_multiplier(middle, everybody)
            shares = (self._received_shares_at_multiplier(mu) - self.chance) / self.keep
            added = self.added - mu * self.added_variance
            above = (self.factor * np.clip(shares, 0.0, 1.0)).sum(axis=0) + added > t
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return self._received_shares_at_multiplier(_lagrange_multiplier((low + high) / 2, everybody))

    def _received_shares_at_multiplier(self, mu: Floats) -> Floats:
        """Returns each group's received share lambda at the multiplier mu: the root of x/lambda - (n-x)/(1-lambda) = mu
        a/keep, clipped to what the disguise allows."""
        pull = mu * self.factor / self.keep
        b = self.n + pull
        root = np.sqrt(np.maximum(b**2 - 4 * pull * self.x, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(b > 0, 2 * self.x / (b + root), (b - root) / (2 * pull))
        # An empty group has neither records nor a factor.
        shares = np.where(self.n > 0, shares, self.chance)
        return np.clip(shares, self.chance, self.chance + self.keep)

    def _moments(self, lambda_: Floats) -> tuple[Floats, Floats]:
        """Returns the variance and the third moment of the estimate."""
        variance, third = _moments_of_groups_alone(self, lambda_)
        variance = variance + self.added_variance
        if self.shared:
            variance = variance + self._overlap_variance(
                np.clip((lambda_ - self.chance) / self.keep, 0.0, 1.0)
            )
        return variance, third

    def _overlap_variance(self, shares: Floats) -> Floats:
        """Returns the largest increase in variance if everybody of the smaller side is in both sides and gives opposite
        answers where possible.

        Which groups (open, disguised) these people are in is unknown: of the two extreme pairings the one with the
        larger increase counts.
        """
        first, second = self.n[:2], self.n[2:]
        w_1, w_2 = (_share_of_records_by_group(side)[0] for side in (first, second))
        gains = []
        for both_open in (np.minimum(w_1, w_2), np.maximum(w_1 + w_2 - 1, 0.0)):
            pairs = (
                (0, 2, both_open),
                (0, 3, w_1 - both_open),
                (1, 2, w_2 - both_open),
                (1, 3, 1 - w_1 - w_2 + both_open),
            )
            gains.append(
                sum(weight * _negated_least_covariance(shares[g], shares[h]) for g, h, weight in pairs)
            )
        most = np.maximum(first.sum(axis=0), second.sum(axis=0))
        return np.asarray(2 * np.maximum(*gains) / np.maximum(most, 1.0))


def difference_power(test: SumOfShares, share: Floats, difference: Floats) -> Floats:
    """Returns the power of a test of two sides: the probability that a given `difference` is found at p < .05.

    The first side has `share`, the second `share` + `difference`. Only the groups and laws of `test` are used; groups
    with a negative factor are the first side.
    """
    shares = np.where(test.factor > 0, share + difference, share)
    received = test.chance + test.keep * np.clip(shares, 0.0, 1.0)
    expected = replace(test, x=test.n * received)
    at_none = _moments_of_groups_alone(test, expected.constrained_received_shares(np.zeros(len(test))))
    at_truth = _moments_of_groups_alone(test, received)
    skew_none, skew_truth = (_skewness(*moments) for moments in (at_none, at_truth))
    up = np.maximum(NORMAL_95, _undo_skewness(np.full(len(test), NORMAL_95), skew_none))
    down = np.minimum(-NORMAL_95, _undo_skewness(np.full(len(test), -NORMAL_95), skew_none))
    bounds = up * np.sqrt(at_none[0]), down * np.sqrt(at_none[0])
    certain = at_truth[0] <= NO_VARIANCE
    error = np.sqrt(np.where(certain, 1.0, at_truth[0]))
    above, below = (_skewness_corrected_z((bound - difference) / error, skew_truth) for bound in bounds)
    probability = ndtr(-above) + ndtr(below)
    known = (difference > bounds[0]) | (difference < bounds[1])
    return np.asarray(np.where(certain, known, probability))


def smallest_detectable_differences(test: SumOfShares, share: Floats) -> tuple[Floats, Floats]:
    """Returns the smallest differences, upwards and downwards, that are found with 80 % power; NaN where none is."""
    share = np.clip(share, 0.0, 1.0)
    # Both directions are searched together, which takes half as many steps, each hardly longer.
    both_ways = np.tile(np.arange(len(test)), 2)
    missed = _MissedPower(test.take(both_ways), share[both_ways], np.concatenate([1 - share, -share]))
    at_none, at_largest = missed.z(np.zeros(len(missed))), missed.z(np.ones(len(missed)))
    rows = np.flatnonzero((missed.largest != 0) & (at_largest <= 0))
    smallest = np.full(len(missed), np.nan)
    part = find_root(missed.take(rows), np.zeros(len(rows)), (0.0, 1.0), at_none[rows], at_largest[rows])
    smallest[rows] = part * np.abs(missed.largest[rows])
    return smallest[: len(test)], smallest[len(test) :]


@dataclass(frozen=True)
class _MissedPower:
    """The function POWER minus the power of a difference, whose root is searched: the smallest detectable difference.

    The difference is given as a part t of the largest possible one.
    """

    of: SumOfShares
    share: Floats
    largest: Floats

    def __len__(self) -> int:
        return len(self.share)

    def take(self, rows: NDArray[Any]) -> "_MissedPower":
        return _MissedPower(self.of.take(rows), self.share[rows], self.largest[rows])

    def point_estimate(self) -> Floats:
        """Returns infinity, since no estimate of the root is known before the search."""
        return np.full(len(self), np.inf)

    def z(self, t: Floats) -> Floats:
        return POWER - difference_power(self.of, self.share, t * self.largest)


def _lagrange_multiplier(u: Floats, everybody: Floats) -> Floats:
    """Returns the Lagrange multiplier mu for a transformed value u between -1 and 1."""
    return np.asarray(10 * everybody * u / np.maximum(1 - u**2, WIDEST))


def _share_of_records_by_group(records: NDArray[Any]) -> Floats:
    return np.asarray(records / np.maximum(records.sum(axis=0), 1))


def _negated_least_covariance(first: Floats, second: Floats) -> Floats:
    """Returns the negative of the least covariance that two yes/no answers of one person, with these shares, can
    have."""
    return np.asarray(first * second - np.maximum(first + second - 1, 0.0))


def _moments_of_groups_alone(test: SumOfShares, lambda_: Floats) -> tuple[Floats, Floats]:
    n = np.where(test.n > 0, test.n, 1.0)
    by = test.factor / test.keep
    spread = lambda_ * (1 - lambda_)
    variance = (by**2 * spread / n).sum(axis=0)
    return variance, (by**3 * spread * (1 - 2 * lambda_) / n**2).sum(axis=0)


def _standardised_z(difference: Floats, variance: Floats, third: Floats) -> Floats:
    certain = variance <= NO_VARIANCE
    zeta = difference / np.sqrt(np.where(certain, 1.0, variance))
    skewed = _skewness_corrected_z(zeta, _skewness(variance, third))
    z = np.where(np.abs(zeta) <= np.abs(skewed), zeta, skewed)
    nothing = np.abs(difference) < NO_DIFFERENCE
    return np.where(certain, np.where(nothing, 0.0, np.copysign(np.inf, difference)), z)


def _skewness(variance: Floats, third: Floats) -> Floats:
    return np.where(variance > NO_VARIANCE, third / np.maximum(variance, NO_VARIANCE) ** 1.5, 0.0)


def _skewness_corrected_z(z: Floats, skewness: Floats) -> Floats:
    """Returns Wilson and Hilferty's z' of a standardised difference with this skewness."""
    symmetric = np.abs(skewness) < NO_SKEW
    safe = np.where(symmetric, 1.0, skewness)
    return np.where(symmetric, z, (6 / safe) * (np.cbrt(1 + safe * z / 2) - 1) + safe / 6)


def _undo_skewness(z: Floats, skewness: Floats) -> Floats:
    """Returns the standardised difference whose skewness-corrected value is z."""
    symmetric = np.abs(skewness) < NO_SKEW
    safe = np.where(symmetric, 1.0, skewness)
    return np.where(symmetric, z, ((1 + safe / 6 * (z - safe / 6)) ** 3 - 1) * 2 / safe)
