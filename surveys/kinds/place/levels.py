"""The levels of a place: how strongly its regions are protected, and which second level fits the first; their fields.

Two levels fit where near times (odds - 1), the excess, is the same in both: then one share of all answers is kept.
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
from privacy.guarantee.place_search import largest_odds
from privacy.kinds.place.law import PlaceLevel, V
from privacy.kinds.place.section import LEAST_ODDS, MOST_CELLS, MOST_ODDS, odds_text
from surveys.kinds.fields import digits_input
from surveys.kinds.place.draft import PlaceDraft

NEAR, ODDS = "near", "odds"
MOST_OFFERED = 6


def fitting_level(level: PlaceLevel, near: int) -> PlaceLevel | None:
    """The level with so many near cells that has the same excess; None where its odds would have three places."""
    odds, left = divmod(level.excess, near)
    return PlaceLevel(near, V + odds) if not left and V + odds >= LEAST_ODDS else None


def stronger_levels(level: PlaceLevel, most: int) -> Iterator[PlaceLevel]:
    """The levels that fit and protect more, with at most so many near cells; the strongest first."""
    for near in range(most, level.near, -1):
        if fitted := fitting_level(level, near):
            yield fitted


def place_within(section: PlaceDraft, limit: GammaLimit) -> PlaceDraft | None:
    """The section with the largest odds that the limit admits; None where it admits none.

    All regions keep their near cells, so that the excess is a multiple of each of their numbers.
    """
    question, own = section.question, section.question.own_level
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


def odds_words(hundredths: int) -> str:
    return str(number_format(odds_text(hundredths)))


def unfitting_words(level: PlaceLevel, own: PlaceLevel, most: int) -> str:
    """Why the second level does not fit, and which would with at most so many near cells."""
    words = _(
        "Near cells times (odds − 1) must be the same for all regions: it is %(first)s for the others and "
        "%(second)s here."
    )
    words %= {"first": odds_words(level.excess), "second": odds_words(own.excess)}
    offered = [
        _("%(near)s near and odds %(odds)s") % {"near": fitted.near, "odds": odds_words(fitted.odds)}
        for fitted in stronger_levels(level, most)
    ][:MOST_OFFERED]
    if not offered:
        return words
    return f"{words} " + _("These are possible: %(levels)s.") % {"levels": "; ".join(offered)}


class NearField(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=MOST_CELLS, widget=digits_input(6), **options)


class OddsField(forms.DecimalField):
    def __init__(self, **options: Any) -> None:
        low, high = Decimal(LEAST_ODDS) / V, Decimal(MOST_ODDS) / V
        widget = digits_input(8, "decimal")
        super().__init__(
            min_value=low, max_value=high, max_digits=6, decimal_places=2, widget=widget, **options
        )


def read_level(near: int, odds: Decimal) -> PlaceLevel:
    """The level that cleaned values of these two fields mean."""
    return PlaceLevel(near, int(odds * V))
