"""What a page says of all rounds of a study whose disguise lasts: the bounds of its lasting sections together."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod

from privacy.designs import Design
from privacy.kinds.grouped.law import LastingLaw


@dataclass(frozen=True, slots=True)
class LastingBounds:
    """How many times as likely all rounds together can make some answers: with one decimal, rounded up.

    `unchanged`: of any that stay the same; `departure`: what a round with other answers can multiply it by;
    `second_code`: for a person who has started anew once. `others`: other sections of the design are disguised too.
    """

    unchanged: Fraction
    departure: Fraction
    second_code: Fraction
    others: bool


def lasting_bounds(design: Design) -> LastingBounds | None:
    laws = [law for section in design.lasting_sections if (law := section.lasting_law)]
    if not laws:
        return None
    gamma = prod((law.gamma for law in laws), start=Fraction(1))
    disguised = sum(section.law is not None for section in design.sections)
    return LastingBounds(
        _shown(gamma), _shown(_departure(laws)), _shown(gamma**2), others=disguised > len(laws)
    )


def _departure(laws: list[LastingLaw]) -> Fraction:
    return prod((law.one_departure for law in laws), start=Fraction(1))


def _shown(gamma: Fraction) -> Fraction:
    return Fraction(ceil(gamma * 10), 10)
