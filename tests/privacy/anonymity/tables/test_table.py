"""Reading a table: codes in order, and every wrong cell refused by its place."""

import io

import numpy as np
import pytest

from privacy.anonymity.tables.table import read_table
from privacy.records.dictionary_encoding import AT_ONCE
from tests.privacy.anonymity.sample_tables import PLAIN, ROWS, csv_of, make_specification, table_of
from tests.privacy.questionnaires import refusal


def test_codes_are_in_the_order_of_the_values() -> None:
    table = table_of(["31.50,rich,Dee,flu", "-2,poor,Aa,cold", "31.5,middling,Bee,flu"])
    assert table.codes.tolist() == [[1, 2, 3], [0, 0, 0], [1, 1, 1]]
    assert table.quasi[0].texts == ("-2", "31.50")
    assert table.sensitive[0].codes.tolist() == [1, 0, 1]
    # Whole numbers too.
    age = table_of([f"{age},poor,Aa,flu" for age in ("100", "-20", "7", "07", "-0")]).quasi[0]
    assert (age.texts, age.codes.tolist()) == (("-20", "-0", "7", "100"), [3, 0, 2, 2, 1])
    assert age.positions is not None
    assert age.positions.tolist() == pytest.approx([0, 20 / 120, 27 / 120, 1])


def test_a_proposed_hierarchy_leaves_numbers_and_ordered_choices_as_they_are() -> None:
    """Methods that need no hierarchy work on positions, whatever the specification names."""
    age, wealth, town = PLAIN["quasi_identifiers"]
    quasi = [{**age, "hierarchy": "intervals"}, {**wealth, "hierarchy": "runs"}, town]
    with_name, without = table_of(quasi_identifiers=quasi), table_of()
    for one, other in zip(with_name.quasi[:2], without.quasi[:2], strict=True):
        assert one.hierarchy is None
        assert (one.codes.tolist(), one.texts) == (other.codes.tolist(), other.texts)
        assert one.positions is not None
        assert other.positions is not None
        assert one.positions.tolist() == other.positions.tolist()


def test_other_columns_pass_where_they_are_named_and_are_dropped_else() -> None:
    rows, header = [f"{row},x" for row in ROWS], "age,wealth,town,illness,name"
    table = read_table(csv_of(rows, header), "t.csv", make_specification())
    assert ([column.name for column in table.quasi], table.other) == (["age", "wealth", "town"], ())
    file = csv_of(["x,30,poor,Aa,flu", ",31,rich,Bee,cold"], f"note,{header[:-5]}")
    assert read_table(file, "t.csv", make_specification(other=["note"])).other[0].texts == ("", "x")


def test_a_wrong_row_header_or_file_is_refused_by_its_line_and_column() -> None:
    rows = {
        **{f"{of},poor,Aa,flu": f"age: '{of}' is no number" for of in ("thirty", "nan", "inf", "1e333")},
        ",poor,Aa,flu": "age: the cell is empty; say that it means a missing value, or fill it in",
        "30,,Aa,flu": "wealth: the cell is empty",
        "30,starving,Aa,flu": "wealth: 'starving' is not one of its values",
        "30,poor,Eee,flu": "town: 'Eee' is not one of its values",
        "30,poor,*,flu": "town: '*' has a meaning of its own",
        "30,poor,,flu": "town: the cell is empty",
        "30,poor,Aa,": "illness: the cell is empty",
        "30,poor,Aa,fl\u202eu": "illness: 'fl\\u202eu' holds invisible characters, or is too long",
        "30,poor,Aa": "3 cells, not 4",
        "30,poor,Aa,flu,x": "5 cells, not 4",
        '30,poor,Aa,"flu': "not CSV: a quotation mark opens a cell, and none closes it",
    }
    assert {row: refusal(table_of, [*ROWS, row]).removeprefix("t.csv:6: ") for row in rows} == rows
    # The first wrong cell of the file is named.
    assert refusal(table_of, [ROWS[0], "30,poor,x,flu", "x,poor,Aa,flu"]).startswith("t.csv:3: town")
    header = "age,wealth,town,illness"
    twice = "t.csv:1: the column 'age' appears twice: give each column a name of its own"
    for content, said in {
        b"age,wealth,town\n\n\n": "t.csv:1: the column 'illness' is missing",
        f"age,{header}\n\n\n".encode(): twice,
        f"{header}\n30,poor,Aa,fl\xfc\n".encode("latin-1"): "t.csv:2: not UTF-8",
        f"{header}\n".encode("utf-16"): "t.csv:1: not UTF-8",
        b"": "t.csv:1: the line with the names of the columns is missing",
        f"{header}\n".encode(): "t.csv: there are no records",
    }.items():
        assert refusal(read_table, io.BytesIO(content), "t.csv", make_specification()) == said
    assert "the column 'name' is missing" in refusal(table_of, identifiers=["name"])


def test_an_empty_cell_is_a_category_where_it_may_be_and_a_cell_marked_for_spreadsheets_its_value() -> None:
    for rows, more, texts in (
        (["30,poor,,flu", "31,poor,Aa,flu"], {"empty": True}, ("", "Aa")),
        (["30,poor,'=1,flu", "31,poor,=1,flu"], {}, ("=1",)),
    ):
        town = {"name": "town", "kind": "category", **more}
        assert table_of(rows, quasi_identifiers=[town]).quasi[0].texts == texts


@pytest.mark.proof
def test_rows_of_three_chunks_are_read_and_a_broken_line_is_named() -> None:
    rows = 3 * AT_ONCE
    names = [f"q{number}" for number in range(7)]
    quasi = [{"name": name, "kind": "category"} for name in names[:4]]
    quasi += [{"name": name, "kind": "number"} for name in names[4:]]
    specification = make_specification(quasi_identifiers=quasi)
    lines = [f"a{n % 5},b,c{n % 7},d,{n % 90},{n % 1000},{n % 13}.5,flu" for n in range(rows)]
    header = ",".join([*names, "illness"])
    table = read_table(csv_of(lines, header), "t.csv", specification)
    assert table.records == rows
    ages = table.quasi[4]
    assert [ages.texts[code] for code in ages.codes] == [str(n % 90) for n in range(rows)]
    # In the third chunk that is read at once.
    rows = 2 * AT_ONCE + 1
    lines = [*lines[: rows - 1], lines[rows].replace(".5", ".5.5")]
    said = refusal(read_table, csv_of(lines, header), "t.csv", specification)
    assert said.startswith(f"t.csv:{rows + 1}: q6: ")


def test_what_a_class_shows_and_its_penalties_by_hand() -> None:
    age, wealth, town = table_of().quasi
    lows, highs = np.array([0, 0, 2], np.int32), np.array([0, 1, 3], np.int32)
    assert age.penalties(lows, highs).tolist() == pytest.approx([0, 1 / 17, 2 / 17])
    assert wealth.penalties(np.array([0]), np.array([1])).tolist() == [0.5]
    assert town.penalties(lows, highs).tolist() == [0, 0.5, 0.5]
    assert town.penalties(np.array([1]), np.array([2])).tolist() == [1]
    assert (age.cell_text(0, 0), age.cell_text(0, 2)) == ("30", "30..45")
    assert wealth.cell_text(1, 2) == "middling..rich"
    assert [town.cell_text(3, 3), town.cell_text(2, 3), town.cell_text(1, 2)] == ["Dee", "South", "*"]
