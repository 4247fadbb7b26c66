"""The findings that reports register: computed with the run, from the same counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mining.counts import NONE, Numbers
from mining.engines.found import Found
from mining.error.forged import forged
from mining.itemsets.candidates import single_items
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, estimated
from mining.reconstruction.coherent import MOST_ITEMS, coherent_supports, small_itemsets
from mining.reconstruction.itemset_groups import as_numbers, grouped
from mining.reconstruction.moments import tallies
from mining.reconstruction.shares import plain_questions, sensitive_answers, shares_by_group
from mining.rules import lifts
from runs.findings import Json, finite

MORE = 12
"""Precounted answers beyond those that can be made coherent, since a sample may rank them otherwise."""


def pairs(known: CachedCounter, wanted: Parameters, found: Found) -> Json:
    """The lift of every reported pair of answers, also of pairs without a confident rule."""
    itemsets = found.frequent.itemsets
    of_two = itemsets[(itemsets != NONE).sum(axis=1) == 2]
    if not len(of_two):
        return []
    found_lifts = lifts(known, of_two, wanted.estimator)
    columns: dict[str, Sequence[Any]] = {
        "lift": finite(found_lifts.lift),
        "lift_low": finite(found_lifts.low),
        "lift_high": finite(found_lifts.high),
        "eligible": found_lifts.eligible.tolist(),
        "items": of_two[found_lifts.itemset][:, :2].tolist(),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def forged_by_one_percent(known: CachedCounter, wanted: Parameters, found: Found) -> Json:
    """The bounds of each single answer with 1 % of forged records, in the order of `answers`."""
    moved = forged(known, single_items(known.design, known.numbering, absences=True))
    return {"low": finite(moved.low), "high": finite(moved.high)}


def coherent(known: CachedCounter, wanted: Parameters, found: Found) -> Json:
    """The coherent supports of the reported itemsets of the best connected answers."""
    itemsets = found.frequent.itemsets
    some = best_connected(known, itemsets)
    within = itemsets[np.isin(itemsets, [NONE, *some]).all(axis=1)]
    if not len(within):
        return []
    supports = coherent_supports(known, within, wanted.estimator)
    rows = [[number for number in row if number != NONE] for row in within.tolist()]
    values = [None] * len(rows) if supports is None else finite(supports)
    return [{"items": items, "support": value} for items, value in zip(rows, values, strict=True)]


def precount_coherent(known: CachedCounter, wanted: Parameters, itemsets: Numbers) -> None:
    some = best_connected(known, itemsets, MOST_ITEMS + MORE)
    estimated(known, small_itemsets([known.numbering.item(number) for number in some]), wanted.estimator)


def best_connected(known: CachedCounter, itemsets: Numbers, most: int = MOST_ITEMS) -> list[int]:
    """At most `most` answers, none of scores: sensitive ones first, then by the number of itemsets with them."""
    sensitive = {known.numbering.number(item) for item in sensitive_answers(known)}
    often = np.bincount(itemsets[itemsets != NONE], minlength=len(known.numbering))
    is_scored = known.numbering.scored[known.numbering.question]
    wanted = np.flatnonzero((often > 0) & ~is_scored).tolist()
    wanted.sort(key=lambda number: (number not in sensitive, -often[number], number))
    return wanted[:most]


def groups(known: CachedCounter, wanted: Parameters, found: Found) -> Json:
    """Every sensitive answer in each class of every plain question."""
    questions = plain_questions(known)
    if not questions or not sensitive_answers(known):
        return []
    precount_groups(known, wanted, found.frequent.itemsets)
    return [table(known, place) for place in questions]


def precount_groups(known: CachedCounter, wanted: Parameters, _itemsets: Numbers) -> None:
    """Count at once what all tables need, so that it is one level of a large run."""
    classes = [
        (place, code)
        for place in plain_questions(known)
        for code in range(known.design.questions[place].codes)
    ]
    joined = [tuple(sorted((of, answer))) for of in classes for answer in sensitive_answers(known)]
    tallies(known, list(grouped(known, as_numbers(known.numbering, joined))), within_plain=True)


SHARES = ("share", "low", "high", "share_shown", "low_shown", "high_shown", "second", "slope")


def table(known: CachedCounter, place: int) -> dict[str, Any]:
    of = shares_by_group(known, place)
    return {
        "question": place,
        "answers": [known.numbering.number(item) for item in of.answers],
        **{name: [finite(row) for row in getattr(of, name)] for name in SHARES},
        "base": of.base.tolist(),
        "shown": of.shown.tolist(),
    }
