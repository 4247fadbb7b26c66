"""An instance of the product on a database of its own, its commands, every row that lies in it, its files' bytes."""

import itertools
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

from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from tests import commands, servers

NUMBERS = itertools.count()
SECRET = secrets.token_hex(32)
PRELUDE = """
import json, os, signal
from datetime import date, timedelta
from pathlib import Path
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.utils import timezone
from accounts.models import Person
from config.backup import archive, backing_up
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, SeenKeys, SpentToken, Token
from jobs.models import Trial, Worker
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.intake import asked
"""
"""What programs for the shell need not import."""
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
        mail = f"file://{self.var}/mail"
        own = {"VAR": str(self.var), "SECRET_KEY": self.secret, "MAIL_URL": mail}
        return servers.environment(**own, **self.database, **self.more)

    @property
    def list(self) -> Path:
        return self.var / "since-backups.list"

    def shell(self, code: str, value: str = "None") -> Any:
        """Run this; the value of an expression after it."""
        program = f"{PRELUDE}{code}\nprint(json.dumps({value}, default=str))"
        return json.loads(servers.manage(self.env, "shell", "--verbosity=0", "-c", program))

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
        if "DATABASE_URL" in self.database:
            return self._on_postgresql()
        with sqlite3.connect(self.var / "candor.sqlite3") as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            names = [name for (name,) in tables.fetchall() if name != "sqlite_sequence"]
            return {name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in names}

    def _on_postgresql(self) -> Rows:
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        with psycopg.connect(self.database["DATABASE_URL"]) as connection:
            return {
                name: sorted(text for (text,) in connection.execute(f"SELECT t::text FROM {name} t".encode()))
                for (name,) in connection.execute(tables).fetchall()
            }


Make = Callable[..., Instance]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """New instances with one key, each on a machine of its own, all on SQLite or all on PostgreSQL.

    They are empty, `migrated`, or have the database of another one.
    """

    def made(*, migrated: bool = False, copy_of: Instance | None = None, **more: Any) -> Instance:
        var = tmp_path_factory.mktemp("var")
        servers.compile_kernels()
        if request.param == "sqlite":
            if migrated or copy_of:
                shutil.copy(copy_of.var / "candor.sqlite3" if copy_of else servers.migrated_file(), var)
            return Instance(var, {}, **more)
        server: servers.Postgres = request.getfixturevalue("postgres")
        template = server.migrated() if migrated else "template1"
        if copy_of:
            template = copy_of.database["DATABASE_URL"].rpartition("/")[2]
        url = server.create(f"backup_{next(NUMBERS)}", template)
        return Instance(var, {"DATABASE_URL": url}, **more)

    return made


@pytest.fixture
def embedded(tmp_path: Path) -> Instance:
    """A migrated one on SQLite."""
    shutil.copy(servers.migrated_file(), tmp_path)
    return Instance(tmp_path, {})


def take_list(of: Instance, to: Instance) -> Path:
    """The list, as an operator would have copied it away before the disk was lost."""
    path = to.var / "kept.list"
    shutil.copy(of.list, path)
    return path


# --- the bytes of a database's own files ------------------------------------------------------------------


def read_files(of: Instance, request: pytest.FixtureRequest) -> bytes:
    """All files of an instance's database."""
    if "DATABASE_URL" not in of.database:
        return b"".join(path.read_bytes() for path in sorted(of.var.glob("candor.sqlite3*")))
    with psycopg.connect(of.database["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row
    postgres: servers.Postgres = request.getfixturevalue("postgres")
    folder = postgres.data / "base" / str(row[0])
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def hashes(of: Instance, survey: int, tokens: list[str]) -> list[bytes]:
    """As the invitations of this survey are stored."""
    secret = of.shell(
        "from intake.endpoint.keyed_hashes_of_secrets import get_or_create_survey_secret",
        f"get_or_create_survey_secret({survey}).hex()",
    )
    return [hash_with_secret(bytes.fromhex(secret), HashedTextKind.LINK, token) for token in tokens]


def found(content: bytes, values: Sequence[str | bytes]) -> list[str | bytes]:
    return [value for value in values if (value.encode() if isinstance(value, str) else value) in content]
