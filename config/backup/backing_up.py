"""Writes a backup from a snapshot of the rows while answers arrive; the file appears only once it is
complete."""

import fcntl
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import connection

from config import migration_digests
from config.backup import irreversible_changes, saved_tables, survey_and_account_facts
from config.backup.archive import BackupRefused, Json, Key, write_archive
from config.backup.models import Backup
from config.backup.saved_tables import LEFT_OUT, BackupTable
from config.backup.table_rows import Reading, row_storage

Say = Callable[[str], object]


def back_up(path: Path, key: Key, now: datetime, say: Say) -> Json:
    """Writes a backup of this database to a new file; returns its summary as JSON. `say` prints progress."""
    if saved_tables.unapplied_migrations() or saved_tables.unknown_migrations(
        saved_tables.applied_migrations()
    ):
        raise BackupRefused(
            "the database is of another version of Candor; back it up with that one, or migrate it first"
        )
    part = path.with_name(f"{path.name}.part")
    try:
        if path.exists():
            raise BackupRefused(f"{path} is there already; name another file")
        with os.fdopen(open_unfinished_backup(part), "w+b") as out:
            try:
                backup = Backup.objects.create(made=now)
                # Before the snapshot: a list that does not name a backup is not taken for complete.
                irreversible_changes.write_irreversible_changes(settings.BACKUP_LIST, key, now)
                summary = write_snapshot(out, backup, key, say)
                out.flush()
                os.fsync(out.fileno())
                part.rename(path)
            except BaseException:
                # A full disk, of the database too, has no room for half a backup.
                with suppress(OSError):
                    part.unlink(missing_ok=True)
                raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # so that the file's name is durable
        finally:
            os.close(folder)
        Backup.objects.filter(pk=backup.pk).update(completed=True)
    except OSError as error:
        raise BackupRefused(f"{error.filename or path} cannot be written ({error.strerror})") from None
    return {"file": str(path), **summary, "list": str(settings.BACKUP_LIST)}


def open_unfinished_backup(part: Path) -> int:
    """Creates the file of an unfinished backup, empty and only for this account; returns its descriptor.

    Overwrites the remains of an interrupted backup, and refuses if a process still writes it.
    """
    out = os.open(part, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.fchmod(out, 0o600)
        os.truncate(out, 0)
    except OSError as error:
        os.close(out)
        if isinstance(error, BlockingIOError):
            raise BackupRefused(f"another backup is being written to {part}") from None
        raise
    return out


def write_snapshot(out: BinaryIO, backup: Backup, key: Key, say: Say) -> Json:
    """Writes the backup file from one snapshot of the database; returns a summary of the backup."""
    with row_storage().snapshot() as reading:
        with reading():
            files = migration_digests.migration_file_digests()
            head = {
                "id": backup.pk.hex,
                "made": backup.made.isoformat(),
                "vendor": connection.vendor,
                "key": key.name,
                "migrations": [
                    (*migration, files.get(migration, "")) for migration in saved_tables.applied_migrations()
                ],
                "facts": survey_and_account_facts.database_facts(),
            }
            stored = [table for table in saved_tables.existing_tables() if table.name not in LEFT_OUT]
        counts: dict[str, int] = {}
        with closing(read_tables(stored, reading, counts, say)) as contents:
            size = write_archive(out, key, head, contents, {"rows": counts})
    return survey_and_account_facts.backup_summary(head) | {"bytes": size, "rows": sum(counts.values())}


def read_tables(
    stored: list[BackupTable], reading: Reading, counts: dict[str, int], say: Say
) -> Generator[tuple[Json, Iterator[bytes]]]:
    """Yields the head of each table with its rows; counts the rows in `counts` while they are read."""
    store = row_storage()

    def rows(table: BackupTable) -> Generator[bytes]:
        counts[table.name] = 0
        for row in store.rows(table):
            counts[table.name] += 1
            yield row

    for table in stored:
        with reading():
            # Numbers are given out of turn: this one is at least that of every row of the snapshot.
            counter = store.last_sequence_value(table) if table.counted else None
            with closing(rows(table)) as counted:
                yield {"name": table.name, "columns": table.columns, "counter": counter}, counted
        say(f"{table.name}: {counts[table.name]:,} rows")
