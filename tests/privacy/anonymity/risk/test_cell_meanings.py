"""What a cell of an anonymised table stands for, as different tools write it."""

import pytest
from hypothesis import given

from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.risk.cell_parsers import cell_reader, has_overlap
from privacy.anonymity.tables.hierarchies import DateOrder
from privacy.anonymity.tables.specification import QuasiIdentifier, QuasiKind
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity.sample_tables import written
from tests.privacy.anonymity.strategies import meant, outcomes, specified

NUMBER = QuasiIdentifier("age", QuasiKind.NUMBER)
ORDERED = QuasiIdentifier("wealth", QuasiKind.ORDERED, ("low", "mid", "high-end"))
TOWN = QuasiIdentifier("town", QuasiKind.CATEGORY, branches=(("North", ("Aa", "Bee")), ("South", ("Cee",))))
CODE = QuasiIdentifier("zip", QuasiKind.CATEGORY)
BIRTH = QuasiIdentifier("birth", QuasiKind.DATE)
DMY = QuasiIdentifier("birth", QuasiKind.DATE, dates=DateOrder.DMY)


def fitting(column: QuasiIdentifier, cell: str, values: str) -> str:
    """Those of the values, separated by spaces, that the cell can stand for."""
    known = cell_reader(column, strict=False)
    shown = cell_reader(column)(cell)
    return " ".join(value for value in values.split() if has_overlap(shown, known(value)))


def test_a_number_is_shown_in_many_ways(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("20", "20"),
        ("20..30", "20 20.5 30"),
        ("20-30", "20 20.5 30"),
        ("[20, 30]", "20 20.5 30"),
        ("[20, 30[", "20 20.5"),
        ("[20, 30)", "20 20.5"),
        ("]20, 30]", "20.5 30"),
        ("(20;30)", "20.5"),
        ("{20, 30}", "20 30"),
        ("{-3, 20..30}", "-3 20 20.5 30"),
        (">=30", "30 31"),
        (">30", "31"),
        ("≤ 20", "-3 20"),
        ("<20", "-3"),
        ("2*", "20 20.5"),
        ("-3..20", "-3 20"),
        ("20..", "20 20.5 30 31"),
        ("..20", "-3 20"),
        ("+20", "20"),
        ("* but missing", "-3 20 20.5 30 31"),
        ("missing", ""),
        ("*", "-3 20 20.5 30 31"),
    ]
    for cell, values in cases:
        with subtests.test(f"{cell!r:.60} {values!r:.60}"):
            assert fitting(NUMBER, cell, "-3 20 20.5 30 31") == values


def test_an_ordered_value_is_shown_in_many_ways(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("mid", "mid"),
        ("low..mid", "low mid"),
        ("[mid-high-end]", "mid high-end"),
        ("{low, high-end}", "low high-end"),
        ("*", "low mid high-end"),
    ]
    for cell, values in cases:
        with subtests.test(f"{cell!r:.60} {values!r:.60}"):
            assert fitting(ORDERED, cell, "low mid high-end") == values


def test_a_level_stands_for_the_values_below_it_and_a_star_for_others_too(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("Aa", "Aa"),
        ("North", "Aa Bee"),
        ("{Aa, South}", "Aa Cee"),
        ("*", "Aa Bee Cee Dee"),
    ]
    for cell, values in cases:
        with subtests.test(f"{cell!r:.60} {values!r:.60}"):
            assert fitting(TOWN, cell, "Aa Bee Cee Dee") == values


def test_a_prefix_stands_for_all_codes_that_begin_so(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("0214*", "02141 02149"),
        ("021**", "02138 02141 02149"),
        ("{02138, 0214*}", "02138 02141 02149"),
        ("02141", "02141"),
    ]
    for cell, values in cases:
        with subtests.test(f"{cell!r:.60} {values!r:.60}"):
            assert fitting(CODE, cell, "02138 02141 02149 12345") == values


def test_a_date_is_shown_by_day_month_quarter_and_year(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("2020-03-05", "2020-03-05"),
        ("2020-03", "2020-03-05 2020-03-31"),
        ("2020-Q1", "2020-01-01 2020-03-05 2020-03-31"),
        ("2020", "2020-01-01 2020-03-05 2020-03-31 2020-12-31"),
        ("2020-Q4..2021", "2020-12-31 2021-01-01"),
        ("*", "2020-01-01 2020-03-05 2020-03-31 2020-12-31 2021-01-01"),
    ]
    for cell, values in cases:
        with subtests.test(f"{cell!r:.60} {values!r:.60}"):
            days = "2020-01-01 2020-03-05 2020-03-31 2020-12-31 2021-01-01"
            assert fitting(BIRTH, cell, days) == values


def test_a_register_writes_dates_in_the_order_of_the_table() -> None:
    assert fitting(DMY, "2020-03", "05.03.2020 03.05.2020") == "05.03.2020"


def test_a_missing_value_is_shown_as_itself_or_by_a_star() -> None:
    missing = cell_reader(NUMBER)("missing")
    shown = {
        cell: has_overlap(missing, cell_reader(NUMBER)(cell))
        for cell in ("missing", "*", "..20", "* but missing")
    }
    assert shown == {"missing": True, "*": True, "..20": False, "* but missing": False}


def test_a_decimal_comma_is_read_where_the_file_has_one(subtests: pytest.Subtests) -> None:
    for cell in ["20,5", "20,5..30,5", "[20,5, 30,5["]:
        with subtests.test(f"{cell}"):
            assert has_overlap(cell_reader(NUMBER, decimal=",")(cell), ((20.5, 20.5),))


def test_a_cell_that_stands_for_no_value_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[QuasiIdentifier, str]] = [
        (BIRTH, "2020-02-30"),
        (BIRTH, "2020-Q5"),
        (BIRTH, "2021..2020"),
        (NUMBER, ""),
        (NUMBER, ".."),
        (NUMBER, "30..20"),
        (NUMBER, "about 20"),
        (NUMBER, "[20, 30"),
        (NUMBER, "{20, x}"),
        (ORDERED, "mid..low"),
        (ORDERED, "none"),
        (TOWN, "West"),
        (TOWN, ""),
        (CODE, "02*41"),
    ]
    for column, cell in cases:
        with (
            subtests.test(f"{column!r:.60} {cell!r:.60}"),
            pytest.raises(InputError, match="stands for none of its values"),
        ):
            cell_reader(column)(cell)


def test_an_empty_cell_of_a_register_can_be_any_value(subtests: pytest.Subtests) -> None:
    cases: list[QuasiIdentifier] = [NUMBER, ORDERED, TOWN, CODE]
    for column in cases:
        with subtests.test(f"{column!r:.60}"):
            assert cell_reader(column, strict=False)("") == cell_reader(column)("*")


@pytest.mark.proof
@given(outcomes())
def test_a_published_cell_stands_for_the_values_that_its_class_shows(outcome: AnonymisedTable) -> None:
    lines = [line.split(",") for line in written(outcome).splitlines()[1:]]
    for at, (said, column) in enumerate(
        zip(specified().quasi_identifiers, outcome.source.quasi, strict=True)
    ):
        for cell in {line[at] for line in lines}:
            assert fitting(said, cell, " ".join(column.texts)).split() == meant(column, cell)
