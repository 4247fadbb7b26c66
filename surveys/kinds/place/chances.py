"""What respondents are told of a place."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

from privacy.kinds.place.section import PlaceSection
from surveys.kinds.chance import Chance, ThrownChances, chance_of


@dataclass(frozen=True, slots=True)
class LevelChances:
    """By how much a record can make one place inside these regions more likely: with one decimal, rounded up."""

    odds: Fraction
    regions: str


@dataclass(frozen=True, slots=True)
class PlaceChances(ThrownChances):
    """`keep`: how often the exact place of somebody outside the regions goes out.

    `levels` are by odds, the highest first; `lies_outside` says whether there are places outside the regions.
    """

    keep: Chance
    levels: tuple[LevelChances, ...]
    lies_outside: bool

    template: ClassVar[str] = "intake/odds-place.html"
    near: ClassVar[bool] = True

    @property
    def outside(self) -> bool:
        return self.lies_outside


def place_chances(section: PlaceSection, language: str) -> PlaceChances:
    law, by_odds = section.law, dict[Fraction, list[str]]()
    for index, region in enumerate(section.question.regions):
        name = region.label.in_language(language) or region.name
        by_odds.setdefault(_one_decimal_up(law.odds(index)), []).append(name)
    levels = (LevelChances(odds, ", ".join(by_odds[odds])) for odds in sorted(by_odds, reverse=True))
    return PlaceChances(chance_of(law.keep), tuple(levels), bool(law.outside))


def _one_decimal_up(odds: Fraction) -> Fraction:
    return Fraction(ceil(odds * 10), 10)
