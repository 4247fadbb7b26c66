"""What a section of questions that are disguised together guarantees, and the errors to expect.

Errors are those to expect if a single answer is true of 20 % of people, two together of 10 %, three of 5 %, and
if everybody chooses disguise. They depend little on the first; open answers only lower them.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import Aim, Layout, NoiseLaw, one_section
from privacy.guarantee.error import ErrorCurve, ItemsetError, SectionParameters, Supposed, error_curve
from privacy.guarantee.frontier import LimitOption, frontier
from privacy.kinds.grouped.law import SectionLaw
from surveys.builder.protection import Protection

SUPPOSED = Supposed((0.2, 0.1, 0.05))
LENGTHS = (1, 2, 3)
WANTED = 0.05
"""Half the width of a 95 % interval that most surveys would be content with."""
MOST_TOGETHER = 8


def rounded_up(number: int) -> int:
    """To two figures: more would pretend to know."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // step) * step


@dataclass(frozen=True)
class Expectation:
    """For itemsets of one length: the error at the expected number of answers, None where never asked together."""

    length: int
    spread: ErrorCurve | None
    respondents: int

    @cached_property
    def error(self) -> ItemsetError | None:
        return self.spread.at(self.respondents) if self.spread else None

    @property
    def half_width(self) -> float | None:
        return self.error.half_width if self.error else None

    @property
    def asked(self) -> int | None:
        """How many of those who answer are asked all of them."""
        return int(self.error.base) if self.error else None

    @property
    def needed(self) -> int | None:
        """How many answers bring the half width down to five points, to two figures."""
        if self.spread is None:
            return None
        return rounded_up(self.spread.respondents_for_half_width(WANTED))


@dataclass(frozen=True)
class GroupedProtection(Protection):
    laws: tuple[SectionLaw]

    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

    @property
    def keep(self) -> float:
        return float(self.law.keep)

    @property
    def questions(self) -> int:
        return len(self.law.noise)

    @property
    def rotates(self) -> bool:
        return self.law.asked < self.questions

    @cached_property
    def expectations(self) -> list[Expectation]:
        part = SectionParameters.of(self.law)
        found = (error_curve([part], length, SUPPOSED) for length in LENGTHS[: self.questions])
        return [Expectation(length, each, self.respondents) for length, each in enumerate(found, 1)]

    def frontier(self, length: int) -> tuple[LimitOption, ...]:
        return steps(self.law.noise, length, self.respondents, self.prior)


@lru_cache(maxsize=256)
def _rotations(aim: Aim) -> tuple[Layout, ...]:
    """Asking more than a few together is never the best: each halves the odds that the limit leaves, or worse."""
    found = (one_section(aim, asked) for asked in range(1, min(MOST_TOGETHER, len(aim.noise)) + 1))
    return tuple(layout for layout in found if layout)


@lru_cache(maxsize=64)
def steps(
    noise: tuple[NoiseLaw, ...], length: int, respondents: int, prior: Fraction
) -> tuple[LimitOption, ...]:
    """For each usual protection of these questions the least error it allows, whatever keep and asked may be."""

    def plan(aim: Aim) -> Layout | None:
        possible = [layout for layout in _rotations(aim) if layout.error_curves[length - 1]]
        return min(possible, key=lambda layout: layout.variance(length), default=None)

    return frontier(
        Aim(noise, GammaLimit(Fraction(1), strict=False), SUPPOSED), respondents, prior, plan=plan
    )
