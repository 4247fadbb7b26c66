"""Counts of single answers by group, among the records to which they apply, and their laws."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from mining.counting import MinedRecords, read_file
from mining.counts import Counter, Counts, Item, Numbering, Query, item_name
from mining.inference.contingency_table import Floats
from mining.reconstruction.laws import Laws
from mining.studies.answer_scores import AnswerLaw
from mining.studies.covariates import check_counted
from privacy.designs import Design, parse_file
from privacy.records.any_layout import open_rows

Node = TypeVar("Node")


@dataclass(frozen=True)
class AnswerCounts:
    """Group (open or direct, disguised) by answer: the records of E(S), and those of them with the answer."""

    items: tuple[Item, ...]
    records: Counts
    having: Counts
    law: AnswerLaw

    @classmethod
    def of(cls, counter: Counter, items: Sequence[Item], having: Sequence[Item] = ()) -> "AnswerCounts":
        """Of the records of this counter; `having`: of those with these items too."""
        given = tuple(having)
        queries = [Query(items=given, applies=(index,)) for index, _code in items]
        queries += [Query(items=tuple(sorted((*given, item)))) for item in items]
        counts = counter.count(queries).T
        return cls(
            tuple(items), counts[:, : len(items)], counts[:, len(items) :], law_of(counter.design, items)
        )


def law_of(design: Design, items: Sequence[Item]) -> AnswerLaw:
    """The laws of these answers; `design` is the mined one."""
    for item in items:
        check_counted(design, item)
    laws, numbering = Laws.of(design), Numbering(design)
    keep = laws.keep[[index for index, _code in items]]
    noise = laws.noise[[numbering.number(item) for item in items]]
    return AnswerLaw.of(keep, noise)


def one_law(design: Design, item: Item) -> AnswerLaw:
    law = law_of(design, [item])
    return AnswerLaw(*(float(np.asarray(part)[0]) for part in (law.keep, law.chance)))


def by_answer(
    node: Callable[..., Node], design: Design, items: Iterable[Item], **columns: Floats
) -> tuple[Node, ...]:
    """A node of each answer, with its name and its number in each column."""
    numbers = zip(*(column.tolist() for column in columns.values()), strict=True)
    return tuple(
        node(item=item_name(design, item), **dict(zip(columns, row, strict=True)))
        for item, row in zip(items, numbers, strict=True)
    )


def control_items(design: Design) -> list[Item]:
    """*Yes* of each control item."""
    return [(index, 1) for index, question in enumerate(design.questions) if question.known_parts is not None]


def read_study(design_file: Path, records_file: Path) -> MinedRecords:
    """The records of a file; an error in one of the two is an `InputError` that names the place."""
    return read_records_of(parse_file(design_file), records_file)


def read_records_of(design: Design, records_file: Path) -> MinedRecords:
    """The same where the design is read already."""
    with open_rows(records_file) as file:
        return read_file(design, file, str(records_file))
