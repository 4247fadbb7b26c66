"""A database that other migrations made than those of today is refused, and nothing of it is touched."""

import secrets
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from django.apps import apps

from config import migration_digests
from tests import commands, servers
from tests.config.start.test_supervisor import start

OTHER = "was made by an earlier development version of Candor; move it away"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a database of today."""
    tmp_path.chmod(0o700)
    servers.prepare(servers.environment(VAR=str(tmp_path)))
    return tmp_path


def execute(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "candor.sqlite3")) as file, file:
        file.execute(statement)


def fingerprint(home: Path) -> dict[str, str]:
    """Of all files but the locks of starts, which are empty of data."""
    files = (path for path in home.iterdir() if path.is_file() and not path.name.startswith("supervisor-"))
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.page
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE candor_migrations SET sha256 = 'f' WHERE app = 'surveys'",
        pytest.param("DELETE FROM candor_migrations WHERE app = 'accounts'", marks=pytest.mark.night),
        pytest.param("DROP TABLE candor_migrations", marks=pytest.mark.night),
        pytest.param(
            "UPDATE django_migrations SET app = 'people' WHERE app = 'accounts'", marks=pytest.mark.night
        ),
    ],
)
def test_a_database_of_other_migrations_is_refused_at_every_door(home: Path, change: str) -> None:
    execute(home, change)
    env, before = servers.environment(VAR=str(home)), fingerprint(home)
    for command in (["migrate"], ["check", "--database", "default"]):
        done = commands.run(env, *command)
        assert done.returncode == 1
        assert OTHER in done.stderr
    assert fingerprint(home) == before
    (home / "secret-key").write_text(secrets.token_hex(32))
    before = fingerprint(home)
    done = start(servers.free_port(), VAR=str(home))
    assert done.returncode == 1
    assert OTHER in done.stderr
    assert "Traceback" not in done.stderr
    assert fingerprint(home) == before


def test_a_package_that_changes_its_migrations_changes_none_of_ours() -> None:
    installed = {app.label for app in apps.get_app_configs() if "site-packages" in app.path}
    assert "mfa" in installed
    assert not installed & {app for app, _name in migration_digests.digests()}


@pytest.mark.page
def test_migrating_that_was_interrupted_goes_on(home: Path) -> None:
    execute(home, "DELETE FROM django_migrations WHERE app = 'backup'")
    execute(home, "DROP TABLE backup_backup")
    execute(home, "DROP TABLE backup_remembered")
    servers.manage(servers.environment(VAR=str(home)), "migrate", "-v", "0")
    execute(home, "SELECT * FROM backup_remembered")
