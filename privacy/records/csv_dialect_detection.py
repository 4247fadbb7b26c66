"""Layout of a CSV file (separator, encoding, decimal sign): detected from its bytes, or given."""

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

SEPARATORS = (",", ";", "\t", "|")
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "windows-1252")
"""Encodings that are detected: utf-16 begins with a byte order mark; windows-1252 includes Latin-1."""
DECIMALS = (".", ",")
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SAMPLE = 100
"""Number of rows from which the separator and the decimal sign are detected."""
HEAD = 1 << 18
"""Number of bytes at the beginning of a file that contain these rows."""
WITH_COMMA = re.compile(r"[+-]?[0-9]{0,15},[0-9]{1,15}(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a CSV file: separator, encoding and decimal sign."""

    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."


def detect_layout(data: bytes) -> Layout:
    """Detects the layout of a CSV file; except for the encoding its first HEAD bytes are enough."""
    encoding = _detect_encoding(data)
    rows = decode_head(data[:HEAD], encoding).splitlines(keepends=True)
    lines = rows[: SAMPLE + 1] if len(rows) <= SAMPLE and len(data) <= HEAD else rows[:-1][: SAMPLE + 1]
    lines = lines or rows
    separator = max(SEPARATORS, key=lambda sign: _separator_fit(lines, sign))
    cells = (cell for row in split_rows(lines, separator)[1:] for cell in row)
    comma = separator != "," and any(WITH_COMMA.fullmatch(cell.strip()) for cell in cells)
    return Layout(separator, encoding, "," if comma else ".")


def decode_head(head: bytes, encoding: str) -> str:
    """Decodes the beginning of a file; a character that is cut off at its end is left out."""
    if encoding == "utf-16" and not head.startswith(MARKS):
        encoding = "utf-16-le"
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)("replace")
    return decoder.decode(head)


def _detect_encoding(data: bytes) -> str:
    if data.startswith(MARKS):
        return "utf-16"
    head = data[:HEAD]
    # Of text in European letters every second byte is 0; no other encoding has as many.
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if len(head) > 1 and zeros.count(0) * 2 > len(zeros):
            return encoding
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), HEAD):
            decoder.decode(data[start : start + HEAD])
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _separator_fit(lines: Sequence[str], separator: str) -> tuple[float, int]:
    """Returns how well a separator fits: the share of rows as wide as the first row, then this width.

    (0, 0) if the first row has a single cell.
    """
    rows = split_rows(lines, separator)
    width = len(rows[0]) if rows else 0
    if width < 2:
        return (0.0, 0)
    # R writes names of rows without a name of their column.
    same = sum(len(row) in (width, width + 1) for row in rows)
    return (same / len(rows), width)


def split_rows(lines: Iterable[str], separator: str) -> list[list[str]]:
    """Returns the cells of the rows up to the first unreadable row, without empty lines."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=separator):
            rows += [row] if row else []
    except csv.Error:
        pass
    return rows


def sample_rows(data: bytes, layout: Layout, rows: int) -> list[list[str]]:
    """Returns the first rows of a file, the header included."""
    lines = decode_head(data[:HEAD], layout.encoding).splitlines(keepends=True)
    return list(islice(split_rows(lines, layout.separator), rows + 1))


def decode_utf16_lines(lines: Iterable[bytes], encoding: str, most: int) -> Iterator[str]:
    """Yields the text lines of a file in UTF-16, from pieces of bytes of any length.

    A line of more than `most` characters is yielded as far as it was read.
    """
    decoder, rest = codecs.getincrementaldecoder(encoding)(), ""
    for piece in lines:
        *whole, rest = (rest + decoder.decode(piece)).split("\n")
        yield from (f"{line}\n" for line in whole)
        if len(rest) > most:
            yield rest
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest
