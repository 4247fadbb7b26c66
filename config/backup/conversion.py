"""Rows of one kind of database as the other one writes them, so that a backup moves from SQLite to PostgreSQL and back.

Both write a row a line (`on_sqlite`, `on_postgresql`). They differ in yes and no, moments, UUIDs and bytes; numbers,
texts, dates and JSON are the same characters in both. PostgreSQL keeps JSON without the order of its keys.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

from config.backup.archive import BackupRefused

Value = str | int | float | dict[str, str]
"""As a line of SQLite has it; bytes are an object with their base64."""
Convert = Callable[[bytes, Sequence[str]], bytes]

NUMBERS: dict[str, Callable[[str], int | float]] = {
    "AutoField": int,
    "BigAutoField": int,
    "FloatField": float,
    "BigIntegerField": int,
    "PositiveBigIntegerField": int,
    "PositiveIntegerField": int,
    "PositiveSmallIntegerField": int,
    "SmallIntegerField": int,
}
TEXTS = {"CharField", "DateField", "JSONField", "TextField"}
NULL = rb"\N"
ESCAPES = {"\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}
ESCAPED = re.compile(r"[\\\b\f\n\r\t\v]")
UNESCAPED = {written: char for char, written in ESCAPES.items()}
WRITTEN = re.compile(r"\\.", re.DOTALL)


def converted(parts: Iterator[bytes], before: str, after: str, types: Sequence[str]) -> Iterator[bytes]:
    """Whole rows of the kind of database `before` as those of `after`; `types` are the fields' internal types."""
    convert = CONVERSIONS[before, after]
    for part in parts:
        yield b"".join(convert(line, types) for line in part.split(b"\n")[:-1])


def to_postgresql(line: bytes, types: Sequence[str]) -> bytes:
    """A row from a line without its end."""
    values: list[Value | None] = json.loads(line)
    fields = (
        NULL if value is None else ESCAPED.sub(_escape, _for_postgresql(value, kind)).encode()
        for value, kind in zip(values, types, strict=True)
    )
    return b"\t".join(fields) + b"\n"


def to_sqlite(line: bytes, types: Sequence[str]) -> bytes:
    values = [
        None if field == NULL else _for_sqlite(WRITTEN.sub(_unescape, field.decode()), kind)
        for field, kind in zip(line.split(b"\t"), types, strict=True)
    ]
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"


CONVERSIONS: dict[tuple[str, str], Convert] = {
    ("sqlite", "postgresql"): to_postgresql,
    ("postgresql", "sqlite"): to_sqlite,
}


def _for_postgresql(value: Value, kind: str) -> str:
    match kind, value:
        case "BooleanField", int():
            return "t" if value else "f"
        case "DateTimeField", str():
            return f"{value}+00"
        case "UUIDField", str():
            return str(UUID(value))
        case "BinaryField", {"base64": text}:
            return rf"\x{b64decode(text).hex()}"
        case _ if kind in NUMBERS or kind in TEXTS:
            return str(value)
    raise _unknown(kind)


def _for_sqlite(text: str, kind: str) -> Value:
    match kind:
        case "BooleanField":
            return int(text == "t")
        case "DateTimeField":
            return str(datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None))
        case "UUIDField":
            return UUID(text).hex
        case "BinaryField":
            return {"base64": b64encode(bytes.fromhex(text.removeprefix(r"\x"))).decode()}
        case _ if kind in NUMBERS:
            return NUMBERS[kind](text)
        case _ if kind in TEXTS:
            return text
    raise _unknown(kind)


def _unknown(kind: str) -> BackupRefused:
    return BackupRefused(
        f"a {kind} has no form in the other kind of database; restore on the kind of the backup"
    )


def _escape(match: re.Match[str]) -> str:
    return ESCAPES[match[0]]


def _unescape(match: re.Match[str]) -> str:
    return UNESCAPED.get(match[0], match[0][1:])
