"""What no restore may undo, and its file beside the database: candor-since/1.

    candor-since/1
    at <time> <state>                 when this was written, and a hash of the database's state then
    backup <id> <time>                of each backup that the rest is complete for
    destroyed <survey>
    spent <survey> <digests>          the invitations used, in the order of their digests
    told <survey> <number>            the last row of its ledger of disclosures that told something
    until <survey> <date>             its deletion date
    seal <key> <code>                 HMAC-SHA-256 of all lines above

A survey is named by the SHA-256 of its address. Lines are sorted, so nothing tells in which order things happened.
"""

import hmac
import os
import re
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path

from config.backup.archive import BackupRefused, Key

FIRST = "candor-since/1"
DIGEST = 16
"""Length in bytes of a used invitation's digest: among 2^128 values none comes twice by chance."""


def hash_survey_slug(slug: str) -> str:
    return sha256(slug.encode()).hexdigest()


def invitation_digest(hash_: bytes) -> bytes:
    """Returns the digest of an invitation's hash in `intake.Token`; the hash itself is not stored after use."""
    return sha256(b"candor spent " + hash_).digest()[:DIGEST]


@dataclass(frozen=True)
class IrreversibleChanges:
    """Changes that no restore may undo, by survey: its destruction, its earliest deletion date, its used
    invitations, and the number of its last disclosure."""

    backups: Mapping[str, datetime] = field(default_factory=dict)
    destroyed: frozenset[str] = frozenset()
    until: Mapping[str, date] = field(default_factory=dict)
    spent: Mapping[str, frozenset[bytes]] = field(default_factory=dict)
    told: Mapping[str, int] = field(default_factory=dict)

    def __or__(self, other: "IrreversibleChanges") -> "IrreversibleChanges":
        until = dict(self.until)
        for survey, day in other.until.items():
            until[survey] = min(day, until.get(survey, day))
        nobody: frozenset[bytes] = frozenset()
        surveys = self.spent.keys() | other.spent.keys()
        return IrreversibleChanges(
            {**self.backups, **other.backups},
            self.destroyed | other.destroyed,
            until,
            {survey: self.spent.get(survey, nobody) | other.spent.get(survey, nobody) for survey in surveys},
            {
                survey: max(self.told.get(survey, 0), other.told.get(survey, 0))
                for survey in self.told.keys() | other.told.keys()
            },
        )

    @property
    def all_spent_digests(self) -> frozenset[bytes]:
        return frozenset().union(*self.spent.values())


def pack_digests(digests: Iterable[bytes]) -> bytes:
    return b"".join(sorted(digests))


def unpack_digests(data: bytes) -> frozenset[bytes]:
    return frozenset(data[at : at + DIGEST] for at in range(0, len(data), DIGEST))


def merge_digests(data: bytes, digests: Iterable[bytes]) -> bytes:
    """Adds digests to packed (sorted and joined) digests; returns all of them packed.

    It is nine times as fast as unpacking: 50 ms for 100 new ones among 100,000.
    """
    present = [data[at : at + DIGEST] for at in range(0, len(data), DIGEST)]
    new = [
        value for value in set(digests) if present[(at := bisect_left(present, value)) : at + 1] != [value]
    ]
    return b"".join(sorted(present + new))


# --- the file ---------------------------------------------------------------------------------------------


def write_changes_file(path: Path, since: IrreversibleChanges, now: datetime, state: str, key: Key) -> None:
    """Writes the file of changes that no restore may undo, atomically.

    `state`: a hash of the changes in the database.
    """
    lines = [
        FIRST,
        f"at {now.isoformat(timespec='minutes')} {state}",
        *(f"backup {backup} {made.isoformat()}" for backup, made in sorted(since.backups.items())),
        *(f"destroyed {survey}" for survey in sorted(since.destroyed)),
        *(
            f"spent {survey} {pack_digests(spent).hex()}"
            for survey, spent in sorted(since.spent.items())
            if spent
        ),
        *(f"told {survey} {number}" for survey, number in sorted(since.told.items())),
        *(f"until {survey} {day}" for survey, day in sorted(since.until.items())),
    ]
    text = "".join(f"{line}\n" for line in lines).encode()
    text += f"seal {key.name} {key.code(text)}\n".encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, delete=False) as part:
        try:
            part.write(text)
            part.flush()
            os.fsync(part.fileno())
            Path(part.name).replace(path)
        except OSError:
            Path(part.name).unlink(missing_ok=True)
            raise


def read_changes_file(path: Path, keys: Sequence[Key]) -> tuple[IrreversibleChanges, datetime]:
    """Reads the file of changes that no restore may undo; returns them and the time of writing.

    Raises `BackupRefused` unless the file is complete, unaltered and of this instance.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BackupRefused(f"{path} cannot be read ({error.strerror})") from None
    body, _, seal = text.removesuffix(b"\n").rpartition(b"\n")
    if not text.startswith(FIRST.encode() + b"\n"):
        raise BackupRefused(f"{path} is no list of what was destroyed since a backup")
    match = re.fullmatch(rb"seal ([0-9a-f]{16}) ([0-9a-f]{64})", seal)
    if match is None or not text.endswith(b"\n"):
        raise BackupRefused(f"{path} is not whole: it was cut off or altered; use another copy")
    name, code = match[1].decode(), match[2].decode()
    key = next((key for key in keys if key.name == name), None)
    if key is None:
        raise BackupRefused(f"{path} was written by another instance, or under another SECRET_KEY (--key)")
    if not hmac.compare_digest(key.code(body + b"\n"), code):
        raise BackupRefused(f"{path} was altered or damaged after it was written; use another copy")
    first, *rows = [line.split(" ") for line in body.decode().split("\n")[1:]]
    since = IrreversibleChanges(
        backups={row[1]: datetime.fromisoformat(row[2]) for row in rows if row[0] == "backup"},
        destroyed=frozenset(row[1] for row in rows if row[0] == "destroyed"),
        until={row[1]: date.fromisoformat(row[2]) for row in rows if row[0] == "until"},
        spent={row[1]: unpack_digests(bytes.fromhex(row[2])) for row in rows if row[0] == "spent"},
        told={row[1]: int(row[2]) for row in rows if row[0] == "told"},
    )
    return since, datetime.fromisoformat(first[1])
