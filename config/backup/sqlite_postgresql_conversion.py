"""Converts rows between the two kinds of databases, so that a backup moves from SQLite to PostgreSQL and
back.

Both write one row a line (config.backup.table_rows). They differ in booleans, times, UUIDs and bytes; numbers,
texts, dates and JSON are the same text in both. PostgreSQL keeps JSON without the order of its keys.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from config.backup.archive import BackupRefused

NULL = rb"\N"
ESCAPES = {"\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}
TO_ESCAPE = re.compile(r"[\\\b\f\n\r\t\v]")
CHARACTERS = {escape: character for character, escape in ESCAPES.items()}
ESCAPE = re.compile(r"\\.", re.DOTALL)


class ValueConverters(NamedTuple):
    """The two converters for values of one field type: SQLite to PostgreSQL, and back.

    SQLite's values are JSON, those of PostgreSQL text without escapes.
    """

    to_postgresql: Callable[[Any], str]
    to_sqlite: Callable[[str], object]


TEXT, INTEGER = ValueConverters(str, str), ValueConverters(str, int)
FORMS = {
    "BooleanField": ValueConverters(lambda value: "t" if value else "f", lambda text: int(text == "t")),
    "DateTimeField": ValueConverters(
        lambda value: f"{value}+00",
        lambda text: str(datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)),
    ),
    "UUIDField": ValueConverters(lambda value: str(UUID(value)), lambda text: UUID(text).hex),
    "BinaryField": ValueConverters(
        lambda value: rf"\x{b64decode(value['base64']).hex()}",
        lambda text: {"base64": b64encode(bytes.fromhex(text.removeprefix(r"\x"))).decode()},
    ),
    "FloatField": ValueConverters(str, float),
    "AutoField": INTEGER,
    "BigAutoField": INTEGER,
    "BigIntegerField": INTEGER,
    "PositiveBigIntegerField": INTEGER,
    "PositiveIntegerField": INTEGER,
    "PositiveSmallIntegerField": INTEGER,
    "SmallIntegerField": INTEGER,
    "CharField": TEXT,
    "DateField": TEXT,
    "JSONField": TEXT,
    "TextField": TEXT,
}
"""Converters by the internal type of a field."""


def convert_rows_to_vendor(parts: Iterator[bytes], vendor: str, types: Sequence[str]) -> Iterator[bytes]:
    """Converts rows between SQLite and PostgreSQL; `vendor`: the database to which they are converted.

    `types`: the internal types of the fields. Each part consists of whole rows.
    """
    if lacking := set(types) - FORMS.keys():
        raise BackupRefused(
            f"a {min(lacking)} has no form in the other kind of database; restore on the kind of the backup"
        )
    convert_row = to_postgresql if vendor == "postgresql" else to_sqlite
    for part in parts:
        yield b"".join(convert_row(line, types) for line in part.split(b"\n")[:-1])


def to_postgresql(line: bytes, types: Sequence[str]) -> bytes:
    """Converts one row from SQLite's JSON line to PostgreSQL's COPY format."""
    return (
        b"\t".join(
            NULL
            if value is None
            else TO_ESCAPE.sub(lambda match: ESCAPES[match[0]], FORMS[kind].to_postgresql(value)).encode()
            for value, kind in zip(json.loads(line), types, strict=True)
        )
        + b"\n"
    )


def to_sqlite(line: bytes, types: Sequence[str]) -> bytes:
    """Converts one row from PostgreSQL's COPY format to SQLite's JSON line."""

    def unescape(match: re.Match[str]) -> str:
        return CHARACTERS.get(match[0], match[0][1:])

    values = [
        None if field == NULL else FORMS[kind].to_sqlite(ESCAPE.sub(unescape, field.decode()))
        for field, kind in zip(line.split(b"\t"), types, strict=True)
    ]
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
