"""Questions sent as sets of choices in record files of every format and in the codebook."""

import io
import json
from pathlib import Path

import pyreadstat
import pytest
from pyarrow import parquet

from intake.recordfiles import as_csv, as_parquet, as_sav
from intake.recordfiles.codebook import codebook
from privacy.records import RecordRow
from tests.intake.recordfiles import filed
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, design, plain, read_records, subset

ASKED = design(plain(WORK), subset(5, 2, "0.7", **IF_EMPLOYED), open_answers=True)
# Ten sets, then the five choices of people who answer openly, then not asked and not applicable.
ROWS = [RecordRow(1, (0, 0)), RecordRow(1, (0, 9)), RecordRow(0, (0, 12)), RecordRow(1, (1, 16))]
CELLS = ["-", "a+b", "c", "d+e"]


def test_a_csv_file_joins_the_choices_of_a_set_and_is_read_back() -> None:
    data = b"".join(as_csv.written(filed.records(ASKED, ROWS)))
    lines = ["disguised,employed,a+b", "disguised,employed,d+e", "disguised,not,-", "open,?,c"]
    assert sorted(data.decode().splitlines()[1:]) == lines
    assert sorted(read_records(io.BytesIO(data), "records.csv", ASKED)) == sorted(filed.told(ASKED, ROWS))


def test_a_parquet_column_holds_sets_and_labels_the_choices_alone() -> None:
    found = parquet.read_table(io.BytesIO(b"".join(as_parquet.written(filed.records(ASKED, ROWS), "en"))))
    assert sorted(found["drug"].to_pylist()) == CELLS
    labels = json.loads(found.schema.field("drug").metadata[b"candor:labels"])
    assert list(labels) == ["a", "b", "c", "d", "e"]


def test_an_spss_variable_of_sets_is_a_text(tmp_path: Path) -> None:
    as_sav.write(filed.records(ASKED, ROWS), tmp_path / "records.sav", "en")
    data, about = pyreadstat.read_sav(tmp_path / "records.sav", output_format="dict")
    assert sorted(data["drug"]) == CELLS
    assert about.original_variable_types["drug"] == "A3"
    assert "drug" not in about.variable_value_labels


def test_twenty_thousand_sets_make_no_large_spss_file(tmp_path: Path) -> None:
    of = design(subset(21, 5, "0.4838"))
    as_sav.write(filed.records(of, [RecordRow(1, (20_348,))]), tmp_path / "records.sav", "en")
    data, _about = pyreadstat.read_sav(tmp_path / "records.sav", output_format="dict")
    assert list(data["drug"]) == ["q+r+s+t+u"]
    assert (tmp_path / "records.sav").stat().st_size < 5_000


@pytest.mark.parametrize("file", ["records.csv", "records.sav"])
def test_the_codebook_says_how_sets_were_drawn_and_lists_the_choices(file: str) -> None:
    said = codebook(filed.records(ASKED, ROWS), file, "Drugs", "en")
    assert "each device sends d = 2 of the K = 5 choices" in said
    assert "keep p = 0.7000" in said
    assert "z_b = ( 1[the set holds b] − q ) / (p − q)" in said
    assert "| d | d |" in said
    assert "a+b" not in said
