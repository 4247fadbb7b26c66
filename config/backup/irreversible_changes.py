"""Keeps the list of changes that no restore may undo, in the database and as a copy in the file BACKUP_LIST.

After the first backup, each sealing adds the invitations used since the last one, a destruction removes its
survey's invitations, and every tick updates the file. The database is authoritative; a lost or damaged file
is written again.
"""

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Length

from config.backup import irreversible_changes_file
from config.backup.archive import BackupRefused, Key, instance_key
from config.backup.irreversible_changes_file import IrreversibleChanges
from config.backup.models import Backup, Remembered
from intake.disclosure import ledger
from intake.models import SpentToken, Sweep
from jobs import database
from surveys.models import Survey

logger = logging.getLogger(__name__)
REFRESH = timedelta(hours=1)
"""Longest time between two writings of the file, whose time tells how much a copy may have missed."""


# --- in the transactions of a sealing and a destruction ----------------------------------------------------


def on_sealing(survey: Survey, hashes: Sequence[bytes], **kwargs: Any) -> None:
    """Signal receiver: stores which invitations a sealing has used, so that no restore makes them valid."""
    # Asked after they were taken out of their table: a backup that begins now finds none of them unused.
    if hashes and Backup.objects.exists():
        add_spent_invitations(
            irreversible_changes_file.hash_survey_slug(survey.slug),
            frozenset(map(irreversible_changes_file.invitation_digest, hashes)),
        )


def add_spent_invitations(name: str, digests: frozenset[bytes]) -> None:
    """Adds digests of used invitations to those stored for a survey; `name`: hash of its address."""
    row, _created = Remembered.objects.select_for_update().get_or_create(slug=name)
    if row.destroyed:
        return
    row.spent = irreversible_changes_file.merge_digests(bytes(row.spent), digests)
    row.save(update_fields=["spent"])
    # The old value of the row tells which were used later.
    schedule_overwriting_of_old_values()


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """Signal receiver: deletes a destroyed survey's stored changes and writes the file after the commit."""
    if Remembered.objects.filter(slug=irreversible_changes_file.hash_survey_slug(survey.slug)).delete()[0]:
        schedule_overwriting_of_old_values()
    transaction.on_commit(write_irreversible_changes_after_commit, robust=True)


def schedule_overwriting_of_old_values() -> None:
    """Schedules that old row versions are overwritten on disk: they tell when invitations were used."""
    Sweep.objects.create(table=Remembered._meta.db_table)


# --- from the database ------------------------------------------------------------------------------------


def read_irreversible_changes() -> IrreversibleChanges:
    """Returns the stored changes that no restore may undo, such as destructions and used invitations.

    Invitations used since the last sealing are not among them.
    """
    destroyed, until = set(), {}
    for slug, state, day in Survey.objects.order_by().values_list("slug", "state", "destroy_on"):
        if state == Survey.State.DESTROYED:
            destroyed.add(irreversible_changes_file.hash_survey_slug(slug))
        elif day is not None:
            until[irreversible_changes_file.hash_survey_slug(slug)] = day
    rows = list(Remembered.objects.all())
    remembered = IrreversibleChanges(
        destroyed=frozenset(row.slug for row in rows if row.destroyed),
        until={row.slug: row.until for row in rows if row.until},
        spent={row.slug: irreversible_changes_file.unpack_digests(bytes(row.spent)) for row in rows},
    )
    backups = {pk.hex: made for pk, made in Backup.objects.values_list("pk", "made")}
    told = {
        irreversible_changes_file.hash_survey_slug(slug): number
        for slug, number in ledger.last_disclosure_numbers().items()
    }
    return IrreversibleChanges(backups, frozenset(destroyed), until, told=told) | remembered


def read_invitations_used_since_sealing() -> IrreversibleChanges:
    """Returns the invitations used since the last sealing.

    They are not in the file, which would tell when they were used.
    """
    digests_by_survey: dict[str, set[bytes]] = {}
    for hash_, slug in SpentToken.objects.values_list("hash", "survey__slug"):
        digests_by_survey.setdefault(irreversible_changes_file.hash_survey_slug(slug), set()).add(
            irreversible_changes_file.invitation_digest(bytes(hash_))
        )
    return IrreversibleChanges(
        spent={name: frozenset(digests) for name, digests in digests_by_survey.items()}
    )


def irreversible_changes_hash() -> str:
    """Returns a hash of the stored changes that no restore may undo, without reading all of them.

    It changes whenever the result of `read_irreversible_changes` does.
    """
    surveys = Survey.objects.order_by("pk").values_list("slug", "state", "destroy_on")
    rows = Remembered.objects.order_by("pk").annotate(size=Length(F("spent")))
    content = [
        list(surveys),
        list(rows.values_list("slug", "destroyed", "until", "size")),
        list(Backup.objects.order_by("pk").values_list("pk", flat=True)),
        sorted(ledger.last_disclosure_numbers().items()),
    ]
    return sha256(json.dumps(content, default=str).encode()).hexdigest()


# --- into the file ----------------------------------------------------------------------------------------


def write_irreversible_changes(
    path: Path, key: Key, now: datetime, restored: IrreversibleChanges | None = None
) -> None:
    """Writes the file of changes that no restore may undo.

    `restored`: the changes known before a restore, if one has just ended.
    """
    # In this order: what changes in between makes the file look older than it is, and it is written again.
    before = irreversible_changes_hash()
    told = read_disclosure_numbers_of_absent_surveys(path, key, restored)
    try:
        irreversible_changes_file.write_changes_file(
            path, read_irreversible_changes() | told, now, before, key
        )
    except OSError as error:
        raise BackupRefused(
            f"{path} cannot be written ({error.strerror}); BACKUP_LIST names another"
        ) from None


def read_disclosure_numbers_of_absent_surveys(
    path: Path, key: Key, restored: IrreversibleChanges | None
) -> IrreversibleChanges:
    """Returns the numbers of the last disclosures of surveys that are not in the database after a restore.

    Only the file, or `restored`, knows them.
    """
    known = restored or IrreversibleChanges()
    with suppress(BackupRefused):
        known |= irreversible_changes_file.read_changes_file(path, [key])[0]
    present = set(
        map(irreversible_changes_file.hash_survey_slug, Survey.objects.values_list("slug", flat=True))
    )
    return IrreversibleChanges(
        told={name: number for name, number in known.told.items() if name not in present}
    )


def on_tick(now: datetime) -> None:
    """Writes the file again if the database has changed, or the file is old, damaged or missing."""
    if not Backup.objects.exists():
        return
    path: Path = settings.BACKUP_LIST
    try:
        with path.open(encoding="ascii") as file:
            _first, (_at, written, state) = file.readline(), file.readline().split()
        age = now - datetime.fromisoformat(written)  # below 0: the clock was set back since
        is_current = state == irreversible_changes_hash() and timedelta(0) <= age < REFRESH
    except (OSError, ValueError):
        is_current = False
    if not is_current:
        write_irreversible_changes(path, instance_key(), now)


def write_irreversible_changes_after_commit(restored: IrreversibleChanges | None = None) -> None:
    """Writes the file of changes that no restore may undo, after a destruction or restore is committed.

    If that fails, the next tick writes it.
    """
    try:
        if restored is None:
            on_tick(database.now())
        else:
            # Although a destruction in the restore has just written it, without what only the restore knows.
            write_irreversible_changes(settings.BACKUP_LIST, instance_key(), database.now(), restored)
    except BackupRefused as reason:
        logger.error("the list of what was destroyed since a backup could not be written: %s", reason)
