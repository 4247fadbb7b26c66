"""Cells of a map: made as a grid or from a list of names, and the form field for the cells of a region.

importing.place_cells_views reads cells from a file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from privacy.kinds.place.section import FEWEST_CELLS, LAND, MOST_CELLS, MOST_SHAPES, count_shape_bytes
from surveys.kinds.place.draft import Cell, PlaceDraftQuestion, label_or_name
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.value_normalization import normal_name
from ui.number_format import format_count

PER_DEGREE = 100
"""Units of the coordinates per degree of the map, as in the outline of land."""
SIDE = 2
"""Side of a grid cell without a map, in units of coordinates; even, so that its centre is an integer."""
MOST_TICKS = 1_024
"""Highest number of checkboxes (cells times regions): with thousands a page is slow to load, to read aloud
and to save."""


@dataclass(frozen=True)
class Corners:
    """Corners of a map in degrees; south and west are negative."""

    south: Decimal
    west: Decimal
    north: Decimal
    east: Decimal


def grid_cells(columns: int, rows: int, corners: Corners | None) -> list[Cell]:
    """Returns the cells of a grid row by row from the north-west, named as in a spreadsheet; `corners` are in degrees.

    Refused if there are too few or too many cells, or if they would be too small. Cells have no shapes if the shapes
    would exceed the size limit of a question.
    """
    if columns * rows > MOST_CELLS:
        words = _("%(columns)s times %(rows)s are %(cells)s cells. A place has at most %(most)s.")
        numbers = {"columns": columns, "rows": rows, "cells": columns * rows, "most": MOST_CELLS}
        raise NotAllowed(words % {key: format_count(number) for key, number in numbers.items()})
    _require_enough_cells(columns * rows)
    xs: Sequence[int] = range(0, SIDE * columns + 1, SIDE)
    ys: Sequence[int] = range(0, SIDE * rows + 1, SIDE)
    if corners is not None:
        if corners.east <= corners.west or corners.north <= corners.south:
            raise NotAllowed(_("The north-east corner must lie north and east of the south-west one."))
        xs = _grid_lines(corners.west, corners.east, columns)
        ys = _grid_lines(corners.south, corners.north, rows)
    cells = []
    for row, (south, north) in reversed(list(enumerate(pairwise(ys)))):
        for column, (west, east) in enumerate(pairwise(xs)):
            ring = (west, south, east, south, east, north, west, north)
            middle = ((west + east) // 2, (south + north) // 2)
            cells.append(Cell(spreadsheet_cell_name(column, rows - 1 - row), at=middle, shape=(ring,)))
    if count_shape_bytes([cell.shape for cell in cells], LAND) > MOST_SHAPES:
        return [replace(cell, shape=()) for cell in cells]
    return cells


def spreadsheet_cell_name(column: int, row: int) -> str:
    """Returns the name of a cell as in a spreadsheet: A1 for the first column and row; AA follows Z."""
    letters, number = "", column + 1
    while number:
        number, letter = divmod(number - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return f"{letters}{row + 1}"


def _grid_lines(low: Decimal, high: Decimal, parts: int) -> Sequence[int]:
    """Returns the borders of the columns or rows of a grid, in hundredths of a degree; refused if they are too
    close."""
    edges = [round(PER_DEGREE * (low + (high - low) * part / parts)) for part in range(parts + 1)]
    if min(above - below for below, above in pairwise(edges)) < SIDE:
        raise NotAllowed(
            _("So many cells would be smaller than two hundredths of a degree. Take fewer, or upload a map.")
        )
    return edges


def read_names_by_line(text: str) -> list[str]:
    """Reads the names of cells, one per line; refused if a name appears twice, or if there are too few or too many."""
    names: list[str] = []
    for row, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name = normal_name(line)
        if not name:
            raise NotAllowed(_("Line %(row)s holds no name.") % {"row": row})
        if name in names[:MOST_CELLS]:
            raise NotAllowed(_("Line %(row)s: “%(name)s” appears twice.") % {"row": row, "name": name})
        names.append(name)
        if len(names) > MOST_CELLS:
            raise NotAllowed(_("A place has at most %(most)s cells.") % {"most": format_count(MOST_CELLS)})
    _require_enough_cells(len(names))
    return names


def _require_enough_cells(cells: int) -> None:
    if cells < FEWEST_CELLS:
        raise NotAllowed(_("A place has at least %(fewest)s cells.") % {"fewest": FEWEST_CELLS})


def cells_in_a_row(names: list[str]) -> list[Cell]:
    """Returns cells with these names in one row, for a place without a map."""
    return [Cell(name, at=(number, 0)) for number, name in enumerate(names)]


def region_cells_field(question: PlaceDraftQuestion, label: str, language: str) -> forms.Field:
    """Returns the form field for the cells of a region, whose value is a list of names.

    Checkboxes, or a text field if there would be too many.
    """
    if len(question.cells) * len(question.regions) > MOST_TICKS:
        return CellNamesField(question.cells, label)
    choices = [(cell.name, label_or_name(cell, language)) for cell in question.cells]
    return forms.MultipleChoiceField(
        label=label, required=False, choices=choices, widget=forms.CheckboxSelectMultiple
    )


class CellNamesField(forms.CharField):
    """Text field with one cell name per line, or two names with a colon for the rectangle between them."""

    def __init__(self, cells: Sequence[Cell], label: str) -> None:
        hint = _("One name per line. Two names with a colon, such as A1:C4, mean the rectangle between them.")
        widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"})
        super().__init__(label=label, help_text=hint, required=False, max_length=500_000, widget=widget)
        self.points = {cell.name: cell.at for cell in cells}

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        cells: dict[str, None] = {}
        for row, line in enumerate(str(value or "").splitlines(), 1):
            if name := line.strip():
                cells |= dict.fromkeys(self._cells_of_line(name, row))
        return list(cells)

    def _cells_of_line(self, line: str, row: int) -> Iterator[str]:
        if line in self.points:
            yield line
            return
        first, _colon, second = (name.strip() for name in line.partition(":"))
        for name in (first, second or first):
            if name not in self.points:
                message = _("Line %(row)s: no cell is called “%(name)s”.")
                raise ValidationError(message % {"row": row, "name": name})
        (x1, y1), (x2, y2) = self.points[first], self.points[second]
        for name, (x, y) in self.points.items():
            if min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2):
                yield name
