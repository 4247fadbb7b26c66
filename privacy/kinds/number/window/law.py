"""R3 as surveys use it: a window around the number, or any number, by a coin (docs/references.md: evfimievski-2003).

See docs/mathematics.md, Numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import pi, sin

from privacy.grammar.json_node import PARTS
from privacy.kinds.mined_law import Protected, RecordKind
from privacy.kinds.number.window.circular_law import CircularLaw

LEAST_EIGENVALUE = 0.1
"""What is faded more is not shown: the inverse would divide by less."""
BANDED = 1_000
"""With fewer records there are no bands: they would hold the truth too seldom."""


@dataclass(frozen=True, slots=True)
class WindowLaw:
    """The law R3 over `values` numbers with h = `half`; `uniform_parts`: 1 - u, in ten-thousandths."""

    values: int
    half: int
    uniform_parts: int

    @property
    def windowed(self) -> Fraction:
        """The probability u that the number sent lies in the window."""
        return 1 - Fraction(self.uniform_parts, PARTS)

    @property
    def width(self) -> int:
        """The number of values in the window, 2h + 1."""
        return 2 * self.half + 1

    @property
    def first_eigenvalue(self) -> float:
        """The factor lambda_1 by which the roughest shape of the distribution is faded."""
        turn = pi / self.values
        return float(self.windowed) * sin(self.width * turn) / (self.width * sin(turn))

    @property
    def gamma(self) -> Fraction:
        """The largest factor by which one record can change the odds of anything, for 2h + 1 < V."""
        return 1 + self.windowed * self.values / ((1 - self.windowed) * self.width)

    @property
    def protects(self) -> Protected:
        return Protected.EVERYBODY

    def record_kinds(self) -> dict[RecordKind, int]:
        """Returns one kind of record, since every number reveals equally much."""
        share, uniform = Fraction(self.width, self.values), (1 - self.windowed) / self.values
        return {((share, self.windowed / self.width + uniform), (1 - share, uniform)): self.values}

    @property
    def law(self) -> CircularLaw:
        return CircularLaw.mixed(self.values, self.half, self.windowed)
