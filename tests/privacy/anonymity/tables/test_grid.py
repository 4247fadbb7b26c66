"""Ends of classes are rounded outwards to a grid, and tails are open."""

import io
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import count_range_ends_of_one_person, outcome_from_labels
from privacy.anonymity.information_loss import information_losses
from privacy.anonymity.published_file import measure_published_file, write
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.range_rounding import Grid, GridEnds, build_grid
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from tests.privacy.anonymity.sample_tables import csv_of, specified, table_of
from tests.privacy.anonymity.second_opinion import check


def of(*numbers: str, grid: str, least: int = 1, under: str | None = None, upward: str | None = None) -> Grid:
    values = [Decimal(number) for number in numbers]
    ends = GridEnds(Decimal(grid), under and Decimal(under), upward and Decimal(upward))  # type: ignore[arg-type]
    return build_grid(values, np.ones(len(values), np.int64), ends, least)


def test_whole_numbers_end_before_the_next_point() -> None:
    grid = of("17", "21", "24", "33", "48", grid="5")
    assert [grid.cell_text(1, 2), grid.cell_text(1, 3), grid.cell_text(3, 3)] == [
        "20..24",
        "20..34",
        "30..34",
    ]


def test_other_numbers_end_at_the_next_point() -> None:
    grid = of("0.3", "0.61", "0.99", "2.5", grid="0.5")
    assert grid.cell_text(1, 2) == "0.5..1"


def test_numbers_below_zero_are_rounded_outwards_too() -> None:
    grid = of("-17", "-7", "-3", "4", "12", grid="5")
    assert grid.cell_text(1, 2) == "-10..-1"


def test_a_tail_reaches_inwards_until_enough_people_are_behind_it() -> None:
    # Three people are at most 21, so that the point above them is 25; three are at least 33: the point is 30.
    grid = of("17", "18", "21", "27", "33", "61", "90", grid="5", least=3)
    assert [grid.cell_text(0, 0), grid.cell_text(3, 3), grid.cell_text(6, 6)] == ["..24", "25..29", "30.."]
    assert [grid.cell_text(0, 3), grid.cell_text(3, 6)] == ["..29", "25.."]


def test_a_class_from_tail_to_tail_shows_everything() -> None:
    assert of("17", "21", "33", grid="5").cell_text(0, 2) == EVERYTHING


def test_too_few_people_for_two_tails_show_everything() -> None:
    assert of("17", "21", "33", grid="5", least=3).cell_text(1, 1) == EVERYTHING
    assert of("17", "21", grid="5", least=3).cell_text(0, 0) == EVERYTHING


def test_a_tail_that_is_asked_for_is_at_least_as_wide() -> None:
    grid = of("17", "18", "27", "33", "61", "74", "90", grid="5", under="30", upward="70")
    assert [grid.cell_text(1, 2), grid.cell_text(3, 4), grid.cell_text(5, 6)] == ["..29", "30..64", "70.."]


def test_a_class_costs_what_it_shows() -> None:
    # From 15 to 49 the table shows a span of 34; 20..24 covers 4 of it, and a tail all to the end of the table.
    grid = of("17", "21", "24", "33", "48", grid="5")
    assert grid.ends[2] - grid.begins[1] == pytest.approx(4 / 34)
    assert grid.ends[4] - grid.begins[3] == pytest.approx((49 - 30) / 34)


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
    inside = [
        number
        for number in numbers
        if (not begin or Decimal(begin) <= number)
        and (not (end or not sign) or number <= Decimal(end or begin))
    ]
    assert numbers[low] in inside
    assert numbers[high] in inside
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
    said = specified(quasi_identifiers=[quasi], k=2)
    return table_of([f"{age},poor,Aa,{at % 3}" for at, age in enumerate(AGES)], said), said


def published(table: Table, said: Specification) -> bytes:
    outcome, order = outcome_from_labels(table, LABELS), np.arange(table.records)
    file = io.StringIO(newline="")
    write(file, outcome, order)
    data = file.getvalue().encode()
    check(io.BytesIO(data), "t.csv", outcome, said, order)
    return data


def test_the_ends_of_classes_are_values_of_people_without_a_grid() -> None:
    table, _said = ages()
    assert count_range_ends_of_one_person(outcome_from_labels(table, LABELS)) == {"age": 4}


def test_no_end_is_the_value_of_one_person_on_a_grid() -> None:
    table, said = ages(grid="10")
    assert count_range_ends_of_one_person(outcome_from_labels(table, LABELS)) == {"age": 0}
    rows = published(table, said).decode().splitlines()[1:]
    # Two people are under 30, two at least 50.
    assert {row.split(",")[0] for row in rows} == {"..39", "40.."}


def test_a_grid_of_single_values_hides_nobody() -> None:
    table, _said = ages(grid="1")
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    # Tails of two people: up to 21, and from 52 on. 24, 33, 48 and 49 are ends and each the value of one person.
    assert count_range_ends_of_one_person(outcome_from_labels(table, labels)) == {"age": 4}


def test_the_loss_is_that_of_what_is_shown() -> None:
    table, said = ages(grid="10")
    # 10 to 79 is the range; up to 39 costs 29 / 69, from 40 on 39 / 69.
    found = information_losses(table, said, outcome_from_labels(table, LABELS).partition)
    assert found.ncp == pytest.approx((29 + 39) / 2 / 69)


def test_the_published_report_counts_an_open_end_as_one_step() -> None:
    table, said = ages(grid="10")
    found = measure_published_file(io.BytesIO(published(table, said)), "t.csv", said)
    # ..39 is read as 29..39 and 40.. as 40..50, of the range from 29 to 50.
    assert found["losses"]["columns"]["age"] == pytest.approx(10 / 21)


def test_records_of_one_bin_are_one_point_to_the_search() -> None:
    table, _said = ages(grid="10")
    assert table.quasi[0].bins.tolist() == [0, 0, 0, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(("level", "number"), [("day", 4), ("quarter", 0)])
def test_a_quarter_is_nobodys_date(level: str, number: int) -> None:
    born = {"name": "born", "kind": "date", "level": level}
    said = specified(quasi_identifiers=[born], k=2)
    days = ["1950-02-01", "1955-07-03", "1961-01-30", "1980-12-31"]
    table = read_table(csv_of([f"{day},flu" for day in days], "born,illness"), "t.csv", said)
    assert count_range_ends_of_one_person(outcome_from_labels(table, np.array([0, 0, 1, 1]))) == {
        "born": number
    }
