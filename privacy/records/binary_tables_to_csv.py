"""Converts tables in binary files (Excel, Parquet, SPSS) to CSV in UTF-8; refuses other binary files."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

from privacy.grammar.input_error import (
    InputError,
    mark_for_translation as _,
    name_extra_of_missing_package,
)
from privacy.records.csv_writer import csv_writer

MOST_TEXT = 50_000_000
"""Most bytes of a table converted to text."""
MOST_ROWS, MOST_COLUMNS = 200_000, 500
"""Of a sheet of Excel: one empty cell in its last row would be a million rows to read."""
CELLS_AT_ONCE = 250_000
PARQUET = b"PAR1"
"""How a Parquet file begins."""
OLD_EXCEL = b"\xd0\xcf\x11\xe0"
Reader = Callable[[bytes, "_BoundedFile", str], None]


def convert_to_csv(data: bytes, name: str, path: str = "") -> bytes | None:
    """Converts a binary table to CSV; None if the file is text. A row of a sheet keeps its line number.

    `path`: the result of `load_libraries_and_copy`.
    """
    if data.startswith(OLD_EXCEL):
        raise InputError(name, _("an old spreadsheet; save it as .xlsx or as CSV"))
    read = next((read for begin, read in READERS.items() if data.startswith(begin)), None)
    if read is None:
        return None
    file = _BoundedFile(name)
    with _refuse_damaged_file(name):
        read(data, file, path)
    return file.getvalue()


def load_libraries_and_copy(data: bytes) -> str:
    """Loads the libraries that read a binary table, before memory is limited and writing is forbidden.

    Returns the path of an in-memory copy of the data, which the reader of SPSS files needs; else an empty text.
    """
    with name_extra_of_missing_package():
        if data.startswith(b"PK"):
            # openpyxl takes numpy and Pillow where they are, for what is never asked of it here.
            import openpyxl  # noqa: F401  # late for cost
        elif data.startswith(PARQUET):
            import pyarrow.csv  # late for cost
            import pyarrow.parquet  # noqa: F401  # late for cost
        elif data.startswith(b"$FL"):
            import pyreadstat  # noqa: F401  # late for cost

            return _write_to_memory_file(data)
    return ""


class _BoundedFile(io.BytesIO):
    """A file in memory that refuses to grow beyond MOST_TEXT bytes."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.table_name = name

    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > MOST_TEXT:
            raise InputError(self.table_name, _("more than %(most)s bytes as text"), most=MOST_TEXT)
        return super().write(data)


class _EncodingWriter:
    """A text file for writing that encodes into a file of bytes as UTF-8."""

    def __init__(self, file: io.BytesIO) -> None:
        self._file = file

    def write(self, text: str, /) -> object:
        return self._file.write(text.encode())


@contextmanager
def _refuse_damaged_file(name: str) -> Iterator[None]:
    """Context manager: turns any exception of a reader into an error message that the file is damaged."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception:
        raise InputError(name, _("cannot be read; save it again, or as CSV")) from None


def _write_excel(data: bytes, file: "_BoundedFile", _path: str) -> None:
    """Writes the first sheet that has cells as CSV into `file`."""
    from openpyxl import load_workbook  # late for cost

    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    writer = csv_writer(_EncodingWriter(file))
    for sheet in book.worksheets:
        width = 0
        for row in _rows_within_bounds(sheet, file.table_name):
            used = max((index for index, cell in enumerate(row, 1) if cell is not None), default=0)
            width = width or used
            writer.writerow(
                [_cell_as_text(cell) for cell in (*row, *[None] * width)][: max(width, used)] if used else []
            )
        if width:
            break


def _rows_within_bounds(sheet: Any, name: str) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of a sheet; raises `InputError` if it has more than the bounds allow."""
    is_too_long = (sheet.max_row or 0) > MOST_ROWS
    # Else each row is filled up to the last column of all.
    sheet.reset_dimensions()
    rows = () if is_too_long else sheet.iter_rows(max_row=MOST_ROWS + 1, values_only=True)
    for number, row in enumerate(rows, 1):
        if is_too_long := number > MOST_ROWS:
            break
        if any(cell is not None for cell in row[MOST_COLUMNS:]):
            raise InputError(f"{name}:{number}", _("more than %(most)s columns"), most=MOST_COLUMNS)
        yield row
    if is_too_long:
        words = _("a sheet of more than %(most)s rows; save it as CSV, which may have more")
        raise InputError(name, words, most=MOST_ROWS)


def _write_parquet(data: bytes, file: io.BytesIO, _path: str) -> None:
    """Writes a Parquet file as CSV into `file`."""
    import pyarrow as pa  # late for cost
    from pyarrow import csv as arrow_csv, parquet  # late for cost

    source = parquet.ParquetFile(pa.BufferReader(data))
    fields = [pa.field(one.name, _csv_type_of_column(pa, one)) for one in source.schema_arrow]
    schema = pa.schema(fields)
    options = arrow_csv.WriteOptions(quoting_style="needed")
    rows = max(CELLS_AT_ONCE // max(len(fields), 1), 1)
    with arrow_csv.CSVWriter(file, schema, write_options=options) as writer:
        for batch in source.iter_batches(rows, use_threads=False):
            columns = [
                column.cast(field.type, safe=False)
                for column, field in zip(batch.columns, fields, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema))


def _csv_type_of_column(pa: Any, field: Any) -> Any:
    """Returns the type in which a Parquet column is written; for a dictionary the type of its values."""
    kind, types = field.type, pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        raise InputError(field.name, _("holds lists or bytes; leave the column out"))
    if types.is_timestamp(kind):
        return pa.timestamp("s")
    return pa.string() if types.is_decimal(kind) or types.is_string(kind) else kind


def _write_spss(data: bytes, file: io.BytesIO, path: str) -> None:
    """Writes an SPSS file as CSV into `file`, with value labels if all values of the first rows have one."""
    import pyreadstat  # late for cost

    path = path or _write_to_memory_file(data)
    _none, about = pyreadstat.read_sav(path, metadataonly=True, output_format="dict")
    names = about.column_names
    rows = max(CELLS_AT_ONCE // max(len(names), 1), 1)
    labels: dict[str, dict[Any, str]] | None = None
    writer = csv_writer(_EncodingWriter(file))
    writer.writerow(names)
    for start in range(0, max(about.number_rows or 0, 1), rows):
        read, _about = pyreadstat.read_sav(path, row_offset=start, row_limit=rows, output_format="dict")
        columns = [list(read[name]) for name in names]
        if labels is None:
            known = about.variable_value_labels
            labels = {
                name: known[name]
                for name, cells in zip(names, columns, strict=True)
                if name in known and all(cell in known[name] for cell in cells if not _is_missing(cell))
            }
        shown = [
            [_cell_as_text(labels.get(name, {}).get(cell, cell)) for cell in cells]
            for name, cells in zip(names, columns, strict=True)
        ]
        writer.writerows(zip(*shown, strict=True))


def _write_to_memory_file(data: bytes) -> str:
    """Writes data to a file in memory; returns its path."""
    number = os.memfd_create("table")
    with os.fdopen(os.dup(number), "wb") as file:
        file.write(data)
    return f"/proc/self/fd/{number}"


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell or cell == ""


def _cell_as_text(cell: Any) -> str:
    """Returns the text of a spreadsheet cell as CSV shows it; empty for a missing value."""
    if _is_missing(cell):
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        # As a spreadsheet shows it: 0.3, even where the sum of a formula is 0.30000000000000004.
        return f"{cell:.15g}"
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)


READERS: dict[bytes, Reader] = {
    b"PK": _write_excel,
    PARQUET: _write_parquet,
    b"$FL2": _write_spss,
    b"$FL3": _write_spss,
}
"""Converters by the first bytes of a file."""
