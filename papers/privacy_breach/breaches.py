"""Computes the posteriors of single records in document 000: table 1, extremes, known facts, ages with noise.

The numbers 0 to 1,000, of which 0 is the commonest, and three laws; positive and negative breaches; and
the question that the document leaves open, a law constructed for given conditions (docs/mathematics.md,
Numbers by guarantee).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt
from operator import mul

import numpy as np
from numpy.typing import NDArray

from mining.kinds.number.window_distribution import likeliest_distribution
from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit, worst_posterior
from privacy.guarantee.best_number_classes import (
    class_shares,
    classes_for_shares,
    even_limits,
    excess_over_least_error,
)
from privacy.guarantee.best_number_window import best_window
from privacy.guarantee.breaches import Matrix, Vector, exact_prior_or_refuse, most_raised_property
from privacy.guarantee.number_distribution import ExpectedNumbers
from privacy.kinds.number.window.circular_law import CircularLaw
from privacy.kinds.number.window.law import WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import count_shown_modes

VALUES = 1001
ZERO = Fraction(1, 100)
"""Prior probability of 0; all other numbers are equally likely."""

RESPONDENTS, SEED = 10_000, 1
"""Number of respondents, for simulations and stated errors; and the random seed."""

R3 = WindowLaw(VALUES, 100, 5000)
LAWS = {
    "R1": CircularLaw.retention(VALUES, Fraction(1, 5)),
    "R2": CircularLaw.window(VALUES, R3.half),
    "R3": R3.law,
}


@dataclass(frozen=True)
class NumberProperty:
    """A property of a number, such as X in [200, 800]; `holds` returns whether a number has it."""

    name: str
    holds: Callable[[int], bool]

    def share(self, weights: Sequence[Fraction]) -> Fraction:
        return sum((weight for x, weight in enumerate(weights) if self.holds(x)), start=Fraction(0))


IS_ZERO = NumberProperty("X = 0", lambda x: x == 0)
OUTSIDE = NumberProperty("X ∉ [200, 800]", lambda x: not 200 <= x <= 800)
INSIDE = NumberProperty("X ∈ [200, 800]", lambda x: 200 <= x <= 800)
NEAR = NumberProperty("X ∈ [900, 1000] ∪ [0, 100]", lambda x: not 100 < x < 900)


def prior_weights(zero: Fraction = ZERO) -> list[Fraction]:
    return [zero, *[(1 - zero) / (VALUES - 1)] * (VALUES - 1)]


Floats = NDArray[np.float64]

PRINTED = {IS_ZERO.name: ("1", "71.6", "4.8", "2.9"), OUTSIDE.name: ("40.5", "83", "100", "70.8")}
"""Printed table 1, in percent: each property's prior, and posteriors after a record 0 of R1, R2, R3."""


def posteriors_of_another_number(*, than_sent: bool) -> list[Fraction]:
    """Computes the column of R3 in table 1 by its words, where the other half sends another number.

    `than_sent`: another one than R2 would send; else another one than the true X. The document's law (line 176) sends
    any number.
    """
    window = LAWS["R2"]
    others = Fraction(1, VALUES - 1)
    chances = []
    for x in range(VALUES):
        near = window.probability(x, 0)
        chances.append((near + others * ((1 - near) if than_sent else (x != 0))) / 2)
    joint = [weight * chance for weight, chance in zip(prior_weights(), chances, strict=True)]
    return [number_property.share(joint) / sum(joint) for number_property in (IS_ZERO, OUTSIDE)]


@dataclass(frozen=True)
class Posteriors:
    """Probability of a property before a record, and after the record under each law."""

    name: str
    before: Fraction
    after: Mapping[str, Fraction]


def table_1_posteriors() -> list[Posteriors]:
    """Computes table 1: the probability of two properties before and after a record 0."""
    before = prior_weights()
    weights = {name: law.posterior(before, 0) for name, law in LAWS.items()}
    return [
        Posteriors(
            number_property.name,
            number_property.share(before),
            {name: number_property.share(after) for name, after in weights.items()},
        )
        for number_property in (IS_ZERO, OUTSIDE)
    ]


@dataclass(frozen=True)
class Extremes:
    """Smallest and largest posterior of a property over all records; `bound`: largest that gamma allows."""

    law: str
    name: str
    before: float
    least: float
    most: float
    bound: float | None


FACTS = (
    NumberProperty("nothing", lambda _: True),
    NumberProperty("X ≠ 0", lambda x: x != 0),
    NumberProperty("X ∈ {0, 100, …, 1000}", lambda x: x % 100 == 0),
    NumberProperty("X ∈ {0, 500}", lambda x: x in (0, 500)),
)
NOTHING, *KNOWN_FACTS = FACTS


def extremes_by_law() -> list[Extremes]:
    """Computes the extreme posteriors of three properties under each law, without a known fact."""
    return [
        extreme_posteriors(name, number_property.name, number_property, NOTHING)
        for name in LAWS
        for number_property in (IS_ZERO, OUTSIDE, INSIDE)
    ]


def extremes_by_known_fact() -> list[Extremes]:
    """Computes the extreme posteriors of X in [900, 1000] or [0, 100] under R3, for each fact an attacker may know."""
    return [extreme_posteriors("R3", fact.name, NEAR, fact) for fact in FACTS]


def extreme_posteriors(
    law: str, name: str, number_property: NumberProperty, fact: NumberProperty
) -> Extremes:
    response_law, numbers = LAWS[law], np.arange(VALUES)
    weights = np.array(response_law.weights, np.float64)
    before, has = (
        np.array(prior_weights(), np.float64),
        np.array([number_property.holds(x) for x in range(VALUES)]),
    )
    if fact is not NOTHING:
        before = before * [fact.holds(x) for x in range(VALUES)]
        before /= before.sum()
    joint = before[:, None] * weights[(numbers[None, :] - numbers[:, None]) % VALUES]
    after = (has @ joint) / joint.sum(axis=0)
    share = float(has @ before)
    bound = float(worst_posterior(response_law.gamma, Fraction(share))) if response_law.gamma else None
    return Extremes(law, name, share, float(after.min()), float(after.max()), bound)


AGES, OLD = range(101), 70
NOISE, DEVIATION = 50, 25


@dataclass(frozen=True)
class AgeBreach:
    """Probability of an age of OLD or more, before and after a record; all ages from 0 to 100 are equally likely
    before."""

    noise: str
    received: int
    before: float
    after: float


def age_breaches() -> list[AgeBreach]:
    """Computes breaches for ages under noise without wrapping: uniform on [-50, 50], or normal with sd 25.

    Normal noise has no finite gamma: the odds of two ages a and b after the record y are those before, times
    exp( (a-b) (2y-a-b) / (2 sd^2) ), which grows without bound with y.
    """
    age = np.array(AGES)
    uniform = {120: np.abs(120 - age) <= NOISE}
    normal = {y: np.exp(-((y - age) ** 2) / (2 * DEVIATION**2)) for y in (100, 120, 150, 200)}
    before = float((age >= OLD).mean())
    return [
        AgeBreach(noise, y, before, float(weights[age >= OLD].sum() / weights.sum()))
        for noise, records in (("uniform", uniform), ("normal", normal))
        for y, weights in records.items()
    ]


@dataclass(frozen=True)
class Reconstruction:
    """Shares of the numbers 0 to 1,000: true, as received, and as reconstructed in `steps` steps."""

    true: Floats
    received: Floats
    reconstructed: Floats
    steps: int

    def distance(self, shares: Floats) -> float:
        """Returns the total variation distance of `shares` from the true shares."""
        return float(np.abs(shares - self.true).sum() / 2)


def simulate_and_reconstruct_shares() -> Reconstruction:
    """Simulates numbers around 300 and, half as many, around 700; reconstructs them from records of R3."""
    rng = np.random.default_rng(SEED)
    x = np.arange(VALUES)
    density = 2 * np.exp(-((x - 300) ** 2) / 20_000) + np.exp(-((x - 700) ** 2) / 20_000)
    people = rng.choice(VALUES, RESPONDENTS, p=density / density.sum())
    true = np.bincount(people, minlength=VALUES)
    windowed = rng.random(RESPONDENTS) < float(R3.windowed)
    moved = (people + rng.integers(-R3.half, R3.half + 1, RESPONDENTS)) % VALUES
    sent = np.where(windowed, moved, rng.integers(0, VALUES, RESPONDENTS))
    received = np.bincount(sent, minlength=VALUES)
    likeliest = likeliest_distribution(R3, np.stack([0 * received, received]))
    return Reconstruction(true / RESPONDENTS, received / RESPONDENTS, likeliest.share, likeliest.steps)


def chance_of_zero(law: CircularLaw) -> Fraction:
    """Returns P[Y = 0], as the sum of the joint distribution over all X."""
    zero, *others = (law.probability(x, 0) for x in range(VALUES))
    return ZERO * zero + (1 - ZERO) / (VALUES - 1) * sum(others, start=Fraction(0))


def is_other_record_silent() -> bool:
    """Returns True if the record 0 of one person changes no belief about another's X, under R3 in the joint law."""
    weights = prior_weights()
    sends = [LAWS["R3"].probability(x, 0) for x in range(VALUES)]
    chance = chance_of_zero(LAWS["R3"])
    return all(weight * sum(map(mul, weights, sends)) / chance == weight for weight in weights[:3])


@dataclass(frozen=True)
class TheoremCheck:
    """How many of `cases` break the theorem, and steps of its proof; `lower_as_printed`: with x2 as printed."""

    cases: int
    theorem: int
    upper: int
    lower: int
    lower_as_printed: int
    ratio: int
    odds: int


def check_theorem() -> TheoremCheck:
    """Tries all priors in tenths of three answers, some laws of one record, and all properties, in exact fractions.

    The theorem holds for every rho1 and rho2 if no odds of a property change by more than gamma in either direction.
    """
    priors = [Fraction(a, 10) for a in range(1, 9)]
    counts = [0] * 7
    for first, second in product(priors, priors):
        if first + second >= 1:
            continue
        prior = (first, second, 1 - first - second)
        for sends in product((1, 2, 5, 6), repeat=3):
            total = sum(p * chance for p, chance in zip(prior, sends, strict=True))
            for has in product((True, False), repeat=3):
                if len(set(has)) == 1:
                    continue
                before = sum(p for p, q in zip(prior, has, strict=True) if q)
                after = sum(p * chance for p, chance, q in zip(prior, sends, has, strict=True) if q) / total
                without = [chance for chance, q in zip(sends, has, strict=True) if not q]
                most = max(chance for chance, q in zip(sends, has, strict=True) if q)
                ratio = after / (1 - after) * (1 - before) / before
                gamma = Fraction(max(sends), min(sends))
                broken = (
                    not 1 / gamma <= ratio <= gamma,
                    after > most * before / total,
                    1 - after < min(without) * (1 - before) / total,
                    1 - after < max(without) * (1 - before) / total,
                    (1 - after) / after < Fraction(min(without), most) * (1 - before) / before,
                    (1 - after) / after < 1 / gamma * (1 - before) / before,
                )
                counts = [count + more for count, more in zip(counts, (1, *broken), strict=True)]
    return TheoremCheck(*counts)


LOW, HIGH = Fraction(1, 7), Fraction(1, 2)
"""Thresholds of breaches: a positive one raises at most LOW to HIGH or more, a negative one HIGH or more to
LOW or less."""

TYPICAL = (0, VALUES // 2)
"""Two records, near 0 and far off; any record reveals as much as one of them if only the prior of 0 differs."""


@dataclass(frozen=True)
class WorstProperties:
    """Worst breaches of a law given a fact: largest rise from at most LOW, largest fall from at least HIGH."""

    law: str
    known: str
    raised_from: Fraction
    raised_to: Fraction
    lowered_from: Fraction
    lowered_to: Fraction

    @property
    def is_positive_breach(self) -> bool:
        return self.raised_to >= HIGH

    @property
    def is_negative_breach(self) -> bool:
        return self.lowered_to <= LOW


def worst_properties() -> Iterator[WorstProperties]:
    """Yields the worst breaches of each law without a known fact, and of R3 with each known fact."""
    for name in LAWS:
        yield find_worst_properties(name, NOTHING)
    for fact in KNOWN_FACTS:
        yield find_worst_properties("R3", fact)


def find_worst_properties(name: str, fact: NumberProperty) -> WorstProperties:
    before, law = prior_and_law_given(fact, LAWS[name])
    raised = most_raised_property(before, law, LOW)
    # The property that falls most is the complement of the one that rises most.
    risen = most_raised_property(before, law, 1 - HIGH)
    raised_from, raised_to = (raised.before, raised.after) if raised else (Fraction(0), Fraction(0))
    risen_from, risen_to = (risen.before, risen.after) if risen else (Fraction(0), Fraction(0))
    return WorstProperties(name, fact.name, raised_from, raised_to, 1 - risen_from, 1 - risen_to)


def prior_and_law_given(fact: NumberProperty, law: CircularLaw) -> tuple[Vector, Matrix]:
    """Returns the prior of the numbers that satisfy a fact, and the probabilities of records given these numbers.

    If nearly all numbers remain, two typical records stand for all.
    """
    before = prior_weights()
    left = [x for x in range(VALUES) if fact.holds(x)]
    share = fact.share(before)
    records = TYPICAL if len(left) >= VALUES - 1 else range(VALUES)
    rows = [[law.probability(x, y) for y in records] for x in left]
    return exact_prior_or_refuse([before[x] / share for x in left]), np.array(rows, dtype=object)


CONDITIONS = (
    (Fraction(1, 20), Fraction(1, 2)),
    (Fraction(1, 7), Fraction(1, 2)),
    (Fraction(1, 10), Fraction(3, 10)),
)
"""Conditions (rho1, rho2) on laws: nothing may rise from rho1 to rho2, and nothing may fall back."""

SHOWN = count_shown_modes(R3)
"""Number of modes that constructed laws must show: as many as the document's R3."""


LIMITS = 9
"""Number of equally spaced limits of the compared law of classes."""


@dataclass(frozen=True)
class ConstructedLaw:
    """A law for given conditions; `error`: mean standard error of a blurred share, relative to 1/V (V numbers).

    For comparison the law of classes under the same condition: `cuts`, how many limits a device draws, `share_error`,
    the mean standard error of a share, and `above_least`, its excess over the least of any law, None if not computed.
    """

    rho1: Fraction
    rho2: Fraction
    limit: Fraction
    law: WindowLaw
    error: float
    cuts: int
    share_error: float
    above_least: float | None


def construct_laws() -> Iterator[ConstructedLaw]:
    """Yields the law with the least error for each condition (rho1, rho2) that a law can meet."""
    expected = ExpectedNumbers.uniform(NumberRange(0, VALUES - 1))
    for rho1, rho2 in CONDITIONS:
        limit = GammaLimit.never_reaches(rho1, rho2)
        best = best_window(VALUES, limit, SHOWN)
        if best:
            error = VALUES * best.error / sqrt(RESPONDENTS)
            classes = classes_for_shares(expected, limit, even_limits(expected.range, LIMITS))
            variances = classes.share_variances(class_shares(expected, classes.limits))
            share_error = float(np.sqrt(variances.mean() / RESPONDENTS))
            above = excess_over_least_error(LIMITS, limit.gamma)
            yield ConstructedLaw(rho1, rho2, limit.gamma, best.law, error, classes.cuts, share_error, above)
