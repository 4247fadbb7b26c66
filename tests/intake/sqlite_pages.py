"""Rows in the order in which they lie in the pages of a SQLite file (sqlite.org/fileformat2.html)."""

import sqlite3
from collections.abc import Iterator

Row = tuple[object, ...]
WITHOUT_CONTENT = {0: None, 8: 0, 9: 1}
WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}


def rows_as_they_lie(file: sqlite3.Connection, table: str) -> list[Row]:
    """Page by page, in each the oldest place first: SQLite fills a page from its end."""
    ((root,),) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchall()
    return list(_of_page(file.serialize(), root))


def _of_page(content: bytes, number: int) -> Iterator[Row]:
    size = int.from_bytes(content[16:18]) or 65536
    page = content[(number - 1) * size : number * size]
    kind, cells = page[0], int.from_bytes(page[3:5])
    is_leaf, has_rowid = kind in (0x0A, 0x0D), kind in (0x05, 0x0D)
    pointers = page[8 if is_leaf else 12 :][: 2 * cells]
    starts = (int.from_bytes(pointers[i : i + 2]) for i in range(0, 2 * cells, 2))
    for cell in (page[start:] for start in sorted(starts, reverse=True)):
        if not is_leaf:
            yield from _of_page(content, int.from_bytes(cell[:4]))
        if is_leaf or not has_rowid:
            yield tuple(_values(_payload(cell if is_leaf else cell[4:], has_rowid)))
    if not is_leaf:
        yield from _of_page(content, int.from_bytes(page[8:12]))


def _payload(cell: bytes, has_rowid: bool) -> bytes:
    length, at = _varint(cell, 0)
    if has_rowid:
        _rowid, at = _varint(cell, at)
    return cell[at : at + length]


def _values(payload: bytes) -> Iterator[object]:
    end, at = _varint(payload, 0)
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        if kind in WITHOUT_CONTENT:
            yield WITHOUT_CONTENT[kind]
            continue
        width = WIDTHS.get(kind, (kind - 12) // 2)
        value, body = payload[body : body + width], body + width
        if kind < 12:
            yield int.from_bytes(value, signed=True)
        else:
            yield value.decode() if kind % 2 else value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for _byte in range(9):
        value = value << 7 | data[at] & 0x7F
        at += 1
        if not data[at - 1] & 0x80:
            break
    return value, at
