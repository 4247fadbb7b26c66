"""Guarantee of a place, and the expected errors of its regions and of its map.

Errors are those to expect if people are equally likely in every cell, and if everybody chooses disguise.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import sqrt
from typing import ClassVar, NamedTuple

from django.utils.translation import gettext as _

from privacy.guarantee.error import NORMAL_95
from privacy.guarantee.place_search import PlaceErrors, place_errors
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceQuestion
from surveys.kinds.kind import QuestionProtection
from surveys.kinds.place.draft import PlaceDraft
from surveys.templatetags.builder import points
from ui.numbers import percent


class RegionMargin(NamedTuple):
    """A region with its margin of error; `share` is supposed, `own`: it has a level of its own."""

    name: str
    label: str
    cells: int
    near: int
    odds: Fraction
    share: float
    half_width: float
    own: bool


@dataclass(frozen=True)
class PlaceProtection(QuestionProtection):
    """Protection of a place; regions are named in `language`."""

    template: ClassVar[str] = "builder/place-results.html"

    section: PlaceDraft
    question: PlaceQuestion
    language: str

    @property
    def law(self) -> PlaceLaw:
        return self.question.law

    @property
    def keep(self) -> float:
        """Probability that the true region is sent (b)."""
        return float(self.law.keep)

    @cached_property
    def errors(self) -> PlaceErrors:
        return _errors(self.question, self.respondents)

    @property
    def distance(self) -> float:
        """Root mean squared distance from the true cell of somebody inside to the cell sent.

        In kilometres if the coordinates are those of `land`.
        """
        kilometres = self.errors.kilometres
        return sqrt(self.errors.squared_distance) if kilometres is None else kilometres

    @property
    def inside(self) -> int:
        return len(self.law.inside)

    @property
    def outside(self) -> int:
        return len(self.law.outside)

    @property
    def has_two_levels(self) -> bool:
        return len(set(self.law.levels)) > 1

    @cached_property
    def regions(self) -> tuple[RegionMargin, ...]:
        drafted, law = self.section.question.regions, self.law
        return tuple(
            RegionMargin(
                region.name,
                region.label.get(self.language) or next(iter(region.label.values()), "") or region.name,
                len(region.cells),
                level.near,
                law.odds(index),
                error.share,
                NORMAL_95 * error.se,
                level != self.question.level,
            )
            for index, (region, level, error) in enumerate(
                zip(drafted, law.levels, self.errors.choices, strict=False)
            )
        )

    @property
    def share_margins(self) -> list[float]:
        return [region.half_width for region in self.regions] if self.enough else []

    @property
    def widest_margin(self) -> float:
        return max(region.half_width for region in self.regions)

    @property
    def words(self) -> str:
        values = {"keep": percent(self.keep, 1), "points": points(self.widest_margin)}
        return _("region kept %(keep)s, shares ± %(points)s") % values


_errors = lru_cache(maxsize=64)(place_errors)


def place_protection(
    section: PlaceDraft, respondents: int, prior: Fraction, language: str = ""
) -> PlaceProtection | None:
    """Returns guarantee and errors; None while cells, regions and levels do not fit."""
    fitting = section.valid_section
    if fitting is None:
        return None
    return PlaceProtection((fitting.law,), respondents, prior, section, fitting.question, language)
