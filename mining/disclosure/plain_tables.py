"""Contingency tables of plain questions; their small cells decide what may be published.

A place is a question of these tables too, where some of its cells lie outside its regions: somebody outside sends the
cell as it is, so *elsewhere* counts as a plain answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Numbers, Query
from mining.reconstruction.counter_cache import CachedCounter
from privacy.designs import Design

LEAST = 10
"""No count of plain answers below it is ever told, and no true answer tied to fewer people (docs/promises.md)."""
MOST_CELLS, MOST_IN_ALL = 4096, 100_000
"""Cells of one table and of all. A larger table is not counted, and numbers that need it are not published."""

Questions = tuple[int, ...]


def is_possible(design: Design, cell: Mapping[int, int]) -> bool:
    """Whether one person can have these states; `cell`: the state of each question."""
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
    """`counts` of the disguised records have an axis for each question: its choices, then *not applicable* where a rule
    may hide it."""

    questions: Questions
    counts: NDArray[np.int64]


def plain_places(design: Design) -> list[int]:
    places: list[int] = []
    first = 0
    for section in design.sections:
        if not section.sensitive:
            places += range(first, first + len(section.questions))
        first += len(section.questions)
    return places


def counted_places(design: Design) -> list[int]:
    """The plain questions, and the places some of whose cells lie outside: these go out as they are."""
    first, questions = 0, plain_places(design)
    for section in design.sections:
        if section.sends_some_as_they_are:
            questions.append(first)
        first += len(section.questions)
    return sorted(questions)


def disguised_codes(design: Design) -> dict[int, frozenset[int]]:
    """By counted place its regions: what is received in a region may be noise, so that it may be few."""
    plain = set(plain_places(design))
    return {
        index: frozenset(range(design.questions[index].codes - 1))
        for index in counted_places(design)
        if index not in plain
    }


def rule_questions(design: Design, places: Iterable[int]) -> set[int]:
    """The plain questions whose answers decide whether these questions are shown."""
    questions: set[int] = set()
    waiting = list(places)
    while waiting:
        for rule in design.questions[waiting.pop()].show_if:
            if rule.place not in questions:
                questions.add(rule.place)
                waiting.append(rule.place)
    return questions


def involved(design: Design, places: Iterable[int]) -> Questions:
    """The counted questions that numbers about these questions reveal: those of them, and those of their rules."""
    chosen = set(places)
    counted = set(counted_places(design))
    return tuple(sorted((chosen & counted) | rule_questions(design, chosen)))


def needed(design: Design, questions_of: Numbers, margins: Questions = ()) -> list[Questions]:
    """The tables that decide about itemsets of these questions, single answers, shares by group and weighted shares."""
    plain, counted = plain_places(design), counted_places(design)
    hideable = {index for index, question in enumerate(design.questions) if question.show_if}
    others = sorted(hideable | set(counted) - set(plain))
    tables = {involved(design, [index]) for index in (*counted, *hideable)} | {(index,) for index in counted}
    tables |= {involved(design, [index, other]) for index in plain for other in others}
    if margins:
        every = range(len(design.questions))
        tables |= {involved(design, [index, *margins]) for index in every if index not in plain}
    rows = {tuple(index for index in row if index != NONE) for row in questions_of.tolist()}
    tables |= {involved(design, row) for row in rows}
    return sorted(
        (questions for questions in tables if questions), key=lambda questions: (len(questions), questions)
    )


def plain_tables(counter: CachedCounter, wanted: Sequence[Questions]) -> list[PlainTable]:
    """Count these tables, without those that are too large."""
    shapes = [(questions, _states(counter, questions)) for questions in wanted]
    chosen, cells = [], 0
    for questions, states in shapes:
        cells += prod(states)
        if prod(states) <= MOST_CELLS and cells <= MOST_IN_ALL:
            chosen.append((questions, states))
    queries = [query for questions, states in chosen for query in _queries(counter, questions, states)]
    if not queries:
        return []
    counts = iter(np.asarray(counter.counter.count(queries), np.int64)[:, 1])
    return [
        PlainTable(
            questions,
            _exactly(counter, questions, np.stack([next(counts) for _ in range(prod(states))]), states),
        )
        for questions, states in chosen
    ]


def _states(counter: CachedCounter, table: Questions) -> list[int]:
    questions = counter.design.questions
    return [questions[index].codes + bool(questions[index].show_if) for index in table]


def _queries(counter: CachedCounter, questions: Questions, states: Sequence[int]) -> Iterator[Query]:
    """A query per cell; in the place of *not applicable* all records, whether the question applies or not."""
    for cell in product(*map(range, states)):
        chosen = zip(questions, cell, strict=True)
        yield Query(tuple((q, s) for q, s in chosen if s < counter.design.questions[q].codes))


def _exactly(
    counter: CachedCounter, questions: Questions, counts: NDArray[np.int64], states: Sequence[int]
) -> NDArray[np.int64]:
    """The cells: *not applicable* is all records, less those with any of the choices."""
    table = counts.reshape(states).copy()
    for axis, index in enumerate(questions):
        choices = counter.design.questions[index].codes
        if table.shape[axis] > choices:
            last = [slice(None)] * table.ndim
            last[axis] = slice(choices, choices + 1)
            given = [slice(None)] * table.ndim
            given[axis] = slice(0, choices)
            table[tuple(last)] -= table[tuple(given)].sum(axis=axis, keepdims=True)
    return table
