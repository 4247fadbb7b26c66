"""Reading a table: codes in order, and every wrong cell refused by its place."""

import io

import numpy as np
import pytest

from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from privacy.records.dictionary_encoding import AT_ONCE
from tests.privacy.anonymity.sample_tables import PLAIN, ROWS, csv_of, specified, table_of


def test_codes_are_in_the_order_of_the_values() -> None:
    table = table_of(["31.50,rich,Dee,flu", "-2,poor,Aa,cold", "31.5,middling,Bee,flu"])
    assert table.codes.tolist() == [[1, 2, 3], [0, 0, 0], [1, 1, 1]]
    assert table.quasi[0].texts == ("-2", "31.50")
    assert table.sensitive[0].codes.tolist() == [1, 0, 1]


def test_a_proposed_hierarchy_leaves_numbers_and_ordered_choices_as_they_are() -> None:
    """Methods that need no hierarchy work on positions, whatever the specification names."""
    named = {"age": "intervals", "wealth": "runs"}
    quasi = [
        {**column, "hierarchy": named[column["name"]]} if column["name"] in named else column
        for column in PLAIN["quasi_identifiers"]
    ]
    with_name, without = table_of(quasi_identifiers=quasi), table_of()
    for one, other in zip(with_name.quasi[:2], without.quasi[:2], strict=True):
        assert one.hierarchy is None
        assert (one.codes.tolist(), one.texts) == (other.codes.tolist(), other.texts)
        assert one.positions is not None
        assert other.positions is not None
        assert one.positions.tolist() == other.positions.tolist()


def test_whole_numbers_are_in_the_order_of_their_values_too() -> None:
    rows = [
        "100,rich,Dee,flu",
        "-20,poor,Aa,cold",
        "7,poor,Aa,cold",
        "07,middling,Bee,flu",
        "-0,poor,Bee,flu",
    ]
    age = table_of(rows).quasi[0]
    assert age.texts == ("-20", "-0", "7", "100")
    assert age.codes.tolist() == [3, 0, 2, 2, 1]
    assert age.positions is not None
    assert age.positions.tolist() == pytest.approx([0, 20 / 120, 27 / 120, 1])


def test_columns_that_the_specification_does_not_name_are_dropped() -> None:
    table = read_table(
        csv_of([f"{row},x" for row in ROWS], "age,wealth,town,illness,name"), "t.csv", specified()
    )
    assert [column.name for column in table.quasi] == ["age", "wealth", "town"]
    assert table.other == ()


def test_other_columns_pass() -> None:
    file = csv_of(["x,30,poor,Aa,flu", ",31,rich,Bee,cold"], "note,age,wealth,town,illness")
    assert read_table(file, "t.csv", specified(other=["note"])).other[0].texts == ("", "x")


def test_a_wrong_row_is_refused_by_its_line_and_column(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("thirty,poor,Aa,flu", "t.csv:6: age: 'thirty' is no number"),
        ("nan,poor,Aa,flu", "t.csv:6: age: 'nan' is no number"),
        ("inf,poor,Aa,flu", "t.csv:6: age: 'inf' is no number"),
        ("1e333,poor,Aa,flu", "t.csv:6: age: '1e333' is no number"),
        (",poor,Aa,flu", "t.csv:6: age: the cell is empty; say that it means a missing value, or fill it in"),
        ("30,,Aa,flu", "t.csv:6: wealth: the cell is empty"),
        ("30,starving,Aa,flu", "t.csv:6: wealth: 'starving' is not one of its values"),
        ("30,poor,Eee,flu", "t.csv:6: town: 'Eee' is not one of its values"),
        ("30,poor,*,flu", "t.csv:6: town: '*' has a meaning of its own"),
        ("30,poor,,flu", "t.csv:6: town: the cell is empty"),
        ("30,poor,Aa,", "t.csv:6: illness: the cell is empty"),
        ("30,poor,Aa,fl\u202eu", "t.csv:6: illness: 'fl\\u202eu' holds invisible characters, or is too long"),
        ("30,poor,Aa", "t.csv:6: 3 cells, not 4"),
        ("30,poor,Aa,flu,x", "t.csv:6: 5 cells, not 4"),
        ('30,poor,Aa,"flu', "t.csv:6: not CSV: a quotation mark opens a cell, and none closes it"),
    ]
    for row, said in cases:
        with subtests.test(f"{row!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as refused:
                table_of([*ROWS, row])
            assert str(refused.value) == said


def test_the_first_wrong_cell_of_the_file_is_named() -> None:
    with pytest.raises(InputError, match=r"^t.csv:3: town"):
        table_of([ROWS[0], "30,poor,x,flu", "x,poor,Aa,flu"])


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("age,wealth,town", "t.csv:1: the column 'illness' is missing"),
        (
            "age,age,wealth,town,illness",
            "t.csv:1: the column 'age' appears twice: give each column a name of its own",
        ),
    ],
)
def test_a_wrong_header_is_refused(header: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_table(csv_of(["", ""], header), "t.csv", specified())
    assert str(refused.value) == said


def test_an_identifier_that_is_missing_is_refused() -> None:
    with pytest.raises(InputError, match="the column 'name' is missing"):
        table_of(identifiers=["name"])


def test_other_encodings_and_empty_files_are_refused() -> None:
    for content, said in {
        "age,wealth,town,illness\n30,poor,Aa,fl\xfc\n".encode("latin-1"): "t.csv:2: not UTF-8",
        "age,wealth,town,illness\n".encode("utf-16"): "t.csv:1: not UTF-8",
        b"": "t.csv:1: the line with the names of the columns is missing",
        b"age,wealth,town,illness\n": "t.csv: there are no records",
    }.items():
        with pytest.raises(InputError) as refused:
            read_table(io.BytesIO(content), "t.csv", specified())
        assert str(refused.value) == said


def test_an_empty_cell_is_a_category_where_the_specification_says_so() -> None:
    town = {"name": "town", "kind": "category", "empty": True}
    quasi = [{"name": "age", "kind": "number"}, town]
    table = table_of(["30,poor,,flu", "31,poor,Aa,flu"], quasi_identifiers=quasi)
    assert table.quasi[1].texts == ("", "Aa")


def test_a_cell_marked_for_spreadsheets_is_read_as_its_value() -> None:
    town = {"name": "town", "kind": "category"}
    table = table_of(["30,poor,'=1,flu", "31,poor,=1,flu"], quasi_identifiers=[town])
    assert table.quasi[0].texts == ("=1",)


@pytest.mark.proof
def test_rows_of_three_chunks_are_read_and_a_broken_line_is_named() -> None:
    rows = 3 * AT_ONCE
    names = [f"q{number}" for number in range(7)]
    quasi = [{"name": name, "kind": "category"} for name in names[:4]]
    quasi += [{"name": name, "kind": "number"} for name in names[4:]]
    specification = specified(quasi_identifiers=quasi)
    lines = [f"a{n % 5},b,c{n % 7},d,{n % 90},{n % 1000},{n % 13}.5,flu" for n in range(rows)]
    header = ",".join([*names, "illness"])
    table = read_table(csv_of(lines, header), "t.csv", specification)
    assert table.records == rows
    ages = table.quasi[4]
    assert [ages.texts[code] for code in ages.codes] == [str(n % 90) for n in range(rows)]
    # In the third chunk that is read at once.
    rows = 2 * AT_ONCE + 1
    lines = [*lines[: rows - 1], lines[rows].replace(".5", ".5.5")]
    with pytest.raises(InputError) as refused:
        read_table(csv_of(lines, header), "t.csv", specification)
    assert str(refused.value).startswith(f"t.csv:{rows + 1}: q6: ")


def test_penalties_of_a_class_are_worked_out_by_hand() -> None:
    table = table_of()
    age, wealth, town = table.quasi
    lows, highs = np.array([0, 0, 2], np.int32), np.array([0, 1, 3], np.int32)
    assert age.penalties(lows, highs).tolist() == pytest.approx([0, 1 / 17, 2 / 17])
    assert wealth.penalties(np.array([0]), np.array([1])).tolist() == [0.5]
    assert town.penalties(lows, highs).tolist() == [0, 0.5, 0.5]
    assert town.penalties(np.array([1]), np.array([2])).tolist() == [1]


def test_what_a_class_shows() -> None:
    age, wealth, town = table_of().quasi
    assert [age.cell_text(0, 0), age.cell_text(0, 2), wealth.cell_text(1, 2)] == [
        "30",
        "30..45",
        "middling..rich",
    ]
    assert [town.cell_text(3, 3), town.cell_text(2, 3), town.cell_text(1, 2)] == ["Dee", "South", "*"]
