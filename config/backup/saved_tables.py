"""Defines the tables that a backup contains, and the migrations that made them."""

from dataclasses import dataclass
from typing import Any

from django.apps.registry import Apps
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

LEFT_OUT = {
    "api_token": "tokens of programs: one that was ended since would work again",
    "api_reply": "replies to programs whose tokens are left out; they lapse within a day",
    "api_webhook": "addresses that events are sent to: one that was ended since would get them again",
    "api_event": "events for webhooks, which were sent or lapse",
    "api_delivery": "deliveries of webhooks that are left out",
    "surveys_peopleinvitation": "invitations by address: one that was taken back since would work again",
    "django_session": "who is signed in: a copy would let its reader in",
    "accounts_lockout": "failed sign-ins and limits on mail, which lapse",
    "jobs_worker": "processes that live now",
    "jobs_lease": "rights of processes that live now",
    "releases_upload": "tables of other people, which are deleted within seven days: a copy would outlive that",
    "releases_attack": "what was found in uploads too, with their values; it is worked out again",
    "releases_register": "people to look for in a release, which are deleted when a worker takes them",
    "own_tables_owntable": "true answers that somebody brought, which are deleted within a day",
    "own_tables_experiment": "what was found in these, which is deleted with them",
    "intake_sweep": "what to overwrite in the files of this database",
}
TOLD = """(state IN ('approved', 'withdrawn') OR NOT EXISTS (SELECT 1
 FROM releases_source WHERE id = source_id AND survey_id IS NULL))"""
"""SQL condition of the releases that quote no upload, or one that they were allowed to tell.

After a restore no other release can be approved, since its upload is gone.
"""
TOLD_RELEASES = f"(SELECT id FROM releases_release WHERE {TOLD})"  # noqa: S608 - no value
ROWS = {
    "jobs_job": "kind NOT IN ('releases.attack', 'own_tables.experiment')"  # noqa: S608 - no value
    " AND (kind <> 'releases.comparison'"
    f" OR id IN (SELECT job_id FROM releases_comparison WHERE release_id IN {TOLD_RELEASES}))",
    "releases_comparison": f"release_id IN {TOLD_RELEASES}",
    "releases_releasedtable": "making_id IN (SELECT job_id FROM releases_making WHERE release_id IN"  # noqa: S608 - no value
    f" {TOLD_RELEASES})",
}
"""SQL condition of the rows in a backup, for tables that are not backed up completely: jobs of attacks and
experiments are left out like their tables; what was made or measured of an upload that was not approved, like the
upload."""
VALUES = {
    (
        "releases_release",
        "specification",
    ): f"""CASE WHEN {TOLD} THEN specification
 ELSE '{{"format": "candor-release/1", "quasi_identifiers": [], "k": 10}}' END""",
    ("releases_release", "problem"): f"CASE WHEN {TOLD} THEN problem ELSE '{{}}' END",
}
"""SQL expressions backed up instead of a column: the specification of an upload, and what is wrong with it, quote
values of its table, so a placeholder is stored."""

MIGRATIONS = MigrationRecorder.Migration._meta.db_table
"""Table of applied migrations.

It is not backed up: a backup's head lists the migrations, and a restore applies them.
"""

Migration = tuple[str, str]


@dataclass(frozen=True)
class BackupTable:
    """A table of a backup.

    `key`: the columns of its primary key. `counted`: its primary key comes from a sequence. `types`: the
    internal type of each column.
    """

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    counted: bool
    types: tuple[str, ...]

    @classmethod
    def from_model(cls, model: type[models.Model]) -> "BackupTable":
        meta = model._meta
        columns = tuple(str(field.column) for field in meta.local_concrete_fields)
        types = tuple(map(value_type, meta.local_concrete_fields))
        key = tuple(str(field.column) for field in meta.pk_fields)
        return cls(meta.db_table, key, columns, isinstance(meta.pk, models.AutoField), types)

    def replacement_expression(self, column: str) -> str:
        """Returns the SQL expression whose value a backup stores for a column; empty: the column itself."""
        return VALUES.get((self.name, column), "")

    @property
    def where_clause(self) -> str:
        """SQL condition of the rows to back up; empty for all rows."""
        return f"WHERE {ROWS[self.name]}" if self.name in ROWS else ""


def value_type(field: Any) -> str:
    """Returns a field's internal type; for a foreign key the type of the referenced key."""
    while field.remote_field:
        field = field.target_field
    return str(field.get_internal_type())


def backup_tables(apps: Apps) -> list[BackupTable]:
    """Returns the tables of all models in `apps`, sorted by name."""
    models = apps.get_models(include_auto_created=True)
    return sorted(map(BackupTable.from_model, models), key=lambda table: table.name)


def applied_migrations() -> list[Migration]:
    return sorted(MigrationRecorder(connection).applied_migrations())


def unknown_migrations(migrations: list[Migration]) -> list[Migration]:
    """Returns those of the migrations that only a newer version of Candor knows."""
    known = MigrationLoader(None).disk_migrations
    return [migration for migration in migrations if migration not in known]


def lacks_dependency(migrations: list[Migration]) -> bool:
    """Returns True if a migration depends on one that is not in the list."""
    graph = MigrationLoader(None).graph
    return any(
        not set(graph.forwards_plan(migration)) <= set(migrations)
        for migration in migrations
        if migration in graph.nodes
    )


def unapplied_migrations() -> list[Migration]:
    """Returns the migrations that are not applied to this database yet."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [(migration.app_label, migration.name) for migration, _backwards in plan]


def existing_tables() -> list[BackupTable]:
    """Returns the tables that the applied migrations have created."""
    loader = MigrationLoader(connection)
    nodes = [migration for migration in loader.applied_migrations if migration in loader.graph.nodes]
    return backup_tables(loader.project_state(nodes).apps)


def apply_migrations(migrations: list[Migration] | None = None) -> Apps:
    """Applies these migrations, by default all, to the database; returns the models after them."""
    executor = MigrationExecutor(connection, check_pending_constraints)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if migrations is not None:
        plan = [step for step in plan if (step[0].app_label, step[0].name) in migrations]
    state: Any = executor.migrate(executor.loader.graph.leaf_nodes(), plan)
    apps: Apps = state.apps
    return apps


def check_pending_constraints(action: str, *args: Any) -> None:
    """Checks deferred constraints before each migration is applied.

    PostgreSQL refuses to alter tables with pending checks.
    """
    if action == "apply_start" and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
