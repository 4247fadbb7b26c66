"""What a cell of an anonymised table stands for, as different tools write it."""

import pytest
from hypothesis import given

from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.risk.cell_parsers import cell_reader, has_overlap
from privacy.anonymity.tables.hierarchies import DateOrder
from privacy.anonymity.tables.specification import QuasiIdentifier, QuasiKind
from tests.privacy.anonymity.sample_tables import outcomes, published_text, specified_widely, values_of_cell
from tests.privacy.questionnaires import refusal

NUMBER = QuasiIdentifier("age", QuasiKind.NUMBER)
ORDERED = QuasiIdentifier("wealth", QuasiKind.ORDERED, ("low", "mid", "high-end"))
TOWN = QuasiIdentifier("town", QuasiKind.CATEGORY, branches=(("North", ("Aa", "Bee")), ("South", ("Cee",))))
CODE = QuasiIdentifier("zip", QuasiKind.CATEGORY)
BIRTH = QuasiIdentifier("birth", QuasiKind.DATE)
DMY = QuasiIdentifier("birth", QuasiKind.DATE, dates=DateOrder.DMY)


def values_that_fit(column: QuasiIdentifier, cell: str, values: str) -> str:
    """Those of the values, separated by spaces, that the cell can stand for."""
    known = cell_reader(column, strict=False)
    shown = cell_reader(column)(cell)
    return " ".join(value for value in values.split() if has_overlap(shown, known(value)))


EVERY = {"age": "-3 20 20.5 30 31", "wealth": "low mid high-end", "town": "Aa Bee Cee Dee"}
CODES, DAYS = "02138 02141 02149 12345", "2020-01-01 2020-03-05 2020-03-31 2020-12-31 2021-01-01"
NUMBERS = {
    "20": "20",
    "20..30": "20 20.5 30",
    "20-30": "20 20.5 30",
    "[20, 30]": "20 20.5 30",
    "[20, 30[": "20 20.5",
    "[20, 30)": "20 20.5",
    "]20, 30]": "20.5 30",
    "(20;30)": "20.5",
    "{20, 30}": "20 30",
    "{-3, 20..30}": "-3 20 20.5 30",
    ">=30": "30 31",
    ">30": "31",
    "≤ 20": "-3 20",
    "<20": "-3",
    "2*": "20 20.5",
    "-3..20": "-3 20",
    "20..": "20 20.5 30 31",
    "..20": "-3 20",
    "+20": "20",
    "* but missing": EVERY["age"],
    "missing": "",
    "*": EVERY["age"],
}
ORDERS = {
    "mid": "mid",
    "low..mid": "low mid",
    "[mid-high-end]": "mid high-end",
    "{low, high-end}": "low high-end",
    "*": EVERY["wealth"],
}
TOWNS = {"Aa": "Aa", "North": "Aa Bee", "{Aa, South}": "Aa Cee", "*": EVERY["town"]}
PREFIXES = {
    "0214*": "02141 02149",
    "021**": "02138 02141 02149",
    "{02138, 0214*}": "02138 02141 02149",
    "02141": "02141",
}
DATES = {
    "2020-03-05": "2020-03-05",
    "2020-03": "2020-03-05 2020-03-31",
    "2020-Q1": "2020-01-01 2020-03-05 2020-03-31",
    "2020": "2020-01-01 2020-03-05 2020-03-31 2020-12-31",
    "2020-Q4..2021": "2020-12-31 2021-01-01",
    "*": DAYS,
}


def test_a_cell_stands_for_values_in_many_ways() -> None:
    """A level stands for the values below it and a star for others too, a prefix for all codes that begin so."""
    for column, values, cells in (
        (NUMBER, EVERY["age"], NUMBERS),
        (ORDERED, EVERY["wealth"], ORDERS),
        (TOWN, EVERY["town"], TOWNS),
        (CODE, CODES, PREFIXES),
        (BIRTH, DAYS, DATES),
        # A register writes dates in the order of the table.
        (DMY, "05.03.2020 03.05.2020", {"2020-03": "05.03.2020"}),
    ):
        assert {cell: values_that_fit(column, cell, values) for cell in cells} == cells
    # A missing value is shown as itself or by a star; an empty cell of a register can be any value.
    missing = {"missing": True, "*": True, "..20": False, "* but missing": False}
    read = cell_reader(NUMBER)
    assert {cell: has_overlap(read("missing"), read(cell)) for cell in missing} == missing
    for column in (NUMBER, ORDERED, TOWN, CODE):
        assert cell_reader(column, strict=False)("") == cell_reader(column)("*")
    for cell in ("9999", "9999-Q4", "9999-12"):  # beyond its last day there is no date
        assert has_overlap(cell_reader(BIRTH)(cell), cell_reader(BIRTH)("9999-12-31")), cell
    for cell in ("20,5", "20,5..30,5", "[20,5, 30,5["):
        assert has_overlap(cell_reader(NUMBER, decimal=",")(cell), ((20.5, 20.5),)), cell


def test_a_cell_that_stands_for_no_value_is_refused() -> None:
    for column, cells in (
        (BIRTH, ("2020-02-30", "2020-Q5", "2021..2020")),
        (NUMBER, ("", "..", "30..20", "about 20", "[20, 30", "{20, x}")),
        (ORDERED, ("mid..low", "none")),
        (TOWN, ("West", "")),
        (CODE, ("02*41",)),
    ):
        said = {cell: refusal(cell_reader(column), cell) for cell in cells}
        assert [cell for cell, words in said.items() if "stands for none of its values" not in words] == []


@pytest.mark.proof
@given(outcomes())
def test_a_published_cell_stands_for_the_values_that_its_class_shows(outcome: AnonymisedTable) -> None:
    lines = [line.split(",") for line in published_text(outcome).splitlines()[1:]]
    columns = zip(specified_widely().quasi_identifiers, outcome.source.quasi, strict=True)
    for at, (said, column) in enumerate(columns):
        for cell in {line[at] for line in lines}:
            assert values_that_fit(said, cell, " ".join(column.texts)).split() == values_of_cell(column, cell)
