"""Reads spreadsheet files as rows of texts, and writes them. A hostile file costs no more memory and time than an
honest one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.xlsform.allowed_names import split_header

SHEETS = ("survey", "choices", "settings")
LEGACY = {"choices": ("choices and columns", "columns and choices", "columns")}
"""What older forms call a sheet."""
COLUMNS_OF = {
    "survey": ({"type", "command"}, {"name", "tag", "label", "caption"}),
    "choices": ({"list_name", "list"}, {"name", "value", "label", "caption"}),
}
"""A sheet of another name is told by its header: it has one column of each set."""
MOST_BLANK = 20
"""Empty rows that may stand above the header."""
MOST_UNPACKED = 10_000_000
MOST_MEMBERS = 500
MOST_ROWS, MOST_COLUMNS = 2_000, 300
MOST_CELLS, MOST_CHARACTERS = 100_000, 4_000_000
"""Of all three sheets together; cells that share one text count each, since each is read."""
MOST_TAGS, MOST_ATTRIBUTES = 10 * MOST_CELLS, 5 * MOST_CELLS
"""Of all members; a cell with a text of its own takes eight and three. Beyond, parsing alone takes seconds."""
LONGEST_CELL = 32_767
"""Characters that a cell of a spreadsheet can have; programs cut off the rest."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet. `number`: as the spreadsheet counts (the header is 1). `cells`: without the empty ones."""

    sheet: str
    number: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        """Returns the stripped cell; empty if there is none."""
        return self.cells.get(column, "").strip()

    def fault(self, reason: str) -> Fault:
        return Fault(row_location(self.sheet, self.number), reason)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet with its header and rows.

    `doubled`: columns whose name an earlier column has. `cut`: rows beyond the limit were not read. `top`: row number
    of the header.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    doubled: tuple[str, ...] = ()
    cut: bool = False
    top: int = 1


class FormSheets(NamedTuple):
    """The three sheets of an XLSForm, empty if missing. `unread`: the names of other sheets."""

    read: Mapping[str, Sheet]
    unread: tuple[str, ...]


def row_location(sheet: str, row: int) -> str:
    return _("sheet %(sheet)s, row %(row)s") % {"sheet": sheet, "row": row}


def read(data: bytes) -> FormSheets:
    """Returns the sheets of a spreadsheet file; raises `FileRefused` if it is none or too large."""
    from openpyxl import load_workbook  # late for cost

    _check_archive_size(data)
    with _refuse_damage():
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        named = _sheets_by_name({str(sheet.title).strip().lower(): sheet for sheet in book.worksheets})
        named |= _sheets_by_header([sheet for sheet in book.worksheets if sheet not in named.values()], named)
        unread = tuple(str(sheet.title) for sheet in book.worksheets if sheet not in named.values())
    if "survey" not in named:
        raise _file_refusal(_("has no sheet called survey"))
    texts = _CellTexts()
    return FormSheets(
        {
            name: _make_sheet(name, _read_lines(named[name]) if name in named else iter(()), texts)
            for name in SHEETS
        },
        unread,
    )


def _sheets_by_name(named: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {
        name: next((each for each in (name, *LEGACY.get(name, ())) if each in named), "") for name in SHEETS
    }
    return {name: named[each] for name, each in wanted.items() if each}


def _sheets_by_header(sheets: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Finds missing sheets under other names, by their columns."""
    more: dict[str, Any] = {}
    for sheet in sheets:
        lines = sheet.iter_rows(max_row=MOST_BLANK + 1, max_col=MOST_COLUMNS, values_only=True)
        first = next((line for line in lines if any(cell is not None for cell in line)), ())
        header = {split_header(str(cell))[0] for cell in first if cell is not None}
        for name, wanted in COLUMNS_OF.items():
            if name not in named and name not in more and all(header & each for each in wanted):
                more[name] = sheet
                break
    return more


def _file_refusal(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])


@contextmanager
def _refuse_damage() -> Iterator[None]:
    """Turns any exception that openpyxl raises for a damaged workbook into `FileRefused`."""
    try:
        yield
    except (FileRefused, MemoryError):
        raise
    except Exception:
        raise _file_refusal(_("cannot be read as a spreadsheet; save it as .xlsx again")) from None


def _check_archive_size(data: bytes) -> None:
    """Refuses an archive with too much to unpack or parse; zipfile reads no more than a member declares."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except (BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        raise _file_refusal(_("is not a spreadsheet of the kind .xlsx")) from None
    # Other ways to compress, which no spreadsheet program uses, may claim gigabytes to unpack.
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        raise _file_refusal(_("cannot be read as a spreadsheet; save it as .xlsx again"))
    too_much = len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_UNPACKED
    if too_much or _is_long_to_parse(data):
        raise _file_refusal(
            _("unpacks to more than a questionnaire holds; copy its three sheets into a new spreadsheet")
        )


def _is_long_to_parse(data: bytes) -> bool:
    tags = attributes = 0
    with _refuse_damage(), ZipFile(BytesIO(data)) as archive:
        for member in archive.infolist():
            text = archive.read(member)
            tags += text.count(b"<")
            attributes += text.count(b"=")
    return tags > MOST_TAGS or attributes > MOST_ATTRIBUTES


def _read_lines(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of a sheet up to the limit, and one more if there are more."""
    lines = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS + 1, values_only=True)
    number = 0
    while True:
        with _refuse_damage():
            line = next(lines, None)
        if line is None:
            return
        number += 1
        if len(line) > MOST_COLUMNS and line[MOST_COLUMNS] is not None:
            raise FileRefused(
                [Fault(row_location(sheet.title, number), _("has more columns than a questionnaire"))]
            )
        yield line


def _make_sheet(name: str, lines: Iterator[tuple[Any, ...]], texts: "_CellTexts") -> Sheet:
    numbered = enumerate(lines, 1)
    top, header, doubled = _read_header(name, numbered, texts)
    rows: list[SheetRow] = []
    cut = False
    for number, line in numbered:
        if number > MOST_ROWS:
            cut = any(cell is not None for cell in line)
            break
        cells: dict[str, str] = {}
        for column, text in zip(header, texts.line_texts(name, number, line), strict=False):
            if column and text:
                cells.setdefault(column, text)
        if cells:
            rows.append(SheetRow(name, number, cells))
    return Sheet(name, _distinct_columns(header), tuple(rows), doubled, cut, top)


def _read_header(
    name: str, numbered: Iterator[tuple[int, tuple[Any, ...]]], texts: "_CellTexts"
) -> tuple[int, list[str], tuple[str, ...]]:
    """Returns the row number of the header, its columns, and columns whose name an earlier one has."""
    for number, line in numbered:
        header = [" ".join(text.split()) for text in texts.line_texts(name, number, line)]
        if any(header) or number > MOST_BLANK:
            doubled = [column for index, column in enumerate(header) if column and column in header[:index]]
            return number, header, tuple(doubled)
    return 1, [], ()


def _distinct_columns(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for column in header if column))


class _CellTexts:
    """Converts cells to texts, with one budget for all sheets; a text shared by many cells is converted once."""

    def __init__(self) -> None:
        self._converted: dict[str, str] = {}
        self._cells, self._characters = MOST_CELLS, MOST_CHARACTERS

    def line_texts(self, sheet: str, number: int, line: Sequence[Any]) -> list[str]:
        cells = [self._shared_text(cell) for cell in line]
        self._cells -= sum(map(bool, cells))
        self._characters -= sum(map(len, cells))
        if self._cells < 0 or self._characters < 0:
            reason = _("up to here the sheets hold more cells or text than a questionnaire")
            raise FileRefused([Fault(row_location(sheet, number), reason)])
        return cells

    def _shared_text(self, cell: Any) -> str:
        if cell is None:
            return ""
        if not isinstance(cell, str):
            return _cell_text(cell)
        converted = self._converted.get(cell)
        if converted is None:
            text = cell.replace("\r\n", "\n")
            converted = self._converted[cell] = text if text.strip() else ""
        return converted


def _cell_text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        # As a spreadsheet shows it: 0.3, even where the sum of a formula is 0.30000000000000004.
        return f"{cell:.10g}"
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def write(sheets: Mapping[str, Iterable[Sequence[str]]]) -> bytes:
    """Returns a workbook whose cells are all texts, so that none is a formula."""
    from openpyxl import Workbook  # late for cost

    book = Workbook(write_only=True)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append([_text_cell(sheet, text) for text in line])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _text_cell(sheet: Any, text: str) -> Any:
    if not text:
        return None
    from openpyxl.cell import WriteOnlyCell  # late for cost

    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell
