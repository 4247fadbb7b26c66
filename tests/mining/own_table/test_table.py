"""Reading one's own table: columns of few values as codes, and a way out in every refusal."""

import pytest

from mining.own_table.table import MISSING, MOST_ROWS, Column, OwnTable, read_own_table
from privacy.grammar.input_error import InputError

ROWS = "\n".join(f"{'yes' if row % 3 == 0 else 'no'},{row % 4},{row},same" for row in range(120))


def read(text: str, wanted: tuple[str, ...] = ()) -> OwnTable:
    return read_own_table(text.encode(), "own.csv", wanted=wanted)


def test_columns_of_few_values_become_codes_in_order() -> None:
    table = read("theft,children,number,country\n" + ROWS)
    assert table.columns == (Column("theft", ("no", "yes")), Column("children", ("0", "1", "2", "3")))
    assert table.codes[:, :4].tolist() == [[1, 0, 0, 1], [0, 1, 2, 3]]
    assert [(column.name, column.template % column.numbers) for column in table.omitted] == [
        ("number", "has more than 12 different values: write them as classes"),
        ("country", "has the same value in every row"),
    ]
    assert (table.rows, table.incomplete) == (120, 0)


def test_words_of_yes_and_no_are_recognised(subtests: pytest.Subtests) -> None:
    for pair in ["no yes", "N Y", "False True", "0 1", "0.0 1.0", "nein ja", "否 是"]:
        with subtests.test(f"{pair}"):
            no, yes = pair.split()
            table = read("a\n" + f"{yes}\n{no}\n" * 60)
            assert table.columns[0].is_yes_no
            assert table.codes[0, :2].tolist() == [1, 0]


def test_rows_with_a_missing_cell_are_left_out() -> None:
    table = read("a,b\n" + "yes, x\nno,y\nNA,x\nyes,y \n" * 50)
    assert (table.rows, table.incomplete) == (150, 50)
    assert MISSING not in table.codes
    assert table.columns[1].values == ("x", "y")


def test_a_column_that_is_mostly_empty_does_not_empty_the_table() -> None:
    table = read("a,b\n" + "yes,\nno,\nno,1\nyes,0\nno,\n" * 30)
    assert [column.name for column in table.columns] == ["a"]
    assert table.omitted[0].template % table.omitted[0].numbers == "is empty in 90 of 150 rows"
    assert table.rows == 150


def test_a_column_of_long_values_is_left_out() -> None:
    table = read("a,b\n" + f"yes,{'x' * 101}\nno,y\n" * 60)
    assert [column.name for column in table.columns] == ["a"]
    assert "a value of more than 100 characters" in table.omitted[0].template % table.omitted[0].numbers


def test_named_columns_are_used_alone() -> None:
    assert [
        column.name for column in read("theft,children,number,country\n" + ROWS, ("children",)).columns
    ] == ["children"]


TWO = "a,b\n" + "yes,no\nno,yes\n" * 60
REFUSED = {
    "": "line with the names of the columns is missing",
    "a,b\n": "0 rows below the names of the columns",
    "a,b\nyes,no\n": "1 rows below the names of the columns, and nothing can be estimated from fewer than 100",
    "a,a\n" + "1,2\n" * 200: "appears twice: give each column a name of its own",
    "a,b\n" + "1,x\n" * 200: "no column has two to 12 different values: write numbers as classes",
    "a\n" + "\n".join(map(str, range(200))): "no column has two to 12 different values",
    ",".join(f"c{n}" for n in range(501))
    + "\n": "501 columns, more than 500: save the table with the columns of",
    ",".join(f"c{n}" for n in range(41))
    + "\n"
    + "\n".join(",".join(str((row + n) % 2) for n in range(41)) for row in range(100)): (
        "41 columns can be disguised, more than 40: name those of interest"
    ),
    "a,b\n" + "yes,\n,no\nno,\n,yes\n" * 60: "0 rows have a value in every column",
    "a\n" + "yes\nno\n" * (MOST_ROWS // 2 + 1): "more than 200000 rows: save a random sample of them",
}


def test_bad_input_is_refused_with_the_way_out() -> None:
    wrong = {}
    for text, reason in REFUSED.items():
        with pytest.raises(InputError) as refusal:
            read(text)
        if reason not in str(refusal.value):
            wrong[reason] = str(refusal.value)
    assert not wrong


def test_a_name_that_no_column_has_is_refused() -> None:
    with pytest.raises(InputError, match="there is no column c: name columns as the first line does"):
        read(TWO, ("a", "c"))
