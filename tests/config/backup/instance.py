"""An instance of the product on a database of its own, its commands, and every row that lies in it."""

import json
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from intake.endpoint.key_hashes import Kind, hash_secret
from tests import commands, servers

SECRET = secrets.token_hex(32)
Rows = dict[str, list[str]]


@dataclass
class Done:
    """A command that has ended: its status, what it wrote as JSON, and what it told the operator."""

    status: int
    json: dict[str, Any]
    said: str


@dataclass
class Instance:
    var: Path
    database: dict[str, str]
    secret: str = SECRET
    more: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        return servers.environment(
            VAR=str(self.var),
            SECRET_KEY=self.secret,
            MAIL_URL=f"file://{self.var}/mail",
            **self.database,
            **self.more,
        )

    @property
    def list(self) -> Path:
        return self.var / "since-backups.list"

    def migrated(self) -> "Instance":
        servers.manage(self.env, "migrate", "--verbosity=0")
        return self

    def shell(self, code: str) -> Any:
        """Run this; what it prints is JSON."""
        return json.loads(servers.manage(self.env, "shell", "--verbosity=0", "-c", code) or "null")

    def do(self, *words: str, typed: str = "") -> Done:
        done = commands.run(self.env, *words, typed=typed)
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return Done(done.returncode, json.loads(done.stdout or "{}"), done.stderr)

    def back_up(self, name: str = "first") -> Path:
        path = self.var / f"{name}.backup"
        done = self.do("backup", str(path))
        assert done.status == 0, done.said
        return path

    def restore(self, path: Path, *options: str) -> Done:
        done = self.do("restore", str(path), *options)
        assert done.status == 0, done.said
        return done

    def refused(self, path: Path, *options: str, typed: str = "") -> str:
        """What a restore that is refused says. It has written nothing."""
        before = self.rows() if self.exists else {}
        done = self.do("restore", str(path), *options, typed=typed)
        assert (done.status, done.json) == (1, {}), done.said
        assert (self.rows() if self.exists else {}) == before
        return done.said

    @property
    def exists(self) -> bool:
        return "DATABASE_URL" in self.database or (self.var / "candor.sqlite3").exists()

    def rows(self) -> Rows:
        """Every row of every table as the database itself writes it."""
        return self._on_postgresql() if "DATABASE_URL" in self.database else self._on_sqlite()

    def _on_sqlite(self) -> Rows:
        with sqlite3.connect(self.var / "candor.sqlite3") as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            names = [name for (name,) in tables.fetchall() if name != "sqlite_sequence"]
            return {name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in names}

    def _on_postgresql(self) -> Rows:
        with psycopg.connect(self.database["DATABASE_URL"]) as connection:
            tables = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
            )
            found = {}
            for (name,) in tables.fetchall():
                rows = connection.execute(f"SELECT t::text FROM {name} t".encode())
                found[name] = sorted(text for (text,) in rows.fetchall())
            return found


Make = Callable[..., Instance]


def take_list(of: Instance, to: Instance) -> Path:
    """The list, as an operator would have copied it away before the disk was lost."""
    path = to.var / "kept.list"
    shutil.copy(of.list, path)
    return path


# --- the bytes of a database's own files ------------------------------------------------------------------


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


SURVEY_SECRET = """
import json
from intake.endpoint.key_hashes import survey_secret
print(json.dumps(survey_secret({survey}).hex()))
"""


def hashes(of: Instance, survey: int, tokens: list[str]) -> list[bytes]:
    """As the invitations of this survey are stored."""
    secret = bytes.fromhex(of.shell(SURVEY_SECRET.format(survey=survey)))
    return [hash_secret(secret, Kind.LINK, token) for token in tokens]


def found(content: bytes, values: Sequence[str | bytes]) -> list[str | bytes]:
    return [value for value in values if (value.encode() if isinstance(value, str) else value) in content]


def files(of: Instance, request: pytest.FixtureRequest) -> Bytes:
    return Bytes(of, request.getfixturevalue("postgres") if of.database else None)
