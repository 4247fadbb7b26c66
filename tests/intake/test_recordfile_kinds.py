"""Numbers, places, sets and studies in record files of every format, and in the codebook."""

import io
import json
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from pyarrow import parquet

from intake.recordfiles import as_csv, as_labelled, as_parquet
from intake.recordfiles.analysis import R
from intake.recordfiles.rows import UsedRows, rules_tell
from intake.recordfiles.variables import question_words
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from tests.intake import filed, test_codebook
from tests.intake.filed import codebook
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    crosswise,
    design,
    drawn,
    place_in_row,
    plain,
    question,
    read_records,
    sensitive,
    subset,
    window,
)

ASKED = design(
    plain(WORK),
    window("change", 5, 1, "0.5", low=-4, step=2, unit={"en": "points", "zh-hans": "分"}, **IF_EMPLOYED),
    window("cigarettes", 41, 4),
    classes("debt", "0.5", 0, 500, 1000, unit={"en": "euros"}, **IF_EMPLOYED),
    languages=["en", "zh-hans"],
)

# Disguised; openly, so that the plain answer is withheld; with both numbers hidden that a rule can hide.
ROWS = [RecordRow(1, (0, 0, 40, 5)), RecordRow(0, (0, 4, 0, 0)), RecordRow(1, (1, 6, 7, 7))]
LINES = ["group,work,change,cigarettes,debt", "disguised,employed,-4,40,>=1000", "open,?,4,0,<500"]
HIDDEN = "disguised,not,-,7,-"


@pytest.fixture
def records() -> UsedRows:
    return filed.records(ASKED, ROWS)


def table(records: UsedRows) -> Any:
    return parquet.read_table(io.BytesIO(b"".join(as_parquet.pieces(records, "en"))))


def spss(records: UsedRows, folder: Path, *, user_missing: bool) -> tuple[dict[str, list[Any]], Any]:
    path = folder / "records.sav"
    as_labelled.write_sav(records, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", user_missing=user_missing)
    return {name: list(values) for name, values in data.items()}, about


def test_a_csv_file_holds_numbers_and_classes(records: UsedRows) -> None:
    header, *lines = b"".join(as_csv.pieces(records)).decode().splitlines()
    assert header == LINES[0]
    assert sorted(lines) == sorted([*LINES[1:], HIDDEN])


def test_a_csv_file_of_numbers_is_read_back(records: UsedRows) -> None:
    data = io.BytesIO(b"".join(as_csv.pieces(records)))
    assert sorted(read_records(data, "records.csv", ASKED)) == sorted(filed.told(ASKED, ROWS))


def test_a_parquet_column_of_a_window_holds_integers_and_null_where_it_does_not_apply(
    records: UsedRows,
) -> None:
    found = table(records)
    assert str(found.schema.field("change").type) == str(found.schema.field("cigarettes").type) == "int32"
    rows = sorted(zip(found["cigarettes"].to_pylist(), found["change"].to_pylist(), strict=True))
    assert rows == [(0, 4), (7, None), (40, -4)]
    missing = json.loads(found.schema.field("change").metadata[b"candor:missing"])
    assert missing == {"null": "not applicable"}


def test_a_parquet_column_of_classes_is_of_categories_and_says_what_they_mean(
    records: UsedRows,
) -> None:
    found = table(records)
    assert sorted(found["debt"].to_pylist()) == ["-", "<500", ">=1000"]
    assert json.loads(found.schema.field("debt").metadata[b"candor:labels"]) == {
        "<500": "below 500 euros",
        "<1000": "below 1000 euros",
        ">=0": "any number",
        ">=500 <1000": "500 euros or more, below 1000 euros",
        ">=500": "500 euros or more",
        ">=1000": "1000 euros or more",
    }


def test_a_parquet_file_of_numbers_tells_missing_answers_apart(records: UsedRows) -> None:
    """Written back as the cells of CSV by the words in its metadata alone."""
    found = table(records)
    columns = [filed.cells_of(found, name) for name in found.column_names]
    lines = [",".join(cells) for cells in zip(*columns, strict=True)]
    assert ",".join(found.column_names) == LINES[0]
    assert sorted(lines) == sorted([*LINES[1:], HIDDEN])


def test_a_parquet_file_of_the_largest_window_is_written() -> None:
    of = design(window("income", 65_000, 100, low=10**9 - 64_999), plain(WORK))
    found = table(filed.records(of, [RecordRow(1, (64_999, 0)), RecordRow(1, (0, 1))]))
    assert sorted(found["income"].to_pylist()) == [10**9 - 64_999, 10**9]
    assert str(found.schema.field("work").type.index_type) == "int8"


def test_an_spss_file_holds_numbers_as_they_are_and_codes_of_classes(
    records: UsedRows, tmp_path: Path
) -> None:
    data, about = spss(records, tmp_path, user_missing=True)
    rows = sorted(zip(data["cigarettes"], data["change"], data["debt"], data["work"], strict=True))
    # The missing values of change lie below its lowest number, -4; those of the others are -1, -2 and -3.
    assert rows == [(0, 4, 0, -3), (7, -6, -2, 1), (40, -4, 5, 0)]
    reasons = ("not asked", "does not apply", "withheld")
    assert about.variable_value_labels["change"] == dict(zip((-5, -6, -7), reasons, strict=True))
    assert about.variable_value_labels["debt"] == {
        0: "below 500 euros",
        1: "below 1000 euros",
        2: "any number",
        3: "500 euros or more, below 1000 euros",
        4: "500 euros or more",
        5: "1000 euros or more",
    } | dict(zip((-1, -2, -3), reasons, strict=True))
    assert about.variable_measure == {
        "group": "nominal",
        "work": "nominal",
        "change": "scale",
        "cigarettes": "scale",
        "debt": "nominal",
    }


def test_spss_takes_a_number_that_does_not_apply_for_missing(records: UsedRows, tmp_path: Path) -> None:
    data, _about = spss(records, tmp_path, user_missing=False)
    assert sorted(value for value in data["change"] if value is not None) == [-4, 4]
    assert data["change"].count(None) == data["debt"].count(None) == 1


def test_an_spss_file_shows_the_largest_numbers_whole(tmp_path: Path) -> None:
    of = design(window("income", 3, 0, low=-(10**9), step=10**9))
    data, about = spss(
        filed.records(of, [RecordRow(1, (code,)) for code in range(3)]), tmp_path, user_missing=False
    )
    assert sorted(data["income"]) == [-(10**9), 0, 10**9]
    assert about.original_variable_types["income"] == "F11.0"


# --- the codebook


def book(of: Design = ASKED, file: str = "records.csv", language: str = "en") -> str:
    return codebook(filed.records(of, ROWS), file, "Numbers", language)


@pytest.mark.parametrize(
    "part",
    [
        "Section 2: a sensitive number, in a window",
        "numbers: from -4 to 4 by steps of 2, V = 5 of them",
        "moved by at most h = 1 steps, each of the 2h + 1 = 3 as likely",
        "uniform 1 − u = 0.5000",
        "- unit: points",
        "Not a mean, a quantile or the share of one value",
        "Section 4: a sensitive number, by classes",
        "limits: 500, 1000; every device draws m = 1 of these",
        "keep p = 0.5000: how often it sends the class that the number is in",
        "from 0 (or less) to 1000 (or more) by steps of 1",
        "Not the mean: the devices did not prepare it",
        "| >=500 | 500 euros or more |",
        "Shown only if: work = employed",
        "A number in a window is written as the number, or - where it does not apply",
        "All about a number is among those to whom it applies.",
    ],
)
def test_the_codebook_says_the_law_of_a_number_and_what_may_be_estimated(part: str) -> None:
    assert part in book()


def test_the_codebook_speaks_of_the_mean_only_where_devices_prepared_it() -> None:
    moved = book(design(classes("debt", "0.5", 0, 500, 1000, rest=2)))
    assert "the share at each limit or above, of each class, the mean" in moved
    assert "| rest=1 | inside the class: yes |" in moved
    assert "Not the mean" not in moved


def test_the_codebook_of_numbers_says_nothing_of_other_laws() -> None:
    assert "keep p" not in book(design(window("income", 5, 1)))
    assert "No single record can be undone" not in book()
    assert "P(x ≥ t_i)" not in book(design(window("income", 5, 1)))
    assert "Fejér" not in book(design(classes("debt", "0.5", 0, 500, 1000)))


def test_the_codebook_of_an_spss_file_says_the_missing_value_of_a_number() -> None:
    said = book(file="records.sav")
    assert "the value where it does not apply: -6" in said
    assert "| 5 | >=1000 | 1000 euros or more |" in said
    assert "its three missing values lie below the lowest" in said


def test_the_unit_is_in_the_readers_language() -> None:
    assert "分" in book(language="zh-hans")


@pytest.mark.parametrize("kind", ["csv", "parquet", "sav"])
def test_files_without_numbers_say_nothing_of_numbers(kind: str) -> None:
    with_numbers = book(file=f"records.{kind}")
    page = test_codebook.book(file=f"records.{kind}")
    # The functions of a script are the same for all surveys; what it says of this one stands before them.
    said, _functions, _rest = R.script(test_codebook.ASKS, f"records.{kind}", "Theft").partition("function(")
    for word in ("limits", "quantile", "window"):
        assert word in with_numbers
        assert word not in page
        assert word not in said


# --- Places in record files of every format, and in the codebook

REGIONS = {"north": [0, 1, 2], "south": [4, 5]}
HOMES = design(
    plain(WORK),
    place_in_row("home", REGIONS, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.5", question("theft", "0.4", "0.6")),
)

# Disguised, outside; openly, so that the plain answer and the cell are withheld; hidden.
HOME_ROWS = [RecordRow(1, (0, 3, 1)), RecordRow(0, (0, 6, 0)), RecordRow(1, (1, 8, 0))]


@pytest.fixture
def homes() -> UsedRows:
    return filed.records(HOMES, HOME_ROWS)


def test_a_csv_file_holds_the_names_of_cells_and_is_read_back(homes: UsedRows) -> None:
    data = b"".join(as_csv.pieces(homes))
    header, *lines = data.decode().splitlines()
    assert header == "group,work,home,theft"
    assert sorted(lines) == ["disguised,employed,c3,yes", "disguised,not,-,no", "open,?,?,no"]
    assert sorted(read_records(io.BytesIO(data), "records.csv", HOMES)) == sorted(
        filed.told(HOMES, HOME_ROWS)
    )


def test_a_parquet_column_holds_the_same(homes: UsedRows) -> None:
    table = parquet.read_table(io.BytesIO(b"".join(as_parquet.pieces(homes, "en"))))
    assert sorted(filed.cells_of(table, "home")) == ["-", "?", "c3"]


def test_an_spss_file_holds_codes_with_the_cells_as_labels(homes: UsedRows, tmp_path: Path) -> None:
    path = tmp_path / "records.sav"
    as_labelled.write_sav(homes, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", user_missing=True)
    assert sorted(data["home"]) == [-3, -2, 3]
    labels: dict[float, str] = about.variable_value_labels["home"]
    assert (labels[3], labels[6], labels[-2]) == ("c3", "c6", "does not apply")


def test_the_codebook_says_how_cells_outside_were_sent(homes: UsedRows) -> None:
    book = codebook(homes, "records.csv", "Homes", "en")
    assert "cells: 7, of which |A| = 5 lie inside 2 regions" in book
    assert "keep b = 0.6667" in book
    assert "The cell of a person outside is sent as it is with probability b" in book
    assert "treat them as answers that are not disguised" in book
    assert "records without disguise withhold their places" in book
    assert "| north | 3 | c0, c1, c2 |" in book
    assert "q(A_j) = |A_j| / |A|" in book
    assert "P(S) = ( P*(S)" in book


def test_a_codebook_without_places_says_nothing_of_them() -> None:
    of = design(plain(WORK))
    book = codebook(filed.records(of, [RecordRow(1, (0,))]), "records.csv", "Work", "en")
    assert "region" not in book
    assert "place" not in book.lower().replace("replace", "")


def test_two_cells_on_one_line_keep_the_table_whole() -> None:
    odd = place_in_row("home", {"north | south": [0]}, 3, 1, "6")
    book = codebook(filed.records(design(odd), [RecordRow(1, (0,))]), "records.csv", "Homes", "en")
    assert r"| north \| south | 1 | c0 |" in book


# --- Questions sent as sets of choices in record files of every format and in the codebook

SETS = design(plain(WORK), subset(5, 2, "0.7", **IF_EMPLOYED), open_answers=True)

# Ten sets, then the five choices of people who answer openly, then not asked and not applicable.
SET_ROWS = [RecordRow(1, (0, 0)), RecordRow(1, (0, 9)), RecordRow(0, (0, 12)), RecordRow(1, (1, 16))]
CELLS = ["-", "a+b", "c", "d+e"]


def test_a_csv_file_joins_the_choices_of_a_set_and_is_read_back() -> None:
    data = b"".join(as_csv.pieces(filed.records(SETS, SET_ROWS)))
    lines = ["disguised,employed,a+b", "disguised,employed,d+e", "disguised,not,-", "open,?,c"]
    assert sorted(data.decode().splitlines()[1:]) == lines
    assert sorted(read_records(io.BytesIO(data), "records.csv", SETS)) == sorted(filed.told(SETS, SET_ROWS))


def test_a_parquet_column_holds_sets_and_labels_the_choices_alone() -> None:
    found = parquet.read_table(io.BytesIO(b"".join(as_parquet.pieces(filed.records(SETS, SET_ROWS), "en"))))
    assert sorted(found["drug"].to_pylist()) == CELLS
    labels = json.loads(found.schema.field("drug").metadata[b"candor:labels"])
    assert list(labels) == ["a", "b", "c", "d", "e"]


def test_an_spss_variable_of_sets_is_a_text(tmp_path: Path) -> None:
    as_labelled.write_sav(filed.records(SETS, SET_ROWS), tmp_path / "records.sav", "en")
    data, about = pyreadstat.read_sav(tmp_path / "records.sav", output_format="dict")
    assert sorted(data["drug"]) == CELLS
    assert about.original_variable_types["drug"] == "A3"
    assert "drug" not in about.variable_value_labels


def test_twenty_thousand_sets_make_no_large_spss_file(tmp_path: Path) -> None:
    of = design(subset(21, 5, "0.4838"))
    as_labelled.write_sav(filed.records(of, [RecordRow(1, (20_348,))]), tmp_path / "records.sav", "en")
    data, _about = pyreadstat.read_sav(tmp_path / "records.sav", output_format="dict")
    assert list(data["drug"]) == ["q+r+s+t+u"]
    assert (tmp_path / "records.sav").stat().st_size < 5_000


@pytest.mark.parametrize("file", ["records.csv", "records.sav"])
def test_the_codebook_says_how_sets_were_drawn_and_lists_the_choices(file: str) -> None:
    said = codebook(filed.records(SETS, SET_ROWS), file, "Drugs", "en")
    assert "each device sends d = 2 of the K = 5 choices" in said
    assert "keep p = 0.7000" in said
    assert "z_b = ( 1[the set holds b] − q ) / (p − q)" in said
    assert "| d | d |" in said
    assert "a+b" not in said


# --- Arms, drawn questions and crosswise questions in record files of every format, and in the

ARMS = design(
    plain(drawn("version", *HALF), WORK),
    crosswise("tax", "0.2466"),
    sensitive("0.5", question("theft", *HALF, show_if={"work": ["employed"]})),
    open_answers=False,
    direct="0.5",
)
ARM_ROWS = [
    RecordRow(DISGUISED, (0, 0, 1, 1)),
    RecordRow(OPEN, (1, 0, 0, 1)),
    RecordRow(DISGUISED, (1, 1, 0, 3)),
]


@pytest.fixture
def arms() -> UsedRows:
    return filed.records(ARMS, ARM_ROWS)


def test_a_csv_file_says_direct_and_withholds_plain_answers_of_direct_records(arms: UsedRows) -> None:
    data = b"".join(as_csv.pieces(arms))
    header, *lines = data.decode().splitlines()
    assert header == "group,version,work,tax,theft"
    assert sorted(lines) == ["direct,?,?,no,yes", "disguised,a,employed,yes,yes", "disguised,b,not,no,-"]
    assert sorted(read_records(io.BytesIO(data), "records.csv", ARMS)) == sorted(filed.told(ARMS, ARM_ROWS))


def test_a_parquet_file_says_direct(arms: UsedRows) -> None:
    table = parquet.read_table(io.BytesIO(b"".join(as_parquet.pieces(arms, "en"))))
    assert sorted(table["group"].to_pylist()) == ["direct", "disguised", "disguised"]


def test_an_spss_file_labels_the_direct_group(arms: UsedRows, tmp_path: Path) -> None:
    path = tmp_path / "records.sav"
    as_labelled.write_sav(arms, path, "en")
    _data, about = pyreadstat.read_sav(path, output_format="dict")
    assert about.variable_value_labels["group"] == {0: "direct", 1: "disguised"}


def test_the_codebook_says_what_direct_records_and_crosswise_questions_are(arms: UsedRows) -> None:
    page = codebook(arms, "records.csv", "Tax", "en")
    assert "a draw in each device decided who was asked directly" in page
    assert (
        "a crosswise question: respondents said whether their answer is the same as that to a secret" in page
    )
    assert "keep p = 0.5068" in page
    assert "| yes | Yes | 0.5000 |" in page


def test_without_arms_and_crosswise_questions_the_codebook_says_nothing_of_them() -> None:
    asks = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    page = codebook(filed.records(asks, [RecordRow(DISGUISED, (0, 1))]), "records.csv", "Tax", "en")
    assert "asked directly" not in page
    assert "crosswise" not in page


def test_rules_tell_of_direct_records_too() -> None:
    assert rules_tell(ARMS)


def test_a_row_of_a_table_is_called_by_its_own_text() -> None:
    row = {"choices": ["no", "yes"], "form": "one", "of": "views"}
    labelled = {**row, "choices": ["no", {"name": "yes", "label": {"en": "Wholly"}}]}
    found = design(
        plain({**labelled, "name": "a", "text": "Roads"}, {**labelled, "name": "b", "text": "Schools"})
    )
    assert [question_words(each, "en") for each in found.questions] == ["Roads", "Schools"]
