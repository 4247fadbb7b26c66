"""The bytes of a database's own files, and what is looked for in them."""

from dataclasses import dataclass
from hashlib import sha256

import psycopg
import pytest

from tests import servers
from tests.config.backup.instance import Instance


@dataclass
class Bytes:
    """All files of an instance's database."""

    of: Instance
    postgres: servers.Postgres | None

    def read(self) -> bytes:
        if self.postgres is None:
            return b"".join(path.read_bytes() for path in sorted(self.of.var.glob("candor.sqlite3*")))
        with psycopg.connect(self.of.database["DATABASE_URL"], autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            row = connection.execute(
                "SELECT oid FROM pg_database WHERE datname = current_database()"
            ).fetchone()
        assert row
        folder = self.postgres.data / "base" / str(row[0])
        return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def digests(tokens: list[str]) -> list[str]:
    return [sha256(token.encode()).hexdigest() for token in tokens]


def found(content: bytes, texts: list[str]) -> list[str]:
    return [text for text in texts if text.encode() in content]


def files(of: Instance, request: pytest.FixtureRequest) -> Bytes:
    return Bytes(of, request.getfixturevalue("postgres") if of.database else None)
