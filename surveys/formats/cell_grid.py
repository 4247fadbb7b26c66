"""The cells of a rectangular grid, named as in a spreadsheet."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from privacy.grammar.refusal import Refusal, marked as _
from surveys.formats.geojson.size import MOST_BYTES, bytes_of

MOST_CELLS = 4_096
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class CellGrid(NamedTuple):
    """Cells, and by what all coordinates were multiplied to make their centres integers: 1 or 2."""

    cells: list[dict[str, Any]]
    scale: int


def grid(columns: int, rows: int, origin: tuple[int, int], size: int, names: Sequence[str] = ()) -> CellGrid:
    """Squares with sides of `size`, row by row from the north-west; `origin` is the grid's south-west corner, y north.

    Without `names` they are A1, B1, … with row 1 in the north. Cells whose shapes a question cannot hold (from about
    1,500 on) have none, and only their centres.
    """
    if min(columns, rows, size) < 1:
        raise Refusal("grid", _("has at least one column and one row, and its cells have a size"))
    if columns * rows > MOST_CELLS:
        raise Refusal("grid", _("has more than %(most)s cells"), most=MOST_CELLS)
    if names and len(names) != columns * rows:
        raise Refusal("names", _("as many names as cells are needed: %(cells)s"), cells=columns * rows)
    scale = 1 + size % 2
    west, south, side = origin[0] * scale, origin[1] * scale, size * scale
    found: list[dict[str, Any]] = []
    for row in range(rows):
        for column in range(columns):
            name = names[len(found)] if names else spreadsheet_name(column, row)
            found.append(_cell(name, west + column * side, south + (rows - 1 - row) * side, side))
    if bytes_of([cell["shape"] for cell in found]) > MOST_BYTES:
        for cell in found:
            del cell["shape"]
    return CellGrid(found, scale)


def spreadsheet_name(column: int, row: int) -> str:
    """A1 for the first column and row; AA follows Z."""
    letters, number = "", column + 1
    while number:
        number, letter = divmod(number - 1, len(LETTERS))
        letters = LETTERS[letter] + letters
    return f"{letters}{row + 1}"


def _cell(name: str, west: int, south: int, side: int) -> dict[str, Any]:
    east, north = west + side, south + side
    shape = [west, south, east, south, east, north, west, north]
    return {"name": name, "at": [west + side // 2, south + side // 2], "shape": [shape]}
