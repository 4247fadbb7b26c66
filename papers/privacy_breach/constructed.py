"""What the document leaves open: a law constructed for given conditions, and what it costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from papers.privacy_breach.settings import R3, RESPONDENTS, VALUES
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.window_search import best_window
from privacy.kinds.number.window.inverse import modes
from privacy.kinds.number.window.law import WindowLaw

CONDITIONS = (
    (Fraction(1, 20), Fraction(1, 2)),
    (Fraction(1, 7), Fraction(1, 2)),
    (Fraction(1, 10), Fraction(3, 10)),
)
"""From rho1 to rho2 nothing may rise, and nothing may fall back."""

SHOWN = modes(R3)
"""The laws are to show as many modes as the document's R3."""


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
        best = best_window(VALUES, limit, SHOWN)
        if best:
            yield Constructed(rho1, rho2, limit.gamma, best.law, VALUES * best.error / sqrt(RESPONDENTS))
