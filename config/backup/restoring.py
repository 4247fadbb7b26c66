"""Replaces a database by a backup, in one transaction, without reviving surveys that were destroyed, or
invitations that were used, since the backup.

If the process is killed before the commit, the old database stays.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, transaction
from django.utils import timezone, translation

from accounts.activity_log import log_activity
from accounts.models import Person
from config import migration_digests
from config.backup import irreversible_changes, irreversible_changes_file, saved_tables
from config.backup.archive import BackupRefused, Json
from config.backup.backing_up import Say
from config.backup.irreversible_changes_file import IrreversibleChanges
from config.backup.models import Backup, Remembered
from config.backup.restore_plan import RestorePlan, migrations_in_backup
from config.backup.saved_tables import LEFT_OUT
from config.backup.sqlite_postgresql_conversion import convert_rows_to_vendor
from config.backup.table_rows import quote_names, row_storage
from intake.batches import overwrite_deleted, seen_keys
from intake.disclosure import ledger
from intake.models import Inbox, KeySecret
from jobs import job_state_changes
from jobs.models import Job, State as JobState
from surveys import triggers
from surveys.lifecycle import due_surveys
from surveys.models import Survey

TOKENS = "intake_token"


def restore(plan: RestorePlan, now: datetime, say: Say) -> Json:
    """Replaces the database by the backup of the plan, in one transaction; returns a summary as JSON."""
    # Before the transaction: inside it, SQLite would not turn the checks off, and tables are dropped one by one.
    connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            row_storage().lock()
            result = replace_tables(plan, now, say)
    finally:
        connection.enable_constraint_checking()
    irreversible_changes.write_irreversible_changes_after_commit(plan.since)
    return plan.summary(now) | result | {"swept": overwrite_deleted.overwrite_deleted_rows()}


def replace_tables(plan: RestorePlan, now: datetime, say: Say) -> Json:
    """Replaces all tables by the backup's and migrates them to this version; returns a summary.

    Surveys that were destroyed since the backup are destroyed again.
    """
    here = connection.introspection.table_names()
    dropped = first_kept_epochs() if KeySecret._meta.db_table in here else {}
    ours = [*(table.name for table in saved_tables.existing_tables()), saved_tables.MIGRATIONS]
    row_storage().drop([name for name in ours if name in here])
    loaded = load_tables(plan, say)
    forward = saved_tables.unapplied_migrations()
    saved_tables.apply_migrations()
    migration_digests.store_digests(connection)
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    ContentType.objects.clear_cache()
    delete_old_submission_keys_again(dropped)
    follow_up = apply_irreversible_changes(plan.since, loaded.void, plan.archive.head, now)
    connection.check_constraints()
    if missing := triggers.missing_triggers(connection):
        raise BackupRefused(f"the restored tables lack their triggers: {missing}")
    return {
        **follow_up,
        "used_invitations": loaded.used,
        "void_invitations": sum(map(len, loaded.void.values())),
        "rows": loaded.rows,
        "migrated": len(forward),
    }


# --- loading ----------------------------------------------------------------------------------------------

Void = dict[int, set[bytes]]
"""Digests of invitations, by survey id, that are not restored because nobody knows whether they were used."""


@dataclass
class LoadResult:
    """Result of loading the rows of a backup: numbers of rows and of used invitations that were left out.

    `void`: digests of the invitations left out because nobody knows whether they were used.
    """

    rows: int = 0
    used: int = 0
    void: Void = field(default_factory=dict)


def load_tables(plan: RestorePlan, say: Say) -> LoadResult:
    """Creates the tables as the backup's version had them and loads their rows, including the rows of migrations."""
    say("making the tables")
    archive, store, result = plan.archive, row_storage(), LoadResult()
    present = {
        table.name: table
        for table in saved_tables.backup_tables(saved_tables.apply_migrations(migrations_in_backup(archive)))
    }
    incomplete = BackupRefused(f"{archive.path} does not hold the rows that it should")
    if {head["name"] for head in archive.heads} != present.keys() - LEFT_OUT.keys():
        raise incomplete
    with connection.cursor() as cursor:
        for name in present:
            cursor.execute(f"DELETE FROM {quote_names(name)}")  # noqa: S608
    counts = dict.fromkeys((head["name"] for head in archive.heads), 0)

    def count_rows(name: str, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the parts unchanged and counts their rows."""
        for part in parts:
            counts[name] += part.count(b"\n")
            yield part

    for head, parts in archive.tables():
        name, columns = head["name"], head["columns"]
        table = present[name]
        lines = count_rows(name, parts)
        if archive.head["vendor"] != connection.vendor:
            types = dict(zip(table.columns, table.types, strict=True))
            lines = convert_rows_to_vendor(lines, connection.vendor, [types[column] for column in columns])
        if name == TOKENS:
            lines = unused_invitations(plan, columns, lines, result)
        store.load(replace(table, columns=tuple(columns)), lines)
        if head["counter"]:
            store.set_sequence_value(table, max(head["counter"], plan.counters.get(name, 0)))
        if counts[name]:
            say(f"{name}: {counts[name]:,} rows")
    if counts != archive.end["rows"]:
        raise incomplete
    result.rows = sum(counts.values())
    return result


def unused_invitations(
    plan: RestorePlan, columns: Sequence[str], parts: Iterable[bytes], result: LoadResult
) -> Iterator[bytes]:
    """Yields, in parts of whole rows, the invitations of a backup that were not used since then.

    Used invitations are never inserted, so they leave no trace.
    """
    spent, hash_at, survey_at = (
        plan.since.all_spent_digests,
        columns.index("hash"),
        columns.index("survey_id"),
    )
    for part in parts:
        unused = []
        for line in part.split(b"\n")[:-1]:
            row = row_storage().parse_row(line)
            digest = irreversible_changes_file.invitation_digest(row[hash_at])
            if digest in spent:
                result.used += 1
            elif not plan.complete:
                result.void.setdefault(int(row[survey_at]), set()).add(digest)
            else:
                unused.append(line + b"\n")
        yield b"".join(unused)


# --- what must not be undone ------------------------------------------------------------------------------


def apply_irreversible_changes(known: IrreversibleChanges, void: Void, head: Json, now: datetime) -> Json:
    """Applies again, after all rows are loaded, what no restore may undo; returns a summary.

    `known`: these changes; `void`: invitations left out as unknown; `head`: head of the backup.
    """
    with translation.override(settings.LANGUAGE_CODE):
        store_irreversible_changes_again(known, void, head["id"] in known.backups)
        bring_deletion_dates_forward(known)
        destroyed = destroy_again_and_due(known, now)
        told = note_lost_disclosures(known, now)
        for survey in seen_keys.surveys_with_old_epochs(now):
            seen_keys.delete_keys_of_old_epochs(survey, now)
        requeue_running_jobs(now)
        links = invalidate_password_links(now)
        backup = Backup(pk=UUID(head["id"]), made=datetime.fromisoformat(head["made"]))
        Backup.objects.filter(pk=backup.pk).update(completed=True)  # in it, it was not yet
        log_activity(None, "backup.restored", backup, when=now)
    # All of the database that was replaced lies in the write-ahead file.
    overwrite_deleted.schedule_overwriting(Inbox)
    return {"destroyed": destroyed, "told_since": told, "links_ended": links}


def store_irreversible_changes_again(known: IrreversibleChanges, void: Void, complete: bool) -> None:
    """Stores all changes known before the restore, so that later restores keep them too."""
    if not complete:
        # Nothing is complete for this backup, nor for those before it.
        Backup.objects.exclude(pk__in=list(map(UUID, known.backups))).delete()
    rows = [Backup(pk=UUID(pk), made=made) for pk, made in known.backups.items()]
    Backup.objects.bulk_create(rows, ignore_conflicts=True)
    names = {
        pk: irreversible_changes_file.hash_survey_slug(slug)
        for pk, slug in Survey.objects.values_list("pk", "slug")
    }
    present = set(names.values())
    for name in known.spent.keys() - known.destroyed:
        irreversible_changes.add_spent_invitations(name, known.spent[name])
    for pk, digests in void.items():
        irreversible_changes.add_spent_invitations(names[pk], frozenset(digests))
    for name in known.destroyed - present:
        Remembered.objects.update_or_create(slug=name, defaults={"destroyed": True, "spent": b""})
    for name in known.until.keys() - present:
        Remembered.objects.update_or_create(slug=name, defaults={"until": known.until[name]})


def bring_deletion_dates_forward(known: IrreversibleChanges) -> None:
    """Sets deletion dates of surveys to earlier ones that were promised after the backup was made."""
    # A draft has no such date yet; what it had promised when it was opened later is gone with the answers to it.
    opened = Survey.objects.filter(design__isnull=False).exclude(state=Survey.State.DESTROYED)
    for survey in opened.only("slug", "destroy_on"):
        day = known.until.get(irreversible_changes_file.hash_survey_slug(survey.slug))
        if day is not None and (survey.destroy_on is None or day < survey.destroy_on):
            Survey.objects.filter(pk=survey.pk).update(destroy_on=day)


def first_kept_epochs() -> dict[str, int]:
    """Returns, by survey address, the month (epoch) before which submission keys were deleted."""
    rows = KeySecret.objects.filter(dropped_before__gt=0)
    return dict(rows.values_list("survey__slug", "dropped_before"))


def delete_old_submission_keys_again(dropped: dict[str, int]) -> None:
    """Deletes submission keys of months whose keys had been deleted before the restore.

    `dropped`: by survey address the first month (epoch) that is kept. The later one of both limits is stored.
    """
    for survey, slug in Survey.objects.filter(slug__in=dropped).values_list("pk", "slug"):
        seen_keys.delete_keys_before_epoch(survey, dropped[slug])


def destroy_again_and_due(known: IrreversibleChanges, now: datetime) -> list[int]:
    """Destroys surveys that were destroyed since the backup, or must be by now; returns their ids."""
    today, destroyed = timezone.localdate(now), []
    for survey in Survey.objects.exclude(state=Survey.State.DESTROYED).order_by("pk"):
        is_due = survey.destroy_on is not None and survey.destroy_on <= today
        if is_due or irreversible_changes_file.hash_survey_slug(survey.slug) in known.destroyed:
            due_surveys.destroy_survey_in_any_state(survey, now)
            destroyed.append(survey.pk)
    return destroyed


def note_lost_disclosures(known: IrreversibleChanges, now: datetime) -> list[int]:
    """Notes in the ledger of a survey that disclosures made after the backup are lost; returns survey ids."""
    numbers, lost = ledger.last_disclosure_numbers(), []
    for survey in Survey.objects.exclude(state=Survey.State.DESTROYED).order_by("pk"):
        last_told = known.told.get(irreversible_changes_file.hash_survey_slug(survey.slug), 0)
        if last_told > numbers.get(survey.slug, 0):
            ledger.note_lost_rows(survey, last_told, now)
            lost.append(survey.pk)
    return lost


def requeue_running_jobs(now: datetime) -> None:
    """Puts jobs that ran when the backup was made back into the queue, without counting an attempt."""
    running = Job.objects.filter(state=JobState.RUNNING)
    for worker in set(running.exclude(worker="").values_list("worker", flat=True)):
        job_state_changes.requeue_all_of_worker(worker)
    # Suspended for other rows, which wait now: it waits for these, and its heart has not stopped.
    running.update(heartbeat=now)


def invalidate_password_links(now: datetime) -> int:
    """Invalidates the backup's links to set a password; returns the number of accounts.

    Some may have been used or replaced since, and the restore undid that.
    """
    people = list(Person.objects.filter(is_active=True))
    for person in people:
        if not person.has_usable_password():
            person.set_unusable_password()
        person.last_login = now
    Person.objects.bulk_update(people, ["password", "last_login"], batch_size=500)
    return len(people)
