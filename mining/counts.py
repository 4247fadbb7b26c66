"""What is asked of records, and all that ever leaves them: counts.

A query is about the records whose device drew all of `asked`, to which all of `applies` apply, and which contain
all of `items`. Who contains an item was asked its question and it applied; to whom a question applies, was asked
it. A withheld plain answer (`?` in a record file) is as good as not asked: base(S) is right if every question of
S stands in `asked`, plain ones included.
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
"""One row per query or itemset, ascending, filled up with NONE behind."""

Counts = NDArray[np.int64]
"""One row per query: open records, disguised records."""

NONE = -1


@dataclass(frozen=True)
class Query:
    """One query; questions are sorted."""

    items: tuple[Item, ...] = ()
    asked: tuple[int, ...] = ()
    applies: tuple[int, ...] = ()


class Numbering:
    """All items of a design in one row: the choices of the first question, those of the second, and so on."""

    def __init__(self, design: Design) -> None:
        choices = np.array([len(question.choices) for question in design.questions], np.int32)
        self.first = np.concatenate([[0], np.cumsum(choices)]).astype(np.int32)
        """Of each question the number of its choice 0; behind them the number of all items."""
        self.sizes = choices
        self.question = np.repeat(np.arange(len(choices), dtype=np.int32), choices)
        self.code = np.arange(self.first[-1], dtype=np.int32) - self.first[self.question]

    def __len__(self) -> int:
        return len(self.question)

    def number(self, item: Item) -> int:
        return int(self.first[item[0]]) + item[1]

    def item(self, number: int) -> Item:
        return int(self.question[number]), int(self.code[number])

    def questions_of(self, items: Numbers) -> Numbers:
        """The same rows with each item's question in its place."""
        return np.where(items == NONE, NONE, self.question[items]).astype(np.int32)


@dataclass(frozen=True)
class Queries:
    """Many queries as arrays: numbers of items (see `Numbering`), then places of questions."""

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
    def together(cls, parts: Sequence["Queries"]) -> "Queries":
        """All rows of these, one after the other."""
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
    """Counts queries over some records; `n` counts these: open, disguised."""

    @property
    def design(self) -> Design: ...

    @property
    def n(self) -> tuple[int, int]: ...

    def count(self, queries: "Sequence[Query] | Queries") -> Counts: ...


def as_queries(design: Design, queries: Sequence[Query] | Queries) -> Queries:
    return queries if isinstance(queries, Queries) else Queries.of(design, queries)


def padded(rows: Sequence[Sequence[int]]) -> Numbers:
    """Rows of several lengths as one array."""
    table = np.full((len(rows), max(map(len, rows), default=0)), NONE, np.int32)
    for line, row in zip(table, rows, strict=True):
        line[: len(row)] = row
    return table


def stacked(tables: Sequence[NDArray[Any]]) -> Numbers:
    """Tables of several widths below each other."""
    if len(tables) == 1:
        return tables[0]
    width = max((table.shape[1] for table in tables), default=0)
    whole = np.full((sum(map(len, tables)), width), NONE, np.int32)
    start = 0
    for table in tables:
        whole[start : start + len(table), : table.shape[1]] = table
        start += len(table)
    return whole
