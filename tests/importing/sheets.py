"""XLSForms as somebody would write them in a spreadsheet program."""

import io
from collections.abc import Sequence
from typing import Any

import pytest
from openpyxl import Workbook

from importing import xlsform
from importing.faults import FileRefused
from importing.import_result import CHANGED, LEFT

Lines = Sequence[Sequence[Any]]
CHOICES: Lines = [
    ["list_name", "name", "label::English (en)"],
    ["ages", "young", "18 to 39"],
    ["ages", "old", "40 or older"],
    ["yes_no", "yes", "Yes"],
    ["yes_no", "no", "No"],
    ["paid", "cash", "In cash"],
    ["paid", "goods", "In goods"],
]
HEADER = [
    "type",
    "name",
    "label::English (en)",
    "required",
    "relevant",
    "candor_section",
    "candor_keep",
    "candor_noise",
]


def workbook(**sheets: Lines) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(list(line))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def form(
    *rows: Sequence[Any], header: Sequence[str] = HEADER, choices: Lines = CHOICES, **sheets: Lines
) -> bytes:
    return workbook(survey=[header, *rows], choices=choices, **sheets)


def outcomes(data: bytes, outcome: str) -> list[str]:
    """What is said of the rows of a form that came to this, a place and a remark in each line."""
    lines = xlsform.read(data).lines
    return [
        f"{line.location}: {remark}" for line in lines if line.outcome == outcome for remark in line.remarks
    ]


def left(data: bytes) -> list[str]:
    return outcomes(data, LEFT)


def changed(data: bytes) -> list[str]:
    return outcomes(data, CHANGED)


def refused(data: bytes) -> list[str]:
    """What is said of a file that is not taken, a place and a reason in each line."""
    with pytest.raises(FileRefused) as found:
        xlsform.read(data)
    return [f"{place}: {reason}" for place, reason in found.value.faults]
