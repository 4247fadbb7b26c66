"""What a browser's profile holds: its files byte by byte, and LevelDB's, which are in pieces and packed, unpacked."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

BLOCK = 32_768
MAGIC = 0xDB4775248B80FB57
SNAPPY = 1
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file with its bytes, those of LevelDB unpacked as well; what vanishes meanwhile is left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        try:
            raw = path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:
            continue
        found[path] = raw + b"".join(unpacked(path, raw))
    return found


def holding(folder: Path, *texts: str) -> dict[str, list[str]]:
    """By text the files with it, in one of the encodings that a browser writes."""
    files = {str(path.relative_to(folder)): content for path, content in contents(folder).items()}
    found = {}
    for text in texts:
        patterns = [text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be")]
        found[text] = [
            name for name, content in files.items() if any(pattern in content for pattern in patterns)
        ]
    return found


def ever_stored(profile: Path, name: str) -> list[str]:
    """What session storage has written under this name, in order, also what was replaced or removed later.

    Chromium copies all of it where a tab is copied; each copy counts once.
    """
    found: dict[bytes, None] = {}
    for path in sorted((profile / "Default" / "Session Storage").glob("*.log")):
        for record in log_records(path.read_bytes()):
            for key, value in written(record):
                if re.fullmatch(rb"map-\d+-" + re.escape(name.encode()), key):
                    found[value] = None
    return [value.decode("utf-16-le") for value in found]


def unpacked(path: Path, raw: bytes) -> Iterator[bytes]:
    if path.suffix == ".log":
        yield from log_records(raw)
    elif path.suffix in (".ldb", ".sst") and raw[-8:] == MAGIC.to_bytes(8, "little"):
        yield from table_blocks(raw)


def log_records(raw: bytes) -> Iterator[bytes]:
    """The records of a log. One that does not fit into its block goes on in the next."""
    record = b""
    for start in range(0, len(raw), BLOCK):
        block = raw[start : start + BLOCK]
        at = 0
        while at + 7 <= len(block):
            length, kind = struct.unpack_from("<HB", block, at + 4)
            piece = block[at + 7 : at + 7 + length]
            record = piece if kind in (FULL, FIRST) else record + piece
            if kind in (FULL, LAST) and len(piece) == length:
                yield record
            at += 7 + length


def written(record: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values that one record of a log puts in; after twelve bytes, put or delete, key, value."""
    at = 12
    while at < len(record):
        puts = record[at] == 1
        length, at = number(record, at + 1)
        key, at = record[at : at + length], at + length
        if puts:
            length, at = number(record, at)
            yield key, record[at : at + length]
            at += length


def table_blocks(raw: bytes) -> Iterator[bytes]:
    """The index of a table names its blocks; each is followed by a byte that says how it is packed."""
    footer = raw[-48:]
    _meta_offset, at = number(footer, 0)
    _meta_size, at = number(footer, at)
    offset, at = number(footer, at)
    size, at = number(footer, at)
    for handle in entries(block(raw, offset, size)):
        start, next_at = number(handle, 0)
        length, _end = number(handle, next_at)
        yield block(raw, start, length)


def block(raw: bytes, offset: int, size: int) -> bytes:
    packed = raw[offset : offset + size]
    if raw[offset + size] != SNAPPY:
        return packed
    length, _start = number(packed, 0)
    return bytes(pa.Codec("snappy").decompress(packed, length))


def entries(index: bytes) -> Iterator[bytes]:
    """The values of a block: shared and own part of each key, then the value."""
    (restarts,) = struct.unpack("<I", index[-4:])
    end, at = len(index) - 4 * (restarts + 1), 0
    while at < end:
        _shared, at = number(index, at)
        own, at = number(index, at)
        length, at = number(index, at)
        yield index[at + own : at + own + length]
        at += own + length


def number(raw: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at
