"""Ends of classes are rounded outwards to a grid, and tails are open."""

import io
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import count_range_ends_of_one_person, outcome_from_labels
from privacy.anonymity.information_loss import information_losses
from privacy.anonymity.published_file import measure_published_file, record_order_by_cells
from privacy.anonymity.risk.cell_parsers import cell_reader
from privacy.anonymity.table_anonymisation import anonymize
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.range_rounding import Grid, GridEnds, build_grid
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity.brute import check_published_file
from tests.privacy.anonymity.sample_tables import csv_of, make_specification, stop_at_once, table_of
from tests.privacy.questionnaires import refusal


def grid_reader(
    grid: float, least: int = 1, under: int | None = None, upward: int | None = None
) -> Callable[[str], Grid]:
    ends = GridEnds(*(None if end is None else Decimal(str(end)) for end in (grid, under, upward)))  # type: ignore[arg-type]

    def build(numbers: str) -> Grid:
        values = [Decimal(number) for number in numbers.split()]
        return build_grid(values, np.ones(len(values), np.int64), ends, least)

    return build


def test_ends_by_hand() -> None:
    every = EVERYTHING
    for numbers, grid, cells in (
        # Whole numbers end before the next point, others at it; those below zero are rounded outwards too.
        ("17 21 24 33 48", grid_reader(5), {(1, 2): "20..24", (1, 3): "20..34", (3, 3): "30..34"}),
        ("0.3 0.61 0.99 2.5", grid_reader(0.5), {(1, 2): "0.5..1"}),
        ("-17 -7 -3 4 12", grid_reader(5), {(1, 2): "-10..-1"}),
        # A tail reaches inwards until enough people are behind it: three people are at most 21, so that the point above
        # them is 25; three are at least 33: the point is 30.
        (
            "17 18 21 27 33 61 90",
            grid_reader(5, 3),
            {(0, 0): "..24", (3, 3): "25..29", (6, 6): "30..", (0, 3): "..29", (3, 6): "25.."},
        ),
        # From tail to tail, or with too few people for two tails, everything is shown.
        ("17 21 33", grid_reader(5), {(0, 2): every}),
        ("17 21 33", grid_reader(5, 3), {(1, 1): every}),
        ("17 21", grid_reader(5, 3), {(0, 0): every}),
        # A tail that is asked for is at least as wide.
        (
            "17 18 27 33 61 74 90",
            grid_reader(5, under=30, upward=70),
            {(1, 2): "..29", (3, 4): "30..64", (5, 6): "70.."},
        ),
    ):
        found = grid(numbers)
        assert {ends: found.cell_text(*ends) for ends in cells} == cells
    # A class costs what it shows: from 15 to 49 the table shows a span of 34; 20..24 covers 4 of it, and a tail all to
    # the end of the table.
    found = grid_reader(5)("17 21 24 33 48")
    assert found.ends[2] - found.begins[1] == pytest.approx(4 / 34)
    assert found.ends[4] - found.begins[3] == pytest.approx((49 - 30) / 34)


@given(
    st.lists(st.decimals(-500, 500, places=1), min_size=1, max_size=30, unique=True).map(sorted),
    st.sampled_from(["0.5", "1", "5", "20"]),
    st.integers(1, 12),
    st.data(),
)
def test_what_is_shown_covers_the_class_and_is_read_back(
    numbers: list[Decimal], step: str, least: int, data: st.DataObject
) -> None:
    grid = build_grid(numbers, np.ones(len(numbers), np.int64), GridEnds(Decimal(step)), least)
    low = data.draw(st.integers(0, len(numbers) - 1))
    high = data.draw(st.integers(low, len(numbers) - 1))
    cell = grid.cell_text(low, high)
    [(first, last)] = grid.read_code_ranges([cell])
    assert first <= low <= high <= last
    begin, sign, end = cell.partition("..") if cell != EVERYTHING else ("", "..", "")
    assert not begin or Decimal(begin) <= numbers[low]
    assert not (end or not sign) or numbers[high] <= Decimal(end or begin)
    for text in (begin, end):
        assert not text or Decimal(text) % Decimal(step) in (0, Decimal(step) - 1, -1)
    # Behind an open end are at least so many people, unless that is everybody.
    if not begin:
        assert sum(number <= numbers[high] for number in numbers) >= 1
        assert last + 1 >= min(least, len(numbers))
    if sign and not end:
        assert len(numbers) - first >= min(least, len(numbers))


# --- in a table -------------------------------------------------------------------------------------------

AGES = ["17", "21", "24", "33", "48", "49", "52", "71"]
LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def ages(**ends: str) -> tuple[Table, Specification]:
    quasi = {"name": "age", "kind": "number", **({"ends": ends} if ends else {})}
    said = make_specification(quasi_identifiers=[quasi], k=2)
    return table_of([f"{age},poor,Aa,{at % 3}" for at, age in enumerate(AGES)], said), said


def ends_of_one_person(table: Table, labels: Sequence[int]) -> int:
    (number,) = count_range_ends_of_one_person(outcome_from_labels(table, np.array(labels))).values()
    return number


def test_ends_of_classes_are_values_of_people_without_a_grid_and_nobodys_on_one() -> None:
    assert ends_of_one_person(ages()[0], LABELS.tolist()) == 4
    table, said = ages(grid="10")
    assert ends_of_one_person(table, LABELS.tolist()) == 0
    outcome = outcome_from_labels(table, LABELS)
    # Two people are under 30, two at least 50.
    text = check_published_file(outcome, said)
    assert {row.split(",")[0] for row in text.splitlines()[1:]} == {"..39", "40.."}
    # 10 to 79 is the range; up to 39 costs 29 / 69, from 40 on 39 / 69.
    assert information_losses(table, said, outcome.partition).ncp == pytest.approx((29 + 39) / 2 / 69)
    # The published report counts an open end as one step: ..39 is read as 29..39 and 40.. as 40..50, of 29 to 50.
    found = measure_published_file(io.BytesIO(text.encode()), "t.csv", said)
    assert found["losses"]["columns"]["age"] == pytest.approx(10 / 21)
    # Records of one bin are one point to the search.
    assert table.quasi[0].bins.tolist() == [0, 0, 0, 1, 2, 2, 3, 3]
    # A grid of single values hides nobody. Tails of two people: up to 21, and from 52 on. 24, 33, 48 and 49 are ends.
    assert ends_of_one_person(ages(grid="1")[0], [0, 0, 0, 1, 1, 2, 2, 2]) == 4


# --- dates: open tails "..1949" and "2024..", with at least k people behind them


def birth_date_specification(k: int = 2, level: str = "year", **changed: Any) -> Specification:
    column = {"name": "born", "kind": "date", "level": level, "missing": [""], "ends": {}, **changed}
    return make_specification(quasi_identifiers=[column], sensitive=[], k=k, seconds=0)


def table_of_dates(dates: list[str], said: Specification) -> Table:
    return read_table(csv_of((date or '""' for date in dates), "born"), "t", said)


def test_a_tail_of_dates_is_open_from_where_it_is_said_or_has_k_people() -> None:
    years = [f"{year}-05-05" for year in (1911, 1925, 1925, 1960, 1970, 1980, 1999, 2024, 2025)]
    under, both = {"under": "1950"}, {"under": "1950", "from": "1990"}
    cases: list[tuple[int, dict[str, str], list[str]]] = [
        (1, {}, ["..1924", "2025.."]),
        (2, {}, ["..1959", "2024.."]),
        (1, under, ["..1949", "2025.."]),
        (2, under, ["..1949", "2024.."]),
        (2, both, ["..1949", "1990.."]),
        (4, under | {"from": "2024"}, ["..1969", "1980.."]),
        (9, {}, ["*", "*"]),
    ]
    for k, ends, shown in cases:
        (column,) = table_of_dates(years, birth_date_specification(k, ends=ends)).quasi
        codes = [column.texts.index(text) for text in ("1911", "2025")]
        assert [column.cell_text(code, code) for code in codes] == shown, (k, ends)
    # The end of an open tail is nobody's day.
    days = ["1950-01-01", "1951-02-03", "1952-03-04", "1960-01-01", "1970-07-07", "1971-01-01", "1972-01-01"]
    table = table_of_dates(days, birth_date_specification(3, level="day"))
    (column,) = table.quasi
    assert [column.cell_text(at, at) for at in (0, 6, 3)] == ["..1959-12-31", "1960-01-02..", "1960-01-01"]
    # One class of all but the tails, another of each tail.
    assert ends_of_one_person(table, [0, 0, 0, 1, 2, 2, 2]) == 1
    # A quarter is nobody's date.
    days = ["1950-02-01", "1955-07-03", "1961-01-30", "1980-12-31"]
    for level, number in (("day", 4), ("quarter", 0)):
        born_at = {"name": "born", "kind": "date", "level": level}
        table = table_of_dates(days, make_specification(quasi_identifiers=[born_at], sensitive=[]))
        assert ends_of_one_person(table, [0, 0, 1, 1]) == number, level


def test_ends_that_are_no_dates_of_the_column_are_refused() -> None:
    date = "must be a date as the column shows it"
    for ends, words in (
        ({"under": "1950-01"}, f"{date}, such as '2024'"),
        ({"from": "soon"}, date),
        ({"from": "0000"}, date),
        ({"under": "1990", "from": "1980"}, "must not be less than 'under'"),
        ({"grid": "5"}, "grid"),
    ):
        assert words in refusal(birth_date_specification, ends=ends), ends


@pytest.mark.proof
@given(
    st.lists(st.dates().map(str) | st.just(""), min_size=6, max_size=30),
    st.sampled_from(["year", "quarter", "month", "day"]),
    st.integers(1, 4),
    st.sampled_from(["tree", "samarati", "datafly"]),
)
def test_the_file_holds_the_table_and_an_open_end_stands_for_whatever_is_further_out(
    dates: list[str], level: str, k: int, method: str
) -> None:
    said = replace(birth_date_specification(k, level), method=method)
    table = table_of_dates(dates, said)
    try:
        outcome = anonymize(table, said, stop_at_once)
    except InputError:
        return
    order = record_order_by_cells(outcome).tolist()
    text = check_published_file(outcome, said, order)
    shown = text.splitlines()[1:]
    (column,), read_cell = table.quasi, cell_reader(said.quasi_identifiers[0])
    for record, cell in zip(order, shown, strict=True):
        (low, high), *_ = read_cell(column.texts[column.codes[record]])
        assert any(begin <= low and high <= end for begin, end in read_cell(cell))
    counts = Counter(shown)
    assert all(count >= k for cell, count in counts.items() if cell.startswith("..") or cell.endswith(".."))
    assert 0 <= measure_published_file(io.BytesIO(text.encode()), "out", said)["losses"]["ncp"] <= 1
