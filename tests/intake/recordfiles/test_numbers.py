"""Numbers in record files of every format, and in the codebook."""

import io
import json
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from pyarrow import parquet

from intake.recordfiles import as_csv, as_parquet, as_sav
from intake.recordfiles.analysis import R
from intake.recordfiles.codebook import codebook
from intake.recordfiles.rows import UsedRows
from privacy.designs import Design
from privacy.records import RecordRow
from tests.intake.recordfiles import filed, test_codebook
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, design, plain, read_records, window

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
    return parquet.read_table(io.BytesIO(b"".join(as_parquet.written(records, "en"))))


def spss(records: UsedRows, folder: Path, *, user_missing: bool) -> tuple[dict[str, list[Any]], Any]:
    path = folder / "records.sav"
    as_sav.write(records, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", user_missing=user_missing)
    return {name: list(values) for name, values in data.items()}, about


def test_a_csv_file_holds_numbers_and_classes(records: UsedRows) -> None:
    header, *lines = b"".join(as_csv.written(records)).decode().splitlines()
    assert header == LINES[0]
    assert sorted(lines) == sorted([*LINES[1:], HIDDEN])


def test_a_csv_file_of_numbers_is_read_back(records: UsedRows) -> None:
    data = io.BytesIO(b"".join(as_csv.written(records)))
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
