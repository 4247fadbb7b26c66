"""Counts one answer by pattern of plain questions: all that models and weights need to know of the records.

One pass over the columns of bits; the counts of parts add up. A pattern is a combination of choices, the last
question fastest. Questions are given by their indexes in the mined design.
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
from mining.studies.single_answer_estimates import UNDISGUISED, AnswerLaw
from privacy.designs import Design
from privacy.records.packed_bit_columns import WORD, Columns, Words

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
    """Counts of the records asked `item`'s question to which all `questions` apply: pattern by group by state.

    `among`: plain items that all these records have.
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
        """Counts the records of these parts: about 15 ms for a million records and each choice of these questions."""
        whole = cls.zeros(design, item, questions, among)
        for part in parts:
            whole._add_records(part)
        return whole

    @classmethod
    def from_counter(cls, counter: Counter, item: Item, questions: Sequence[int]) -> "PatternCounts":
        """Counts by a counter, for callers without the columns of the records: three queries for each pattern."""
        whole = cls.zeros(counter.design, item, questions)
        queries = []
        for codes in whole.codes.T.tolist():
            pattern = tuple(sorted(zip(questions, codes, strict=True)))
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
        """Returns scores of the disguised records to which the item applies."""
        return scores_from_counts(self.counts[:, 1], law)

    def scores_by_arm(self, law: AnswerLaw) -> PatternScores:
        """Returns sums of the answer's unbiased scores by combination of plain choices: of the direct arm, then of the
        disguised one."""
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
                cell += _bits(column[words], n) * np.int32(weight)
            chosen = cell[_bits(used[words], n).view(np.bool_)]
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
    """Returns scores by pattern, from counts by pattern and state."""
    without, having, _hidden = counts.T.astype(np.float64)
    records = without + having
    first = having * law.score_with_answer + without * law.score_without_answer
    return PatternScores(
        records, first, having * law.score_with_answer**2 + without * law.score_without_answer**2
    )


def used_records(part: Columns, item: Item, questions: Sequence[int], among: Sequence[Item]) -> Words:
    """Returns the bits of the records that count: asked the item's question, with all `questions` applying and all
    items `among`."""
    used = part.asked(item[0])
    for index in questions:
        used = used & part.answered(index)
    for index, code in among:
        used = used & part.choice(index, code)
    return used


def _weighted_columns(
    part: Columns, item: Item, questions: Sequence[int], sizes: Sequence[int]
) -> list[tuple[int, Words]]:
    """Returns columns of bits whose weighted sum is the number of a record's cell in `PatternCounts.counts`."""
    index, code = item
    hidden = part.asked(index) & ~part.answered(index)
    columns = [(STATES, part.disguised), (WITH, part.choice(index, code)), (HIDDEN, hidden)]
    stride = GROUPS * STATES
    for question, size in reversed(list(zip(questions, sizes, strict=True))):
        columns += [(stride * choice, part.choice(question, choice)) for choice in range(1, size)]
        stride *= size
    return columns


def _bits(words: Words, n: int) -> NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), count=n, bitorder="little")


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
        """Bits of the records of a part that the estimate uses."""
        used = used_records(part, self.item, sorted(self.applying), sorted(self.among))
        if self.item_applies:
            used = used & part.answered(self.item[0])
        return used if self.everybody else used & part.disguised


@dataclass(frozen=True)
class RecordsApart:
    """Numbers of records that only one of two estimates uses: `more` only the new one, `fewer` only the published
    one."""

    more: int
    fewer: int

    def __add__(self, other: "RecordsApart") -> "RecordsApart":
        return RecordsApart(self.more + other.more, self.fewer + other.fewer)

    @property
    def in_opposite_direction(self) -> "RecordsApart":
        return RecordsApart(self.fewer, self.more)

    def may_be_published(self, least: int) -> bool:
        """Returns True if in each direction there are none, or at least `least`, the design's floor."""
        return all(count == 0 or count >= least for count in (self.more, self.fewer))


def count_differing_records(
    new: EstimateRecords, published: EstimateRecords, common: Iterable[Columns], later: Iterable[Columns] = ()
) -> RecordsApart:
    """Counts the records by which a new estimate and a published one differ.

    `common` are the batches of both estimates, `later` those that were sealed after the published one.
    """
    more = fewer = 0
    for part in common:
        ours, theirs = new.used_records(part), published.used_records(part)
        more += _count_ones(ours & ~theirs)
        fewer += _count_ones(theirs & ~ours)
    return RecordsApart(more + sum(_count_ones(new.used_records(part)) for part in later), fewer)


def _count_ones(words: Words) -> int:
    return int(np.bitwise_count(words).sum())
