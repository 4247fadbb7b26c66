"""What respondents are told of a forced-response question."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from surveys.kinds.chance import Chance, SentIf, ThrownChances, chance_of
from tests.seventh.forced.section import ForcedQuestion, ForcedSection


@dataclass(frozen=True, slots=True)
class ForcedChances(ThrownChances):
    """`keep`: how often the true answer is sent; `rarest`: how often the other; `yes`: of the coin."""

    keep: Chance
    rarest: Chance
    yes: Chance

    template: ClassVar[str] = "intake/odds-forced.html"


def forced_chances(section: ForcedSection, language: str) -> ForcedChances:
    keep = section.law.keep
    return ForcedChances(chance_of(keep), chance_of((1 - keep) / 2), chance_of(Fraction(1, 2)))


def forced_sent_if(section: ForcedSection, question: ForcedQuestion) -> SentIf:
    keep = section.law.keep
    return [((1 + keep) / 2, (1 - keep) / 2)] * 2
