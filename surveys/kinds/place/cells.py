"""The cells of a place as a grid or as a list of names; those of a file are read by importing.cells_views."""

from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from string import ascii_uppercase

from django.utils.translation import gettext as _

from privacy.kinds.place.section import FEWEST_CELLS, LAND, MOST_CELLS, MOST_SHAPES, shapes_size
from surveys.kinds.place.draft_question import Cell
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.normal_values import name_of
from ui.numbers import count

PER_DEGREE = 100
"""What the outline of land has."""
SIDE = 2
"""Of a cell of a grid without a map, so that its centre is an integer."""


@dataclass(frozen=True)
class Corners:
    """In degrees, south and west negative."""

    south: Decimal
    west: Decimal
    north: Decimal
    east: Decimal


def grid(columns: int, rows: int, corners: Corners | None) -> list[Cell]:
    """Row by row from the north-west, named as in a spreadsheet. With corners in hundredths of a degree.

    Cells whose shapes a question cannot hold have none.
    """
    if columns * rows > MOST_CELLS:
        words = _("%(columns)s times %(rows)s are %(cells)s cells. A place has at most %(most)s.")
        said = {
            "columns": count(columns),
            "rows": count(rows),
            "cells": count(columns * rows),
            "most": count(MOST_CELLS),
        }
        raise NotAllowed(words % said)
    if columns * rows < FEWEST_CELLS:
        raise NotAllowed(_("A place has at least %(fewest)s cells.") % {"fewest": FEWEST_CELLS})
    xs, ys = _edges(columns, rows, corners)
    made = [
        _rectangle(spreadsheet_name(column, rows - 1 - row), west, south, east, north)
        for row, (south, north) in reversed(list(enumerate(pairwise(ys))))
        for column, (west, east) in enumerate(pairwise(xs))
    ]
    if shapes_size([cell.shape for cell in made], LAND) > MOST_SHAPES:
        return [replace(cell, shape=()) for cell in made]
    return made


def spreadsheet_name(column: int, row: int) -> str:
    """A1 for the first column and row; AA follows Z."""
    letters, number = "", column + 1
    while number:
        number, letter = divmod(number - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return f"{letters}{row + 1}"


def _edges(columns: int, rows: int, corners: Corners | None) -> tuple[list[int], list[int]]:
    if corners is None:
        return list(range(0, SIDE * columns + 1, SIDE)), list(range(0, SIDE * rows + 1, SIDE))
    if corners.east <= corners.west or corners.north <= corners.south:
        raise NotAllowed(_("The north-east corner must lie north and east of the south-west one."))
    xs = _between(corners.west, corners.east, columns)
    ys = _between(corners.south, corners.north, rows)
    if min(above - below for edges in (xs, ys) for below, above in pairwise(edges)) < SIDE:
        raise NotAllowed(
            _("So many cells would be smaller than two hundredths of a degree. Take fewer, or upload a map.")
        )
    return xs, ys


def _between(low: Decimal, high: Decimal, parts: int) -> list[int]:
    return [round(PER_DEGREE * (low + (high - low) * part / parts)) for part in range(parts + 1)]


def _rectangle(name: str, west: int, south: int, east: int, north: int) -> Cell:
    ring = (west, south, east, south, east, north, west, north)
    return Cell(name, at=((west + east) // 2, (south + north) // 2), shape=(ring,))


def listed(text: str) -> list[str]:
    """The names in the lines of a text, as a design allows them; refused where one stands twice."""
    names: list[str] = []
    for row, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name = name_of(line)
        if not name:
            raise NotAllowed(_("Line %(row)s holds no name.") % {"row": row})
        if name in names[:MOST_CELLS]:
            raise NotAllowed(_("Line %(row)s: “%(name)s” appears twice.") % {"row": row, "name": name})
        names.append(name)
        if len(names) > MOST_CELLS:
            raise NotAllowed(_("A place has at most %(most)s cells.") % {"most": count(MOST_CELLS)})
    if len(names) < FEWEST_CELLS:
        raise NotAllowed(_("A place has at least %(fewest)s cells.") % {"fewest": FEWEST_CELLS})
    return names


def in_a_row(names: list[str]) -> list[Cell]:
    return [Cell(name, at=(number, 0)) for number, name in enumerate(names)]
