"""Numbers, places, sets and studies in record files of every format."""

import io
import json
from pathlib import Path

from intake.recordfiles.record_file_rows import UsedRows
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from tests.intake import asked
from tests.intake.test_recordfile_rows import csv_of, spss, table_of
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    crosswise,
    design,
    drawn_question,
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
    plain(drawn_question("version", *HALF), WORK),
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
        *("group,work,change,cigarettes,debt", "disguised,employed,-4,40,>=1000"),
        *("disguised,not,-,7,-", "open,?,4,0,<500"),
    ],
    HOMES: ["group,work,home,theft", "disguised,employed,c3,yes", "disguised,not,-,no", "open,?,?,no"],
    SETS: [
        *("group,work,drug", "disguised,employed,a+b", "disguised,employed,d+e"),
        *("disguised,not,-", "open,?,c"),
    ],
    ARMS: [
        *("group,version,work,tax,theft", "direct,?,?,no,yes"),
        *("disguised,a,employed,yes,yes", "disguised,b,not,no,-"),
    ],
}
"""The header, then the lines of the rows in the order of letters."""
DEBTS = [
    *("below 500 euros", "below 1000 euros", "any number", "500 euros or more, below 1000 euros"),
    *("500 euros or more", "1000 euros or more"),
]


def records(of: Design) -> UsedRows:
    return asked.used_rows(of, ROWS[of])


def test_csv_holds_cells_of_each_kind_and_parquet_the_same() -> None:
    """Missing answers are written back as the cells of CSV by the words in its metadata alone."""
    for of, expected in LINES.items():
        data = csv_of(records(of)).encode()
        header, *lines = data.decode().splitlines()
        assert [header, *sorted(lines)] == expected
        told = sorted(asked.told_rows(of, ROWS[of]))
        assert sorted(read_records(io.BytesIO(data), "records.csv", of)) == told
        found = table_of(records(of))
        columns = [asked.cells_of(found, name) for name in found.column_names]
        lines = [",".join(cells) for cells in zip(*columns, strict=True)]
        assert [",".join(found.column_names), *sorted(lines)] == expected


def test_parquet_window_column_is_integers_and_choices_are_labelled() -> None:
    found = table_of(records(NUMBERS))
    assert str(found.schema.field("change").type) == str(found.schema.field("cigarettes").type) == "int32"
    rows = sorted(zip(found["cigarettes"].to_pylist(), found["change"].to_pylist(), strict=True))
    assert rows == [(0, 4), (7, None), (40, -4)]
    missing = json.loads(found.schema.field("change").metadata[b"candor:missing"])
    assert missing == {"null": "not applicable"}
    # Of classes, and of sets the choices alone.
    labels = json.loads(found.schema.field("debt").metadata[b"candor:labels"])
    names = ["<500", "<1000", ">=0", ">=500 <1000", ">=500", ">=1000"]
    assert labels == dict(zip(names, DEBTS, strict=True))
    labels = json.loads(table_of(records(SETS)).schema.field("drug").metadata[b"candor:labels"])
    assert list(labels) == ["a", "b", "c", "d", "e"]
    # The largest window.
    of = design(window("income", 65_000, 100, low=10**9 - 64_999), plain(WORK))
    found = table_of(asked.used_rows(of, [RecordRow(1, (64_999, 0)), RecordRow(1, (0, 1))]))
    assert sorted(found["income"].to_pylist()) == [10**9 - 64_999, 10**9]
    assert str(found.schema.field("work").type.index_type) == "int8"


def test_spss_file_holds_numbers_and_codes_of_classes(tmp_path: Path) -> None:
    data, about = spss(records(NUMBERS), tmp_path, user_missing=True)
    rows = sorted(zip(data["cigarettes"], data["change"], data["debt"], data["work"], strict=True))
    # The missing values of change lie below its lowest number, -4; those of the others are -1, -2 and -3.
    assert rows == [(0, 4, 0, -3), (7, -6, -2, 1), (40, -4, 5, 0)]
    reasons = ("not asked", "does not apply", "withheld")
    labels = about.variable_value_labels
    assert labels["change"] == dict(zip((-5, -6, -7), reasons, strict=True))
    assert labels["debt"] == dict(enumerate(DEBTS)) | dict(zip((-1, -2, -3), reasons, strict=True))
    scales = dict.fromkeys(("change", "cigarettes"), "scale")
    assert about.variable_measure == dict.fromkeys(("group", "work", "debt"), "nominal") | scales
    # SPSS takes a number that does not apply for missing.
    data, _about = spss(records(NUMBERS), tmp_path)
    assert sorted(value for value in data["change"] if value is not None) == [-4, 4]
    assert data["change"].count(None) == data["debt"].count(None) == 1
    # It shows the largest numbers whole.
    of = design(window("income", 3, 0, low=-(10**9), step=10**9))
    data, about = spss(asked.used_rows(of, [RecordRow(1, (code,)) for code in range(3)]), tmp_path)
    assert sorted(data["income"]) == [-(10**9), 0, 10**9]
    assert about.original_variable_types["income"] == "F11.0"


def test_spss_file_holds_place_codes_set_texts_and_the_direct_group(tmp_path: Path) -> None:
    data, about = spss(records(HOMES), tmp_path, user_missing=True)
    assert sorted(data["home"]) == [-3, -2, 3]
    labels: dict[float, str] = about.variable_value_labels["home"]
    assert (labels[3], labels[6], labels[-2]) == ("c3", "c6", "does not apply")
    data, about = spss(records(SETS), tmp_path)
    assert sorted(data["drug"]) == ["-", "a+b", "c", "d+e"]
    assert about.original_variable_types["drug"] == "A3"
    assert "drug" not in about.variable_value_labels
    # Twenty thousand sets make no large file.
    many = design(subset(21, 5, "0.4838"))
    data, _about = spss(asked.used_rows(many, [RecordRow(1, (20_348,))]), tmp_path)
    assert data["drug"] == ["q+r+s+t+u"]
    assert (tmp_path / "records.sav").stat().st_size < 5_000
    _data, about = spss(records(ARMS), tmp_path)
    assert about.variable_value_labels["group"] == {0: "direct", 1: "disguised"}
