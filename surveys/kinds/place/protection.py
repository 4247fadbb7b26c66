"""What a place guarantees, to whom, and the errors to expect of its regions and of its map.

Errors are those to expect if people are equally likely in every cell, and if everybody chooses disguise.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import sqrt

from privacy.guarantee.error import NORMAL_95
from privacy.guarantee.place_search import PlaceErrors, place_errors
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceQuestion
from surveys.kinds.place.draft import PlaceDraft
from surveys.questionnaire.protection import Protection


@dataclass(frozen=True)
class RegionMargin:
    """`share` is the one supposed, `half_width` of its 95 % interval; `own` where it has a level of its own."""

    name: str
    cells: int
    near: int
    odds: Fraction
    share: float
    half_width: float
    own: bool


@dataclass(frozen=True)
class PlaceProtection(Protection):
    question: PlaceQuestion

    @property
    def law(self) -> PlaceLaw:
        return self.question.law

    @property
    def keep(self) -> float:
        """b."""
        return float(self.law.keep)

    @cached_property
    def errors(self) -> PlaceErrors:
        return _errors(self.question, self.respondents)

    @property
    def distance(self) -> float:
        """The root of the mean squared distance from the true cell of somebody inside to the one that is sent.

        In kilometres where the coordinates are those of `land`.
        """
        kilometres = self.errors.kilometres
        return sqrt(self.errors.squared_distance) if kilometres is None else kilometres

    @property
    def outside(self) -> int:
        return len(self.law.outside)

    @property
    def two_levels(self) -> bool:
        return len(set(self.law.levels)) > 1

    @property
    def inside(self) -> int:
        return len(self.law.inside)

    @cached_property
    def regions(self) -> tuple[RegionMargin, ...]:
        law, level = self.law, self.question.level
        return tuple(
            RegionMargin(
                region.name,
                len(region.cells),
                law.levels[index].near,
                law.odds(index),
                self.errors.choices[index].share,
                NORMAL_95 * self.errors.choices[index].se,
                law.levels[index] != level,
            )
            for index, region in enumerate(self.question.regions)
        )

    @property
    def share_margins(self) -> list[float]:
        return [each.half_width for each in self.regions] if self.enough else []

    @property
    def worst(self) -> float:
        return max(each.half_width for each in self.regions)


_errors = lru_cache(maxsize=64)(place_errors)


def place_protection(section: PlaceDraft, respondents: int, prior: Fraction) -> PlaceProtection | None:
    """None while its cells, regions and levels do not fit."""
    fitting = section.fitting
    return PlaceProtection((fitting.law,), respondents, prior, fitting.question) if fitting else None
