"""Numbers in record files and in files of true answers."""

import io

import pytest

from privacy.designs import InputError
from privacy.records import RecordRow, read_truth, write_records
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, design, plain, read_records, window

ASKED = design(
    plain(WORK), window("change", 5, 1, low=-4, step=2), classes("debt", "0.5", -5, 0, 10, **IF_EMPLOYED)
)
FILE = """group,work,change,debt
open,employed,-4,<0
disguised,employed,4,>=10
disguised,not,0,-
"""
ROWS = [RecordRow(0, (0, 0, 0)), RecordRow(1, (0, 4, 5)), RecordRow(1, (1, 2, 7))]


def read(text: str) -> list[RecordRow]:
    return list(read_records(io.BytesIO(text.encode()), "records.csv", ASKED))


def truths(text: str) -> list[tuple[int | None, ...]]:
    return [row.answers for row in read_truth(io.BytesIO(text.encode()), "truth.csv", ASKED)]


def test_records_of_numbers_are_read() -> None:
    assert read(FILE) == ROWS


def test_records_of_numbers_are_written_without_an_escape() -> None:
    written = io.StringIO()
    write_records(written, ASKED, ROWS)
    assert written.getvalue() == FILE


def test_other_cells_are_refused_with_the_line_and_the_column(subtests: pytest.Subtests) -> None:
    for cell in ["-5", "6", "1", "4.0", "four", "", "-", "４", " 4", "+4"]:
        with subtests.test(f"{cell}"), pytest.raises(InputError, match=r"records.csv:2: change"):
            read(f"group,work,change,debt\ndisguised,employed,{cell},<0\n")


def test_true_answers_are_numbers() -> None:
    assert truths("work,change,debt\nemployed,-2,10\nnot,4,nonsense\n") == [(0, 1, 15), (1, 4, None)]


def test_a_true_number_outside_or_between_steps_is_refused(subtests: pytest.Subtests) -> None:
    for cell in ["0.5", "", ">=10", "1e1", "０"]:
        with subtests.test(f"{cell}"), pytest.raises(InputError, match=r"truth.csv:2: debt"):
            truths(f"work,change,debt\nemployed,0,{cell}\n")
