"""Queries and counters: records are read through counts alone.

A query counts the records that drew all questions of `asked`, to which all of `applies` apply, and that contain all
of `items`. A record that contains an item drew its question, and the question applied; a question that applies was
drawn. A withheld plain answer (`?` in a record file) counts as not drawn: base(S) is right if `asked` names every
question of S, plain ones included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design

Item = tuple[int, int]
"""A question's place in `design.questions` and the code of one of its choices."""

Numbers = NDArray[np.int32]
"""One row per query or itemset: ascending numbers, padded with NONE at the end."""

Counts = NDArray[np.int64]
"""One row per query: the number of open records, the number of disguised ones."""

NONE = -1


def item_name(design: Design, item: Item) -> str:
    """Of an item of a mined design, as `theft=yes`."""
    question = design.questions[item[0]]
    return f"{question.name}={question.choices[item[1]].name}"


@dataclass(frozen=True)
class Query:
    """One query; its questions are sorted."""

    items: tuple[Item, ...] = ()
    asked: tuple[int, ...] = ()
    applies: tuple[int, ...] = ()


class Numbering:
    """Numbers the items of a mined design: the choices of the first question, then those of the second, and so on."""

    def __init__(self, design: Design) -> None:
        choices = np.array([question.codes for question in design.questions], np.int32)
        self.first = np.concatenate([[0], np.cumsum(choices)]).astype(np.int32)
        """By question the number of its choice 0, then the number of items in all."""
        self.sizes = choices
        self.question = np.repeat(np.arange(len(choices), dtype=np.int32), choices)
        self.number_of = _numbers(design)
        """By question the first of those with its number; itself, where it is no threshold of a number."""
        self.code = np.arange(self.first[-1], dtype=np.int32) - self.first[self.question]

    def __len__(self) -> int:
        return len(self.question)

    def number(self, item: Item) -> int:
        return int(self.first[item[0]]) + item[1]

    def item(self, number: int) -> Item:
        return int(self.question[number]), int(self.code[number])

    def questions_of(self, items: Numbers) -> Numbers:
        """The same rows, each item replaced by its question."""
        return np.where(items == NONE, NONE, self.question[items]).astype(np.int32)


def _numbers(design: Design) -> Numbers:
    found = np.arange(len(design.questions), dtype=np.int32)
    place = 0
    for section in design.sections:
        if any(question.asked_if_shown for question in section.questions):
            found[place : place + len(section.questions)] = place
        place += len(section.questions)
    return found


@dataclass(frozen=True)
class Queries:
    """Many queries as arrays: item numbers (see `Numbering`), and places of questions."""

    items: Numbers
    asked: Numbers
    applies: Numbers

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def of(cls, design: Design, queries: Sequence[Query]) -> "Queries":
        numbering = Numbering(design)
        return cls(
            padded([sorted(map(numbering.number, query.items)) for query in queries]),
            padded([query.asked for query in queries]),
            padded([query.applies for query in queries]),
        )

    @classmethod
    def concatenated(cls, parts: Sequence["Queries"]) -> "Queries":
        if len(parts) == 1:
            return parts[0]
        return cls(
            stacked([part.items for part in parts]),
            stacked([part.asked for part in parts]),
            stacked([part.applies for part in parts]),
        )

    def take(self, rows: NDArray[Any]) -> "Queries":
        """The rows at these places."""
        return Queries(self.items[rows], self.asked[rows], self.applies[rows])


class Counter(Protocol):
    """Counts queries over some records; `n` is their number: open, disguised."""

    @property
    def design(self) -> Design: ...

    @property
    def n(self) -> tuple[int, int]: ...

    def count(self, queries: "Sequence[Query] | Queries") -> Counts: ...


@dataclass(frozen=True)
class CounterWrapper:
    """A counter that passes queries on to another; subclasses add to `count`."""

    counter: Counter

    @property
    def design(self) -> Design:
        return self.counter.design

    @property
    def n(self) -> tuple[int, int]:
        return self.counter.n


@dataclass(frozen=True)
class DisguisedArm(CounterWrapper):
    """Counts the disguised arm alone: direct records are compared with it (`mining.studies.arms`), and nothing else."""

    @property
    def n(self) -> tuple[int, int]:
        return 0, self.counter.n[1]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        counts = self.counter.count(queries).copy()
        counts[:, 0] = 0
        return counts


def for_estimates(counter: Counter) -> Counter:
    """The counter of the records that itemsets, rules and shares are estimated from (docs/mathematics.md, Arms)."""
    return DisguisedArm(counter) if counter.design.has_arms else counter


def as_queries(design: Design, queries: Sequence[Query] | Queries) -> Queries:
    return queries if isinstance(queries, Queries) else Queries.of(design, queries)


def padded(rows: Sequence[Sequence[int]]) -> Numbers:
    """Rows of different lengths as one array, padded with NONE."""
    table = np.full((len(rows), max(map(len, rows), default=0)), NONE, np.int32)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


def stacked(tables: Sequence[NDArray[Any]]) -> Numbers:
    """Tables of different widths, one below the other, padded with NONE."""
    if len(tables) == 1:
        return tables[0]
    width = max((table.shape[1] for table in tables), default=0)
    whole = np.full((sum(map(len, tables)), width), NONE, np.int32)
    start = 0
    for table in tables:
        whole[start : start + len(table), : table.shape[1]] = table
        start += len(table)
    return whole
