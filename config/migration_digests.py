"""Stores the SHA-256 of each migration file before it is applied, to detect a database of an earlier
development version.

Until 1.0.0 a change of models rewrites the one migration of its app. Django knows migrations by name only,
and would take tables of an earlier development version for today's. So such a database is refused before
anything is read.
"""

import sysconfig
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import CommandError
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

TABLE = "candor_migrations"
"""Table of the stored digests. It has no model, since it is written before the first migration."""

Migration = tuple[str, str]

RENAMED = frozenset({"people"})
"""Names of apps with tables that were renamed before 1.0.0."""


def migration_file_digests() -> dict[Migration, str]:
    """Returns the SHA-256 of each migration file of Candor (not of installed packages), by app and name."""
    packages = sysconfig.get_path("purelib")
    return {
        (config.label, path.stem): sha256(path.read_bytes()).hexdigest()
        for config in apps.get_app_configs()
        if Path(config.path).is_relative_to(settings.BASE_DIR)
        and not Path(config.path).is_relative_to(packages)
        for path in Path(config.path).glob("migrations/0*.py")
    }


def are_of_earlier_version(migrations: Iterable[Sequence[str]]) -> bool:
    """Returns True if these migrations (app, name, SHA-256) are of an earlier development version."""
    today = migration_file_digests()
    return any(app in RENAMED or file != today.get((app, name), file) for app, name, file in migrations)


def reason_to_refuse_database(connection: BaseDatabaseWrapper) -> str | None:
    """Returns the reason why this database cannot be used; None if it can.

    It can if it is empty or was made by the current migrations.
    """
    if not connection.introspection.table_names():
        return None
    stored, our_apps = (
        read_stored_digests(connection),
        {app for app, _name in migration_file_digests()} | RENAMED,
    )
    applied = [
        migration
        for migration in MigrationRecorder(connection).applied_migrations()
        if migration[0] in our_apps
    ]
    is_complete = all(migration in stored for migration in applied)
    if is_complete and not are_of_earlier_version((*migration, stored[migration]) for migration in applied):
        return None
    return (
        f"the database {connection.settings_dict['NAME']} was made by an earlier development version of Candor; "
        "move it away, and the next start makes a new one"
    )


def check_and_store_digests(using: str, **kwargs: Any) -> None:
    """Refuses a database of an earlier development version; stores the digests of the migrations in others.

    Signal receiver, called by every `migrate` before its first migration.
    """
    connection = connections[using]
    if words := reason_to_refuse_database(connection):
        raise CommandError(words)
    store_digests(connection)


def store_digests(connection: BaseDatabaseWrapper) -> None:
    """Stores the SHA-256 of each migration file in the database."""
    rows = [(*migration, digest) for migration, digest in migration_file_digests().items()]
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {TABLE} (app varchar(100), name varchar(255), sha256 char(64),"
            " PRIMARY KEY (app, name))"
        )
        for row in rows:
            cursor.execute(
                f"INSERT INTO {TABLE} (app, name, sha256) VALUES (%s, %s, %s)"  # noqa: S608
                " ON CONFLICT (app, name) DO UPDATE SET sha256 = excluded.sha256",
                row,
            )


def read_stored_digests(connection: BaseDatabaseWrapper) -> dict[Migration, str]:
    """Returns the stored SHA-256 of each migration file, by app and name."""
    if TABLE not in connection.introspection.table_names():
        return {}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT app, name, sha256 FROM {TABLE}")  # noqa: S608
        return {(app, name): digest for app, name, digest in cursor.fetchall()}
