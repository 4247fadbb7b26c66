"""Replaces a database by a backup, in one transaction, without reviving what was destroyed or used since.

`plan_restore` reads and refuses; `restore` writes. A process killed before the commit leaves the old database.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, transaction
from django.utils import timezone

from config import migration_files
from config.backup import aftermath, conversion, facts, remembering, since, tables
from config.backup.archive import Archive, BackupRefused, Json, Key
from config.backup.backing_up import Say
from config.backup.database import database
from config.backup.since import Since
from config.backup.tables import LEFT_OUT, BackupTable, Migration
from intake.batches import sweeping
from surveys import triggers

TOKENS = "intake_token"


@dataclass(frozen=True)
class RestorePlan:
    """What a restore would do. `living` are the facts of the database that it replaces, none if that is empty.

    `complete`: `since` has all that was destroyed and used after the backup; else no invitation in it is valid.
    """

    archive: Archive
    since: Since
    complete: bool
    living: Json | None
    counters: dict[str, int]
    listed: datetime | None

    def told(self, now: datetime) -> Json:
        """For the operator, before and after."""
        then = self.archive.head["facts"]
        gone = {row["number"] for row in facts.past_deletion(then, timezone.localdate(now))}
        gone |= {row["number"] for row in then["surveys"] if row["named"] in self.since.destroyed}
        living = [row for row in then["surveys"] if row["state"] != "destroyed"]
        return {
            "made": self.archive.head["made"],
            "destroyed": [row["number"] for row in living if row["number"] in gone],
            "older": facts.changes_lost(then, self.living) if self.living else None,
            "list": self.listed and self.listed.isoformat(timespec="minutes"),
            "complete": self.complete,
        }


def plan_restore(
    archive: Archive, keys: Sequence[Key], lists: Sequence[Path], *, without_list: bool
) -> RestorePlan:
    """Look at the backup, the database that is here, and the lists; refuse what cannot or must not be."""
    _fits(archive)
    known, listed = _listed(lists, keys)
    living, counters = None, {}
    if _is_there():
        # What is not yet in any file: invitations used since the last sealing, too.
        own = remembering.known_since()
        known |= own | remembering.waiting_since()
        # The database knows better than any copy of it.
        listed = None if archive.head["id"] in own.backups else listed
        living = None if facts.is_empty() else facts.facts()
        counters = {table.name: database().counter(table) for table in tables.present() if table.counted}
    complete = archive.head["id"] in known.backups
    if not complete and not without_list:
        raise BackupRefused(
            "nothing here tells what was destroyed and which invitations were used since this backup: give the list "
            "that was kept beside the database (--list), or go on without it (--without-list), after which no "
            "invitation of the backup is valid and surveys that were destroyed since are there again"
        )
    return RestorePlan(archive, known, complete, living, counters, listed)


def _fits(archive: Archive) -> None:
    head = archive.head
    if migration_files.is_earlier(head["migrations"]):
        raise BackupRefused(
            f"{archive.path} was made by an earlier development version of Candor: restore it with that one"
        )
    wanted = _migrations(archive)
    newer = tables.unknown(wanted)
    if newer or list(tables.incomplete(wanted)):
        names = ", ".join(".".join(migration) for migration in newer[:3]) or "an incomplete set of migrations"
        raise BackupRefused(f"{archive.path} was made by a newer Candor ({names}): restore it with that one")


def _migrations(archive: Archive) -> list[Migration]:
    return [(app, name) for app, name, _file in archive.head["migrations"]]


def _listed(lists: Sequence[Path], keys: Sequence[Key]) -> tuple[Since, datetime | None]:
    own: Path = settings.BACKUP_LIST
    lists_read = [since.read(path, keys) for path in [*lists, *([own] if own.exists() else [])]]
    together = Since()
    for one, _at in lists_read:
        together |= one
    return together, max((at for _one, at in lists_read), default=None)


def _is_there() -> bool:
    """Whether there are tables, and that they are those of this version."""
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        return False  # asking would need the folder, and make the file
    here = tables.applied()
    if not here:
        return False
    if words := migration_files.refusal(connection):
        raise BackupRefused(words)
    if tables.unknown(here):
        raise BackupRefused("the database here is of a newer Candor; restore with that one")
    if tables.missing():
        raise BackupRefused("the database here is of an older Candor; run `manage.py migrate` first")
    return True


# --- writing ----------------------------------------------------------------------------------------------


def restore(plan: RestorePlan, now: datetime, say: Say) -> Json:
    database().prepare()
    try:
        with transaction.atomic():
            done = _replaced(plan, now, say)
    finally:
        connection.enable_constraint_checking()
    remembering.write_soon()
    return plan.told(now) | done | {"swept": sweeping.sweep()}


def _replaced(plan: RestorePlan, now: datetime, say: Say) -> Json:
    """The tables as the backup's version had them, then as this version has them, then without what must not be."""
    database().begin()
    _clear()
    loaded = _load(plan, say)
    forward = tables.missing()
    tables.migrate()
    migration_files.store(connection)
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    ContentType.objects.clear_cache()
    after = aftermath.after_restore(plan.since, loaded.void, plan.archive.head, now)
    _check()
    return {
        **after,
        "used_invitations": loaded.used,
        "void_invitations": sum(map(len, loaded.void.values())),
        "rows": loaded.rows,
        "migrated": len(forward),
    }


def _clear() -> None:
    here = connection.introspection.table_names()
    names = [table.name for table in tables.present() if table.name in here]
    database().drop([*names, *([tables.MIGRATIONS] if tables.MIGRATIONS in here else [])])


@dataclass
class LoadResult:
    """`void` are invitations that were left out because nobody knows whether they were used, `used` how many were."""

    rows: int = 0
    used: int = 0
    void: aftermath.Void = field(default_factory=dict)


def _load(plan: RestorePlan, say: Say) -> LoadResult:
    """The tables as they were then, and their rows; what migrations put into tables is among these."""
    say("making the tables")
    there = {table.name: table for table in tables.tables(tables.migrate(_migrations(plan.archive)))}
    lacking = BackupRefused(f"{plan.archive.path} does not hold the rows that it should")
    if {head["name"] for head in plan.archive.heads} != there.keys() - LEFT_OUT.keys():
        raise lacking
    _empty(there.values())
    done, counts = LoadResult(), {}
    for head, parts in plan.archive.tables():
        table = there[head["name"]]
        counted = _Counted(_own(parts, plan.archive.head["vendor"], table, head["columns"]))
        wanted = _unused(plan, head["columns"], counted, done) if table.name == TOKENS else counted
        database().load(replace(table, columns=tuple(head["columns"])), wanted)
        counts[table.name] = counted.rows
        if head["counter"]:
            database().set_counter(table, max(head["counter"], plan.counters.get(table.name, 0)))
        if counted.rows:
            say(f"{table.name}: {counted.rows:,} rows")
    if counts != plan.archive.end["rows"]:
        raise lacking
    done.rows = sum(counts.values())
    return done


def _own(parts: Iterator[bytes], vendor: str, table: BackupTable, columns: Sequence[str]) -> Iterator[bytes]:
    """The rows as this kind of database writes them."""
    if vendor == connection.vendor:
        return parts
    types = dict(zip(table.columns, table.types, strict=True))
    return conversion.converted(parts, vendor, connection.vendor, [types[column] for column in columns])


def _empty(there: Iterable[BackupTable]) -> None:
    with connection.cursor() as cursor:
        for table in there:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table.name)}")  # noqa: S608


class _Counted(Iterator[bytes]):
    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self.rows = parts, 0

    def __next__(self) -> bytes:
        part = next(self._parts)
        self.rows += part.count(b"\n")
        return part


def _unused(
    plan: RestorePlan, columns: Sequence[str], parts: Iterable[bytes], done: LoadResult
) -> Iterator[bytes]:
    """The invitations that nobody has used since. The others are left out here: what is never there leaves no trace."""
    spent, hash_at, survey_at = plan.since.all_spent, columns.index("hash"), columns.index("survey_id")
    for part in parts:
        unused = []
        for line in part.split(b"\n")[:-1]:
            row = database().values(line)
            digest = since.digest(row[hash_at])
            if digest in spent:
                done.used += 1
            elif not plan.complete:
                done.void.setdefault(int(row[survey_at]), set()).add(digest)
            else:
                unused.append(line + b"\n")
        yield b"".join(unused)


def _check() -> None:
    database().check()
    lost = triggers.missing_triggers(connection)
    if lost:
        raise BackupRefused(f"the restored tables lack their triggers: {lost}")
