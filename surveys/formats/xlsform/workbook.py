"""Spreadsheet files as rows of texts, and back. A hostile file costs no more memory and time than an honest one."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from django.utils.translation import gettext as _

from surveys.formats.faults import Fault, NotTaken

SHEETS = ("survey", "choices", "settings")
MOST_UNPACKED = 20_000_000
MOST_MEMBERS = 500
MOST_ROWS, MOST_COLUMNS = 2_000, 300
LONGEST_CELL = 32_767
"""Characters that a cell of a spreadsheet holds; whatever writes it cuts off the rest."""


@dataclass(frozen=True, slots=True)
class Row:
    """`number` as the spreadsheet counts, so that the header is 1; empty cells are left out."""

    sheet: str
    number: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        """Without the spaces around it, which nobody sees."""
        return self.cells.get(column, "").strip()

    def fault(self, reason: str) -> Fault:
        return Fault(place_of(self.sheet, self.number), reason)


@dataclass(frozen=True, slots=True)
class Sheet:
    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]


def place_of(sheet: str, row: int) -> str:
    return _("sheet %(sheet)s, row %(row)s") % {"sheet": sheet, "row": row}


def read(data: bytes) -> dict[str, Sheet]:
    """The sheets of an XLSForm that there are; those that are missing are empty."""
    from openpyxl import load_workbook

    _weigh(data)
    try:
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        names = {str(name).strip().lower(): name for name in book.sheetnames}
        cells = {name: list(_lines(book[names[name]])) for name in SHEETS if name in names}
        book.close()
    except NotTaken:
        raise
    except Exception:  # a damaged workbook makes the reader fail in any way there is
        raise _refused(_("cannot be read as a spreadsheet; save it as .xlsx again")) from None
    if "survey" not in cells:
        raise _refused(_("has no sheet called survey"))
    return {name: _sheet(name, cells.get(name, [])) for name in SHEETS}


def _refused(reason: str) -> NotTaken:
    return NotTaken([Fault(_("the file"), reason)])


def _weigh(data: bytes) -> None:
    """Refuse what would unpack into too much. No member can hold more than it declares: zipfile stops there."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except (BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        raise _refused(_("is not a spreadsheet of the kind .xlsx")) from None
    if len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_UNPACKED:
        raise _refused(
            _("unpacks to more than a questionnaire holds; copy its three sheets into a new spreadsheet")
        )


def _lines(sheet: Any) -> Iterator[tuple[Any, ...]]:
    lines = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS + 1, values_only=True)
    for number, line in enumerate(lines, 1):
        if number > MOST_ROWS and any(cell is not None for cell in line):
            raise NotTaken([Fault(place_of(sheet.title, number), _("has more rows than a questionnaire"))])
        if len(line) > MOST_COLUMNS and line[MOST_COLUMNS] is not None:
            raise NotTaken([Fault(place_of(sheet.title, number), _("has more columns than a questionnaire"))])
        yield line


def _sheet(name: str, lines: Sequence[tuple[Any, ...]]) -> Sheet:
    header = [re.sub(r"\s+", " ", _text(cell).strip()) for cell in lines[0]] if lines else []
    for column in header:
        if column and header.count(column) > 1:
            reason = _("the column %(column)s stands twice") % {"column": column}
            raise NotTaken([Fault(place_of(name, 1), reason)])
    rows = (
        Row(
            name,
            number,
            {
                column: text
                for column, cell in zip(header, line, strict=False)
                if column and (text := _text(cell))
            },
        )
        for number, line in enumerate(lines[1:], 2)
    )
    return Sheet(name, tuple(column for column in header if column), tuple(row for row in rows if row.cells))


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        # As a spreadsheet shows it: 0.3, even where the sum of a formula is 0.30000000000000004.
        return f"{cell:.10g}"
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date().isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    text = str(cell).replace("\r\n", "\n")
    return text if text.strip() else ""


def written(sheets: Mapping[str, Iterable[Sequence[str]]]) -> bytes:
    """A workbook of texts: what looks like a formula is one no more than anything else."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append([_cell(sheet, text) for text in line])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _cell(sheet: Any, text: str) -> Any:
    if not text:
        return None
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell
