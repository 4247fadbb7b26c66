"""Every app has an initial migration, which carries what it does, whatever code says now.

A database that other migrations made than those of today is refused, and nothing of it is touched.
"""

import ast
import secrets
import sqlite3
from contextlib import closing
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from accounts.insert_only_tables import TRIGGERS, InsertOnly
from config import migration_digests
from surveys import triggers
from tests import commands, servers
from tests.config.start.test_supervisor import start
from tests.product import ROOMS

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
@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE candor_migrations SET sha256 = 'f' WHERE app = 'surveys'",
        "DELETE FROM candor_migrations WHERE app = 'accounts'",
        "DROP TABLE candor_migrations",
        "UPDATE django_migrations SET app = 'people' WHERE app = 'accounts'",
    ],
)
def test_database_with_other_migrations_is_refused_by_every_command(home: Path, change: str) -> None:
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


def test_changed_migrations_of_a_package_change_none_of_ours() -> None:
    installed = {app.label for app in apps.get_app_configs() if "site-packages" in app.path}
    assert "mfa" in installed
    assert not installed & {app for app, _name in migration_digests.migration_file_digests()}


@pytest.mark.page
def test_interrupted_migration_is_continued(home: Path) -> None:
    for table in ("backup_backup", "backup_remembered"):
        execute(home, f"DROP TABLE {table}")
    execute(home, "DELETE FROM django_migrations WHERE app = 'backup'")
    servers.manage(servers.environment(VAR=str(home)), "migrate", "-v", "0")
    execute(home, "SELECT * FROM backup_remembered")


# --- the files ---


# Django writes the models itself, and looks for them in the migration's state: the default and the choices of a field.
STAYS = {"accounts.models", "surveys.models", "accounts.initial_migration_base"}


def migrations() -> list[Path]:
    return sorted(path for room in ROOMS for path in (servers.ROOT / room).rglob("migrations/0*.py"))


LATER = {
    *("0002_delete_backtest.py", "0002_models_wait_for_a_reviewer.py", "0003_rows_are_compared.py"),
    *("0002_run_finished.py", "0002_page_folder.py", "0003_owner_and_state.py"),
}
"""What came after a backup in tests/config/backup/older."""


def test_each_app_has_an_initial_migration_without_changeable_imports() -> None:
    assert {path.name for path in migrations()} == {"0001_initial.py", *LATER}
    for path in migrations():
        nodes = list(ast.walk(ast.parse(path.read_text())))
        modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        assert {name for name in modules if name.split(".")[0] in ROOMS} <= STAYS, path


DJANGOS_WAY = """
from django.core.management import call_command
from accounts.initial_migration_base import FirstMigration
del FirstMigration.apply
call_command("migrate", verbosity=0)
"""


@pytest.mark.night
def test_tables_created_together_equal_those_created_one_by_one(tmp_path: Path) -> None:
    servers.manage(servers.environment(VAR=str(tmp_path)), "shell", "--verbosity=0", "-c", DJANGOS_WAY)

    def schema(file: Path) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(file)) as connection:
            return sorted(connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master"))

    assert schema(tmp_path / "candor.sqlite3") == schema(servers.migrated_file())


@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_migration_triggers_equal_the_restored_ones(vendor: str) -> None:
    written: list[str] = []
    for path in migrations():
        name = ".".join(path.relative_to(servers.ROOT).with_suffix("").parts)
        written += getattr(import_module(name), "TRIGGERS", {vendor: []})[vendor]
    wanted = triggers.STATEMENTS[vendor]()
    for model in apps.get_models():
        if issubclass(model, InsertOnly):
            table, key = model._meta.db_table, str(model._meta.pk.column)
            wanted += TRIGGERS[vendor](table, key, model.goes_with_others)[0]
    assert sorted(written) == sorted(" ".join(statement.split()) for statement in wanted)
