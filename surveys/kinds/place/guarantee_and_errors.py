"""Guarantee of a place, and the expected errors of its regions and of its map.

Errors assume that people are equally likely in every cell, and that everybody chooses disguise.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import sqrt
from typing import ClassVar, NamedTuple

from django.utils.translation import gettext as _

from privacy.guarantee.best_place_settings import PlaceErrors, place_errors
from privacy.guarantee.expected_error import NORMAL_95
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceQuestion
from surveys.kinds.kind_interface import QuestionProtection
from surveys.kinds.place.draft import PlaceDraft
from surveys.templatetags.builder import points
from ui.number_format import format_percent


class RegionMargin(NamedTuple):
    """A region of a place with its expected margin of error.

    `cells` is the number of its cells; `near` is the number of cells around the true one that are sent more often.
    `odds`: the largest factor by which a record can make one of its cells more likely. `share` is the assumed share of
    people, and `half_width` half the width of that share's interval. `own`: the region has a level of its own.
    """

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
    def keep_probability(self) -> float:
        """Probability that the device sends a cell near the true one, and so in its region (b in
        docs/mathematics.md)."""
        return float(self.law.keep)

    @cached_property
    def expected_errors(self) -> PlaceErrors:
        return _errors(self.question, self.respondents)

    @property
    def root_mean_squared_distance(self) -> float:
        """Root mean squared distance between the true cell and the cell sent, for people inside the regions.

        In kilometres if the map has the outline of land, else in the map's coordinates.
        """
        kilometres = self.expected_errors.kilometres
        return sqrt(self.expected_errors.squared_distance) if kilometres is None else kilometres

    @property
    def cells_outside_regions(self) -> int:
        return len(self.law.cells_outside_regions)

    @property
    def has_two_levels(self) -> bool:
        return len(set(self.law.levels)) > 1

    @cached_property
    def region_margins(self) -> tuple[RegionMargin, ...]:
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
                zip(drafted, law.levels, self.expected_errors.choices, strict=False)
            )
        )

    @property
    def share_margins(self) -> list[float]:
        return [region.half_width for region in self.region_margins] if self.has_enough_answers else []

    @property
    def widest_margin(self) -> float:
        return max(region.half_width for region in self.region_margins)

    @property
    def settings_and_error_text(self) -> str:
        values = {"keep": format_percent(self.keep_probability, 1), "points": points(self.widest_margin)}
        return _("region kept %(keep)s, shares ±%(points)s points") % values


_errors = lru_cache(maxsize=64)(place_errors)


def place_protection(
    section: PlaceDraft, respondents: int, prior: Fraction, language: str = ""
) -> PlaceProtection | None:
    """Returns guarantee and expected errors of a place's section; None if cells, regions and levels do not
    fit together."""
    fitting = section.valid_section
    if fitting is None:
        return None
    return PlaceProtection((fitting.law,), respondents, prior, section, fitting.question, language)
