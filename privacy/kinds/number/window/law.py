"""Disguise law `window` (R3): sends a number near the true one or, with a certain probability, any number
(docs/references.md: evfimievski-2003). See docs/mathematics.md, Numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import pi, sin

from privacy.grammar.json_node import PARTS
from privacy.kinds.disguise_law_interface import Protected, RecordKind
from privacy.kinds.number.window.circular_law import CircularLaw

LEAST_EIGENVALUE = 0.1
"""Least eigenvalue of a frequency that is shown: the inverse divides by it."""
BANDED = 1_000
"""Least number of records for which bands are given; with fewer their coverage is too low."""


@dataclass(frozen=True, slots=True)
class WindowLaw:
    """Disguise law R3: sends a number at most `half` from the true one or, with a certain probability, any of `values`.

    `uniform_parts`: 1 - u, the probability of sending any number, in ten-thousandths.
    """

    values: int
    half: int
    uniform_parts: int

    @property
    def windowed(self) -> Fraction:
        """The probability u that the number sent is drawn from the window, not from all numbers."""
        return 1 - Fraction(self.uniform_parts, PARTS)

    @property
    def width(self) -> int:
        """The number of values in the window, 2h + 1."""
        return 2 * self.half + 1

    @property
    def first_eigenvalue(self) -> float:
        """The eigenvalue lambda_1: the factor by which the law damps the lowest Fourier frequency."""
        turn = pi / self.values
        return float(self.windowed) * sin(self.width * turn) / (self.width * sin(turn))

    @property
    def gamma(self) -> Fraction:
        """The largest factor by which one record can change the odds of anything, for 2h + 1 < V."""
        return 1 + self.windowed * self.values / ((1 - self.windowed) * self.width)

    @property
    def protected_people(self) -> Protected:
        return Protected.EVERYBODY

    def record_kinds(self) -> dict[RecordKind, int]:
        """Returns the number of records of each kind: one kind, since every number reveals equally much."""
        share, uniform = Fraction(self.width, self.values), (1 - self.windowed) / self.values
        return {((share, self.windowed / self.width + uniform), (1 - share, uniform)): self.values}

    @property
    def law(self) -> CircularLaw:
        return CircularLaw.mixed(self.values, self.half, self.windowed)
