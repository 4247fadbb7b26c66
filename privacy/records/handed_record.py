"""The text by which a page inside another tool hands its record over: `candor1.` and base64url of key and record.

Twin: privacy/static/privacy/handed.js; tests/vectors/handed.json holds both. A trial begins with `candor1t.` instead.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import NamedTuple

from privacy.records.record import Record

CELL = re.compile(r"'?candor1(t?)\.([\w-]+)", re.ASCII)
"""Pattern of a cell of an export; a spreadsheet may have put an apostrophe before the text."""
WRITTEN = re.compile(
    rb'{"key":"([0-9a-f]{32})","record":{"design":"([0-9a-f]{64})","group":([01]),"answers":"([0-9]*)"}}'
)
LONGEST = 2_000
"""Most characters of the text, of `MOST_ANSWERS` digits: a field of a tool may hold no more."""


class HandedRecord(NamedTuple):
    """A text that was handed over, read: `key` makes a copy recognisable, `is_trial` marks an answer that is not
    used."""

    key: str
    record: Record
    is_trial: bool


def read_handed_text(text: str) -> HandedRecord | None:
    """Reads a text that was handed over; None if it is none, was cut or was changed."""
    cell = CELL.fullmatch(text)
    if cell is None:
        return None
    coded = cell[2]
    try:
        decoded = urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
    except Error:
        return None
    written = WRITTEN.fullmatch(decoded)
    # One record has one text: spare bits of the last letter are 0.
    if written is None or urlsafe_b64encode(decoded).decode().rstrip("=") != coded:
        return None
    key, design, group, answers = (part.decode() for part in written.groups())
    return HandedRecord(key, Record(design, int(group), answers), bool(cell[1]))
