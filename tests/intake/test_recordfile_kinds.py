"""Numbers, places, sets and studies in record files of every format, and in the codebook."""

import io
import json
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from pyarrow import parquet

from intake.recordfiles import as_csv, as_parquet, as_spss_and_stata
from intake.recordfiles.analysis_scripts import R
from intake.recordfiles.rows import UsedRows, has_rules_that_reveal_plain
from intake.recordfiles.spss_and_stata_variables import question_words
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

NUMBERS = design(
    plain(WORK),
    window("change", 5, 1, "0.5", low=-4, step=2, unit={"en": "points", "zh-hans": "分"}, **IF_EMPLOYED),
    window("cigarettes", 41, 4),
    classes("debt", "0.5", 0, 500, 1000, unit={"en": "euros"}, **IF_EMPLOYED),
    languages=["en", "zh-hans"],
)
HOMES = design(
    plain(WORK),
    place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.5", question("theft", "0.4", "0.6")),
)
SETS = design(plain(WORK), subset(5, 2, "0.7", **IF_EMPLOYED), open_answers=True)
ARMS = design(
    plain(drawn("version", *HALF), WORK),
    crosswise("tax", "0.2466"),
    sensitive("0.5", question("theft", *HALF, show_if={"work": ["employed"]})),
    open_answers=False,
    direct="0.5",
)
ROWS = {
    # Disguised; openly, so that the plain answer is withheld; with both numbers hidden that a rule can hide.
    NUMBERS: [RecordRow(1, (0, 0, 40, 5)), RecordRow(0, (0, 4, 0, 0)), RecordRow(1, (1, 6, 7, 7))],
    # Disguised, outside; openly, so that the plain answer and the cell are withheld; hidden.
    HOMES: [RecordRow(1, (0, 3, 1)), RecordRow(0, (0, 6, 0)), RecordRow(1, (1, 8, 0))],
    # Ten sets, then the five choices of people who answer openly, then not asked and not applicable.
    SETS: [RecordRow(1, (0, 0)), RecordRow(1, (0, 9)), RecordRow(0, (0, 12)), RecordRow(1, (1, 16))],
    ARMS: [
        RecordRow(DISGUISED, (0, 0, 1, 1)),
        RecordRow(OPEN, (1, 0, 0, 1)),
        RecordRow(DISGUISED, (1, 1, 0, 3)),
    ],
}
LINES = {
    NUMBERS: [
        "group,work,change,cigarettes,debt",
        "disguised,employed,-4,40,>=1000",
        "disguised,not,-,7,-",
        "open,?,4,0,<500",
    ],
    HOMES: [
        "group,work,home,theft",
        "disguised,employed,c3,yes",
        "disguised,not,-,no",
        "open,?,?,no",
    ],
    SETS: [
        "group,work,drug",
        "disguised,employed,a+b",
        "disguised,employed,d+e",
        "disguised,not,-",
        "open,?,c",
    ],
    ARMS: [
        "group,version,work,tax,theft",
        "direct,?,?,no,yes",
        "disguised,a,employed,yes,yes",
        "disguised,b,not,no,-",
    ],
}
"""The header, then the lines of the rows in the order of letters."""
EVERY = pytest.mark.parametrize("of", ROWS, ids=["numbers", "places", "sets", "arms"])


def records(of: Design) -> UsedRows:
    return filed.records(of, ROWS[of])


def table(records: UsedRows) -> Any:
    return parquet.read_table(io.BytesIO(b"".join(as_parquet.write_parquet(records, "en"))))


def spss(records: UsedRows, folder: Path, *, user_missing: bool = False) -> tuple[dict[str, list[Any]], Any]:
    path = folder / "records.sav"
    as_spss_and_stata.write_sav(records, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", user_missing=user_missing)
    return {name: list(values) for name, values in data.items()}, about


@EVERY
def test_a_csv_file_holds_the_cells_of_each_kind_and_is_read_back(of: Design) -> None:
    data = b"".join(as_csv.write_csv(records(of)))
    header, *lines = data.decode().splitlines()
    assert [header, *sorted(lines)] == LINES[of]
    assert sorted(read_records(io.BytesIO(data), "records.csv", of)) == sorted(filed.told(of, ROWS[of]))


@EVERY
def test_a_parquet_file_tells_missing_answers_apart(of: Design) -> None:
    """Written back as the cells of CSV by the words in its metadata alone."""
    found = table(records(of))
    columns = [filed.cells_of(found, name) for name in found.column_names]
    lines = [",".join(cells) for cells in zip(*columns, strict=True)]
    assert [",".join(found.column_names), *sorted(lines)] == LINES[of]


def test_a_parquet_column_of_a_window_holds_integers_and_null_where_it_does_not_apply() -> None:
    found = table(records(NUMBERS))
    assert str(found.schema.field("change").type) == str(found.schema.field("cigarettes").type) == "int32"
    rows = sorted(zip(found["cigarettes"].to_pylist(), found["change"].to_pylist(), strict=True))
    assert rows == [(0, 4), (7, None), (40, -4)]
    missing = json.loads(found.schema.field("change").metadata[b"candor:missing"])
    assert missing == {"null": "not applicable"}


def test_a_parquet_column_of_choices_says_what_they_mean() -> None:
    """Of classes, and of sets the choices alone."""
    assert json.loads(table(records(NUMBERS)).schema.field("debt").metadata[b"candor:labels"]) == {
        "<500": "below 500 euros",
        "<1000": "below 1000 euros",
        ">=0": "any number",
        ">=500 <1000": "500 euros or more, below 1000 euros",
        ">=500": "500 euros or more",
        ">=1000": "1000 euros or more",
    }
    labels = json.loads(table(records(SETS)).schema.field("drug").metadata[b"candor:labels"])
    assert list(labels) == ["a", "b", "c", "d", "e"]


def test_a_parquet_file_of_the_largest_window_is_written() -> None:
    of = design(window("income", 65_000, 100, low=10**9 - 64_999), plain(WORK))
    found = table(filed.records(of, [RecordRow(1, (64_999, 0)), RecordRow(1, (0, 1))]))
    assert sorted(found["income"].to_pylist()) == [10**9 - 64_999, 10**9]
    assert str(found.schema.field("work").type.index_type) == "int8"


def test_an_spss_file_holds_numbers_as_they_are_and_codes_of_classes(tmp_path: Path) -> None:
    data, about = spss(records(NUMBERS), tmp_path, user_missing=True)
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


def test_spss_takes_a_number_that_does_not_apply_for_missing(tmp_path: Path) -> None:
    data, _about = spss(records(NUMBERS), tmp_path)
    assert sorted(value for value in data["change"] if value is not None) == [-4, 4]
    assert data["change"].count(None) == data["debt"].count(None) == 1


def test_an_spss_file_shows_the_largest_numbers_whole(tmp_path: Path) -> None:
    of = design(window("income", 3, 0, low=-(10**9), step=10**9))
    data, about = spss(filed.records(of, [RecordRow(1, (code,)) for code in range(3)]), tmp_path)
    assert sorted(data["income"]) == [-(10**9), 0, 10**9]
    assert about.original_variable_types["income"] == "F11.0"


def test_an_spss_file_holds_codes_with_the_cells_of_a_place_as_labels(tmp_path: Path) -> None:
    data, about = spss(records(HOMES), tmp_path, user_missing=True)
    assert sorted(data["home"]) == [-3, -2, 3]
    labels: dict[float, str] = about.variable_value_labels["home"]
    assert (labels[3], labels[6], labels[-2]) == ("c3", "c6", "does not apply")


def test_an_spss_variable_of_sets_is_a_text(tmp_path: Path) -> None:
    data, about = spss(records(SETS), tmp_path)
    assert sorted(data["drug"]) == ["-", "a+b", "c", "d+e"]
    assert about.original_variable_types["drug"] == "A3"
    assert "drug" not in about.variable_value_labels


def test_twenty_thousand_sets_make_no_large_spss_file(tmp_path: Path) -> None:
    data, _about = spss(filed.records(design(subset(21, 5, "0.4838")), [RecordRow(1, (20_348,))]), tmp_path)
    assert data["drug"] == ["q+r+s+t+u"]
    assert (tmp_path / "records.sav").stat().st_size < 5_000


def test_an_spss_file_labels_the_direct_group(tmp_path: Path) -> None:
    _data, about = spss(records(ARMS), tmp_path)
    assert about.variable_value_labels["group"] == {0: "direct", 1: "disguised"}


# --- the codebook

MOVED = design(classes("debt", "0.5", 0, 500, 1000, rest=2))
INCOME = design(window("income", 5, 1))
ODD = design(place_in_row("home", {"north | south": [0]}, 3, 1, "6"))
WITHOUT_ARMS = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
CSV, SAV = "records.csv", "records.sav"
BOOKS: dict[str, tuple[Design, str, list[str], list[str]]] = {
    "the law of a number and what may be estimated": (
        NUMBERS,
        CSV,
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
        ["No single record can be undone"],
    ),
    "the mean only where devices prepared it": (
        MOVED,
        CSV,
        [
            "the share at each limit or above, of each class, the mean",
            "| rest=1 | inside the class: yes |",
        ],
        ["Not the mean"],
    ),
    "nothing of other laws in a window": (INCOME, CSV, [], ["keep p", "P(x ≥ t_i)"]),
    "nothing of other laws in classes": (
        design(classes("debt", "0.5", 0, 500, 1000)),
        CSV,
        [],
        ["Fejér"],
    ),
    "the missing value of a number in SPSS": (
        NUMBERS,
        SAV,
        [
            "the value where it does not apply: -6",
            "| 5 | >=1000 | 1000 euros or more |",
            "its three missing values lie below the lowest",
        ],
        [],
    ),
    "how cells outside were sent": (
        HOMES,
        CSV,
        [
            "cells: 7, of which |A| = 5 lie inside 2 regions",
            "keep b = 0.6667",
            "The cell of a person outside is sent as it is with probability b",
            "treat them as answers that are not disguised",
            "records without disguise withhold their places",
            "| north | 3 | c0, c1, c2 |",
            "q(A_j) = |A_j| / |A|",
            "P(S) = ( P*(S)",
        ],
        [],
    ),
    "nothing of places without one": (design(plain(WORK)), CSV, [], ["region"]),
    "two cells on one line": (ODD, CSV, [r"| north \| south | 1 | c0 |"], []),
    **{
        f"how sets were drawn, and the choices, in {file}": (
            SETS,
            file,
            [
                "each device sends d = 2 of the K = 5 choices",
                "keep p = 0.7000",
                "z_b = ( 1[the set holds b] − q ) / (p − q)",
                "| d | d |",
            ],
            ["a+b"],
        )
        for file in (CSV, SAV)
    },
    "what direct records and crosswise questions are": (
        ARMS,
        CSV,
        [
            "a draw in each device decided who was asked directly",
            "a crosswise question: respondents said whether their answer is the same as that to a secret",
            "keep p = 0.5068",
            "| yes | Yes | 0.5000 |",
        ],
        [],
    ),
    "nothing of arms and crosswise questions without them": (
        WITHOUT_ARMS,
        CSV,
        [],
        ["asked directly", "crosswise"],
    ),
}


@pytest.mark.parametrize("facts", BOOKS)
def test_the_codebook_says(facts: str) -> None:
    of, file, present, absent = BOOKS[facts]
    rows = ROWS.get(of) or [RecordRow(DISGUISED, (0,) * len(of.questions))]
    page = codebook(filed.records(of, rows), file, "Survey", "en")
    assert [part for part in present if part not in page] == []
    assert [part for part in absent if part in page] == []


def test_a_codebook_without_places_names_no_place_at_all() -> None:
    page = codebook(filed.records(design(plain(WORK)), [RecordRow(1, (0,))]), CSV, "Work", "en")
    assert "place" not in page.lower().replace("replace", "")


def test_the_unit_is_in_the_readers_language() -> None:
    assert "分" in codebook(records(NUMBERS), CSV, "Numbers", "zh-hans")


@pytest.mark.parametrize("kind", ["csv", "parquet", "sav"])
def test_files_without_numbers_say_nothing_of_numbers(kind: str) -> None:
    with_numbers = codebook(records(NUMBERS), f"records.{kind}", "Numbers", "en")
    page = test_codebook.book(file=f"records.{kind}")
    # The functions of a script are the same for all surveys; what it says of this one stands before them.
    said, _functions, _rest = R.script(test_codebook.ASKS, f"records.{kind}", "Theft").partition("function(")
    for word in ("limits", "quantile", "window"):
        assert word in with_numbers
        assert word not in page
        assert word not in said


def test_rules_tell_of_direct_records_too() -> None:
    assert has_rules_that_reveal_plain(ARMS)


def test_a_row_of_a_table_is_called_by_its_own_text() -> None:
    row = {"choices": ["no", "yes"], "form": "one", "of": "views"}
    labelled = {**row, "choices": ["no", {"name": "yes", "label": {"en": "Wholly"}}]}
    found = design(
        plain({**labelled, "name": "a", "text": "Roads"}, {**labelled, "name": "b", "text": "Schools"})
    )
    assert [question_words(each, "en") for each in found.questions] == ["Roads", "Schools"]
