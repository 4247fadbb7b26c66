"""The candidates of the next level: itemsets whose subsets all survived the pruning; and their number."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mining.counts import Numbering, Numbers, stacked
from mining.disclosure.verdict import Verdict
from mining.itemsets.routing import Routing
from mining.rows import RowIndex
from privacy.designs import Design, Question

PAIRS_AT_ONCE = 1 << 18
"""Pairs of itemsets in memory at a time."""

YES, NO, PREFER_NOT_TO_SAY = "yes", "no", "prefer-not-to-say"


def is_absence(question: Question, code: int) -> bool:
    """Whether this answer is an absence: *no* beside *yes*, *below* a limit, or *prefer not to say*."""
    names = [choice.name for choice in question.choices]
    is_no = code not in question.listed or (names[code] == NO and YES in names)
    return is_no or names[code] == PREFER_NOT_TO_SAY


def single_items(
    design: Design, numbering: Numbering, *, absences: bool, verdict: Verdict | None = None
) -> Numbers:
    """Every choice of every question that may be told; absences only if they are asked for."""
    items = [
        number
        for number in np.flatnonzero(numbering.code < numbering.items[numbering.question]).tolist()
        if absences
        or not is_absence(design.questions[numbering.question[number]], int(numbering.code[number]))
    ]
    singles = np.array(items, np.int32)[:, None]
    return singles[verdict.allowed(singles, numbering)] if verdict else singles


def next_candidates(
    survivors: Numbers, numbering: Numbering, most: int, routing: Routing, verdict: Verdict | None = None
) -> Numbers | None:
    """Candidates with one item more, in order; None if they are more than `most`.

    `survivors` are itemsets of one size, each ascending, all in order. What the questionnaire implies or makes
    impossible is no candidate, nor is what may not be told.
    """
    known = RowIndex(survivors, len(numbering))
    levels: list[Numbers] = []
    size = 0
    for first, second in _pairs(survivors):
        candidates = np.concatenate([survivors[first], survivors[second, -1:]], axis=1)
        # Nobody has two choices of one question; items of one number say nothing together.
        questions = numbering.question[candidates[:, -2:]]
        # Its subsets without the last item, or the one before, are the two itemsets that it was made of.
        candidates = known.has_subsets(
            candidates[questions[:, 0] != questions[:, 1]], range(survivors.shape[1] - 1)
        )
        if routing.is_needed:
            candidates = candidates[~routing.settled(candidates)]
        if verdict:
            candidates = candidates[verdict.allowed(candidates, numbering)]
        levels.append(candidates)
        size += len(candidates)
        if size > most:
            return None
    return stacked(levels) if levels else np.empty((0, survivors.shape[1] + 1), np.int32)


def _pairs(survivors: Numbers) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Pairs of places of itemsets that differ in their last item alone, the earlier one first; some at a time."""
    is_new = np.ones(len(survivors) + 1, np.bool_)
    is_new[1:-1] = (survivors[1:, :-1] != survivors[:-1, :-1]).any(axis=1)
    starts = np.flatnonzero(is_new)
    ends = np.repeat(starts[1:], np.diff(starts))
    partners = ends - np.arange(len(survivors)) - 1
    upto = np.cumsum(partners)
    start = 0
    while start < len(survivors):
        done = upto[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(upto, done + PAIRS_AT_ONCE, "right")))
        counts = partners[start:stop]
        first = np.repeat(np.arange(start, stop), counts)
        step = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        yield first, first + 1 + step
        start = stop
