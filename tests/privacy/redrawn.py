"""Coins after a reload, by trying all of them: what `redraw` of disguise.js must give."""

from collections.abc import Sequence
from itertools import product

from privacy.designs import Design, UnrelatedQuestionSection
from privacy.mechanisms.coins import Coins, RandomWords, draw_coins


def redrawn(design: Design, before: Coins, words: RandomWords) -> Coins:
    """The shuffle coins that draw what `before` drew, in the order of the design, and the coins of the whole design.

    All others are from the words.
    """
    values = list(draw_coins(design, words, before.modulus).values)
    at = 0
    for section in design.sections:
        sides = section.coin_sides(before.modulus)
        # Only what a grouped section asks shows: the coins of a number or a place are all new.
        is_grouped = isinstance(section, UnrelatedQuestionSection)
        shuffles = len(sides) - 1 - len(section.questions) if is_grouped else 0
        wanted = sorted(front(before.values[at : at + shuffles], len(section.questions)))
        (values[at : at + shuffles],) = (
            coins
            for coins in product(*map(range, sides[:shuffles]))
            if front(coins, len(section.questions)) == wanted
        )
        at += len(sides)
    # What the coins of the whole design decide, a respondent can see.
    values[at:] = before.values[at:]
    return Coins(tuple(values), before.modulus)


def front(shuffle: Sequence[int], length: int) -> list[int]:
    """The places that a Fisher-Yates shuffle with these coins brings to the front, in their order there."""
    order = list(range(length))
    for place, coin in enumerate(shuffle):
        order[place], order[place + coin] = order[place + coin], order[place]
    return order[: len(shuffle)]
