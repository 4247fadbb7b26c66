"""The cells of a grid; what the page refuses of one is in tests/importing/test_place_cells.py."""

import json
from decimal import Decimal

import pytest

from privacy.kinds.place.section import MOST_SHAPES
from surveys.kinds.place.cells import Corners, grid_cells, spreadsheet_cell_name


def test_cells_stand_row_by_row_from_the_north_west() -> None:
    found = grid_cells(2, 2, None)
    assert [(cell.name, cell.at) for cell in found] == [
        ("A1", (1, 3)),
        ("B1", (3, 3)),
        ("A2", (1, 1)),
        ("B2", (3, 1)),
    ]
    assert found[3].shape == ((2, 0, 4, 0, 4, 2, 2, 2),)


def test_with_corners_cells_are_in_hundredths_of_a_degree() -> None:
    found = grid_cells(2, 1, Corners(Decimal("-0.5"), Decimal(1), Decimal(0), Decimal("1.1")))
    assert [cell.at for cell in found] == [(102, -25), (107, -25)]
    assert found[1].shape == ((105, -50, 110, -50, 110, 0, 105, 0),)


@pytest.mark.parametrize(
    ("column", "row", "name"),
    [(0, 0, "A1"), (25, 9, "Z10"), (26, 0, "AA1"), (701, 2, "ZZ3"), (702, 0, "AAA1")],
)
def test_columns_have_letters_as_in_a_spreadsheet(column: int, row: int, name: str) -> None:
    assert spreadsheet_cell_name(column, row) == name


def test_a_grid_of_as_many_cells_as_a_place_holds_has_centres_alone() -> None:
    found = grid_cells(64, 64, None)
    assert len({cell.at for cell in found}) == len({cell.name for cell in found}) == 4_096
    assert not any(cell.shape for cell in found)


def test_shapes_fit_into_a_question() -> None:
    found = grid_cells(36, 36, Corners(Decimal(50), Decimal(-10), Decimal(60), Decimal(-1)))
    size = len(json.dumps([cell.shape for cell in found], separators=(",", ":")))
    assert MOST_SHAPES * 0.8 < size <= MOST_SHAPES
