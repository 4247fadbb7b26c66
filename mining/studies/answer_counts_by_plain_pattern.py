"""Counts a sensitive answer by pattern (combination of answers to plain questions); models and weights need nothing
else from the records.

One pass over the columns of bits; the counts of parts add up. In the order of patterns, the choice of the last question
changes fastest. Questions are given by their indexes in the mined design.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.queries_and_counters import Counter, Counts, Item, Query
from mining.studies.single_answer_score_moments import UNDISGUISED, AnswerLaw
from privacy.designs import Design
from privacy.records.batch_bit_columns import WORD, Columns, Words, unpack_bits

CHUNK_WORDS = 1 << 11
WITHOUT, WITH, HIDDEN = range(3)
"""States of a record: another answer, the answer, the question does not apply."""
STATES, GROUPS = 3, 2


@dataclass(frozen=True)
class PatternScores:
    """Number of records, sum of scores and sum of squared scores, by pattern."""

    records: Floats
    first: Floats
    second: Floats

    @property
    def n(self) -> float:
        return float(self.records.sum())


@dataclass(frozen=True)
class PatternCounts:
    """Counts of records by pattern of the plain `questions`, group, and state of the sensitive `item` (without it, with
    it, not applicable).

    Counted are records that were asked the item's question, to which all `questions` apply, and that have the plain
    items `among`.
    """

    design: Design
    item: Item
    questions: tuple[int, ...]
    among: tuple[Item, ...]
    counts: Counts

    @classmethod
    def zeros(
        cls, design: Design, item: Item, questions: Sequence[int], among: Sequence[Item] = ()
    ) -> "PatternCounts":
        """Makes counts of 0; `design` is the mined one, and the caller has checked that its patterns are not too
        many."""
        counts = np.zeros((prod(_choice_counts(design, questions)), GROUPS, STATES), np.int64)
        return cls(design, item, tuple(questions), tuple(among), counts)

    @classmethod
    def count_records(
        cls,
        design: Design,
        parts: Iterable[Columns],
        item: Item,
        questions: Sequence[int],
        among: Sequence[Item] = (),
    ) -> "PatternCounts":
        """Counts the records of `parts`; takes about 15 ms for a million records and each choice of the `questions`."""
        whole = cls.zeros(design, item, questions, among)
        for part in parts:
            whole._add_records(part)
        return whole

    @classmethod
    def from_counter(
        cls, counter: Counter, item: Item, questions: Sequence[int], among: Sequence[Item] = ()
    ) -> "PatternCounts":
        """Makes the counts by three queries to a counter for each pattern, for callers without the columns of the
        records."""
        whole = cls.zeros(counter.design, item, questions, among)
        queries = []
        for codes in whole.codes.T.tolist():
            pattern = tuple(sorted({*zip(questions, codes, strict=True), *among}))
            queries += [
                Query(pattern, asked=(item[0],)),
                Query(pattern, applies=(item[0],)),
                Query(tuple(sorted((*pattern, item)))),
            ]
        table = np.asarray(counter.count(queries), np.int64).reshape(len(whole.counts), 3, GROUPS)
        asked, shown, having = np.moveaxis(table, 1, 0)
        whole.counts[:] = np.stack([shown - having, having, asked - shown], axis=2)
        return whole

    def __add__(self, other: "PatternCounts") -> "PatternCounts":
        return replace(self, counts=self.counts + other.counts)

    @property
    def choice_counts(self) -> tuple[int, ...]:
        return _choice_counts(self.design, self.questions)

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        return pattern_codes(self.design, self.questions)

    def disguised_scores(self, law: AnswerLaw) -> PatternScores:
        """Returns, by pattern, number and score sums of the disguised records to which the item applies."""
        return scores_from_counts(self.counts[:, 1], law)

    def scores_by_arm(self, law: AnswerLaw) -> PatternScores:
        """Returns, by pattern, number and score sums of the records to which the item applies: all patterns in the
        direct arm, then all in the disguised arm."""
        arms = [
            scores_from_counts(self.counts[:, group], arm) for group, arm in enumerate((UNDISGUISED, law))
        ]
        columns = zip(*((arm.records, arm.first, arm.second) for arm in arms), strict=True)
        return PatternScores(*map(np.concatenate, columns))

    def _add_records(self, part: Columns) -> None:
        used = used_records(part, self.item, self.questions, self.among)
        columns = _weighted_columns(part, self.item, self.questions, self.choice_counts)
        cells = self.counts.size
        for start in range(0, len(used), CHUNK_WORDS):
            words = slice(start, start + CHUNK_WORDS)
            n = min(part.n - start * WORD, CHUNK_WORDS * WORD)
            cell = np.zeros(n, np.int32)
            for weight, column in columns:
                cell += unpack_bits(column[words], n) * np.int32(weight)
            chosen = cell[unpack_bits(used[words], n)]
            self.counts[:] += np.bincount(chosen, minlength=cells).reshape(self.counts.shape)


def pattern_codes(design: Design, questions: Sequence[int]) -> NDArray[np.intp]:
    """Returns the choice of each question in each pattern: question by pattern."""
    if not questions:
        return np.zeros((0, 1), np.intp)
    sizes = _choice_counts(design, questions)
    return np.stack(np.unravel_index(np.arange(prod(sizes)), sizes))


def _choice_counts(design: Design, questions: Sequence[int]) -> tuple[int, ...]:
    return tuple(design.questions[index].codes for index in questions)


def scores_from_counts(counts: NDArray[Any], law: AnswerLaw) -> PatternScores:
    """Returns the number of records and the sums of their scores by pattern, from counts by pattern and state."""
    without, having, _hidden = counts.T.astype(np.float64)
    records = without + having
    first = having * law.score_with_answer + without * law.score_without_answer
    return PatternScores(
        records, first, having * law.score_with_answer**2 + without * law.score_without_answer**2
    )


def used_records(part: Columns, item: Item, questions: Sequence[int], among: Sequence[Item]) -> Words:
    """Returns a bit per record of a part, set if the record counts: asked the item's question, with all `questions`
    applying and all items `among`."""
    used = part.asked(item[0])
    for index in questions:
        used = used & part.answered(index)
    for index, code in among:
        used = used & part.choice(index, code)
    return used


def _weighted_columns(
    part: Columns, item: Item, questions: Sequence[int], sizes: Sequence[int]
) -> list[tuple[int, Words]]:
    """Returns columns of bits with weights: a record's weighted sum of bits is the index of its cell in
    `PatternCounts.counts`."""
    index, code = item
    hidden = part.asked(index) & ~part.answered(index)
    columns = [(STATES, part.disguised), (WITH, part.choice(index, code)), (HIDDEN, hidden)]
    stride = GROUPS * STATES
    for question, size in reversed(list(zip(questions, sizes, strict=True))):
        columns += [(stride * choice, part.choice(question, choice)) for choice in range(1, size)]
        stride *= size
    return columns


# --- differencing
# Which estimates of one answer may be published together (docs/mathematics.md, Differencing of models).
# Whoever subtracts two estimates learns of the records that are in one alone: none, or a batch of them.


@dataclass(frozen=True)
class EstimateRecords:
    """The records that an estimate of `item` uses: those to which the questions `applying` apply, with the
    items `among`.

    Questions are given by their indexes in the mined design. `item_applies`: without people to whom the item
    does not apply. `everybody`: open or direct records too, else the disguised alone.
    """

    item: Item
    applying: frozenset[int] = frozenset()
    among: frozenset[Item] = frozenset()
    item_applies: bool = True
    everybody: bool = False

    def used_records(self, part: Columns) -> Words:
        """Returns a bit per record of a part, set if the estimate uses the record."""
        used = used_records(part, self.item, sorted(self.applying), sorted(self.among))
        if self.item_applies:
            used = used & part.answered(self.item[0])
        return used if self.everybody else used & part.disguised


@dataclass(frozen=True)
class DifferingRecords:
    """Numbers of records that only one of two estimates uses: `more` in the new estimate alone, `fewer` in the
    published one alone."""

    more: int
    fewer: int

    def __add__(self, other: "DifferingRecords") -> "DifferingRecords":
        return DifferingRecords(self.more + other.more, self.fewer + other.fewer)

    @property
    def with_roles_exchanged(self) -> "DifferingRecords":
        return DifferingRecords(self.fewer, self.more)

    def may_be_published(self, least: int) -> bool:
        """Returns True if both estimates may be published: each number is 0 or at least `least`."""
        return all(count == 0 or count >= least for count in (self.more, self.fewer))


def count_differing_records(
    new: EstimateRecords, published: EstimateRecords, common: Iterable[Columns], later: Iterable[Columns] = ()
) -> DifferingRecords:
    """Returns how many records only the new estimate uses, and how many only the published one uses.

    `common` are the batches of both estimates, `later` those that were sealed after the published one.
    """
    more = fewer = 0
    for part in common:
        ours, theirs = new.used_records(part), published.used_records(part)
        more += _count_ones(ours & ~theirs)
        fewer += _count_ones(theirs & ~ours)
    return DifferingRecords(more + sum(_count_ones(new.used_records(part)) for part in later), fewer)


def _count_ones(words: Words) -> int:
    return int(np.bitwise_count(words).sum())
