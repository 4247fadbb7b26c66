"""The improved grouped unrelated-question model of one sensitive section."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class SectionLaw:
    """Keep probability, one noise law per question, and how many questions a device draws."""

    keep: Fraction
    noise: tuple[tuple[Fraction, ...], ...]
    asked: int
