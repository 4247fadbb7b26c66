"""Plans a restore from the backup, the present database and the lists; the plan is shown before the restore begins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from config import migration_digests
from config.backup import (
    irreversible_changes,
    irreversible_changes_file,
    saved_tables,
    survey_and_account_facts,
)
from config.backup.archive import Archive, BackupRefused, Json, Key
from config.backup.irreversible_changes_file import IrreversibleChanges
from config.backup.saved_tables import Migration
from config.backup.table_rows import row_storage


@dataclass(frozen=True)
class RestorePlan:
    """What a restore would do: the backup, the database that it replaces, and what is destroyed again.

    `living`: facts of the database to be replaced, None if it is empty; `counters`: its id sequences by table.
    `complete`: `since` has everything destroyed and used after the backup; else all invitations of the backup become
    invalid. `listed`: when the newest list was written, None if the database itself has all changes.
    """

    archive: Archive
    since: IrreversibleChanges
    complete: bool
    living: Json | None
    counters: dict[str, int]
    listed: datetime | None

    def summary(self, now: datetime) -> Json:
        """Returns the plan as JSON for the operator, before and after the restore."""
        then, today = self.archive.head["facts"], timezone.localdate(now)
        destroyed = [
            row["number"]
            for row in then["surveys"]
            if row["state"] != "destroyed"
            and (
                row["named"] in self.since.destroyed
                or (row["deletion"] and date.fromisoformat(row["deletion"]) <= today)
                or self.since.until.get(row["named"], date.max) <= today
            )
        ]
        return {
            "made": self.archive.head["made"],
            "destroyed": destroyed,
            "older": survey_and_account_facts.changes_lost_by_restore(then, self.living, destroyed)
            if self.living
            else None,
            "list": self.listed and self.listed.isoformat(timespec="minutes"),
            "complete": self.complete,
        }


def plan_restore(
    archive: Archive, keys: Sequence[Key], lists: Sequence[Path], *, without_list: bool
) -> RestorePlan:
    """Plans a restore; refuses a backup that does not fit, or a missing list of the changes since then.

    The list names changes that no restore may undo. `without_list`: a restore is planned even if the list is missing.
    """
    refuse_other_version(archive)
    if settings.BACKUP_LIST.exists():
        lists = [*lists, settings.BACKUP_LIST]
    known, listed = IrreversibleChanges(), None
    for path in lists:
        content, written = irreversible_changes_file.read_changes_file(path, keys)
        known, listed = known | content, max(written, listed or written)
    living, counters = None, {}
    if has_tables_of_this_version():
        # What is not yet in any file: invitations used since the last sealing, too.
        own = irreversible_changes.read_irreversible_changes()
        known |= own | irreversible_changes.read_invitations_used_since_sealing()
        # The database knows better than any copy of it.
        listed = None if archive.head["id"] in own.backups else listed
        is_empty = survey_and_account_facts.is_database_empty()
        living = None if is_empty else survey_and_account_facts.database_facts()
        counters = {
            table.name: row_storage().last_sequence_value(table)
            for table in saved_tables.existing_tables()
            if table.counted
        }
    complete = archive.head["id"] in known.backups
    if not complete and not without_list:
        raise BackupRefused(
            "nothing here tells what was destroyed and which invitations were used since this backup: give the list "
            "that was kept beside the database (--list), or go on without it (--without-list), after which no "
            "invitation of the backup is valid and surveys that were destroyed since are there again"
        )
    return RestorePlan(archive, known, complete, living, counters, listed)


def migrations_in_backup(archive: Archive) -> list[Migration]:
    """Returns the migrations that had been applied when the backup was made."""
    return [(app, name) for app, name, _file in archive.head["migrations"]]


def refuse_other_version(archive: Archive) -> None:
    """Refuses a backup of an earlier development version or of a newer version."""
    if migration_digests.are_of_earlier_version(archive.head["migrations"]):
        raise BackupRefused(
            f"{archive.path} was made by an earlier development version of Candor: restore it with that one"
        )
    migrations = migrations_in_backup(archive)
    newer = saved_tables.unknown_migrations(migrations)
    if newer or saved_tables.lacks_dependency(migrations):
        names = ", ".join(".".join(migration) for migration in newer[:3]) or "an incomplete set of migrations"
        raise BackupRefused(f"{archive.path} was made by a newer Candor ({names}): restore it with that one")


def has_tables_of_this_version() -> bool:
    """Returns True if the database has tables of this version; False if it has none; else refuses."""
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        return False  # asking would need the folder, and make the file
    here = saved_tables.applied_migrations()
    if not here:
        return False
    if words := migration_digests.reason_to_refuse_database(connection):
        raise BackupRefused(words)
    if saved_tables.unknown_migrations(here):
        raise BackupRefused("the database here is of a newer Candor; restore with that one")
    if saved_tables.unapplied_migrations():
        raise BackupRefused("the database here is of an older Candor; run `manage.py migrate` first")
    return True


def plan_lines(plan: RestorePlan, now: datetime) -> Iterator[str]:
    """Yields the plan of a restore as sentences, which are shown before it is confirmed."""
    summary, head = plan.summary(now), survey_and_account_facts.backup_summary(plan.archive.head)
    made, destroyed, older = datetime.fromisoformat(head["made"]), summary["destroyed"], summary["older"]
    hours = max(0, (now - made) // timedelta(hours=1))
    age = f"{hours // 24} days" if hours >= 48 else "1 hour" if hours == 1 else f"{hours} hours"
    yield (
        f"A backup of {made:%Y-%m-%d %H:%M} UTC, {age} old: {head['surveys']} surveys, "
        f"{head['records']:,} records, {head['runs']} runs, {head['accounts']} accounts."
    )
    if summary["list"]:
        yield f"The list of what was destroyed and used since is of {summary['list']}; what came later is not in it."
    if not plan.complete:
        yield "No invitation of the backup will be valid, and surveys destroyed since will be there again:"
        for row in plan.archive.head["facts"]["surveys"]:
            if row["state"] != "destroyed" and row["number"] not in destroyed:
                yield f"  survey {row['number']} “{row['title']}”: destroy it if it was destroyed"
    if destroyed:
        yield f"Destroyed since, or due to be, and so destroyed again: surveys {', '.join(map(str, destroyed))}."
    if older:
        changes = list(_lost_change_lines(older))
        yield f"What the database holds now is replaced{':' if changes else '.'}"
        yield from changes


def _lost_change_lines(older: Json) -> Iterator[str]:
    for row in older["surveys"]:
        compared = {key: values for key, values in row.items() if isinstance(values, list)}
        changes = [f"{key} {now}, then {then}" for key, (then, now) in compared.items()]
        yield f"  survey {row['number']} “{row['title']}”: now {'; '.join(changes)}"
    for row in older["lost"]:
        yield f"  survey {row['number']} “{row['title']}” was made since and is lost with {row['records']:,} records"
    if older["published_again"]:
        again = ", ".join(map(str, older["published_again"]))
        yield f"  withdrawn or closed since, and there again (a number: report of this run): {again}"
    if older["accounts"]:
        yield f"  accounts with other rights or ways to sign in then, or closed since: {', '.join(older['accounts'])}"
