"""What respondents are told of a question that is sent as sets."""

from dataclasses import dataclass
from typing import ClassVar

from privacy.kinds.subset.section import SubsetSection
from surveys.kinds.chance import Chance, ThrownChances, chance_of


@dataclass(frozen=True, slots=True)
class SetChances(ThrownChances):
    """`keep`: how often the true choice is among the `size` of `choices` that are sent; `other`: any other."""

    keep: Chance
    other: Chance
    size: int
    choices: int

    template: ClassVar[str] = "intake/odds-set.html"
    sets: ClassVar[bool] = True


def subset_chances(section: SubsetSection, language: str) -> SetChances:
    law = section.law
    return SetChances(chance_of(law.keep), chance_of(law.other), law.size, law.choices)
