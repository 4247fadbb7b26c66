"""Reads and writes the backup file candor-backup/1; refuses files that are damaged, changed or of another
instance.

A zip (docs/formats.md): head.json; for each table an entry with one row a line; and seal: the SHA-256 of each
entry and the HMAC-SHA-256 of all these. The zip's comment is the SHA-256 of the file, which detects damage.
The seal's key comes from SECRET_KEY, which is in no backup, so the seal detects changes and files of other
instances. This module does not interpret rows.
"""

import hmac
import json
import os
import struct
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from django.conf import settings

HEAD, SEAL = "head.json", "seal"
NAME, FORMAT = b"candor-backup/", "candor-backup/1"
START = 80
"""Number of bytes at the start of the file that contain the format's name: head.json is the first entry, and
not compressed."""

COMMENT_BYTES = 64
END_BYTES = 22 + COMMENT_BYTES
"""Length in bytes of a zip's end record with its comment."""

CHUNK = 1 << 20
"""Approximate number of bytes of rows that are in memory at a time."""

INVALID = (
    BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    LookupError,
    TypeError,
    ValueError,
    RuntimeError,
)
"""Exceptions that reading a damaged zip can raise: ValueError from texts and JSON, RuntimeError from flags."""

Json = dict[str, Any]


class BackupRefused(Exception):
    """Error of a backup or restore that was refused: one line with the reason, and what to do about it."""


@dataclass(frozen=True)
class Key:
    """The key that seals backups, derived from a SECRET_KEY; `name` identifies it without revealing it."""

    secret: str = field(repr=False)

    @property
    def name(self) -> str:
        """Identifies the key without revealing it."""
        return self._derive(b"name").hex()[:16]

    def code(self, content: bytes) -> str:
        """Returns the authentication code (HMAC-SHA-256) of content."""
        return hmac.digest(self._derive(b"code"), content, "sha256").hex()

    def _derive(self, purpose: bytes) -> bytes:
        return hmac.digest(self.secret.encode(), b"candor-backup " + purpose, "sha256")


def instance_key() -> Key:
    """Returns the key that seals backups of this instance, from SECRET_KEY or the key file in VAR."""
    if os.environ.get("SECRET_KEY", "").strip():
        return Key(settings.SECRET_KEY)
    file: Path = settings.VAR / "secret-key"
    try:
        secret = file.read_text().strip()
    except OSError:
        secret = ""
    if not secret:
        raise BackupRefused(f"there is no key: set SECRET_KEY, or put the instance's into {file}")
    return Key(secret)


def read_key_file(path: Path) -> Key:
    try:
        secret = path.read_text().strip()
    except (OSError, ValueError) as error:
        raise BackupRefused(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or 'not text'})"
        ) from None
    if not secret:
        raise BackupRefused(f"{path} is empty; it should hold the SECRET_KEY that the backup was made with")
    return Key(secret)


def write_archive(
    out: BinaryIO, key: Key, head: Json, tables: Iterable[tuple[Json, Iterable[bytes]]], end: Json
) -> int:
    """Writes a backup file from its tables into an empty readable file; returns its size in bytes.

    `tables`: each table's head with its rows, in parts of whole rows. `end` is written last and may be filled while the
    tables are read.
    """
    first, sealed = encode_json({"format": FORMAT, **head}), []
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(ZipInfo(HEAD), first)
        for table, rows in tables:
            digest = sha256()
            with archive.open(table["name"], "w", force_zip64=True) as entry:
                for row in rows:
                    digest.update(row)
                    entry.write(row)
            sealed.append({**table, "sha256": digest.hexdigest()})
        content = encode_json({"head": sha256(first).hexdigest(), "tables": sealed, "end": end})
        archive.writestr(ZipInfo(SEAL), content + b"\n" + _authentication_code(key, content))
        archive.comment = b"0" * COMMENT_BYTES
    comment = _digest(out)
    out.seek(-COMMENT_BYTES, os.SEEK_END)
    out.write(comment)
    return out.tell()


def encode_json(content: Json) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


def _authentication_code(key: Key, content: bytes) -> bytes:
    return key.code(f"{FORMAT}\n".encode() + content).encode()


def _digest(file: BinaryIO) -> bytes:
    """Returns the SHA-256 of the file without its zip comment."""
    digest, left = sha256(), file.seek(0, os.SEEK_END) - COMMENT_BYTES
    file.seek(0)
    while left > 0 and (part := file.read(min(left, CHUNK))):
        digest.update(part)
        left -= len(part)
    return digest.hexdigest().encode()


@dataclass(frozen=True)
class Archive:
    """A verified backup file; `heads` are the heads of its tables."""

    path: Path
    head: Json
    end: Json
    heads: Sequence[Json]
    zip: ZipFile
    file: BinaryIO

    def tables(self) -> Iterator[tuple[Json, Iterator[bytes]]]:
        """Yields the head of each table with its rows, in parts of whole rows; all must be read in order.

        Raises at the end of a table, or of the file, if the file has changed since it was verified.
        """
        changed = BackupRefused(f"{self.path} was changed while it was read")

        def rows(head: Json) -> Iterator[bytes]:
            try:
                yield from _read_whole_rows(self.zip, head)
            except INVALID:
                raise changed from None

        for head in self.heads:
            yield head, rows(head)
        if _digest(self.file) != self.zip.comment:
            raise changed


def verify_archive(path: Path, file: BinaryIO, keys: Sequence[Key]) -> Archive:
    """Verifies a whole backup file and returns it; refuses a file that is incomplete or was altered.

    It must be sealed with one of these keys. Later reads compare with the checksums found now.
    """
    altered = BackupRefused(f"{path} was altered or damaged after it was made; use another copy")
    start = file.read(START)
    if not b"PK".startswith(start[:2]) or (len(start) == START and NAME not in start):
        raise BackupRefused(f"{path} is no backup of Candor")
    if len(start) == START and f'"{FORMAT}"'.encode() not in start:
        raise BackupRefused(f"{path} was made by a newer Candor: restore it with that one")
    file.seek(max(0, file.seek(0, os.SEEK_END) - END_BYTES))
    end = file.read()
    if not end.startswith(b"PK\5\6"):
        raise BackupRefused(f"{path} is not whole: it was cut off; use another copy")
    if not end.endswith(_digest(file)):
        raise altered
    try:
        archive = ZipFile(file)
        first, (content, code) = (
            _read_stored_entry(archive, HEAD),
            _read_stored_entry(archive, SEAL).split(b"\n"),
        )
        head = json.loads(first)
        key = next((key for key in keys if key.name == head["key"]), None)
        if not key:
            raise BackupRefused(
                f"{path} was made by another instance, or before its SECRET_KEY was changed: restore it with the key "
                "that it was made with (--key)"
            )
        # Before rows are unpacked, which somebody may have made to take all memory.
        if not hmac.compare_digest(_authentication_code(key, content), code):
            raise altered
        seal = json.loads(content)
        names = [HEAD, *(table["name"] for table in seal["tables"]), SEAL]
        # An entry more or less, one twice, or in another order.
        if archive.namelist() != names or sha256(first).hexdigest() != seal["head"]:
            raise altered
        for table in seal["tables"]:
            deque(_read_whole_rows(archive, table), 0)
    except INVALID:
        raise altered from None
    del head["format"]
    return Archive(path, head, seal["end"], seal["tables"], archive, file)


def _read_stored_entry(archive: ZipFile, name: str) -> bytes:
    """Returns the content of an uncompressed entry, which is no larger in memory than in the file."""
    if archive.getinfo(name).compress_type != ZIP_STORED:
        raise BadZipFile(name)
    return archive.read(name)


def _read_whole_rows(archive: ZipFile, table: Json) -> Iterator[bytes]:
    """Yields a table's bytes in parts of about CHUNK bytes that end between rows."""
    digest, rest = sha256(), b""
    with archive.open(table["name"]) as entry:
        while part := entry.read(CHUNK):
            digest.update(part)
            whole, newline, rest = (rest + part).rpartition(b"\n")
            yield whole + newline
    if rest or digest.hexdigest() != table["sha256"]:
        raise BadZipFile(table["name"])
