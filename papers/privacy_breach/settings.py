"""The setting of the document: the numbers 0 to 1,000, of which 0 is the commonest, and three laws."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privacy.kinds.number.window.circular_law import CircularLaw
from privacy.kinds.number.window.law import WindowLaw

VALUES = 1001
ZERO = Fraction(1, 100)
"""The probability of 0; all other numbers share the rest alike."""

RESPONDENTS, SEED = 10_000, 1
"""Of what is simulated, and of stated errors."""

R3 = WindowLaw(VALUES, 100, 5000)
LAWS = {
    "R1": CircularLaw.retention(VALUES, Fraction(1, 5)),
    "R2": CircularLaw.window(VALUES, R3.half),
    "R3": R3.law,
}


@dataclass(frozen=True)
class NumberProperty:
    name: str
    holds: Callable[[int], bool]

    def share(self, weights: Sequence[Fraction]) -> Fraction:
        return sum((weight for x, weight in enumerate(weights) if self.holds(x)), start=Fraction(0))


IS_ZERO = NumberProperty("X = 0", lambda x: x == 0)
OUTSIDE = NumberProperty("X ∉ [200, 800]", lambda x: not 200 <= x <= 800)
INSIDE = NumberProperty("X ∈ [200, 800]", lambda x: 200 <= x <= 800)
NEAR = NumberProperty("X ∈ [900, 1000] ∪ [0, 100]", lambda x: not 100 < x < 900)


def prior(zero: Fraction = ZERO) -> list[Fraction]:
    return [zero, *[(1 - zero) / (VALUES - 1)] * (VALUES - 1)]
