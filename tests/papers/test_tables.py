"""Tables of the documents: what a column shows of a row."""

from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from django.template.loader import render_to_string

from papers.document_structure import Attribute, Table, cell_text, columns_by_position


@dataclass(frozen=True)
class Spread:
    mean: float = 1234.5678


@dataclass(frozen=True)
class Row:
    records: int = 12_345
    share: float = 0.2535
    fraction: Fraction = Fraction(1, 8)
    below: float = -0.5
    holds: bool = True
    printed: float | None = None
    errors: Spread = field(default_factory=Spread)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("records", "12345"),
        ("records:,", "12,345"),
        ("share", "0.2535"),
        ("share:.1%", "25.4 %"),
        ("fraction", "1/8"),
        ("fraction:.2f", "0.12"),
        ("below", "−0.5"),
        ("holds", "yes"),
        ("printed:.3f", ""),
        ("errors.mean", "1234.6"),
        (lambda row: row.records - 1, "12344"),
    ],
)
def test_a_cell_shows_the_attribute_by_its_format(attribute: Attribute, text: str) -> None:
    assert cell_text(Row(), attribute) == text


def test_a_row_of_a_csv_file_has_texts_that_a_format_reads_as_numbers() -> None:
    row = {"k": "0.20", "rules": "", "estimator": "pooled"}
    assert [cell_text(row, name) for name in ("k:g", "rules:.2f", "estimator")] == ["0.2", "", "pooled"]


def test_a_column_of_numbers_is_numeric_in_its_heading_too() -> None:
    table = Table("title", columns_by_position(["name", "n"]), [["a", 1], ["b", -2]])
    assert table.lines == [
        [("name", False), ("n", True)],
        [("a", False), ("1", True)],
        [("b", False), ("−2", True)],
    ]


@pytest.mark.parametrize(("rows", "folded"), [(12, False), (13, True)])
def test_a_table_of_more_than_twelve_rows_is_folded_away(rows: int, folded: bool) -> None:
    table = Table("title", [("n", 0)], [[number] for number in range(rows)])
    page = render_to_string("papers/table.html", {"table": table})
    assert ("<summary>title</summary>" in page) is folded
    assert page.count("<tr>") == rows + 1
