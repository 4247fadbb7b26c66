"""Places in record files of every format, and in the codebook."""

import io
from pathlib import Path

import pyreadstat
import pytest
from pyarrow import parquet

from intake.recordfiles import as_csv, as_parquet, as_sav
from intake.recordfiles.codebook import codebook
from intake.recordfiles.rows import UsedRows
from privacy.records import RecordRow
from tests.intake.recordfiles import filed
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    WORK,
    design,
    place_in_row,
    plain,
    question,
    read_records,
    sensitive,
)

REGIONS = {"north": [0, 1, 2], "south": [4, 5]}
ASKED = design(
    plain(WORK),
    place_in_row("home", REGIONS, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.5", question("theft", "0.4", "0.6")),
)
# Disguised, outside; openly, so that the plain answer and the cell are withheld; hidden.
ROWS = [RecordRow(1, (0, 3, 1)), RecordRow(0, (0, 6, 0)), RecordRow(1, (1, 8, 0))]


@pytest.fixture
def records() -> UsedRows:
    return filed.records(ASKED, ROWS)


def test_a_csv_file_holds_the_names_of_cells_and_is_read_back(records: UsedRows) -> None:
    data = b"".join(as_csv.written(records))
    header, *lines = data.decode().splitlines()
    assert header == "group,work,home,theft"
    assert sorted(lines) == ["disguised,employed,c3,yes", "disguised,not,-,no", "open,?,?,no"]
    assert sorted(read_records(io.BytesIO(data), "records.csv", ASKED)) == sorted(filed.told(ASKED, ROWS))


def test_a_parquet_column_holds_the_same(records: UsedRows) -> None:
    table = parquet.read_table(io.BytesIO(b"".join(as_parquet.written(records, "en"))))
    assert sorted(filed.cells_of(table, "home")) == ["-", "?", "c3"]


def test_an_spss_file_holds_codes_with_the_cells_as_labels(records: UsedRows, tmp_path: Path) -> None:
    path = tmp_path / "records.sav"
    as_sav.write(records, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", user_missing=True)
    assert sorted(data["home"]) == [-3, -2, 3]
    labels: dict[float, str] = about.variable_value_labels["home"]
    assert (labels[3], labels[6], labels[-2]) == ("c3", "c6", "does not apply")


def test_the_codebook_says_how_cells_outside_were_sent(records: UsedRows) -> None:
    book = codebook(records, "records.csv", "Homes", "en")
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
