"""Arms, drawn questions and crosswise questions in record files of every format, and in the codebook."""

import io
from pathlib import Path

import pyreadstat
import pytest
from pyarrow import parquet

from intake.recordfiles import as_csv, as_parquet, as_sav
from intake.recordfiles.codebook import codebook
from intake.recordfiles.rows import UsedRows, rules_tell
from intake.recordfiles.variables import question_words
from privacy.records import DISGUISED, OPEN, RecordRow
from tests.intake.recordfiles import filed
from tests.privacy.questionnaires import (
    HALF,
    WORK,
    crosswise,
    design,
    drawn,
    plain,
    question,
    read_records,
    sensitive,
)

ARMS = design(
    plain(drawn("version", *HALF), WORK),
    crosswise("tax", "0.2466"),
    sensitive("0.5", question("theft", *HALF, show_if={"work": ["employed"]})),
    open_answers=False,
    direct="0.5",
)
ROWS = [RecordRow(DISGUISED, (0, 0, 1, 1)), RecordRow(OPEN, (1, 0, 0, 1)), RecordRow(DISGUISED, (1, 1, 0, 3))]


@pytest.fixture
def records() -> UsedRows:
    return filed.records(ARMS, ROWS)


def test_a_csv_file_says_direct_and_withholds_plain_answers_of_direct_records(records: UsedRows) -> None:
    data = b"".join(as_csv.written(records))
    header, *lines = data.decode().splitlines()
    assert header == "group,version,work,tax,theft"
    assert sorted(lines) == ["direct,?,?,no,yes", "disguised,a,employed,yes,yes", "disguised,b,not,no,-"]
    assert sorted(read_records(io.BytesIO(data), "records.csv", ARMS)) == sorted(filed.told(ARMS, ROWS))


def test_a_parquet_file_says_direct(records: UsedRows) -> None:
    table = parquet.read_table(io.BytesIO(b"".join(as_parquet.written(records, "en"))))
    assert sorted(table["group"].to_pylist()) == ["direct", "disguised", "disguised"]


def test_an_spss_file_labels_the_direct_group(records: UsedRows, tmp_path: Path) -> None:
    path = tmp_path / "records.sav"
    as_sav.write(records, path, "en")
    _data, about = pyreadstat.read_sav(path, output_format="dict")
    assert about.variable_value_labels["group"] == {0: "direct", 1: "disguised"}


def test_the_codebook_says_what_direct_records_and_crosswise_questions_are(records: UsedRows) -> None:
    page = codebook(records, "records.csv", "Tax", "en")
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
