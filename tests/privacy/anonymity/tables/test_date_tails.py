"""Open tails of dates: "..1949" and "2024..", with at least k people behind them."""

import io
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import count_range_ends_of_one_person, outcome_from_labels
from privacy.anonymity.methods import METHODS, anonymize
from privacy.anonymity.published_file import measure_published_file, sort_rows_by_cells, write
from privacy.anonymity.risk.cell_parsers import cell_reader
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import kernels
from tests.privacy.anonymity.second_opinion import check

pytestmark = pytest.mark.proof


def specified(k: int = 2, level: str = "year", **changed: Any) -> Specification:
    born = {"name": "born", "kind": "date", "level": level, "missing": [""], "ends": {}, **changed}
    document = {"format": "candor-release/1", "quasi_identifiers": [born], "k": k, "seconds": 0}
    return read_specification(json.dumps(document), "spec", frozenset(METHODS))


def read(dates: list[str], said: Specification) -> Table:
    return read_table(
        io.BytesIO("\n".join(["born", *(date or '""' for date in dates), ""]).encode()), "t", said
    )


YEARS = [f"{year}-05-05" for year in (1911, 1925, 1925, 1960, 1970, 1980, 1999, 2024, 2025)]


def test_a_tail_is_open_from_where_it_is_said_or_has_k_people(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, dict[str, str], str, str]] = [
        (1, {}, "..1924", "2025.."),
        (2, {}, "..1959", "2024.."),
        (2, {"under": "1950"}, "..1949", "2024.."),
        (2, {"under": "1950", "from": "1990"}, "..1949", "1990.."),
        (4, {"under": "1950", "from": "2024"}, "..1969", "1980.."),
        (9, {}, "*", "*"),
    ]
    for k, ends, first, last in cases:
        with subtests.test(f"{k!r:.60} {ends!r:.60}"):
            (column,) = read(YEARS, specified(k, ends=ends)).quasi
            codes = [column.texts.index(text) for text in ("1911", "2025")]
            assert [column.cell_text(code, code) for code in codes] == [first, last]


def test_the_end_of_an_open_tail_is_nobodys_day() -> None:
    said = specified(3, level="day")
    days = ["1950-01-01", "1951-02-03", "1952-03-04", "1960-01-01", "1970-07-07", "1971-01-01", "1972-01-01"]
    table = read(days, said)
    (column,) = table.quasi
    assert (column.cell_text(0, 0), column.cell_text(6, 6)) == ("..1959-12-31", "1960-01-02..")
    assert column.cell_text(3, 3) == "1960-01-01"
    # One class of all but the tails, another of each tail.
    labels = [0, 0, 0, 1, 2, 2, 2]
    assert count_range_ends_of_one_person(outcome_from_labels(table, np.array(labels))) == {"born": 1}


def test_ends_that_are_no_dates_of_the_column_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({"under": "1950-01"}, "must be a date as the column shows it, such as '2024'"),
        ({"from": "soon"}, "must be a date as the column shows it"),
        ({"from": "0000"}, "must be a date as the column shows it"),
        ({"under": "1990", "from": "1980"}, "must not be less than 'under'"),
        ({"grid": "5"}, "grid"),
    ]
    for ends, words in cases:
        with subtests.test(f"{ends!r:.60} {words!r:.60}"), pytest.raises(InputError, match=words):
            specified(ends=ends)


@given(
    st.lists(st.dates().map(str) | st.just(""), min_size=6, max_size=30),
    st.sampled_from(["year", "quarter", "month", "day"]),
    st.integers(1, 4),
    st.sampled_from(["tree", "samarati", "datafly"]),
)
def test_the_file_holds_the_table_and_an_open_end_stands_for_whatever_is_further_out(
    dates: list[str], level: str, k: int, method: str
) -> None:
    said = replace(specified(k, level), method=method)
    table = read(dates, said)
    try:
        outcome = anonymize(table, said, kernels.stop)
    except InputError:
        return
    order, file = sort_rows_by_cells(outcome), io.StringIO()
    write(file, outcome, order)
    published = file.getvalue().encode()
    check(io.BytesIO(published), "out", outcome, said, order)
    shown = file.getvalue().splitlines()[1:]
    (column,), read_cell = table.quasi, cell_reader(said.quasi_identifiers[0])
    for record, cell in zip(order.tolist(), shown, strict=True):
        (low, high), *_ = read_cell(column.texts[column.codes[record]])
        assert any(begin <= low and high <= end for begin, end in read_cell(cell))
    counts = Counter(shown)
    assert all(count >= k for cell, count in counts.items() if cell.startswith("..") or cell.endswith(".."))
    assert 0 <= measure_published_file(io.BytesIO(published), "out", said)["losses"]["ncp"] <= 1
