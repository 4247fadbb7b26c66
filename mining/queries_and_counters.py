"""Queries and the counters that answer them: mining reads records through counts alone.

A query counts the records that drew all questions of `asked`, to which all of `applies` apply, and that contain all of
`items`. A record that contains an item drew its question, and the question applied; a question that applies was drawn.
A withheld plain answer (`?` in a record file) counts as not drawn: base(S) is right if `asked` names every question of
S, plain ones included.

Items with scores (privacy/kinds/scored_items.py) are not counted: a query with such items adds up the products of the
records' scores, in units of 2^-b (`Numbering.unit_exponent_by_row`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design
from privacy.kinds.score_table import ScoreTable
from privacy.kinds.score_table_by_law import find_score_table

Item = tuple[int, int]
"""An item: the index of its question in `design.questions`, and the code of its choice."""

Numbers = NDArray[np.int32]
"""Rows of ascending item numbers (or question indexes), one per query or itemset, padded with NONE at the end."""

Counts = NDArray[np.int64]
"""One row per query: the numbers of open and of disguised records."""

NONE = -1


def item_name(design: Design, item: Item) -> str:
    """Returns the name of an item of a mined design, such as `theft=yes`."""
    question = design.questions[item[0]]
    return f"{question.name}={question.choices[item[1]].name}"


def item_names(design: Design) -> list[str]:
    """Returns the names of all items of a design, in the order of their numbers; the three numbers of an item with
    scores have one name."""
    numbering = Numbering(design)
    codes = numbering.code % np.maximum(numbering.items[numbering.question], 1)
    return [item_name(design, item) for item in zip(numbering.question.tolist(), codes.tolist(), strict=True)]


@dataclass(frozen=True)
class Query:
    """The records to count: their device drew all of `asked`, all of `applies` apply, and they contain all `items`.

    Questions are indexes in the mined design, sorted; each tuple may be empty.
    """

    items: tuple[Item, ...] = ()
    asked: tuple[int, ...] = ()
    applies: tuple[int, ...] = ()


SCORE, SQUARE, TOUCH = 0, 1, 2
"""Variants of an item with scores, by what is added up: z, z squared, or 1 for each record that touches the item."""
VARIANTS = 3


class Numbering:
    """Numbers of the items of a mined design: first the choices of the first question, then those of the
    second, and so on.

    Items of a score question have three numbers each: counted by their scores, by the squares of these, and
    by whether a record touches the item. The numbers of the first kind are the items.
    """

    def __init__(self, design: Design) -> None:
        choices = [
            question.item_count * (VARIANTS if question.scored else 1) for question in design.questions
        ]
        self.first = np.concatenate([[0], np.cumsum(choices)]).astype(np.int32)
        """For each question the number of its choice 0; at the end the number of all items."""
        self.sizes = np.array(choices, np.int32)
        self.question = np.repeat(np.arange(len(choices), dtype=np.int32), choices)
        self.code = np.arange(self.first[-1], dtype=np.int32) - self.first[self.question]
        self.items = np.array([question.item_count for question in design.questions], np.int32)
        """Number of items of each question."""
        self.scored = np.array([question.scored for question in design.questions], np.bool_)
        self.has_scores = bool(self.scored.any())
        self._exponents = (
            _score_bound_exponents(design, choices)
            if self.has_scores
            else np.zeros(len(self.question), np.int64)
        )

    def scored_mask(self, items: Numbers) -> NDArray[np.bool_]:
        """Returns a mask: True for each item number that is counted by scores."""
        return np.asarray((items != NONE) & self.scored[self.question[items]], np.bool_)

    def with_score_variant(self, items: Numbers, variant: int) -> Numbers:
        """Returns the rows with each item of scores replaced by its number for `variant`: SCORE, SQUARE or TOUCH."""
        return np.where(
            self.scored_mask(items), items + variant * self.items[self.question[items]], items
        ).astype(np.int32)

    def unit_exponent_by_row(self, items: Numbers) -> NDArray[np.int64]:
        """Returns, for each row of items, the exponent b of the unit 2^-b in which scores are added up; 0 without
        scores."""
        is_scored = self.scored_mask(items)
        exponents = np.where(is_scored, self._exponents[items], 0).sum(axis=1)
        return np.where(is_scored.any(axis=1), SCORE_BITS - exponents, 0)

    def scale_sums(self, items: Numbers, counts: Counts) -> NDArray[np.float64]:
        """Returns the `counts` of these items as real numbers; integer sums of scores are multiplied by their unit
        2^-b."""
        return np.ldexp(counts.astype(np.float64), -self.unit_exponent_by_row(items)[:, None])

    def __len__(self) -> int:
        return len(self.question)

    def number(self, item: Item) -> int:
        return int(self.first[item[0]]) + item[1]

    def item(self, number: int) -> Item:
        return int(self.question[number]), int(self.code[number])

    def question_indexes(self, items: Numbers) -> Numbers:
        """Returns the rows with each item replaced by the index of its question."""
        return np.where(items == NONE, NONE, self.question[items]).astype(np.int32)


SCORE_BITS = 38
"""Bits of the largest score as an integer; sums of integers do not depend on the order. 2^24 of the largest fit."""


def _score_bound_exponents(design: Design, choices: Sequence[int]) -> NDArray[np.int64]:
    """Returns, for each item number, the exponent of the smallest power of two that is not below any of its scores."""
    exponents = [
        np.ceil(
            np.log2(
                np.maximum(np.abs(scores_by_group_and_code(find_score_table(question))).max(axis=(0, 1)), 1.0)
            )
        )
        if question.scored
        else np.zeros(size)
        for question, size in zip(design.questions, choices, strict=True)
    ]
    return np.concatenate([np.zeros(0), *exponents]).astype(np.int64)


@cache
def scores_by_group_and_code(table: ScoreTable) -> NDArray[np.float64]:
    """Returns what one record adds to the sum of each item number of a score question: by group (open, disguised), code
    and item number."""
    z, opened = table.scores_by_code_and_item, table.open_code_has_item.astype(np.float64)
    return np.stack(
        [
            np.concatenate([opened] * VARIANTS, axis=1),
            np.concatenate([z, z**2, table.code_names_class_of_item], axis=1),
        ]
    )


@dataclass(frozen=True)
class Queries:
    """Many queries as arrays: item numbers (see `Numbering`) and question indexes, one row per query."""

    items: Numbers
    asked: Numbers
    applies: Numbers

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def from_queries(cls, design: Design, queries: Sequence[Query]) -> "Queries":
        numbering = Numbering(design)
        return cls(
            pad_rows([sorted(map(numbering.number, query.items)) for query in queries]),
            pad_rows([query.asked for query in queries]),
            pad_rows([query.applies for query in queries]),
        )

    @classmethod
    def concatenate(cls, parts: Sequence["Queries"]) -> "Queries":
        if len(parts) == 1:
            return parts[0]
        return cls(
            stack_tables([part.items for part in parts]),
            stack_tables([part.asked for part in parts]),
            stack_tables([part.applies for part in parts]),
        )

    def take(self, rows: NDArray[Any]) -> "Queries":
        """Returns the queries of these `rows` (indexes or a mask)."""
        return Queries(self.items[rows], self.asked[rows], self.applies[rows])


class Counter(Protocol):
    """Interface: counts queries over some records. `n` is the number of open and of disguised records."""

    @property
    def design(self) -> Design: ...

    @property
    def n(self) -> tuple[int, int]: ...

    def count(self, queries: "Sequence[Query] | Queries") -> Counts: ...


@dataclass(frozen=True)
class CounterWrapper:
    """Base class of counters that pass queries on to another counter; subclasses change `count`."""

    counter: Counter

    @property
    def design(self) -> Design:
        return self.counter.design

    @property
    def n(self) -> tuple[int, int]:
        return self.counter.n


@dataclass(frozen=True)
class DisguisedArmCounter(CounterWrapper):
    """A counter that counts only the records of the disguised arm, from which all estimates come.

    Records of the direct arm serve the comparison of arms alone (`mining.studies.direct_disguised_arm_comparison`).
    """

    @property
    def n(self) -> tuple[int, int]:
        return 0, self.counter.n[1]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        counts = self.counter.count(queries).copy()
        counts[:, 0] = 0
        return counts


def limit_to_disguised_arm(counter: Counter) -> Counter:
    """Returns the counter, limited to the records that estimates use: in a design with arms the disguised arm alone
    (docs/mathematics.md, Arms)."""
    return DisguisedArmCounter(counter) if counter.design.has_arms else counter


def as_queries(design: Design, queries: Sequence[Query] | Queries) -> Queries:
    return queries if isinstance(queries, Queries) else Queries.from_queries(design, queries)


def pad_rows(rows: Sequence[Sequence[int]]) -> Numbers:
    """Returns rows of different lengths as one array, padded with NONE."""
    table = np.full((len(rows), max(map(len, rows), default=0)), NONE, np.int32)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


def stack_tables(tables: Sequence[NDArray[Any]]) -> Numbers:
    """Returns tables of different widths stacked vertically, with rows padded with NONE."""
    if len(tables) == 1:
        return tables[0]
    width = max((table.shape[1] for table in tables), default=0)
    whole = np.full((sum(map(len, tables)), width), NONE, np.int32)
    start = 0
    for table in tables:
        whole[start : start + len(table), : table.shape[1]] = table
        start += len(table)
    return whole
