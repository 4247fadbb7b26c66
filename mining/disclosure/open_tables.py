"""Plain tables of the open records that are used, and which of them may be told (docs/mathematics.md, What leaves)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.open_patterns import conditions
from mining.disclosure.plain_tables import LEAST, MOST_CELLS, Questions, involved, plain_places
from privacy.designs import Design
from privacy.records.columns import Columns, mined_states

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class OpenTable:
    """`counts`: an axis of patterns, then one for each question, as in `PlainTable`."""

    questions: Questions
    counts: Counts

    def may_be_told(self, design: Design, hidden: Mapping[int, frozenset[int]]) -> bool:
        """`hidden`: the classes of each question that the disguised withhold; the open ones withhold the same.

        Told only where no rule of a sensitive question divides a merged class, and where each cell, and each cell
        together with each pattern, holds nobody or at least ten.
        """
        for rule in conditions(design):
            merged = hidden.get(rule.place, frozenset())
            if rule.place in self.questions and merged & rule.codes and not merged <= rule.codes:
                return False
        counts = self.counts
        for axis, question in enumerate(self.questions, start=1):
            merged = hidden.get(question, frozenset())
            states = range(counts.shape[axis])
            if set(states) <= merged:
                return False
            shown = [state for state in states if state not in merged]
            together = np.take(counts, sorted(merged), axis).sum(axis=axis, keepdims=True)
            counts = np.concatenate([np.take(counts, shown, axis), together], axis=axis)
        cells = np.concatenate([counts, counts.sum(axis=0, keepdims=True)])
        return not bool(((cells > 0) & (cells < LEAST)).any())


def open_tables(
    design: Design, parts: Sequence[Columns], patterns: Sequence[NDArray[Any]]
) -> list[OpenTable]:
    """Of each plain question with those of its rules; `parts` hold kept open records alone, `patterns` theirs.

    `design` is the mined one.
    """
    names, pattern = (
        np.unique(np.concatenate(patterns), return_inverse=True) if patterns else (np.empty(0), [])
    )
    tables = []
    for index in plain_places(design):
        questions = involved(design, [index])
        shape = [
            len(names),
            *(
                design.questions[question].codes + bool(design.questions[question].show_if)
                for question in questions
            ),
        ]
        if np.prod(shape) > MOST_CELLS or not len(names):
            continue
        states = [np.concatenate([mined_states(part, question) for part in parts]) for question in questions]
        flat = np.ravel_multi_index((np.asarray(pattern), *states), shape)
        tables.append(OpenTable(questions, np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)))
    return tables


def told_questions(
    design: Design, tables: Sequence[OpenTable], hidden: Mapping[int, frozenset[int]]
) -> frozenset[int]:
    """The plain questions whose answers may be told of the open records."""
    allowed = {table.questions for table in tables if table.may_be_told(design, hidden)}
    return frozenset(index for index in plain_places(design) if involved(design, [index]) in allowed)
