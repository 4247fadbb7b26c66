"""Counts from a histogram: one table per drawn set of questions, summed over supersets once, then looked up."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mining.counting.histogram import Digit, PatternHistogram, digits
from mining.counting.paths import QuestionKinds
from mining.counts import NONE, Counts, Numbers, Queries, Query, as_queries
from privacy.designs import Design


@dataclass(frozen=True)
class CountTable:
    """The devices that drew `drawn` (a bit per question): `counts[offsets[path].sum()]` is the count of a path.

    `offsets` ends with a 0, for NONE.
    """

    drawn: int
    offsets: NDArray[np.intp]
    counts: Counts


@dataclass(frozen=True)
class HistogramCounter:
    """`withheld`: the records have no plain answers and no places."""

    histogram: PatternHistogram
    withheld: bool = False

    @property
    def design(self) -> Design:
        return self.histogram.design

    @cached_property
    def n(self) -> tuple[int, int]:
        n_open, n_disguised = self.histogram.counts.sum(axis=0).tolist()
        return n_open, n_disguised

    @cached_property
    def kinds(self) -> QuestionKinds:
        return QuestionKinds(self.design)

    @cached_property
    def tables(self) -> list[CountTable]:
        return _tables(self.histogram, self.kinds)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        paths = self.kinds.paths(asked)
        nobody = _contradicts(self.kinds, paths)
        paths[nobody] = NONE
        signed = _without_first_of_two(self.kinds, paths)
        path_counts = self._look_up(signed.paths) * signed.signs[:, None]
        counts = np.zeros((len(asked), 2), np.int64)
        np.add.at(counts, signed.origins, path_counts)
        if self.withheld:
            nobody |= self.kinds.touches_withheld(asked)
        counts[nobody] = 0
        return counts

    def _look_up(self, paths: Numbers) -> Counts:
        needs = _needs(self.kinds, paths)
        counts = np.zeros((len(paths), 2), np.int64)
        for table in self.tables:
            rows = np.flatnonzero(needs & ~np.uint64(table.drawn) == 0)
            counts[rows] += table.counts[table.offsets[paths[rows]].sum(axis=1)]
        return counts


@dataclass(frozen=True)
class Signed:
    """The count of path i is the sum of the counts whose origin is i, each times its sign."""

    paths: Numbers
    origins: NDArray[np.intp]
    signs: NDArray[np.int64]


def _without_first_of_two(kinds: QuestionKinds, paths: Numbers) -> Signed:
    """Replaces the first of two choices: those to whom the question applies, less those with the second choice."""
    first, instead = _first_of_two(kinds)
    signed = Signed(paths.copy(), np.arange(len(paths)), np.ones(len(paths), np.int64))
    for index in range(paths.shape[1]):
        rows = np.flatnonzero(first[signed.paths[:, index]])
        less = signed.paths[rows].copy()
        signed.paths[rows, index] = instead[less[:, index]]
        less[:, index] += 1
        signed = Signed(
            np.concatenate([signed.paths, less]),
            np.concatenate([signed.origins, signed.origins[rows]]),
            np.concatenate([signed.signs, -signed.signs[rows]]),
        )
    return signed


def _first_of_two(kinds: QuestionKinds) -> tuple[NDArray[np.bool_], Numbers]:
    """By column, NONE at the end: whether it is the first of two choices, and the column to use instead."""
    first = np.zeros(kinds.columns + 1, np.bool_)
    instead = np.full(kinds.columns + 1, NONE, np.int32)
    for question, start in enumerate(kinds.numbering.first[:-1]):
        if not kinds.numbering.sizes[question]:
            continue
        column = kinds.item_column(int(start))
        first[column] = np.diff(kinds.numbering.first)[question] == 2
        if kinds.hides[question]:
            instead[column] = kinds.applies_column(question)
        elif kinds.rotates[question]:
            instead[column] = kinds.asked_column(question)
    return first, instead


def _needs(kinds: QuestionKinds, paths: Numbers) -> NDArray[np.uint64]:
    """By path the rotating questions that a device must have drawn, as bits."""
    bit = np.zeros(kinds.questions, np.uint64)
    rotating = np.flatnonzero(kinds.rotates)
    bit[rotating] = np.uint64(1) << np.arange(len(rotating), dtype=np.uint64)
    bit_of = np.concatenate([bit[kinds.question_of], [np.uint64(0)]])
    needs: NDArray[np.uint64] = np.bitwise_or.reduce(bit_of[paths], axis=1, initial=np.uint64(0))
    return needs


def _contradicts(kinds: QuestionKinds, paths: Numbers) -> NDArray[np.bool_]:
    """Which paths have two choices of one question; their columns are neighbours."""
    question = np.append(kinds.question_of, NONE)[paths]
    is_item = (paths >= kinds.item_column(0)) & (paths != NONE)
    both = is_item[:, 1:] & is_item[:, :-1] & (question[:, 1:] == question[:, :-1])
    return np.asarray(both.any(axis=1), np.bool_)


def _tables(histogram: PatternHistogram, kinds: QuestionKinds) -> list[CountTable]:
    of_questions = digits(histogram.design)
    states = histogram.states
    drawn = np.zeros(len(histogram.keys), np.uint64)
    for bit, question in enumerate(np.flatnonzero(kinds.rotates)):
        drawn |= (states[question] > 0).astype(np.uint64) << np.uint64(bit)
    tables = []
    for mask in np.unique(drawn):
        rows = np.flatnonzero(drawn == mask)
        answered = np.ones(kinds.questions, np.bool_)
        answered[kinds.rotates] = (int(mask) >> np.arange(kinds.rotates.sum())) & 1
        questions = np.flatnonzero(answered).tolist()
        tables.append(
            _table(int(mask), kinds, of_questions, questions, states[:, rows], histogram.counts[rows])
        )
    return tables


def _table(
    drawn: int,
    kinds: QuestionKinds,
    of_questions: Sequence[Digit],
    questions: Sequence[int],
    states: NDArray[np.uint16],
    counts: Counts,
) -> CountTable:
    offsets = np.zeros(kinds.columns + 1, np.intp)
    cells = np.zeros(states.shape[1], np.intp)
    stride = 1
    for question in reversed(questions):
        digit = of_questions[question]
        first = kinds.item_column(int(kinds.numbering.first[question]))
        offsets[kinds.applies_column(question)] = digit.hides * stride
        places = np.array([digit.place(code) for code in range(digit.choices)], np.intp)
        offsets[first : first + digit.choices] = places * stride
        # Place 0 is *not applicable* here; `_sum_up` makes it all records.
        cells += np.array(digit.by_state, np.intp)[states[question]] * stride
        stride *= digit.axis
    table = np.zeros((stride, 2), np.int64)
    table[cells] = counts
    _sum_up(table, [of_questions[question] for question in questions])
    return CountTable(drawn, offsets, table)


def _sum_up(table: Counts, axes: Sequence[Digit]) -> None:
    """Turn each cell into the sum of itself and of all cells with a narrower meaning."""
    inner = len(table)
    for digit in axes:
        inner //= digit.axis
        view = table.reshape(-1, digit.axis, inner, 2)
        applies = int(digit.hides)
        view[:, applies] += view[:, applies + 1 :].sum(axis=1)
        if digit.hides:
            view[:, 0] += view[:, 1]
