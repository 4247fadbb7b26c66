"""Values as real tables hold them: missing numbers, dates, exponents, a decimal comma."""

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import outcome_from_labels
from privacy.anonymity.information_loss import information_losses, partition_from_labels
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.lattice import column_hierarchy, level_domains
from privacy.anonymity.searches.tree import TreeSearch
from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import EVERYTHING, MISSING, DateOrder, Level, date_label, read_date
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import QuasiColumn, Table, read_table
from releases.specification.shown_to_source_values import covered_values
from tests.privacy.anonymity.brute import check_published_file
from tests.privacy.anonymity.sample_tables import METHODS, csv_of
from tests.privacy.questionnaires import refusal


def make_specification(*columns: dict[str, Any], **more: Any) -> Specification:
    said = {"format": "candor-release/1", "quasi_identifiers": columns, "k": 1, "seconds": 0, **more}
    return read_specification(json.dumps(said), "spec", METHODS)


def read(text: str, *columns: dict[str, Any], **more: Any) -> Table:
    return read_table(io.BytesIO(text.encode()), "t.csv", make_specification(*columns, **more))


def column_of(cells: list[str], **said: Any) -> QuasiColumn:
    lines = "\n".join(["q;x", *(f'"{cell}";1' for cell in cells)])
    (column,) = read(lines, {"name": "q", **said}, table={"separator": ";"}).quasi
    return column


AGES = ["30", "", "40", "NA", "70"]
AGE = {"name": "age", "kind": "number", "missing": ["", "NA"]}


# --- missing values


def test_missing_cells_of_a_number_are_one_value_of_their_own_behind_the_numbers() -> None:
    column = column_of(AGES, kind="number", missing=["", "NA"])
    assert (column.texts, column.codes.tolist()) == (("30", "40", "70", MISSING), [0, 3, 1, 3, 2])
    assert (column.has_missing, column.is_number) == (True, True)
    # A class of missing ages shows missing and one with other ages shows everything.
    assert [column.cell_text(*of) for of in ((3, 3), (0, 1), (0, 3))] == [MISSING, "30..40", EVERYTHING]
    # Everything costs one whatever the other ages are; 30 to 40 of a range from 30 to 70 is a quarter.
    lows, highs = np.array([0, 0, 2, 3], np.int32), np.array([1, 3, 3, 3], np.int32)
    assert column.penalties(lows, highs).tolist() == [0.25, 1, 1, 0]
    assert [end.tolist() for end in column.shown_code_ranges(lows, highs)] == [[0, 0, 0, 3], [1, 3, 3, 3]]
    # It is a branch of its own where whole columns are generalised.
    hierarchy = column_hierarchy(column)
    assert hierarchy.labels == ("30", "40", "70", MISSING, "* but missing", "30..40", EVERYTHING)
    domains = [sorted(domain.lows.tolist()) for domain in level_domains(hierarchy)]
    assert domains == [[0, 1, 2, 3], [0, 2, 3], [0, 3], [0]]
    # A column in which all is missing has one value.
    column = column_of(["", ""], kind="number", missing=[""])
    assert (column.texts, column.codes.tolist()) == ((MISSING,), [0, 0])


@pytest.mark.proof
def test_the_search_and_the_losses_give_a_missing_value_the_same_price() -> None:
    rows = [f"{age},{at % 2}" for at, age in enumerate(AGES * 3)]
    said = make_specification(AGE, sensitive=["ill"], k=4, max_frequency=None)
    table = read_table(csv_of(rows, "age,ill"), "t.csv", said)
    search = TreeSearch(prepare_kernel_arrays(table, said), 0)
    ncp = information_losses(table, said, partition_from_labels(table, search.labels)).ncp
    assert search.loss == pytest.approx(ncp * table.records)


def test_choices_and_sensitive_cells_may_be_missing_where_the_specification_says_so() -> None:
    said: dict[str, Any] = {"kind": "ordered", "order": ["low", "high"], "missing": ["-99"]}
    column = column_of(["high", "-99"], **said)
    assert (column.texts, column.codes.tolist()) == (("low", "high", MISSING), [1, 2])
    twice = refusal(make_specification, {"name": "q", **said, "order": ["low", MISSING]})
    assert "'missing' appears twice" in twice
    text, quasi = "q,ill\n1,\n2,flu\n", {"name": "q", "kind": "number"}
    table = read(text, quasi, sensitive=[{"name": "ill", "empty": True}], max_frequency=None)
    assert table.sensitive[0].texts == ("", "flu")
    assert "t.csv:2: ill: the cell is empty" in refusal(read, text, quasi, sensitive=["ill"])
    ordered = [{"name": "ill", "empty": True, "order": ["a", "b"]}]
    assert "an empty cell has no place in an order" in refusal(make_specification, quasi, sensitive=ordered)
    only = "only a quasi-identifier of the kind number, date, ordered has it"
    assert only in refusal(make_specification, {"name": "q", "kind": "category", "missing": [""]})


# --- numbers and dates


def test_numbers_are_read_as_programs_write_them() -> None:
    def texts(cell: str, decimal: str) -> tuple[str, ...]:
        layout = {"separator": ";", "decimal": decimal}
        return read(f"q;x\n{cell};1\n", {"name": "q", "kind": "number"}, table=layout).quasi[0].texts

    points = {"+5": "5", "1e3": "1000", "2.5E-1": "0.25", "7.": "7", " 7 ": "7", "007": "007"}
    assert {cell: texts(cell, ".")[0] for cell in points} == points
    assert [texts(cell, ",")[0] for cell in ("0,5", "-,5")] == ["0.5", "-0.5"]
    for cell, decimal in (("0,5", "."), ("1.000,5", ","), ("0.5", ","), ("5+", "."), (".", ".")):
        assert refusal(texts, cell, decimal) == f"t.csv:2: q: '{cell}' is no number"
    # Ways to write one number are one value, written the first way.
    assert column_of(["1.0", "1", "+1", "1e0"], kind="number").texts == ("1.0",)


def test_a_date_is_read_in_its_order_and_shown_at_its_level() -> None:
    for cell, order, level, text in (
        ("2020-03-01", "ymd", "day", "2020-03-01"),
        ("2020-03-01T12:30:05.25+01:00", "ymd", "day", "2020-03-01"),
        ("2020/3/1 9:05", "ymd", "month", "2020-03"),
        ("31.12.1999", "dmy", "quarter", "1999-Q4"),
        ("12/31/1999", "mdy", "year", "1999"),
    ):
        assert column_of([cell], kind="date", dates=order, level=level).texts == (text,), cell
    for cell, words in {
        "31.02.2020": "'31.02.2020' is no day of the calendar",
        "2020-02-03": "'2020-02-03' is no date",
        "1.1.20": "'1.1.20' is no date",
        "": "the cell is empty; say that it means a missing value, or fill it in",
    }.items():
        assert refusal(column_of, ["1.1.2020", cell], kind="date", dates="dmy") == f"t.csv:3: q: {words}"


def test_dates_are_places_on_a_line_of_days_below_months_quarters_and_years() -> None:
    """From the 1st of January 2021 to the 1st of January 2022, 365 days, the 15th of March is day 73."""
    column = column_of(["2022-01-01", "2021-03-15", "2021-01-01", "?"], kind="date", missing=["?"])
    assert column.texts == ("2021-01-01", "2021-03-15", "2022-01-01", MISSING)
    assert column.positions is not None
    assert column.positions.tolist() == [0, 73 / 365, 1, 2]
    days = ["2021-01-01", "2021-01-02", "2021-02-07", "2021-05-01", "2022-12-31"]
    hierarchy = column_hierarchy(column_of(days, kind="date"))
    ends = [[days[low] for low in sorted(domain.lows.tolist())] for domain in level_domains(hierarchy)]
    assert ends == [days, [days[0], *days[2:]], [days[0], *days[3:]], [days[0], days[4]], [days[0]]]


@given(st.dates(), st.sampled_from(Level))
def test_every_date_is_read_back_from_what_it_is_written_as(day: Any, level: Level) -> None:
    assert read_date(day.isoformat(), DateOrder.YMD) == day
    texts = [date_label(day, level)]
    assert hierarchies.build_calendar_hierarchy(texts, "q").labels == (*texts, EVERYTHING)


# --- published and read back

COLUMNS = (AGE, {"name": "born", "kind": "date", "missing": [""]})


@st.composite
def real_tables(draw: st.DrawFn) -> tuple[Table, list[int]]:
    ages = st.sampled_from(["", "NA", "1", "+2", "3e0", "-4.50"])
    days = st.sampled_from(["", "2020-01-01", "2020-02-29", "2021-12-31"])
    rows = draw(st.lists(st.tuples(ages, days, st.sampled_from("ab")), min_size=1, max_size=12))
    text = "\n".join(["age,born,ill", *map(",".join, rows)])
    table = read(text, *COLUMNS, sensitive=["ill"], max_frequency=None)
    return table, draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))


@given(real_tables())
@pytest.mark.proof
def test_what_is_published_of_real_values_is_read_back_and_holds_them(made: tuple[Table, list[int]]) -> None:
    said = make_specification(*COLUMNS, sensitive=["ill"], max_frequency=None)
    text = check_published_file(outcome_from_labels(made[0], np.array(made[1])), said)
    assert 0 <= measure_published_file(io.BytesIO(text.encode()), "f", said)["losses"]["ncp"] <= 1
    for line in text.splitlines()[1:]:
        age, born, _ill = line.split(",")
        for column, cell in zip(said.quasi_identifiers, (age, born), strict=True):
            assert len({"any", "missing", "from"} & set(covered_values(column, cell))) == 1


def test_reading_back_looks_through_a_column_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 3,000 incomes each was looked for among all of them: nine million steps."""
    steps = 0

    class Counting(tuple[str, ...]):
        def __iter__(self) -> Any:
            nonlocal steps
            for text in tuple.__iter__(self):
                steps += 1
                yield text

    texts = Counting(map(str, range(3000)))
    codes = np.arange(3000, dtype=np.int32)
    column = QuasiColumn("q", texts, codes, np.linspace(0, 1, 3000), is_number=True)
    assert column.read_code_ranges(list(texts)).tolist() == [[code, code] for code in codes.tolist()]
    assert steps <= 3 * 3000
