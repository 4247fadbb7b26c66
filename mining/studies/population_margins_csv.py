"""Reads known margins of the population from CSV (docs/mathematics.md, Weights).

One column per plain question, then `share`. All rows with the same columns filled are one margin: raking where a row
names one question, post-stratification where it names several.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import plain_question_indexes
from mining.inference.contingency_table import Floats
from mining.queries_and_counters import item_name
from privacy.designs import Design, InputError
from privacy.designs.hypothesis_plan import MOST_PATTERNS
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.records.csv_row_reader import csv_rows

SHARE = "share"
SUM_WITHIN = 1e-6
LONGEST_NUMBER = 40

Cell = tuple[int, ...]
"""One choice for each question of a margin."""


PopulationMargin = tuple[tuple[int, ...], Mapping[Cell, float]]
"""A margin: the indexes of its questions in the design, and the share of each combination of their choices."""


@dataclass(frozen=True)
class MarginCells:
    """A margin (known population shares of cells of plain questions) for patterns of answers: the `cell` of each
    pattern, and each cell's `share` and name."""

    cell: NDArray[np.intp]
    share: Floats
    names: tuple[str, ...]


def read_margins(file: BinaryIO, name: str, design: Design) -> tuple[PopulationMargin, ...]:
    """Reads the margins of a CSV file, in the order of their first rows; an error is an `InputError`.

    `design` is the mined one.
    """
    rows = csv_rows(file, name)
    where, header = next(rows, (f"{name}:1", []))
    places = _question_indexes(design, where, header)
    margins: dict[tuple[int, ...], dict[Cell, float]] = {}
    for where, cells in rows:
        filled = [(index, cell) for index, cell in zip(places, cells[:-1], strict=True) if cell]
        if not filled:
            raise InputError(where, _("names no choice: fill at least one column before the share"))
        cell = tuple(_read_choice(design, index, choice, where) for index, choice in filled)
        margin = margins.setdefault(tuple(index for index, _choice in filled), {})
        if cell in margin:
            raise InputError(where, _("appears twice: keep one of the two rows"))
        margin[cell] = _read_share(cells[-1], where)
    if not margins:
        raise InputError(name, _("holds no margin: write a row for each choice"))
    _check_pattern_count(design, name, {index for questions in margins for index in questions})
    for questions, shares in margins.items():
        _check_margin(design, name, questions, shares)
    return tuple(margins.items())


def _question_indexes(design: Design, where: str, header: list[str]) -> list[int]:
    if len(header) < 2 or header[-1] != SHARE:
        raise InputError(
            where, _("the columns are one or more questions, then %(share)s"), share=quote_value(SHARE)
        )
    places: list[int] = []
    for column in header[:-1]:
        index = plain_question_index(design, column, where)
        if design.questions[index].show_if:
            raise InputError(
                where,
                _("%(name)s is not shown to everybody: use a question without a show-if rule"),
                name=quote_value(column),
            )
        if index in places:
            raise InputError(where, _("the column %(column)s appears twice"), column=quote_value(column))
        places.append(index)
    return places


def plain_question_index(design: Design, name: str, where: str) -> int:
    """Returns the index of the plain question with this name; raises `InputError`, at the place `where`, if there is
    none."""
    for index, question in enumerate(design.questions):
        if question.name == name:
            if index not in plain_question_indexes(design):
                raise InputError(
                    where,
                    _("%(name)s is sensitive: use a question that is not disguised"),
                    name=quote_value(name),
                )
            return index
    raise InputError(where, _("the design has no question %(name)s"), name=quote_value(name))


def _read_choice(design: Design, index: int, choice: str, where: str) -> int:
    question = design.questions[index]
    if choice not in question.code_names:
        raise InputError(
            where,
            _("%(name)s has no choice %(choice)s"),
            name=quote_value(question.name),
            choice=quote_value(choice),
        )
    return question.code_names.index(choice)


def _read_share(cell: str, where: str) -> float:
    try:
        share = float(cell) if len(cell) <= LONGEST_NUMBER else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InputError(where, _("the share %(share)s is no number from 0 to 1"), share=quote_value(cell))
    return share


def _check_pattern_count(design: Design, name: str, questions: set[int]) -> None:
    patterns = prod(design.questions[index].codes for index in questions)
    if patterns > MOST_PATTERNS:
        raise InputError(
            name,
            _("the questions have %(patterns)s combinations of choices, above %(most)s: leave a column out"),
            patterns=f"{patterns:,}",
            most=f"{MOST_PATTERNS:,}",
        )


def _check_margin(design: Design, name: str, questions: Cell, shares: Mapping[Cell, float]) -> None:
    for cell in product(*(range(design.questions[index].codes) for index in questions)):
        if cell not in shares:
            raise InputError(
                name, _("a row is missing: %(cell)s"), cell=quote_value(cell_name(design, questions, cell))
            )
    total = sum(shares.values())
    if abs(total - 1) > SUM_WITHIN:
        raise InputError(
            name,
            _("the shares of %(margin)s sum to %(total)s, not to 1"),
            margin=quote_value(" × ".join(design.questions[index].name for index in questions)),
            total=f"{total:.6f}",
        )


def cell_name(design: Design, questions: Cell, cell: Cell) -> str:
    """Returns the name of a margin's cell: its items, such as `age=40+ × sex=m`."""
    return " × ".join(item_name(design, item) for item in zip(questions, cell, strict=True))


def margin_cells(
    margin: PopulationMargin, design: Design, questions: tuple[int, ...], codes: NDArray[np.intp]
) -> MarginCells:
    """Returns the margin with the cell of each pattern; `codes` has the choice of each of `questions` in each pattern
    (question by pattern)."""
    asked, shares_of = margin
    sizes = [design.questions[index].codes for index in asked]
    every = list(product(*map(range, sizes)))
    chosen = [codes[questions.index(index)] for index in asked]
    # The combinations come in the order of their numbers.
    number = np.ravel_multi_index(chosen, sizes)
    shares = np.array([shares_of[cell] for cell in every])
    names = tuple(cell_name(design, asked, cell) for cell in every)
    return MarginCells(number, shares / shares.sum(), names)
