"""Paths: a query as the ascending columns of bits that a record must have set to be counted.

Columns are numbered: *asked* of every question, *applies* of every question, then every item. A path leaves out
columns that follow from the others, so that queries with the same meaning have the same path.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.queries_and_counters import NONE, Numbering, Numbers, Queries
from privacy.designs import Design, Question, Section

LAST = np.iinfo(np.int32).max


def can_be_hidden(question: Question) -> bool:
    """Returns True if a show-if rule can hide the question from somebody whose device drew it.

    A number behind a rule is asked only of people who are shown it, so it cannot be hidden in this sense.
    """
    return bool(question.show_if) and not question.asked_if_shown


class ColumnNumbering:
    """Numbers of the bit columns of a design: *asked* and *applies* of every question, then every item.

    Knows for each question whether open records withhold it (`withheld_mask`), devices draw it at random
    (`rotating_mask`) and a rule can hide it (`hideable_mask`).
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.question_count = len(design.questions)

    @cached_property
    def numbering(self) -> Numbering:
        return Numbering(self.design)

    @cached_property
    def withheld_mask(self) -> NDArray[np.bool_]:
        return np.array([question.withheld_if_open for question in self.design.questions])

    @cached_property
    def rotating_mask(self) -> NDArray[np.bool_]:
        return np.array([section.rotates for section in self._sections])

    @cached_property
    def hideable_mask(self) -> NDArray[np.bool_]:
        return np.array([can_be_hidden(question) for question in self.design.questions])

    @cached_property
    def question_by_column(self) -> Numbers:
        """The index of the question that each column is about."""
        everything = np.arange(self.question_count, dtype=np.int32)
        return np.concatenate([everything, everything, self.numbering.question])

    @cached_property
    def column_count(self) -> int:
        return 2 * self.question_count + len(self.numbering)

    @property
    def _sections(self) -> list[Section]:
        return [section for section in self.design.sections for _ in section.questions]

    def asked_column(self, question: Any) -> Any:
        return question

    def applies_column(self, question: Any) -> Any:
        return self.question_count + question

    def item_column(self, item: Any) -> Any:
        return 2 * self.question_count + item

    def touches_withheld(self, queries: Queries) -> NDArray[np.bool_]:
        """Returns True for queries that name a question that open records may withhold."""
        parts = (self.numbering.question_indexes(queries.items), queries.asked, queries.applies)
        touches = np.zeros(len(queries), np.bool_)
        for part in parts:
            touches |= ((part != NONE) & self.withheld_mask[part]).any(axis=1)
        return touches

    def column_paths(self, queries: Queries) -> Numbers:
        """Returns the path of each query: in ascending order, the columns of bits that a record must have set to be
        counted."""
        if not queries.asked.shape[1] and not queries.applies.shape[1]:
            # Items are sorted already, and their columns in the same order.
            return np.where(queries.items == NONE, NONE, self.item_column(queries.items))
        of_items = self.numbering.question_indexes(queries.items)
        applies = _remove_questions(queries.applies, of_items)
        asked = _remove_questions(_remove_questions(queries.asked, of_items), applies)
        hideable = (applies != NONE) & self.hideable_mask[applies]
        shown = np.where(hideable, NONE, applies)
        asked = np.concatenate([asked, shown], axis=1)
        asked = np.where((asked != NONE) & self.rotating_mask[asked], asked, NONE)
        columns = (
            asked,
            np.where(hideable, self.applies_column(applies), NONE),
            np.where(queries.items == NONE, NONE, self.item_column(queries.items)),
        )
        return sort_distinct_within_rows(np.concatenate(columns, axis=1))


def _remove_questions(questions: Numbers, removed: Numbers) -> Numbers:
    """Returns `questions` with NONE in place of each question that is also in the same row of `removed`."""
    if not questions.shape[1] or not removed.shape[1]:
        return questions
    known = (questions[:, :, None] == removed[:, None, :]).any(axis=2)
    return np.where(known, NONE, questions).astype(np.int32)


def sort_distinct_within_rows(rows: NDArray[np.signedinteger]) -> Numbers:
    """Returns the table with each row sorted, without duplicates, and filled up with NONE at its end."""
    if not rows.shape[1]:
        return rows.astype(np.int32)
    table = np.sort(np.where(rows == NONE, LAST, rows).astype(np.int32), axis=1)
    twice = table[:, 1:] == table[:, :-1]
    if (twice & (table[:, 1:] != LAST)).any():
        table[:, 1:][twice] = LAST
        table.sort(axis=1)
    table[table == LAST] = NONE
    return table[:, : (table != NONE).sum(axis=1).max(initial=0)]
