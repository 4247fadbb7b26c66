"""What respondents are told of a number."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privacy.kinds.number.classes.section import REST_PARTS, ClassesSection
from privacy.kinds.number.window.section import WindowSection
from surveys.kinds.chance import Chance, ThrownChances, chance_of


@dataclass(frozen=True, slots=True)
class NumberChances(ThrownChances):
    """`keep`: how often a number near the true one goes out, or its own class.

    A window has numbers from `low` to `high` and sends one at most `far` away. Of the `limits` a device draws `cuts`;
    `rest` is how often it sends a bit for the place inside the class instead, None: never.
    """

    keep: Chance
    low: int
    high: int
    far: int = 0
    limits: tuple[int, ...] = ()
    cuts: int = 0
    rest: Chance | None = None

    template: ClassVar[str] = "intake/odds-number.html"
    near: ClassVar[bool] = True


def window_chances(section: WindowSection) -> NumberChances:
    question = section.question
    return NumberChances(
        chance_of(section.law.windowed), question.low, question.high, far=question.half * question.step
    )


def classes_chances(section: ClassesSection) -> NumberChances:
    question = section.question
    rest = chance_of(Fraction(question.rest, REST_PARTS)) if question.rest else None
    return NumberChances(
        chance_of(section.law.keep),
        question.low,
        question.high,
        limits=question.limits,
        cuts=question.cuts,
        rest=rest,
    )
