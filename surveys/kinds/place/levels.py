"""The levels of a place: how strongly its regions are protected, and which second level fits the first.

Two levels fit where near times (odds - 1), the excess, is the same in both: then one share of all answers is kept.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import lcm

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.place_search import largest_odds
from privacy.kinds.place.law import PlaceLevel, V
from privacy.kinds.place.section import LEAST_ODDS, odds_text
from surveys.kinds.place.draft import PlaceDraft

MOST_OFFERED = 6


def fitting(level: PlaceLevel, near: int) -> PlaceLevel | None:
    """The level with so many near cells that has the same excess; None where its odds would have three places."""
    odds, left = divmod(level.excess, near)
    return PlaceLevel(near, V + odds) if not left and V + odds >= LEAST_ODDS else None


def stronger(level: PlaceLevel, most: int) -> Iterator[PlaceLevel]:
    """The levels that fit and protect more, with at most so many near cells; the strongest first."""
    for near in range(most, level.near, -1):
        if fitted := fitting(level, near):
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
    made = replace(section, questions=(question.with_levels(*levels),))
    return made if made.fitting else None


def level_words(level: PlaceLevel) -> str:
    return _("%(near)s near and odds %(odds)s") % {"near": level.near, "odds": odds_words(level.odds)}


def odds_words(hundredths: int) -> str:
    return str(number_format(odds_text(hundredths)))


def unfitting(level: PlaceLevel, own: PlaceLevel, most: int) -> str:
    """Why the second level does not fit, and which would."""
    words = _(
        "Near cells times (odds − 1) must be the same for all regions: it is %(first)s for the others and "
        "%(second)s here."
    )
    said = words % {"first": odds_words(level.excess), "second": odds_words(own.excess)}
    offered = [level_words(each) for each in stronger(level, most)][:MOST_OFFERED]
    if not offered:
        return said
    return f"{said} " + _("These are possible: %(levels)s.") % {"levels": "; ".join(offered)}
