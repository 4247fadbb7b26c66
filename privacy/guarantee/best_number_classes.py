"""Finds the settings of a number by classes that have the least error within a limit of gamma.

The variances are those of the scores, with the largest keep probabilities that the limit admits (docs/mathematics.md,
Numbers by guarantee).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np

from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit, largest_class_keep, rounded_class_keep
from privacy.guarantee.expected_error import LEAST_BASE, NORMAL_95
from privacy.guarantee.number_distribution import ExpectedNumbers, Floats
from privacy.kinds.number.classes.law import LEAST_CLASSES, LEAST_REST, ClassesLaw
from privacy.kinds.number.classes.scores_of_record_codes import score_table
from privacy.kinds.number.classes.section import MOST_LIMITS, MOST_REST, REST_PARTS
from privacy.kinds.score_table import ScoreTable

MOST_LOST = Fraction(5, 4)
"""Largest factor on the variance of shares that the bit for the mean may cost, if both are wanted."""

ABOVE_LEAST = {
    4: {3: 0.018, 6: 0.006, 19: 0.0, 50: 0.0},
    9: {3: 0.16, 6: 0.07, 19: 0.01, 50: 0.0},
    20: {3: 0.39, 6: 0.19, 19: 0.05, 50: 0.016},
}
"""Excess of the variance of shares over the least that any law can have, by number of limits and gamma."""
ROUNDING = Fraction(1, 100)
"""Largest distance of gamma from a tabulated gamma, since keeps have four places."""


@dataclass(frozen=True, slots=True)
class ExpectedShare:
    """Expected share of people with a number at `limit` or above, and half the width of its 95 % interval."""

    limit: int
    share: float
    half_width: float


@dataclass(frozen=True, slots=True)
class ExpectedMean:
    """Expected mean and its standard error."""

    mean: float
    se: float


@dataclass(frozen=True)
class ClassesDesign:
    """Candidate settings of a number by classes; keep probabilities may be rounded or not.

    `range`: the numbers; `limits`: between its ends, t_1 .. t_N. `cuts`: m, how many limits a device draws. `rest`: R,
    how many of twenty records send the bit for the mean. `keep`, `rest_keep`: keep probabilities of class and bit.
    """

    range: NumberRange
    limits: tuple[int, ...]
    cuts: int
    rest: int
    keep: Fraction
    rest_keep: Fraction

    @property
    def law(self) -> ClassesLaw:
        return ClassesLaw(len(self.limits), self.cuts, self.keep, self.rest_keep if self.rest else None)

    @property
    def starts(self) -> tuple[int, ...]:
        """Lowest number of each class, t_0 .. t_N."""
        return (self.range.low, *self.limits)

    @property
    def tops(self) -> tuple[int, ...]:
        """Highest number of each class."""
        return (*(limit - self.range.step for limit in self.limits), self.range.high)

    @cached_property
    def widest_class_span(self) -> int:
        """The largest distance D between a number and the lowest number of its class."""
        return max(top - start for top, start in zip(self.tops, self.starts, strict=True))

    @property
    def has_mean(self) -> bool:
        """True if the mean can be estimated: some records send the bit for it, or each number is a class."""
        return self.rest > 0 or not self.widest_class_span

    def expected_shares(self, expected: ExpectedNumbers, respondents: int) -> tuple[ExpectedShare, ...]:
        """Returns the expected share at each limit or above, with its error, for so many `respondents`."""
        classes = class_shares(expected, self.limits)
        errors = NORMAL_95 * np.sqrt(self.share_variances(classes) / respondents)
        shares = expected.share_at_least(self.limits)
        return tuple(
            ExpectedShare(limit, float(share), float(error))
            for limit, share, error in zip(self.limits, shares, errors, strict=True)
        )

    def expected_mean(self, expected: ExpectedNumbers, respondents: int) -> ExpectedMean | None:
        """Returns the mean with its expected error for so many `respondents`; None if not estimated."""
        if not self.has_mean:
            return None
        mean = float(expected.capped_mean(self.range.high)[0])
        return ExpectedMean(mean, sqrt(self.mean_variance(expected) / respondents))

    def share_variances(self, classes: Floats) -> Floats:
        """Returns n se^2 of the share at each limit or above; `classes`: share of people by class."""
        n = len(self.limits)
        second = self._table.class_moments[2, :n] @ classes
        above = np.cumsum(classes[::-1])[::-1][1:]
        return np.asarray((second - above**2) / (1 - self._share_sending_position_bit))

    def mean_variance(self, expected: ExpectedNumbers) -> float:
        """Returns n se^2 of the estimated mean."""
        classes, starts = class_shares(expected, self.limits), np.array(self.starts, np.float64)
        table = self._table
        # Shifted, so that nothing large cancels.
        above = starts - starts[0]
        second = classes @ (table.chance @ (table.scores @ above) ** 2)
        variance = float(second - (classes @ above) ** 2) / (1 - self._share_sending_position_bit)
        if not self.rest:
            return variance
        inside = (expected.capped_mean(self.range.high)[0] - classes @ starts) / self.widest_class_span
        of_bit = 1 / (4 * float(self.rest_keep) ** 2) - (inside - 1 / 2) ** 2
        return variance + float(self.widest_class_span**2 * of_bit) / self._share_sending_position_bit

    def quantile_width(self, expected: ExpectedNumbers, q: float, respondents: int) -> float:
        """Returns the expected distance between the two limits that enclose the q-quantile with 95 % confidence.

        Limits that are judged to lie on the wrong side of the quantile are neglected.
        """
        from scipy.special import ndtr  # late for cost

        shares = self.expected_shares(expected, respondents)
        apart = np.array([abs(share.share - (1 - q)) for share in shares])
        error = np.array([share.half_width for share in shares]) / NORMAL_95
        passes = ndtr(apart / error - NORMAL_95)
        is_below = np.array([share.share > 1 - q for share in shares])
        ends = (self.range.low, *self.limits, self.range.high)
        gaps = np.diff(ends).astype(np.float64)
        low = (gaps[:-1] * np.cumprod(np.where(is_below, passes, 0.0))).sum()
        high = (gaps[:0:-1] * np.cumprod(np.where(is_below, 0.0, passes)[::-1])).sum()
        return float(self.range.width - low - high)

    def has_enough_respondents(self, respondents: int) -> bool:
        """Returns True if so many `respondents` are expected to give enough records with a class to estimate shares."""
        return respondents >= self.min_respondents_for_shares

    @property
    def min_respondents_for_shares(self) -> int:
        """Number of respondents needed before shares are estimated."""
        return -(-LEAST_BASE * REST_PARTS // (REST_PARTS - self.rest))

    @property
    def min_respondents_for_mean(self) -> int:
        """Number of respondents needed before the mean is estimated."""
        classes, bits = REST_PARTS - self.rest, self.rest
        least = -(-LEAST_CLASSES * REST_PARTS // classes)
        return max(least, -(-LEAST_REST * REST_PARTS // bits)) if bits else least

    def with_rounded_keeps(self, limit: GammaLimit) -> "ClassesDesign":
        """Returns the design with the largest keep probabilities of four places within the limit."""
        keeps = rounded_class_keep(limit, self.cuts), rounded_class_keep(limit, 1)
        return ClassesDesign(self.range, self.limits, self.cuts, self.rest, *keeps)

    @property
    def _table(self) -> ScoreTable:
        return score_table(len(self.limits), self.cuts, self.keep)

    @property
    def _share_sending_position_bit(self) -> float:
        return self.rest / REST_PARTS


def class_shares(expected: ExpectedNumbers, limits: Sequence[int]) -> Floats:
    """Returns the expected share of each class; the `limits` separate the classes."""
    return np.asarray(-np.diff(expected.share_at_least(limits), prepend=1.0, append=0.0))


def classes_for_shares(
    expected: ExpectedNumbers, limit: GammaLimit, limits: Sequence[int], *, mean: bool = False
) -> ClassesDesign:
    """Returns the settings for given class `limits` with the least mean variance of the shares.

    Chosen is the number m of drawn limits and, if the mean is wanted too (`mean`), the number R of records with a bit.
    """
    shares = tuple(class_shares(expected, limits).tolist())
    cuts = best_drawn_limit_count(limit.gamma, shares)
    classes = _design_with_largest_keeps(expected, limit, limits, cuts, 0)
    if not mean or not classes.widest_class_span:
        return classes.with_rounded_keeps(limit)
    rests = [rest for rest in range(1, MOST_REST + 1) if Fraction(REST_PARTS, REST_PARTS - rest) <= MOST_LOST]
    return _design_of_least_mean_error(
        expected, (_design_with_largest_keeps(expected, limit, limits, cuts, rest) for rest in rests)
    ).with_rounded_keeps(limit)


def classes_for_mean(expected: ExpectedNumbers, limit: GammaLimit) -> ClassesDesign:
    """Returns the settings with the least error of the mean.

    The limits are equally spaced, as far as the steps allow. The numbers of drawn limits and of records with a bit are
    the best ones.
    """
    return _classes_for_mean(expected, limit.gamma).with_rounded_keeps(limit)


@lru_cache(maxsize=64)
def _classes_for_mean(expected: ExpectedNumbers, gamma: Fraction) -> ClassesDesign:
    limit = GammaLimit(gamma, strict=False)
    limits = even_limits(expected.range, MOST_LIMITS)
    is_scale = not _design_with_largest_keeps(expected, limit, limits, 1, 0).widest_class_span
    rests = range(1) if is_scale else range(1, MOST_REST + 1)
    cuts = range(1, len(limits) + 1)
    return _design_of_least_mean_error(
        expected,
        (_design_with_largest_keeps(expected, limit, limits, m, rest) for m in cuts for rest in rests),
    )


def even_limits(numbers: NumberRange, most: int) -> tuple[int, ...]:
    """Returns at most `most` equally spaced limits of a number's classes, as far as the steps allow.

    With up to most + 1 numbers each number is its own class.
    """
    count = min(most, numbers.steps)
    return tuple(
        numbers.low + numbers.step * (i * numbers.values // (count + 1)) for i in range(1, count + 1)
    )


def round_number_limits(numbers: NumberRange, target: int) -> tuple[int, ...]:
    """Returns about `target` class limits at round numbers, equally spaced or, in a wide range, growing.

    Returns even limits if no round numbers lie on the steps.
    """
    even = even_limits(numbers, target)
    if numbers.steps <= target:
        return even
    low, high = numbers.low, numbers.high
    sizes = [size * 10**power for power in range(10) for size in (1, 2, 5)]
    candidates: list[list[int]]
    if high >= MANY_SIZES[0] and 0 <= low * MANY_SIZES[1] <= high:
        powers = sizes if target > len(sizes) // 3 else sizes[::3]
        candidates = [[size for size in powers if low < size < high][-target:]]
    else:
        candidates = [
            list(range(low - low % size + size, high, size)) for size in sizes if numbers.width <= 30 * size
        ]
    fitting = [
        limits
        for limits in candidates
        if target <= 2 * len(limits) <= 2 * MOST_LIMITS
        and not any((limit - low) % numbers.step for limit in limits)
    ]
    fitting.sort(key=lambda limits: abs(len(limits) - target))
    return tuple(fitting[0]) if fitting else even


MANY_SIZES = 1_000_000, 1_000
"""Thresholds of a wide range: it reaches the first, and the second times its lowest number."""


def equal_share_limits(expected: ExpectedNumbers, count: int) -> tuple[int, ...]:
    """Returns `count` limits that divide the expected numbers into classes with nearly equal shares."""
    numbers = expected.range
    places = numbers.low + numbers.step * np.arange(1, numbers.steps + 1, dtype=np.int64)
    if len(places) > MOST_PLACES:
        places = places[np.linspace(0, len(places) - 1, MOST_PLACES).astype(np.int64)]
    shares = expected.share_at_least(places)
    levels = 1 - np.arange(1, count + 1) / (count + 1)
    return tuple(sorted({int(places[np.abs(shares - level).argmin()]) for level in levels}))


MOST_PLACES = 10_000
"""Most positions tried for a limit; of a longer range evenly spaced ones."""


@lru_cache(maxsize=256)
def best_drawn_limit_count(gamma: Fraction, shares: tuple[float, ...]) -> int:
    """Returns m, the number of drawn limits with the least mean variance of shares; of equally good ones the smallest.

    `shares`: the expected share of each class.
    """
    limit, n = GammaLimit(gamma, strict=False), len(shares) - 1
    numbers = NumberRange(0, n)
    variances = [
        float(
            ClassesDesign(
                numbers,
                tuple(range(1, n + 1)),
                m,
                0,
                largest_class_keep(limit, m),
                largest_class_keep(limit, 1),
            )
            .share_variances(np.array(shares))
            .mean()
        )
        for m in range(1, n + 1)
    ]
    least = min(variances)
    return next(m for m, variance in enumerate(variances, 1) if variance <= least * (1 + 1e-12))


def excess_over_least_error(limits: int, gamma: Fraction) -> float | None:
    """Returns by which fraction the error of shares exceeds the least error that any law with this gamma can have.

    It is for equally likely classes and the best number of limits drawn; None where the least variance was not
    computed.
    """
    near = (
        above
        for tabulated, above in ABOVE_LEAST.get(limits, {}).items()
        if abs(gamma / tabulated - 1) <= ROUNDING
    )
    return next((sqrt(1 + above) - 1 for above in near), None)


def _design_with_largest_keeps(
    expected: ExpectedNumbers, limit: GammaLimit, limits: Sequence[int], cuts: int, rest: int
) -> ClassesDesign:
    return ClassesDesign(
        expected.range,
        tuple(limits),
        cuts,
        rest,
        largest_class_keep(limit, cuts),
        largest_class_keep(limit, 1),
    )


def _design_of_least_mean_error(
    expected: ExpectedNumbers, candidates: Iterable[ClassesDesign]
) -> ClassesDesign:
    return min(candidates, key=lambda candidate: candidate.mean_variance(expected))
