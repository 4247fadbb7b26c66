"""Records of the OSV format from a file, a zip or a folder. A hostile file costs bounded memory and time."""

import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

LARGEST = 16_000_000
"""Bytes of one record, unpacked."""
MOST_UNPACKED = 4_000_000_000
"""Bytes of all records of a zip. What PyPI's export holds is less than a tenth of it."""
RECORD, ARCHIVE = ".json", ".zip"
DAMAGES = (BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""Exceptions of zipfile for a damaged archive."""


class AuditFailed(Exception):
    """Ends the audit with this sentence, without a result."""


def records(place: Path) -> Iterator[dict[str, Any]]:
    """Every record, one at a time; AuditFailed where one of them cannot be read."""
    if not place.exists():
        raise AuditFailed(
            f"there is no {place}; the README says where to get advisories (Operations, Releasing)"
        )
    found = 0
    for name, data in _contents(place):
        found += 1
        yield _record(name, data)
    if not found:
        raise AuditFailed(f"{place} holds no advisories: no record of the OSV format ({RECORD})")


def _contents(place: Path) -> Iterator[tuple[str, bytes]]:
    try:
        for file in _files(place):
            if file.suffix == ARCHIVE:
                yield from _unpacked(file)
            else:
                _weigh(str(file), file.stat().st_size)
                with file.open("rb") as opened:
                    yield str(file), opened.read(LARGEST)
    except OSError as error:
        raise AuditFailed(f"cannot read {error.filename or place}: {error.strerror or error}") from None


def _files(place: Path) -> list[Path]:
    """`place` itself, or the records and zips in it."""
    if place.is_file():
        return [place]
    found: list[Path] = []
    for folder, _folders, names in os.walk(place, onerror=_raise):
        paths = (Path(folder, name) for name in names if name.endswith((RECORD, ARCHIVE)))
        found += (path for path in paths if path.is_file())
    return sorted(found)


def _raise(error: OSError) -> None:
    raise error


def _unpacked(file: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with ZipFile(file) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(RECORD)]
            if sum(member.file_size for member in members) > MOST_UNPACKED:
                raise AuditFailed(f"{file} unpacks to more than a database of advisories holds")
            for member in members:
                name = f"{member.filename} in {file}"
                _weigh(name, member.file_size)
                # Other ways to compress cannot be unpacked piece by piece.
                if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                    raise AuditFailed(f"{name} is compressed in a way that no database of advisories uses")
                with archive.open(member) as opened:
                    # No more is unpacked than asked for; one that holds more than it declares fails its checksum.
                    yield name, opened.read(member.file_size + 1)
    except DAMAGES as error:
        raise AuditFailed(f"{file} is damaged, or no zip: {error}") from None


def _weigh(name: str, size: int) -> None:
    if size > LARGEST:
        raise AuditFailed(f"{name} is larger than any advisory")


def _record(name: str, data: bytes) -> dict[str, Any]:
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        raise AuditFailed(f"{name} is damaged: it cannot be read as JSON") from None
    if not isinstance(record, dict):
        raise AuditFailed(f"{name} is no record of the OSV format")
    return record
