"""Reads spreadsheet files and CSV as rows of texts, and writes spreadsheets.

Limits bound the memory and time that any file can take.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from itertools import compress, islice
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from importing.delimited_text import decode, find_separator, first_nonblank_line, numbered_rows
from importing.faults import Fault, FileRefused, file_refusal
from importing.safe_zip import ZIP, member_names, unpack
from importing.xlsform.allowed_names import split_header

SHEETS = ("survey", "choices", "settings")
LEGACY = {"choices": ("choices and columns", "columns and choices", "columns")}
"""Names of sheets in older forms."""
COLUMNS_OF = {
    "survey": ({"type", "command"}, {"name", "tag", "label", "caption"}),
    "choices": ({"list_name", "list"}, {"name", "value", "label", "caption"}),
}
"""Columns by which a sheet with another name is recognised: its header has one of each set."""
MOST_BLANK = 20
"""Highest number of empty rows above the header."""
MOST_BLANK_AT_END, MOST_BELOW = 200, 20_000
"""Number of successive empty rows that end a sheet, since some programs format empty rows up to its end, and number of
rows below them that are searched for anything else."""
MOST_ROWS, MOST_COLUMNS = 2_000, 300
MOST_CELLS, MOST_CHARACTERS = 100_000, 4_000_000
"""Limits for all three sheets together; cells that share one text are counted separately, since each is read."""
MOST_TAGS, MOST_ATTRIBUTES = 10 * MOST_CELLS, 5 * MOST_CELLS
"""Limits for all XML members; a cell with its own text takes eight tags and three attributes.

More would take seconds to parse.
"""
LONGEST_CELL = 32_767
"""Highest number of characters in a cell of a spreadsheet; programs cut off the rest."""
Line = tuple[int, Sequence[Any]]
"""A row with its number."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet. `number`: its number in the spreadsheet (the header is 1). `cells`: its non-empty
    cells by column.

    `place`: its location in a file of another format.
    """

    sheet: str
    number: int
    cells: Mapping[str, str]
    place: str = ""

    @property
    def location(self) -> str:
        return self.place or row_location(self.sheet, self.number)

    def get(self, column: str) -> str:
        """Returns the stripped cell; empty if there is none."""
        return self.cells.get(column, "").strip()

    def fault(self, reason: str) -> Fault:
        return Fault(self.location, reason)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet with its header and rows.

    `doubled`: columns with the name of an earlier column. `cut`: rows beyond the limit were not read. `ends_early`:
    reading stopped at many empty rows, and later rows were not read. `top`: row number of the header.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    doubled: tuple[str, ...] = ()
    cut: bool = False
    ends_early: bool = False
    top: int = 1


class FormSheets(NamedTuple):
    """The three sheets of an XLSForm, empty if missing. `unread`: the names of other sheets."""

    read: Mapping[str, Sheet]
    unread: tuple[str, ...]


def row_location(sheet: str, row: int) -> str:
    return _("sheet %(sheet)s, row %(row)s") % {"sheet": sheet, "row": row}


def read(data: bytes) -> FormSheets:
    """Returns the sheets of a spreadsheet file or of CSV; raises `FileRefused` for any other file or a too
    large one."""
    return _read_workbook(data) if data.startswith(ZIP) else _read_csv(data)


def _read_workbook(data: bytes) -> FormSheets:
    from openpyxl import load_workbook  # late for cost

    if _is_long_to_parse(data):
        raise file_refusal(_("unpacks to more than a questionnaire holds"))
    with _refuse_damage():
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        named = _sheets_by_name({str(sheet.title).strip().lower(): sheet for sheet in book.worksheets})
        named |= _sheets_by_header([sheet for sheet in book.worksheets if sheet not in named.values()], named)
        unread = tuple(str(sheet.title) for sheet in book.worksheets if sheet not in named.values())
    if "survey" not in named:
        raise file_refusal(_("has no sheet called survey"))
    return FormSheets(make_sheets({name: _read_lines(sheet) for name, sheet in named.items()}), unread)


def _sheets_by_name(named: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {
        name: next((each for each in (name, *LEGACY.get(name, ())) if each in named), "") for name in SHEETS
    }
    return {name: named[each] for name, each in wanted.items() if each}


def _sheets_by_header(sheets: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Returns sheets under other names that have the columns of a missing sheet, by that sheet's name."""
    more: dict[str, Any] = {}
    for sheet in sheets:
        lines = sheet.iter_rows(max_row=MOST_BLANK + 1, max_col=MOST_COLUMNS, values_only=True)
        first = next((line for line in lines if any(cell is not None for cell in line)), ())
        name = _sheet_with_header([str(cell) for cell in first if cell is not None])
        if name and name not in named and name not in more:
            more[name] = sheet
    return more


def _sheet_with_header(cells: Iterable[str]) -> str:
    """Returns the name of the sheet that has these columns; empty if none has."""
    header = {split_header(cell)[0] for cell in cells}
    return next((name for name, wanted in COLUMNS_OF.items() if all(header & each for each in wanted)), "")


@contextmanager
def _refuse_damage() -> Iterator[None]:
    """Context manager: turns any exception of openpyxl about a damaged workbook into `FileRefused`."""
    try:
        yield
    except (FileRefused, MemoryError):
        raise
    except Exception:
        raise file_refusal(_("cannot be read as a spreadsheet; save it as .xlsx again")) from None


def _is_long_to_parse(data: bytes) -> bool:
    members = unpack(data, member_names(data))
    tags, attributes = (sum(text.count(sign) for text in members) for sign in (b"<", b"="))
    return tags > MOST_TAGS or attributes > MOST_ATTRIBUTES


def _read_lines(sheet: Any) -> Iterator[Line]:
    lines = sheet.iter_rows(max_col=MOST_COLUMNS + 1, values_only=True)
    number = 0
    while True:
        number += 1
        with _refuse_damage():
            line = next(lines, None)
        if line is None:
            return
        yield number, line


# --- CSV: one file with all sheets, where the first column has the name of a sheet above its rows


def looks_like_csv(data: bytes) -> bool:
    """True if the first row names a sheet, or has the columns of a sheet."""
    first = first_nonblank_line(data)
    cells = next((cells for _number, cells in numbered_rows(first, find_separator(first))), [])
    return bool(_sheet_of_line(cells) or _sheet_with_header(cells))


def _sheet_of_line(cells: Sequence[str]) -> str:
    """Returns the name of the sheet that a CSV line begins; empty if the line is a row."""
    name = cells[0].strip().lower() if cells and not any(map(str.strip, cells[1:])) else ""
    return next((sheet for sheet in SHEETS if name in (sheet, *LEGACY.get(sheet, ()))), "")


def _read_csv(data: bytes) -> FormSheets:
    text = decode(data, "cp1252")
    lines = list(numbered_rows(text, find_separator(text)))
    filled = [(number, cells) for number, cells in lines if any(map(str.strip, cells))]
    alone = _sheet_with_header(filled[0][1]) if filled else ""
    if alone:
        types = [split_header(cell)[0] in COLUMNS_OF[SHEETS[0]][0] for cell in filled[0][1]]
        asked = (cell.strip().lower() for _number, cells in filled for cell in compress(cells, types))
        if alone != SHEETS[0] or any(cell.startswith("select") for cell in asked):
            raise file_refusal(
                _(
                    "is one sheet of an XLSForm; send its sheets survey, choices and settings together, as .xlsx or"
                    " as one CSV with the name of each sheet above its rows"
                )
            )
        lines.insert(0, (0, [alone]))
    named: dict[str, list[Line]] = {}
    unread: list[str] = []
    has_margin = not alone and len(filled) > 1 and not filled[1][1][0].strip()
    rows: list[Line] = []
    for number, cells in lines:
        if sheet := _sheet_of_line(cells):
            rows = named.setdefault(sheet, [])
        elif has_margin and cells and cells[0].strip():
            unread.append(cells[0].strip())
            rows = []
        else:
            rows.append((number, [cell or None for cell in cells]))
    if "survey" not in named:
        raise file_refusal(_("has no sheet called survey"))
    return FormSheets(make_sheets({name: iter(rows) for name, rows in named.items()}), tuple(unread))


# --- sheets


def make_sheets(
    lines: Mapping[str, Iterator[Line]], places: Mapping[int, str] | None = None
) -> dict[str, Sheet]:
    """Returns all three sheets made from their lines, the first of which is the header.

    `places`: locations of the rows of the sheet survey, by number.
    """
    texts = _CellTexts()
    return {name: _make_sheet(name, lines.get(name, iter(())), texts, places or {}) for name in SHEETS}


def _make_sheet(name: str, lines: Iterator[Line], texts: "_CellTexts", places: Mapping[int, str]) -> Sheet:
    header: list[str] = []
    rows: list[SheetRow] = []
    cut, blank, top = False, 0, 0
    for count, (number, line) in enumerate(lines, 1):
        blank = 0 if any(cell is not None for cell in line) else blank + 1
        if blank > MOST_BLANK_AT_END:
            break
        if any(cell is not None for cell in line[MOST_COLUMNS:]):
            raise FileRefused([Fault(row_location(name, number), _("has more columns than a questionnaire"))])
        if count > MOST_ROWS and not blank:
            cut = True
            break
        cells = texts.line_texts(name, number, line[:MOST_COLUMNS])
        if not top:
            if any(cells) or blank > MOST_BLANK:
                top, header = number, [" ".join(text.split()) for text in cells]
            continue
        filled: dict[str, str] = {}
        for column, text in zip(header, cells, strict=False):
            if column and text:
                filled.setdefault(column, text)
        if filled:
            rows.append(SheetRow(name, number, filled, places.get(number, "") if name == SHEETS[0] else ""))
    below = islice(lines, MOST_BELOW) if blank > MOST_BLANK_AT_END else iter(())
    ends_early = any(cell is not None for _number, line in below for cell in line)
    columns = [column for column in header if column]
    doubled = tuple(column for index, column in enumerate(columns) if column in columns[:index])
    ends_early = ends_early or (blank > MOST_BLANK_AT_END and next(lines, None) is not None)
    return Sheet(name, tuple(dict.fromkeys(columns)), tuple(rows), doubled, cut, ends_early, top or 1)


class _CellTexts:
    """Converts the cells of all sheets to texts, within one limit of size; a text shared by many cells is converted
    once."""

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
    """Returns a workbook whose cells are all texts, so that no cell is a formula."""
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
