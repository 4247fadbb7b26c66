"""Reads tables in text files: values separated by commas, semicolons or tabs."""

import codecs
import csv
from collections.abc import Iterator
from io import StringIO

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused, file_refusal, too_large_refusal

MOST_ROWS, LONGEST_CELL = 50_000, 131_072
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def first_nonblank_line(data: bytes) -> str:
    """Returns the first line that is not blank, from the first 8,000 bytes of a file."""
    text = data[:8_000].decode("utf-16" if data.startswith(WIDE) else "utf-8-sig", "replace")
    return next((line for line in text.splitlines() if line.strip()), "")


def decode(data: bytes, fallback: str = "") -> str:
    r"""Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark.

    Other files are decoded by the encoding `fallback`; they are refused if `fallback` is empty. Line ends \r
    alone, as Excel for Mac writes them, become \n.
    """
    try:
        text = data.decode("utf-16" if data.startswith(WIDE) else "utf-8-sig")
    except UnicodeDecodeError:
        if not fallback:
            raise file_refusal(_("is not in UTF-8; save it as CSV UTF-8")) from None
        text = data.decode(fallback, "replace")
    return text if "\n" in text else text.replace("\r", "\n")


def find_separator(text: str) -> str:
    """Returns the separator of a table's cells: the most frequent one in the first line that contains any."""
    lines = text[:8_000].splitlines()
    return max(",;\t", key=next((line for line in lines if any(map(line.count, ",;\t"))), "").count)


def numbered_rows(text: str, separator: str, most_rows: int = MOST_ROWS) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a table with their numbers, counted from 1 as in a spreadsheet.

    Raises `FileRefused` for a damaged table, or one with too many rows.
    """
    number = 0
    try:
        for number, cells in enumerate(csv.reader(StringIO(text, newline=""), delimiter=separator), 1):
            if number > most_rows:
                raise too_large_refusal()
            if max(map(len, cells), default=0) > LONGEST_CELL:
                raise csv.Error
            yield number, cells
    except csv.Error:
        location = _("row %(number)s") % {"number": max(number, 1)}
        raise FileRefused([Fault(location, _("is a damaged table; save it as CSV UTF-8 again"))]) from None
