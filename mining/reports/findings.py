"""What a report needs besides itemsets, rules and single answers: found with the run, from the same counts."""

from typing import Any

import numpy as np

from mining.counts import NONE, Numbers
from mining.engines.found import Found
from mining.error.forged import forged
from mining.itemsets.candidates import single_items
from mining.parameters import Parameters
from mining.reconstruction import Counted, reconstruct
from mining.reconstruction.coherent import MOST_ITEMS, coherent_supports
from mining.reconstruction.shares import plain_questions, sensitive_answers, shares_by_group
from mining.rules import rules
from mining.runs.findings import Json, finite


def pairs(known: Counted, wanted: Parameters, found: Found) -> Json:
    """The lift of every reported pair of answers, also of those without a rule that is confident enough."""
    itemsets = found.frequent.itemsets
    of_two = itemsets[(itemsets != NONE).sum(axis=1) == 2]
    if not len(of_two):
        return []
    lifted = rules(known, of_two, -np.inf, wanted.estimator, max_size=2)
    # One direction of each pair, since both have the same lift.
    lifted = lifted.take(lifted.antecedent == 1)
    columns = {name: finite(getattr(lifted, name)) for name in ("lift", "lift_low", "lift_high")}
    columns["items"] = lifted.itemsets[lifted.itemset][:, :2].tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def forged_by_one_percent(known: Counted, wanted: Parameters, found: Found) -> Json:
    """How far 1 % of forged records could move each single answer, in the order of `answers`."""
    moved = forged(known, single_items(known.design, known.numbering, absences=True))
    return {"low": finite(moved.low), "high": finite(moved.high)}


def coherent(known: Counted, wanted: Parameters, found: Found) -> Json:
    """What the supports would be if all fitted together: of the reported itemsets of as many answers as can be."""
    itemsets = found.frequent.itemsets
    some = best_connected(known, itemsets)
    within = itemsets[np.isin(itemsets, [NONE, *some]).all(axis=1)]
    if not len(within):
        return []
    supports = coherent_supports(known, within, wanted.estimator)
    rows = [[number for number in row if number != NONE] for row in within.tolist()]
    values = [None] * len(rows) if supports is None else finite(supports)
    return [{"items": items, "support": value} for items, value in zip(rows, values, strict=True)]


def best_connected(known: Counted, itemsets: Numbers) -> list[int]:
    """At most twelve answers: sensitive ones before plain ones, then those that stand in most itemsets."""
    sensitive = {known.numbering.number(item) for item in sensitive_answers(known)}
    often = np.bincount(itemsets[itemsets != NONE], minlength=len(known.numbering))
    wanted = [number for number in range(len(known.numbering)) if often[number]]
    wanted.sort(key=lambda number: (number not in sensitive, -often[number], number))
    return wanted[:MOST_ITEMS]


def groups(known: Counted, wanted: Parameters, found: Found) -> Json:
    """Every sensitive answer within each class of every plain question."""
    questions = plain_questions(known)
    answers = sensitive_answers(known)
    if not questions or not answers:
        return []
    # Asked at once, so that all tables are one question to the shards of a large run.
    classes = [
        (place, code) for place in questions for code in range(len(known.design.questions[place].choices))
    ]
    reconstruct(known, [tuple(sorted((of, answer))) for of in classes for answer in answers])
    return [table(known, place) for place in questions]


def table(known: Counted, place: int) -> dict[str, Any]:
    of = shares_by_group(known, place)
    return {
        "question": place,
        "answers": [known.numbering.number(item) for item in of.answers],
        **{name: [finite(row) for row in getattr(of, name)] for name in ("share", "low", "high")},
        "base": of.base.tolist(),
        "everybody": finite(of.everybody),
        "p": finite(of.p),
    }
