"""What the paper leaves open: a law constructed for given conditions, and what it costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from papers.privacy_breach.settings import R3, VALUES
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.window_search import admissible_windows, best_window, blurred_error
from privacy.kinds.number.inverse import eigenvalues, modes
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
    """`error`: the mean standard error of a blurred share, in shares of the mean share 1/V."""

    rho1: Fraction
    rho2: Fraction
    limit: Fraction
    law: WindowLaw
    error: float


def constructed() -> Iterator[Constructed]:
    for rho1, rho2 in CONDITIONS:
        limit = GammaLimit.never_reaches(rho1, rho2)
        law = best_window(VALUES, limit, SHOWN)
        if law:
            yield Constructed(rho1, rho2, limit.gamma, law, VALUES * blurred_error(law, SHOWN, RESPONDENTS))


@dataclass(frozen=True)
class MeanErrors:
    """Standard errors of the mean at one gamma, in shares of the range: R3 at its best, thresholds at their worst."""

    gamma: int
    window: float
    thresholds: float


def mean_errors() -> list[MeanErrors]:
    return [MeanErrors(gamma, of_windows(gamma), of_thresholds(gamma)) for gamma in GAMMAS]


def of_windows(gamma: int) -> float:
    """The least over all windows, where all numbers are equally likely.

    The unbiased score of a number y has the Fourier coefficients of x/(V-1), each divided by its eigenvalue.
    """
    waves = np.abs(np.fft.fft(np.arange(VALUES) / (VALUES - 1))[1 : VALUES // 2 + 1]) ** 2
    limit = GammaLimit(Fraction(gamma), strict=False)
    variances = [
        2 * (waves / eigenvalues(law) ** 2).sum() / VALUES**2 for law in admissible_windows(VALUES, limit)
    ]
    return float(np.sqrt(min(variances) / RESPONDENTS))


def of_thresholds(gamma: int) -> float:
    """Equally far apart, at the worst numbers: one yes/no answer at p = (gamma-1)/(gamma+1) varies by 1/(4p^2)."""
    keep = (gamma - 1) / (gamma + 1)
    return 1 / (2 * keep * sqrt(RESPONDENTS))
