"""Computes the expected error of an estimated support before the survey.

For an itemset S with S_b in section b, of keep p_b, and c_b = (1 - p_b) q_b(S_b), the stratified estimator averages z =
prod_b (1[y_b contains S_b] - c_b) / p_b over base(S). Given the true answers, sections are independent and E z^2 =
prod_b (u_b 1[x_b contains S_b] + w_b), with u = (1 - 2c)/p and w = c (1 - c)/p^2. So with a share k of open records,
for which E z^2 = P(S), and r the share of records asked all of S,

    n se^2 = ( k P(S) + (1-k) E z^2 - P(S)^2 ) / r

Figures for whole sections are means over all itemsets of one length, taken without listing them: a sum over the subsets
of a section needs only the elementary symmetric sums of its noise and of its squares. See docs/mathematics.md, Design
by guarantee.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, inf, pi, prod, sqrt

from privacy.kinds.grouped.law import SectionLaw

NORMAL_95 = 1.96
LEAST_BASE = 50
"""Least number of records asked a whole itemset for which its support is estimated."""

Sums = tuple[float, float, float]
"""Sums of 1/r, u/r and w/r over the itemsets of one size in one section."""


@dataclass(frozen=True, slots=True)
class SupposedSupports:
    """Assumed supports for planning a survey: supports[i] is the support of any itemset of i + 1 items.

    `open_share`: the share of people who answer openly; the supports are the same in both groups.
    """

    supports: tuple[float, ...]
    open_share: float = 0.0

    def support(self, length: int) -> float:
        """Returns the assumed support of an itemset of `length` items; 1 for the empty one."""
        return self.supports[length - 1] if length else 1.0


@dataclass(frozen=True, slots=True)
class SectionParameters:
    """The parameters of one section that an expected error depends on.

    `keep`: keep probability, 1 if plain. `noise`: for each question the probability of the wanted choice under noise.
    `asked`: how many questions a device draws.
    """

    keep: float
    noise: tuple[float, ...]
    asked: int

    @classmethod
    def from_law(cls, law: SectionLaw, choices: Sequence[int] | None = None) -> "SectionParameters":
        """Returns the parameters of a section from its law; `choices`: the wanted choice of each question."""
        support_choices = choices or [choice_to_estimate(noise) for noise in law.noise]
        noise = (float(noise[choice]) for noise, choice in zip(law.noise, support_choices, strict=True))
        return cls(float(law.keep), tuple(noise), law.asked)

    def share_asked_together(self, size: int) -> float:
        """Returns the share of devices that draw all of `size` given questions of the section."""
        return comb(len(self.noise) - size, self.asked - size) / comb(len(self.noise), self.asked)


@dataclass(frozen=True, slots=True)
class ItemsetError:
    """Expected error of itemsets with n respondents, of whom `base` are asked the whole itemset.

    `se`: standard error of the support. `expected_w`: expected absolute error compared with the truth of the same
    people.
    """

    length: int
    support: float
    base: float
    se: float
    expected_w: float

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval."""
        return NORMAL_95 * self.se

    @property
    def has_enough_people(self) -> bool:
        """True if enough people are asked the itemset for its support to be estimated."""
        return self.base >= LEAST_BASE


@dataclass(frozen=True, slots=True)
class ErrorCurve:
    """Expected error of itemsets as a function of the number of respondents.

    `scarcity`: 1/r, r being the share of devices that draw the whole itemset; `second`: E z^2 / r, z being the score of
    a record. Both are means over itemsets of this `length`.
    """

    length: int
    support: float
    second: float
    scarcity: float

    @property
    def variance(self) -> float:
        """The variance of the support per respondent, n se^2."""
        return self.second - self.support**2 * self.scarcity

    def error_for(self, respondents: int) -> ItemsetError:
        """Returns the expected error for this number of `respondents`."""
        within = self.second - self.support * self.scarcity
        drawn = self.support * (1 - self.support) * (self.scarcity - 1)
        return ItemsetError(
            self.length,
            self.support,
            respondents / self.scarcity,
            sqrt(self.variance / respondents),
            sqrt(2 / pi * max(within + drawn, 0.0) / respondents),
        )

    def respondents_for_half_width(self, half_width: float) -> int:
        """Returns the least number of respondents with a 95 % interval of at most `half_width` each side.

        The number is also large enough that sufficiently many respondents are asked the whole itemset.
        """
        se = half_width / NORMAL_95
        return max(ceil(self.variance / se**2), ceil(LEAST_BASE * self.scarcity))


def choice_to_estimate(noise: Sequence[Fraction]) -> int:
    """Returns the index of the choice to estimate: *yes* of a yes/no question, else the one with most noise.

    The choice with most noise has the largest error. `noise`: the probability of each choice under noise.
    """
    return 1 if len(noise) == 2 else max(range(len(noise)), key=lambda choice: (noise[choice], choice))


def error_curve(
    parts: Sequence[SectionParameters], length: int, supposed: SupposedSupports
) -> ErrorCurve | None:
    """Returns the mean expected error of all itemsets of `length` questions; None if some are never asked together.

    `parts`: the parameters of every section.
    """
    if any(part.asked < min(length, len(part.noise)) for part in parts):
        return None
    itemsets = comb(sum(len(part.noise) for part in parts), length)
    return _error_curve_from_sums(
        [score_sums_by_size(part, length) for part in parts], length, supposed, itemsets
    )


def max_inverse_asked_share(parts: Sequence[SectionParameters], length: int) -> float:
    """Returns the largest 1 / (share of devices that draw the whole itemset) of all itemsets of `length` questions.

    Infinite if some are never drawn together. `parts`: the parameters of every section.
    """
    worst = {0: 1.0}
    for part in parts:
        grown: dict[int, float] = {}
        for items, scarce in worst.items():
            for size in range(min(length - items, len(part.noise)) + 1):
                both = scarce * (1 / part.share_asked_together(size) if size <= part.asked else inf)
                grown[items + size] = max(grown.get(items + size, 0.0), both)
        worst = grown
    return worst[length]


def itemset_error_curve(
    parts: Sequence[tuple[SectionParameters, Sequence[int]]], supposed: SupposedSupports
) -> ErrorCurve | None:
    """Returns the expected error of one itemset; None if no device is asked all of its questions.

    `parts`: each of its sections, with the indexes of its questions within the section.
    """
    if any(len(places) > part.asked for part, places in parts):
        return None
    length = sum(len(places) for _, places in parts)
    return _error_curve_from_sums(
        [_sums_of_one_itemset(part, places, length) for part, places in parts], length, supposed, 1
    )


def score_sums_by_size(part: SectionParameters, length: int) -> list[Sums]:
    """Returns the sums of 1/r, u/r and w/r over all itemsets of a section, by itemset size up to `length`.

    r, u and w are those of this module's formulas.
    """
    chance, squared = _symmetric_sums_of_noise(part.noise, length)
    return [
        _sums_from_noise_products(part, size, comb(len(part.noise), size), chance[size], squared[size])
        for size in range(min(length, len(part.noise)) + 1)
    ]


def _sums_of_one_itemset(part: SectionParameters, indexes: Sequence[int], length: int) -> list[Sums]:
    chance = prod(part.noise[index] for index in indexes)
    never = [(0.0, 0.0, 0.0)] * (length + 1)
    return [
        *never[: len(indexes)],
        _sums_from_noise_products(part, len(indexes), 1, chance, chance**2),
        *never[len(indexes) + 1 :],
    ]


def _sums_from_noise_products(
    part: SectionParameters, size: int, count: int, noise_product_sum: float, squared_product_sum: float
) -> Sums:
    if not size:
        return (1.0, 0.0, 1.0)
    p, asked = part.keep, part.share_asked_together(size)
    c, c_squared = (1 - p) * noise_product_sum, (1 - p) ** 2 * squared_product_sum
    return count / asked, (count - 2 * c) / p / asked, (c - c_squared) / p**2 / asked


@lru_cache(maxsize=4096)
def _symmetric_sums_of_noise(noise: tuple[float, ...], length: int) -> tuple[list[float], list[float]]:
    return _symmetric_sums(noise, length), _symmetric_sums([chance * chance for chance in noise], length)


def _symmetric_sums(values: Sequence[float], length: int) -> list[float]:
    sums = [1.0] + [0.0] * length
    for value in values:
        for size in range(length, 0, -1):
            sums[size] += value * sums[size - 1]
    return sums


def _error_curve_from_sums(
    sections: Iterable[Sequence[Sums]], length: int, supposed: SupposedSupports, itemsets: int
) -> ErrorCurve | None:
    if not itemsets:
        return None
    scarcity = [1.0] + [0.0] * length
    # moments[a][b]: itemsets of a items so far, b of them in sections where x contains all.
    moments = [[0.0] * (length + 1) for _ in range(length + 1)]
    moments[0][0] = 1.0
    for sums in sections:
        wider = [0.0] * (length + 1)
        grown = [[0.0] * (length + 1) for _ in range(length + 1)]
        for size, (scarce, contains, chance) in enumerate(sums):
            for before in range(length + 1 - size):
                wider[before + size] += scarcity[before] * scarce
                for contained in range(before + 1):
                    moment = moments[before][contained]
                    grown[before + size][contained] += moment * chance
                    grown[before + size][contained + size] += moment * contains
        scarcity, moments = wider, grown
    disguised = sum(moment * supposed.support(items) for items, moment in enumerate(moments[length]))
    support, k = supposed.support(length), supposed.open_share
    second = k * support * scarcity[length] + (1 - k) * disguised
    return ErrorCurve(length, support, second / itemsets, scarcity[length] / itemsets)
