"""Rows of CSV end in a line feed, and a cell with any line end is quoted in every version of Python."""

import csv
import io

import pytest
from hypothesis import given, strategies as st

from privacy.records.csv_writer import csv_writer
from tests.product import files


def csv_text(*rows: list[str]) -> str:
    text = io.StringIO(newline="")
    csv_writer(text).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (["a", "1"], "a,1\n"),
        (["a\rb", "c"], '"a\rb",c\n'),
        (["a\r\nb", "c\n"], '"a\r\nb","c\n"\n'),
        (['say "x"', "a,b", " c "], '"say ""x""","a,b", c \n'),
        ([""], '""\n'),
        (["", "\r"], ',"\r"\n'),
    ],
)
def test_csv_row_is_written_with_the_expected_quotes(row: list[str], line: str) -> None:
    assert csv_text(row) == line


@given(st.lists(st.lists(st.text('a,"\r\n ;é', max_size=5), min_size=2, max_size=2), max_size=4))
def test_csv_rows_survive_a_round_trip(rows: list[list[str]]) -> None:
    assert list(csv.reader(io.StringIO(csv_text(*rows), newline=""), strict=True)) == rows


def test_only_one_module_writes_csv_row_ends() -> None:
    mine = [path.name for path in files(".py") if 'lineterminator="' in path.read_text(encoding="utf-8")]
    assert mine == [
        "tsv_writer.py",
        "csv_writer.py",
    ]  # the former ends them as this one does before it cuts them
