"""Spreadsheet files as rows of texts, and back. A hostile file costs no more memory and time than an honest one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.xlsform.allowed_names import split_column

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
    """`doubled` are columns whose name an earlier one has; `cut` at the most rows that are read.

    `top`: the row of the header.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    doubled: tuple[str, ...] = ()
    cut: bool = False
    top: int = 1


class FormSheets(NamedTuple):
    """The sheets of an XLSForm; those that are missing are empty. `unread`: the names of the others."""

    read: Mapping[str, Sheet]
    unread: tuple[str, ...]


def place_of(sheet: str, row: int) -> str:
    return _("sheet %(sheet)s, row %(row)s") % {"sheet": sheet, "row": row}


def read(data: bytes) -> FormSheets:
    from openpyxl import load_workbook  # late for cost

    _weigh(data)
    with _damage_refused():
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        named = _by_name({str(sheet.title).strip().lower(): sheet for sheet in book.worksheets})
        named |= _by_header([sheet for sheet in book.worksheets if sheet not in named.values()], named)
        unread = tuple(str(sheet.title) for sheet in book.worksheets if sheet not in named.values())
    if "survey" not in named:
        raise _refused(_("has no sheet called survey"))
    texts = _Texts()
    return FormSheets(
        {name: _sheet(name, _lines(named[name]) if name in named else iter(()), texts) for name in SHEETS},
        unread,
    )


def _by_name(named: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {
        name: next((each for each in (name, *LEGACY.get(name, ())) if each in named), "") for name in SHEETS
    }
    return {name: named[each] for name, each in wanted.items() if each}


def _by_header(sheets: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The sheets that are missing and have another name."""
    more: dict[str, Any] = {}
    for sheet in sheets:
        lines = sheet.iter_rows(max_row=MOST_BLANK + 1, max_col=MOST_COLUMNS, values_only=True)
        first = next((line for line in lines if any(cell is not None for cell in line)), ())
        header = {split_column(str(cell))[0] for cell in first if cell is not None}
        for name, wanted in COLUMNS_OF.items():
            if name not in named and name not in more and all(header & each for each in wanted):
                more[name] = sheet
                break
    return more


def _refused(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])


@contextmanager
def _damage_refused() -> Iterator[None]:
    """openpyxl raises any exception for a damaged workbook."""
    try:
        yield
    except (FileRefused, MemoryError):
        raise
    except Exception:
        raise _refused(_("cannot be read as a spreadsheet; save it as .xlsx again")) from None


def _weigh(data: bytes) -> None:
    """Refuse an archive with too much to unpack or to parse. zipfile reads no more of a member than it declares."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except (BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        raise _refused(_("is not a spreadsheet of the kind .xlsx")) from None
    # Other ways to compress, which no spreadsheet program uses, may claim gigabytes to unpack.
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        raise _refused(_("cannot be read as a spreadsheet; save it as .xlsx again"))
    too_much = len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_UNPACKED
    if too_much or _is_long_to_parse(data):
        raise _refused(
            _("unpacks to more than a questionnaire holds; copy its three sheets into a new spreadsheet")
        )


def _is_long_to_parse(data: bytes) -> bool:
    tags = attributes = 0
    with _damage_refused(), ZipFile(BytesIO(data)) as archive:
        for member in archive.infolist():
            text = archive.read(member)
            tags += text.count(b"<")
            attributes += text.count(b"=")
    return tags > MOST_TAGS or attributes > MOST_ATTRIBUTES


def _lines(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """As many as are read, and one more where there are more."""
    lines = sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS + 1, values_only=True)
    number = 0
    while True:
        with _damage_refused():
            line = next(lines, None)
        if line is None:
            return
        number += 1
        if len(line) > MOST_COLUMNS and line[MOST_COLUMNS] is not None:
            raise FileRefused(
                [Fault(place_of(sheet.title, number), _("has more columns than a questionnaire"))]
            )
        yield line


def _sheet(name: str, lines: Iterator[tuple[Any, ...]], texts: "_Texts") -> Sheet:
    numbered = enumerate(lines, 1)
    top, header, doubled = _header(name, numbered, texts)
    rows: list[SheetRow] = []
    cut = False
    for number, line in numbered:
        if number > MOST_ROWS:
            cut = any(cell is not None for cell in line)
            break
        cells: dict[str, str] = {}
        for column, text in zip(header, texts.of(name, number, line), strict=False):
            if column and text:
                cells.setdefault(column, text)
        if cells:
            rows.append(SheetRow(name, number, cells))
    return Sheet(name, _filled(header), tuple(rows), doubled, cut, top)


def _header(
    name: str, numbered: Iterator[tuple[int, tuple[Any, ...]]], texts: "_Texts"
) -> tuple[int, list[str], tuple[str, ...]]:
    """The row of the header, its columns, and those whose name an earlier one has."""
    for number, line in numbered:
        header = [" ".join(text.split()) for text in texts.of(name, number, line)]
        if any(header) or number > MOST_BLANK:
            doubled = [column for index, column in enumerate(header) if column and column in header[:index]]
            return number, header, tuple(doubled)
    return 1, [], ()


def _filled(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for column in header if column))


class _Texts:
    """Cells as texts, within one budget for all sheets. A text that many cells share is converted once."""

    def __init__(self) -> None:
        self._converted: dict[str, str] = {}
        self._cells, self._characters = MOST_CELLS, MOST_CHARACTERS

    def of(self, sheet: str, number: int, line: Sequence[Any]) -> list[str]:
        cells = [self._text(cell) for cell in line]
        self._cells -= sum(map(bool, cells))
        self._characters -= sum(map(len, cells))
        if self._cells < 0 or self._characters < 0:
            reason = _("up to here the sheets hold more cells or text than a questionnaire")
            raise FileRefused([Fault(place_of(sheet, number), reason)])
        return cells

    def _text(self, cell: Any) -> str:
        if cell is None:
            return ""
        if not isinstance(cell, str):
            return _text(cell)
        converted = self._converted.get(cell)
        if converted is None:
            text = cell.replace("\r\n", "\n")
            converted = self._converted[cell] = text if text.strip() else ""
        return converted


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        # As a spreadsheet shows it: 0.3, even where the sum of a formula is 0.30000000000000004.
        return f"{cell:.10g}"
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def written(sheets: Mapping[str, Iterable[Sequence[str]]]) -> bytes:
    """A workbook of texts: what looks like a formula is one no more than anything else."""
    from openpyxl import Workbook  # late for cost

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
    from openpyxl.cell import WriteOnlyCell  # late for cost

    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    return cell
