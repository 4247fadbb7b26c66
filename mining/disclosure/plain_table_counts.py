"""Contingency tables of plain questions; their small cells decide what may be published.

A place is a question of these tables too if some of its cells lie outside its regions: people there send their cell
undisguised, so *elsewhere* counts as a plain answer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.queries_and_counters import Counter, Numbering, Queries
from privacy.designs import Design

LEAST = 10
"""Smallest count of plain answers that is published; no true answer is tied to fewer people (docs/promises.md)."""
MOST_CELLS = 4096
"""Largest number of cells of a table. A larger table is not counted, and numbers that need it are not published."""
MOST_SETS = 30_000
"""Largest number of question sets about which a verdict decides (docs/mathematics.md, What leaves)."""

Questions = tuple[int, ...]


def is_one_to_nine(change: Any) -> NDArray[np.bool_]:
    """Returns where a count changed by fewer than `LEAST` people, but changed."""
    return np.asarray((change != 0) & (np.abs(change) < LEAST))


def is_possible(design: Design, cell: Mapping[int, int]) -> bool:
    """Returns True if one person can give these answers; `cell` is the state of each question by index."""
    for index, state in cell.items():
        question = design.questions[index]
        known = [cell[rule.place] in rule.codes for rule in question.show_if if rule.place in cell]
        is_hidden = state == question.codes
        if not is_hidden and not all(known):
            return False
        if is_hidden and len(known) == len(question.show_if) and all(known):
            return False
    return True


@dataclass(frozen=True)
class PlainTable:
    """Contingency table of disguised records, with an axis for each question.

    An axis has the question's choices, then *not applicable* if a rule may hide the question.
    """

    questions: Questions
    counts: NDArray[np.int64]


def plain_question_indexes(design: Design) -> list[int]:
    places: list[int] = []
    first = 0
    for section in design.sections:
        if not section.sensitive:
            places += range(first, first + len(section.questions))
        first += len(section.questions)
    return places


def undisguised_question_indexes(design: Design) -> list[int]:
    """Returns the indexes of the plain questions, and of the places with cells outside their regions.

    Answers to these are sent undisguised.
    """
    first, questions = 0, plain_question_indexes(design)
    for section in design.sections:
        if section.sends_some_as_they_are:
            questions.append(first)
        first += len(section.questions)
    return sorted(questions)


def region_codes_by_question(design: Design) -> dict[int, frozenset[int]]:
    """Returns the codes of the regions of each counted place.

    Regions may have fewer than ten records, since a record received in a region may be noise.
    """
    plain = set(plain_question_indexes(design))
    return {
        index: frozenset(range(design.questions[index].codes - 1))
        for index in undisguised_question_indexes(design)
        if index not in plain
    }


def questions_in_rules(design: Design, indexes: Iterable[int]) -> set[int]:
    """Returns the indexes of the plain questions whose answers decide, also indirectly, whether one of the questions
    `indexes` is shown."""
    questions: set[int] = set()
    waiting = list(indexes)
    while waiting:
        for rule in design.questions[waiting.pop()].show_if:
            if rule.place not in questions:
                questions.add(rule.place)
                waiting.append(rule.place)
    return questions


def revealed_questions(design: Design, indexes: Iterable[int]) -> Questions:
    """Returns the counted questions about which published numbers on the questions `indexes` reveal something.

    These are the counted questions among `indexes`, and the questions that the show-if rules of `indexes` look at.
    """
    chosen = set(indexes)
    counted = set(undisguised_question_indexes(design))
    return tuple(sorted((chosen & counted) | questions_in_rules(design, chosen)))


def smallest_tables_to_decide(design: Design) -> list[Questions]:
    """Returns the smallest tables of counted questions about whose publication is decided, without duplicates.

    There is one for each counted question and for each question behind a show-if rule. Numbers about all other
    questions reveal nothing about plain answers.
    """
    hideable = [index for index, question in enumerate(design.questions) if question.show_if]
    return sorted(
        {revealed_questions(design, [index]) for index in (*undisguised_question_indexes(design), *hideable)}
    )


def bound_question_set_count(design: Design, size: int) -> int:
    """Returns an upper bound of the number of question sets for which must be decided whether they may be published,
    for itemsets of up to `size` items."""
    return sum(comb(len(smallest_tables_to_decide(design)), many) for many in range(1, max(size, PAIR) + 1))


PAIR = 2
"""Number of questions of a share by group, whatever the size of itemsets."""
CountTables = Callable[[Sequence[Questions]], Mapping[Questions, "PlainTable"]]
"""Function that counts these tables; its result lacks those that it cannot count."""


def is_small_enough(design: Design, table: Questions) -> bool:
    return prod(state_counts(design, table)) <= MOST_CELLS


def state_counts(design: Design, table: Questions) -> tuple[int, ...]:
    """Returns the number of states of each question of the table: its choices, and *not applicable* where a rule may
    hide it."""
    questions = (design.questions[index] for index in table)
    return tuple(question.codes + bool(question.show_if) for question in questions)


@dataclass(frozen=True)
class TableCounter:
    """Counter of contingency tables of plain questions, over the disguised records of another counter.

    It counts all states of each question but the last, which follows by subtraction. `cores` caches these counts by
    table.
    """

    counter: Counter
    cores: dict[Questions, NDArray[np.int64]]

    def __call__(self, tables: Sequence[Questions]) -> dict[Questions, PlainTable]:
        parts = {
            part for table in tables for many in range(len(table) + 1) for part in combinations(table, many)
        }
        self._cache_counts_without_last_state(
            sorted(parts - self.cores.keys(), key=lambda part: (len(part), part))
        )
        made = {
            table: PlainTable(table, counts)
            for shape, alike in tables_by_shape(self.counter.design, tables).items()
            for table, counts in zip(alike, self._make_tables(alike, shape), strict=True)
        }
        return {table: made[table] for table in tables}

    def _cache_counts_without_last_state(self, parts: Sequence[Questions]) -> None:
        design = self.counter.design
        first = Numbering(design).first
        by_shape = {
            tuple(many - 1 for many in states): alike
            for states, alike in tables_by_shape(design, parts).items()
        }
        asked = []
        for shape, alike in by_shape.items():
            codes = np.indices(shape).reshape(len(shape), prod(shape)).T
            items = first[np.array(alike, np.int64).reshape(len(alike), 1, len(shape))] + codes
            asked.append(items.reshape(len(alike) * prod(shape), len(shape)).astype(np.int32))
        nothing = [np.empty((len(items), 0), np.int32) for items in asked]
        wanted = [Queries(items, empty, empty) for items, empty in zip(asked, nothing, strict=True)]
        if not wanted:
            return
        counts = np.asarray(self.counter.count(Queries.concatenate(wanted)), np.int64)[:, 1]
        start = 0
        for shape, alike in by_shape.items():
            for part in alike:
                self.cores[part] = counts[start : start + prod(shape)].reshape(shape)
                start += prod(shape)

    def _make_tables(self, tables: Sequence[Questions], shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Returns the complete contingency tables, the last state of each question included; all have the given shape.

        While they are filled, the last place of each axis holds the counts of any state, then those of the last state.
        """
        whole = np.empty((len(tables), *shape), np.int64)
        for many in range(len(shape) + 1):
            for axes in combinations(range(len(shape)), many):
                place = tuple(slice(-1) if axis in axes else -1 for axis in range(len(shape)))
                cores = [self.cores[tuple(table[axis] for axis in axes)] for table in tables]
                whole[:, *place] = np.stack(cores)
        for axis in range(len(shape)):
            last, others = ((slice(None),) * (axis + 1) + (place,) for place in (-1, slice(-1)))
            whole[last] -= whole[others].sum(axis=axis + 1)
        return whole


def tables_by_shape(design: Design, tables: Iterable[Questions]) -> dict[tuple[int, ...], list[Questions]]:
    """Groups tables by their shape, the number of states of each question."""
    states = [question.codes + bool(question.show_if) for question in design.questions]
    by_shape: dict[tuple[int, ...], list[Questions]] = {}
    for table in tables:
        by_shape.setdefault(tuple(states[index] for index in table), []).append(table)
    return by_shape


def table_counter(counter: Counter) -> TableCounter:
    return TableCounter(counter, {})
