"""Candidate itemsets of the next level: those whose subsets all survived the pruning."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.distinct_rows import RowIndex
from mining.queries_and_counters import NONE, Numbering, Numbers, stack_tables
from privacy.designs import Design, Question

# --- routing
# Routing: itemsets that the show-if rules of the questionnaire make impossible, or that they imply.
# For a plain question r, K_r is the set of its choices that are allowed by the rules of the other questions of
# S, by the rules of the questions that those name, and so on. S is impossible if it has a choice outside K_r,
# and implied if it has the only choice in it: then everybody to whom S applies has that answer.


class ShowIfRouting:
    """The show-if rules of a design: which itemsets they make impossible, or imply."""

    def __init__(self, design: Design, numbering: Numbering) -> None:
        self.design, self.numbering = design, numbering

    @cached_property
    def possible_items_by_question(self) -> NDArray[np.bool_]:
        """Mask of question by item: True if a person to whom the question applies may have the item."""
        questions = self.design.questions
        allowed = np.ones((len(questions), len(self.numbering)), np.bool_)
        for index in range(len(questions)):
            waiting, seen = [index], {index}
            while waiting:
                for rule in questions[waiting.pop()].show_if:
                    first, end = self.numbering.first[rule.place : rule.place + 2]
                    permitted = np.isin(np.arange(end - first), list(rule.codes))
                    allowed[index, first:end] &= permitted
                    if rule.place not in seen:
                        seen.add(rule.place)
                        waiting.append(rule.place)
        return allowed

    @cached_property
    def restricts_itemsets(self) -> bool:
        return not bool(self.possible_items_by_question.all())

    def impossible_or_implied(self, itemsets: Numbers) -> NDArray[np.bool_]:
        """Returns True for itemsets that the show-if rules make impossible, or that follow from other items."""
        settled = np.zeros(len(itemsets), np.bool_)
        if not self.restricts_itemsets or itemsets.shape[1] < 2:
            return settled
        questions = self.numbering.question_indexes(itemsets)
        for start in range(0, len(itemsets), CHUNK):
            rows = slice(start, start + CHUNK)
            settled[rows] = self._is_impossible_or_implied(itemsets[rows], questions[rows])
        return settled

    def _is_impossible_or_implied(self, itemsets: Numbers, questions: Numbers) -> NDArray[np.bool_]:
        allowed = np.ones((len(itemsets), len(self.numbering)), np.bool_)
        for column in range(itemsets.shape[1]):
            is_item = questions[:, column] != NONE
            allowed[is_item] &= self.possible_items_by_question[questions[is_item, column]]
        left = np.zeros(questions.shape[:1] + self.numbering.sizes.shape, np.int32)
        with_choices = np.flatnonzero(self.numbering.sizes)
        # Of an empty range `reduceat` would give the next one's first.
        starts = self.numbering.first[with_choices]
        left[:, with_choices] = np.add.reduceat(allowed, starts, axis=1, dtype=np.int32)
        settled = np.zeros(len(itemsets), np.bool_)
        for column in range(itemsets.shape[1]):
            rows = np.flatnonzero(itemsets[:, column] != NONE)
            items, question = itemsets[rows, column], questions[rows, column]
            only_choice = (left[rows, question] == 1) & (self.numbering.sizes[question] > 1)
            settled[rows] |= ~allowed[rows, items] | only_choice
        return settled


CHUNK = 1 << 13
"""Number of itemsets handled at a time, to bound the memory."""


# --- candidates

PAIRS_AT_ONCE = 1 << 18
"""Number of pairs of itemsets in memory at a time."""

YES, NO, PREFER_NOT_TO_SAY = "yes", "no", "prefer-not-to-say"


def states_absence(question: Question, code: int) -> bool:
    """Returns True if the answer states an absence: *no* of a yes/no question, *below* a limit, or *prefer not to
    say*."""
    names = [choice.name for choice in question.choices]
    is_no = code not in question.listed_codes or (names[code] == NO and YES in names)
    return is_no or names[code] == PREFER_NOT_TO_SAY


def single_items(
    design: Design, numbering: Numbering, *, absences: bool, verdict: Verdict | None = None
) -> Numbers:
    """Returns the items that a search starts from: every choice that may be published.

    Answers that state an absence (see `states_absence`) are included only with `absences`.
    """
    items = [
        first + code
        for first, question in zip(numbering.first[:-1].tolist(), design.questions, strict=True)
        for code in range(question.item_count)
        if absences or not states_absence(question, code)
    ]
    singles = np.array(items, np.int32)[:, None]
    return singles[verdict.allowed_itemsets(singles, numbering)] if verdict else singles


def next_candidates(
    survivors: Numbers,
    numbering: Numbering,
    most: int,
    routing: ShowIfRouting,
    verdict: Verdict | None = None,
) -> Numbers | None:
    """Returns the candidate itemsets with one item more than the `survivors`, in order; None if there are more than
    `most`.

    `survivors` are sorted itemsets of one size. Left out are itemsets that show-if rules imply or make impossible, and
    those that the `verdict` keeps from publication.
    """
    known = RowIndex(survivors, len(numbering))
    levels: list[Numbers] = []
    size = 0
    for first, second in _joinable_pairs(survivors):
        candidates = np.concatenate([survivors[first], survivors[second, -1:]], axis=1)
        # Nobody has two choices of one question; items of one number say nothing together.
        questions = numbering.question[candidates[:, -2:]]
        # Its subsets without the last item, or the one before, are the two itemsets that it was made of.
        candidates = known.rows_with_indexed_subsets(
            candidates[questions[:, 0] != questions[:, 1]], range(survivors.shape[1] - 1)
        )
        if routing.restricts_itemsets:
            candidates = candidates[~routing.impossible_or_implied(candidates)]
        if verdict:
            candidates = candidates[verdict.allowed_itemsets(candidates, numbering)]
        levels.append(candidates)
        size += len(candidates)
        if size > most:
            return None
    return stack_tables(levels) if levels else np.empty((0, survivors.shape[1] + 1), np.int32)


def _joinable_pairs(survivors: Numbers) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yields, in chunks, the positions of pairs of itemsets that differ in their last item alone, the earlier one
    first."""
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
