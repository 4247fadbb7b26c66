import json

import pytest

from privacy.grammar.refusal import Refusal
from surveys.formats.cell_grid import grid, spreadsheet_name
from surveys.formats.geojson.size import MOST_BYTES


def test_cells_stand_row_by_row_from_the_north_west() -> None:
    found = grid(2, 2, (10, 20), 4)
    assert found.scale == 1
    assert [(cell["name"], cell["at"]) for cell in found.cells] == [
        ("A1", [12, 26]),
        ("B1", [16, 26]),
        ("A2", [12, 22]),
        ("B2", [16, 22]),
    ]
    assert found.cells[3]["shape"] == [[14, 20, 18, 20, 18, 24, 14, 24]]


def test_an_odd_size_is_doubled_so_that_centres_are_integers() -> None:
    found = grid(2, 1, (1, 2), 3)
    assert found.scale == 2
    assert [cell["at"] for cell in found.cells] == [[5, 7], [11, 7]]
    assert found.cells[1]["shape"] == [[8, 4, 14, 4, 14, 10, 8, 10]]


@pytest.mark.parametrize(
    ("column", "row", "name"),
    [(0, 0, "A1"), (25, 9, "Z10"), (26, 0, "AA1"), (701, 2, "ZZ3"), (702, 0, "AAA1")],
)
def test_columns_have_letters_as_in_a_spreadsheet(column: int, row: int, name: str) -> None:
    assert spreadsheet_name(column, row) == name


def test_names_may_be_given_in_the_order_of_the_cells() -> None:
    assert [cell["name"] for cell in grid(2, 1, (0, 0), 2, ["west", "east"]).cells] == ["west", "east"]


def test_a_grid_of_as_many_cells_as_a_question_holds_has_centres_alone() -> None:
    found = grid(64, 64, (0, 0), 2).cells
    assert len({tuple(cell["at"]) for cell in found}) == len({cell["name"] for cell in found}) == 4_096
    assert not any("shape" in cell for cell in found)


def test_shapes_fit_into_a_question() -> None:
    found = grid(36, 36, (-1_000, 5_000), 10).cells
    size = len(json.dumps([cell["shape"] for cell in found], separators=(",", ":")))
    assert MOST_BYTES * 0.8 < size <= MOST_BYTES


@pytest.mark.parametrize(
    ("columns", "rows", "size", "names", "said"),
    [
        (64, 65, 2, (), "grid: has more than 4096 cells"),
        (0, 5, 2, (), "grid: has at least one column and one row"),
        (5, 5, 0, (), "grid: has at least one column and one row"),
        (2, 2, 2, ("a", "b"), "names: as many names as cells are needed: 4"),
    ],
)
def test_what_is_no_grid_is_refused(
    columns: int, rows: int, size: int, names: tuple[str, ...], said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        grid(columns, rows, (0, 0), size, names)
