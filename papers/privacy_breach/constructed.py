"""What the paper leaves open: a law constructed for given conditions, and what it costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from papers.privacy_breach.settings import R3, VALUES
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.classes_search import classes_for_mean
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_comparison import mean_by_window
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.window_search import best_window
from privacy.kinds.number.inverse import modes
from privacy.kinds.number.window import WindowLaw

CONDITIONS = (
    (Fraction(1, 20), Fraction(1, 2)),
    (Fraction(1, 7), Fraction(1, 2)),
    (Fraction(1, 10), Fraction(3, 10)),
)
"""From rho1 to rho2 nothing may rise, and nothing may fall back."""

SHOWN = modes(R3)
"""The laws are to show as many modes as the paper's R3."""

RESPONDENTS = 10_000
GAMMAS = (3, 6, 19)


@dataclass(frozen=True)
class Constructed:
    """`error`: the mean standard error of a blurred share, as a part of the mean share 1/V."""

    rho1: Fraction
    rho2: Fraction
    limit: Fraction
    law: WindowLaw
    error: float


def constructed() -> Iterator[Constructed]:
    for rho1, rho2 in CONDITIONS:
        limit = GammaLimit.never_reaches(rho1, rho2)
        found = best_window(VALUES, limit, SHOWN)
        if found:
            error = VALUES * found.error / sqrt(RESPONDENTS)
            yield Constructed(rho1, rho2, limit.gamma, found.law, error)


@dataclass(frozen=True)
class MeanErrors:
    """Standard errors of the mean at one gamma, in shares of the range: R3 and classes at their best."""

    gamma: int
    window: float
    classes: float


def mean_errors() -> Iterator[MeanErrors]:
    numbers = NumberRange(0, VALUES - 1)
    for gamma in GAMMAS:
        limit = GammaLimit(Fraction(gamma), strict=False)
        window = mean_by_window(numbers, limit, RESPONDENTS)
        even = ExpectedNumbers.even(numbers)
        classes = classes_for_mean(even, limit).expected_mean(even, RESPONDENTS)
        if window and classes:
            yield MeanErrors(gamma, window.se / numbers.width, classes.relative_se)
