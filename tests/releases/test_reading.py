"""Tables in every format, read by a process of its own, and what files that harm others are told."""

import io
import random
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable

import openpyxl
import pandas as pd
import pytest
from django.test import Client

from accounts.models import Person
from importing import isolated_reader
from importing.faults import FileRefused
from importing.isolated_reader import MachineBusy, ReadersBusy
from privacy.grammar.input_error import InputError
from privacy.records import binary_tables_to_csv
from privacy.records.csv_dialect_detection import Layout
from privacy.records.csv_row_reader import csv_rows
from releases import source_tables, uploads
from releases.models import Release, Upload
from surveys.questionnaire.problems_and_refusals import NotAllowed, reason_text
from tests import servers
from tests.odd_files.mutations import written_spss
from tests.releases.conftest import CSV, NOW

pytestmark = pytest.mark.page
FRAME = pd.DataFrame(
    {
        "age": [30.5, None, 7.0],
        "name": ["Änne, B.", "", 'say "no"'],
        "born": pd.to_datetime(["1990-12-31T00:00", None, "2001-01-02T09:30"]),
        "sex": [1.0, 2.0, 1.0],
    }
)


def excel() -> bytes:
    file = io.BytesIO()
    FRAME.to_excel(file, index=False)
    return file.getvalue()


def parquet() -> bytes:
    file = io.BytesIO()
    FRAME.astype({"name": "category"}).to_parquet(file)
    return file.getvalue()


def spss() -> bytes:
    return written_spss(FRAME, False, variable_value_labels={"sex": {1.0: "woman", 2.0: "man"}})


def rows(content: bytes) -> list[list[str]]:
    return [cells for _where, cells in csv_rows(io.BytesIO(content), "t")]


def test_an_upload_is_a_draft_with_a_proposed_specification(owner: Person) -> None:
    release = uploads.store_upload(owner, "accounts.csv", CSV, NOW)
    assert release.state == Release.State.DRAFT
    said = source_tables.get_specification(release)
    assert said.identifiers == ("name",)
    roles = {one.name: str(one.role) for one in said.quasi_identifiers}
    assert roles == {"age": "number", "town": "category", "ill": "category"}
    assert said.criteria.k == 10
    assert bytes(Upload.objects.get().content) == CSV


def test_upload_limits_are_checked_before_reading_the_file(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "ENTRY", ("/nowhere",))
    for limit, most, words in [("MOST_AT_ONCE", 0, "0 uploaded"), ("MOST_BYTES", len(CSV) - 1, "50 MB")]:
        with monkeypatch.context() as patch:
            patch.setattr(uploads, limit, most)
            with pytest.raises(NotAllowed, match=words):
                uploads.store_upload(owner, "accounts.csv", CSV, NOW)


def test_pandas_is_not_imported_for_an_spss_file() -> None:
    """Half a second of processor time, which would count as the file's own."""
    code = (
        "import io, sys; from privacy.records import binary_tables_to_csv as tables; data = sys.stdin.buffer.read();"
        "tables._write_spss(data, io.BytesIO(), tables.load_libraries_and_copy(data));"
        "sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=servers.ROOT, input=spss(), check=True)


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("make", "dates", "sex"),
    [
        (excel, ["1990-12-31", "", "2001-01-02T09:30:00"], ["1", "2", "1"]),
        (parquet, ["1990-12-31 00:00:00", "", "2001-01-02 09:30:00"], ["1", "2", "1"]),
        (spss, ["1990-12-31", "", "2001-01-02T09:30:00"], ["woman", "man", "woman"]),
    ],
)
def test_a_table_of_another_program_is_read_as_text(
    make: Callable[[], bytes], dates: list[str], sex: list[str]
) -> None:
    """Labels of SPSS are read where every value has one."""
    table = uploads.read_table(make(), "t", 1)
    header, *found = rows(table.content)
    assert header == list(FRAME.columns)
    columns = dict(zip(header, map(list, zip(*found, strict=True)), strict=True))
    assert columns == {"age": ["30.5", "", "7"], "name": list(FRAME["name"]), "born": dates, "sex": sex}
    assert [str(column.kind) for column in table.profile.columns][:3] == ["number", "category", "date"]
    assert (table.layout, table.profile.records) == (Layout(), 3)


def test_the_first_sheet_with_cells_is_read_and_its_rows_are_the_lines() -> None:
    file = io.BytesIO()
    with pd.ExcelWriter(file) as book:
        pd.DataFrame().to_excel(book, sheet_name="empty", index=False)
        pd.DataFrame({"a": [1, None, 3], "b": [None, None, "x"]}).to_excel(book, sheet_name="t", index=False)
    content = binary_tables_to_csv.convert_to_csv(file.getvalue(), "t.xlsx") or b""
    assert content == b"a,b\n1,\n\n3,x\n"


@pytest.mark.parametrize("has_dimension", [True, False])
@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("XFD1048576", "t: a sheet of more than 200000 rows; save it as CSV, which may have more"),
        ("A200001", "t: a sheet of more than 200000 rows; save it as CSV, which may have more"),
        ("XFD3", "t:3: more than 500 columns"),
    ],
)
def test_a_cell_far_away_in_a_sheet_is_refused_before_the_empty_rows_are_read(
    cell: str, words: str, has_dimension: bool
) -> None:
    """Rows and columns between are given by openpyxl, however short the file is."""
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active[cell] = 1
    file, sheet = io.BytesIO(), "xl/worksheets/sheet1.xml"
    book.save(file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed := io.BytesIO(), "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == sheet and not has_dimension:
                text = re.sub(rb"<dimension [^>]*>", b"", text)
            new.writestr(name, text)
    with pytest.raises(InputError) as refused:
        binary_tables_to_csv.convert_to_csv(changed.getvalue(), "t")
    assert f"{refused.value.path}: {reason_text(refused.value)}" == words


def test_a_cell_of_a_sheet_may_hold_a_carriage_return(read_here: None) -> None:
    file = io.BytesIO()
    pd.DataFrame({"a": ["x\ry", "z"], "b": ["1", "2"]}).to_excel(file, index=False)
    assert uploads.read_table(file.getvalue(), "t", 1).profile.records == 2


def test_lists_in_a_parquet_file_are_refused_by_their_column(read_here: None) -> None:
    file = io.BytesIO()
    pd.DataFrame({"a": [1], "towns": [["Aa", "Bee"]]}).to_parquet(file)
    with pytest.raises(FileRefused, match="towns: holds lists or bytes; leave the column out"):
        uploads.read_table(file.getvalue(), "t.parquet", 1)


@pytest.mark.at_push(1)
@pytest.mark.parametrize("make", [parquet, excel, spss])
@pytest.mark.parametrize("seed", [4, 5])
def test_damaged_file_is_refused_in_our_own_words(make: Callable[[], bytes], seed: int) -> None:
    changed = bytearray(make())
    draw = random.Random(seed)
    for place in draw.sample(range(8, len(changed)), 40):
        changed[place] = draw.randrange(256)
    try:
        uploads.read_table(bytes(changed), "t", 1)
        said = ""
    except FileRefused as refused:
        said = str(refused)
    assert said in {"", "t: cannot be read; save it again, or as CSV"} or said.startswith("t:")
    assert not {"Error", "readstat", "openpyxl", "pyarrow", "Traceback"} & set(said.split())


@pytest.mark.parametrize(("signal", "refusal"), [("SIGXCPU", FileRefused), ("SIGKILL", MachineBusy)])
def test_reading_process_over_its_time_differs_from_a_killed_one(
    monkeypatch: pytest.MonkeyPatch, signal: str, refusal: type[Exception]
) -> None:
    code = f"import os, signal; os.kill(os.getpid(), signal.{signal})"
    monkeypatch.setattr(uploads, "ENTRY", (sys.executable, "-c", code))
    with pytest.raises(refusal):
        uploads.read_table(b"a\n1\n", "t.csv", 1)


@pytest.mark.parametrize(
    ("reason", "seconds", "words"),
    [
        (ReadersBusy, "10", "Other files are being read at the moment."),
        (MachineBusy, "30", "This machine is too busy to read the file just now"),
    ],
)
def test_upload_that_cannot_be_read_yet_is_asked_to_return(
    monkeypatch: pytest.MonkeyPatch,
    reading: Client,
    upload: Release,
    reason: type[ReadersBusy],
    seconds: str,
    words: str,
) -> None:
    def raise_busy_reason(*_given: object) -> None:
        raise reason

    monkeypatch.setattr(uploads, "read_table", raise_busy_reason)
    file = io.BytesIO(b"a\n1\n")
    file.name = "t.csv"
    other_layout = {"separator": ";", "encoding": "utf-8", "decimal": "."}
    for answer in (
        reading.post("/app/releases/new", {"file": file, "before": "no"}),
        reading.post(f"/app/releases/{upload.pk}/reading", other_layout),
    ):
        assert (answer.status_code, answer["Retry-After"]) == (503, seconds)
        assert words in answer.text


# --- within the limits of memory, at their size (release)


@pytest.fixture
def patient_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, a busy machine may take any time; the limit of processor time stays."""
    monkeypatch.setattr(isolated_reader, "PATIENCE", 900.0)


@pytest.mark.night
@pytest.mark.usefixtures("patient_reader")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: b"n\n" + b"1\n" * 10_000_000, r"t:2000002: more than 2000000 records"),
        (lambda: b"a,b\n" + b"x" * 49_000_000, r"t:2: a row of more than 4000000 bytes"),
        (lambda: (b"a," * 4999 + b"b\n") * 1000, r"t:1: more than 500 columns"),
        (lambda: b"\0" * 50_000_000, r"t:1: a row of more than 4000000 bytes|t:1: 1: a byte of zero"),
        (lambda: b"a,b\n" + b'1,"' + b"x\n" * 20_000_000, r"t:2000\d\d\d: a row of more than 4000000 bytes"),
    ],
)
def test_a_file_of_fifty_megabytes_is_refused_in_one_sentence(make: Callable[[], bytes], words: str) -> None:
    with pytest.raises(FileRefused, match=words):
        uploads.read_table(make(), "t", 1)


@pytest.mark.night
@pytest.mark.usefixtures("patient_reader")
def test_fifty_megabytes_of_distinct_numbers_in_five_hundred_columns_are_read() -> None:
    draw = random.Random(1)
    line = [f"{draw.random():.6f}" for _column in range(500)]
    lines = [",".join(f"{cell}{at % 97}" for cell in draw.sample(line, 500)) for at in range(9_000)]
    table = uploads.read_table("\n".join([",".join(f"c{n}" for n in range(500)), *lines]).encode(), "t", 1)
    assert table.profile.records == 9_000


@pytest.mark.night
@pytest.mark.usefixtures("patient_reader")
def test_a_workbook_that_unpacks_to_gigabytes_is_refused() -> None:
    rows = "<row><c><v>1</v></c></row>" * 40_000
    sheet = "xl/worksheets/sheet1.xml"
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(excel())) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != sheet:
                new.writestr(name, old.read(name))
        with new.open(sheet, "w") as member:
            head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            member.write(head.encode())
            for _part in range(1_000):
                member.write(rows.encode())
    with pytest.raises(FileRefused, match=r"takes too (long|much memory) to read"):
        uploads.read_table(file.getvalue(), "t.csv", 1)
