"""The file of a backup, candor-backup/1: whole, unaltered and of this instance, or refused before it is used.

    b"candor-backup/1\n", then the number of bytes of the whole file (8 bytes, big-endian)
    frames: kind (1 byte), length (4 bytes, big-endian), content
        H  the head: JSON      T  a table begins: JSON      R  whole rows of it, compressed with zlib
        E  the end: JSON
    SHA-256, then HMAC-SHA-256 of the frames and of what stands before them (32 bytes each)

The digest finds what was damaged. The authentication code is keyed with SECRET_KEY, and finds what somebody changed
and what another instance made. Nothing here knows what the rows mean.
"""

import hmac
import json
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

NAME = b"candor-backup/"
MAGIC = NAME + b"1\n"
HEAD, TABLE, ROWS, END = b"H", b"T", b"R", b"E"
LENGTH, FRAME = struct.Struct(">Q"), struct.Struct(">cI")
FRAMES = len(MAGIC) + LENGTH.size
"""Where the frames begin."""

SEAL_BYTES = 64
"""Bytes of the digest and the code together."""

CHUNK = 1 << 20
"""Bytes of rows in a frame, give or take a row: what is in memory at a time."""

Json = dict[str, Any]


class BackupRefused(Exception):
    """One line: why nothing was done, and what would help."""


@dataclass(frozen=True)
class Key:
    """Keys derived from a SECRET_KEY. `name` identifies it and reveals nothing of it."""

    secret: str = field(repr=False)

    @property
    def name(self) -> str:
        return self._derived(b"name").hex()[:16]

    def code(self) -> hmac.HMAC:
        return hmac.new(self._derived(b"code"), digestmod=sha256)

    def _derived(self, purpose: bytes) -> bytes:
        return hmac.digest(self.secret.encode(), b"candor-backup " + purpose, "sha256")


class Writer:
    """Writes an archive into an empty file: the head, then tables, each with its rows, then the end."""

    def __init__(self, out: BinaryIO, key: Key) -> None:
        self._out, self._digest, self._code = out, sha256(), key.code()
        self._rows = bytearray()
        out.write(MAGIC + LENGTH.pack(0))

    def head(self, content: Json) -> None:
        self._frame(HEAD, as_json(content))

    def table(self, content: Json) -> None:
        self._flush()
        self._frame(TABLE, as_json(content))

    def rows(self, whole: bytes) -> None:
        """One row or several of the table that was begun last, each whole."""
        self._rows += whole
        if len(self._rows) >= CHUNK:
            self._flush()

    def end(self, content: Json) -> int:
        """The bytes of the whole file."""
        self._flush()
        self._frame(END, as_json(content))
        size = self._out.tell() + SEAL_BYTES
        start = MAGIC + LENGTH.pack(size)
        self._seal(start)
        self._out.write(self._digest.digest() + self._code.digest())
        self._out.seek(0)
        self._out.write(start)
        return size

    def _flush(self) -> None:
        if self._rows:
            self._frame(ROWS, zlib.compress(self._rows, 1))
            self._rows.clear()

    def _frame(self, kind: bytes, content: bytes) -> None:
        for data in (FRAME.pack(kind, len(content)), content):
            self._seal(data)
            self._out.write(data)

    def _seal(self, data: bytes) -> None:
        self._digest.update(data)
        self._code.update(data)


def as_json(content: Json) -> bytes:
    return json.dumps(content, sort_keys=True, ensure_ascii=False).encode()


@dataclass
class Archive:
    """An archive that was found whole, unaltered and of this instance."""

    path: Path
    file: BinaryIO
    size: int
    digest: bytes
    head: Json
    end: Json = field(default_factory=dict)
    """Known once all tables have been read."""

    def tables(self) -> Iterator[tuple[Json, Iterator[bytes]]]:
        """Each table with its rows, some whole ones at a time; read them in this order and to their ends.

        Refused at the end if the file has changed since it was verified.
        """
        frames = _Frames(self)
        kind, content = frames.next()
        while kind != END:
            if kind == TABLE:
                rows = _Rows(frames)
                yield frames.json(content), rows
                kind, content = rows.following
            else:
                kind, content = frames.next()
        self.end = frames.json(content)
        frames.compare()


class _Frames:
    def __init__(self, archive: Archive) -> None:
        self._archive, self._digest = archive, sha256()
        archive.file.seek(0)
        self._start = archive.file.read(FRAMES)
        self._left = archive.size - FRAMES - SEAL_BYTES

    def next(self) -> tuple[bytes, bytes]:
        kind, length = FRAME.unpack(self._read(FRAME.size))
        return kind, self._read(length)

    def head(self) -> Json:
        return self.json(self.next()[1])

    def json(self, content: bytes) -> Json:
        try:
            found: Json = json.loads(content)
        except ValueError:
            raise self._changed from None
        return found

    def unpacked(self, content: bytes) -> bytes:
        try:
            return zlib.decompress(content)
        except zlib.error:
            raise self._changed from None

    def compare(self) -> None:
        self._digest.update(self._start)
        if self._digest.digest() != self._archive.digest:
            raise self._changed

    @property
    def _changed(self) -> BackupRefused:
        return BackupRefused(f"{self._archive.path} was changed while it was read")

    def _read(self, length: int) -> bytes:
        data = self._archive.file.read(length) if length <= self._left else b""
        if len(data) < length:
            raise self._changed
        self._left -= length
        self._digest.update(data)
        return data


class _Rows(Iterator[bytes]):
    def __init__(self, frames: _Frames) -> None:
        self._frames, self.following = frames, frames.next()

    def __next__(self) -> bytes:
        kind, content = self.following
        if kind != ROWS:
            raise StopIteration
        self.following = self._frames.next()
        return self._frames.unpacked(content)


def verified(path: Path, file: BinaryIO, keys: Sequence[Key]) -> Archive:
    """Read the whole file once, a part at a time. What is read of it later is compared with what was read now."""
    cut = BackupRefused(f"{path} is not whole: it was cut off; use another copy")
    altered = BackupRefused(f"{path} was altered or damaged after it was made; use another copy")
    start, actual = file.read(FRAMES), os.fstat(file.fileno()).st_size
    if not start.startswith(MAGIC):
        raise cut if MAGIC.startswith(start) else _no_archive(path, start)
    size = LENGTH.unpack(start[len(MAGIC) :])[0] if len(start) == FRAMES else actual + 1
    if actual < size:
        raise cut
    if actual > size or size < FRAMES + FRAME.size + SEAL_BYTES:
        raise altered
    digest, codes = sha256(), {key.name: key.code() for key in keys}
    for part in _parts(file, size - FRAMES - SEAL_BYTES, start):
        digest.update(part)
        for code in codes.values():
            code.update(part)
    if file.read(32) != digest.digest():
        raise altered
    sealed = file.read(32)
    archive = Archive(path, file, size, digest.digest(), {})
    archive.head = _Frames(archive).head()
    if archive.head["key"] not in codes:
        raise BackupRefused(
            f"{path} was made by another instance, or before its SECRET_KEY was changed: restore it with the key "
            "that it was made with (--key)"
        )
    if not hmac.compare_digest(codes[archive.head["key"]].digest(), sealed):
        raise altered
    return archive


def _no_archive(path: Path, start: bytes) -> BackupRefused:
    if start.startswith(NAME):
        return BackupRefused(f"{path} was made by a newer Candor: restore it with that one")
    return BackupRefused(f"{path} is no backup of Candor")


def _parts(file: BinaryIO, length: int, start: bytes) -> Iterator[bytes]:
    """The frames, in parts that fit into memory, then what stands before them."""
    while length:
        part = file.read(min(length, CHUNK))
        if not part:
            break
        length -= len(part)
        yield part
    yield start
