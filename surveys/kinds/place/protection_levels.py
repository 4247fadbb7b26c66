"""Levels of protection of a place, the stronger levels that fit a given one, and their form fields.

A level is a number of `near` cells around the true cell and the odds with which these are preferred. Two
levels fit together if their excess, near times (odds - 1), is equal: then the same share of all answers is
kept.
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from math import lcm
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.best_place_settings import largest_odds
from privacy.kinds.place.law import PlaceLevel, V
from privacy.kinds.place.section import LEAST_ODDS, MOST_CELLS, MOST_ODDS, odds_text
from surveys.kinds.percent_fields import digits_text_input
from surveys.kinds.place.draft import PlaceDraft

NEAR, ODDS = "near", "odds"
MOST_OFFERED = 6


def level_with_same_excess(level: PlaceLevel, near: int) -> PlaceLevel | None:
    """Returns the protection level with `near` cells and the same product near times (odds - 1); None if its odds would
    need more than two decimals."""
    odds, left = divmod(level.near_excess, near)
    return PlaceLevel(near, V + odds) if not left and V + odds >= LEAST_ODDS else None


def stronger_levels_with_same_excess(level: PlaceLevel, most: int) -> Iterator[PlaceLevel]:
    """Yields the stronger protection levels that may stand beside `level` in one place, with at most `most` near cells,
    the strongest first."""
    for near in range(most, level.near, -1):
        if fitted := level_with_same_excess(level, near):
            yield fitted


def place_at_gamma_limit(section: PlaceDraft, limit: GammaLimit) -> PlaceDraft | None:
    """Returns the section with the largest odds that the limit of gamma allows; None if it allows none.

    Regions keep their numbers of near cells, so near times (odds - 1) must be a multiple of each of these numbers.
    """
    question, own = section.question, section.question.level_of_special_regions
    nears = [level.near for level in (question.level, own) if level]
    if limit.gamma * V < LEAST_ODDS:
        return None
    step = lcm(*nears)
    excess = (largest_odds(limit) - V) * min(nears) // step * step
    levels = [PlaceLevel(near, V + excess // near) for near in nears]
    if min(level.odds for level in levels) < LEAST_ODDS:
        return None
    limited = replace(section, questions=(question.with_levels(*levels),))
    return limited if limited.valid_section else None


def place_odds_text(hundredths: int) -> str:
    return str(number_format(odds_text(hundredths)))


def levels_refusal_text(level: PlaceLevel, own: PlaceLevel, most: int) -> str:
    """Returns the reason why the protection level `own` cannot stand beside `level`, and the levels with at most `most`
    near cells that can."""
    words = _(
        "Near cells times (odds − 1) must be the same for all regions: it is %(first)s for the others and "
        "%(second)s here."
    )
    words %= {"first": place_odds_text(level.near_excess), "second": place_odds_text(own.near_excess)}
    offered = [
        _("%(near)s near and odds %(odds)s") % {"near": fitted.near, "odds": place_odds_text(fitted.odds)}
        for fitted in stronger_levels_with_same_excess(level, most)
    ][:MOST_OFFERED]
    if not offered:
        return words
    return f"{words} " + _("These are possible: %(levels)s.") % {"levels": "; ".join(offered)}


class NearCellsField(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=MOST_CELLS, widget=digits_text_input(6), **options)


class OddsField(forms.DecimalField):
    def __init__(self, **options: Any) -> None:
        low, high = Decimal(LEAST_ODDS) / V, Decimal(MOST_ODDS) / V
        widget = digits_text_input(8, "decimal")
        super().__init__(
            min_value=low, max_value=high, max_digits=6, decimal_places=2, widget=widget, **options
        )


def level_from_fields(near: int, odds: Decimal) -> PlaceLevel:
    """Returns the level with the cleaned values of its two form fields."""
    return PlaceLevel(near, int(odds * V))
