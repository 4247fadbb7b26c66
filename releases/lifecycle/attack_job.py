"""Job that attacks a release: its file once it is made, or the uploaded table before that.

A register and other files about the same people are personal data. They wait in a table of their own, which no backup
holds, until a worker takes them. From then on only the worker's memory holds them, and an interrupted job cannot go on.
No cell of them is stored or logged.
"""

import io
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.activity_log import log_activity
from intake.batches.overwrite_deleted import schedule_overwriting
from jobs import database, job_queue
from jobs.models import State as JobState, Write
from jobs.progress_messages import JobFailed, Progress
from privacy.anonymity.risk.attacks import run_attacks
from privacy.anonymity.risk.table_seen_by_attacker import ShownTable, read_shown_table, shown_from_table
from privacy.anonymity.tables.specification import Specification
from privacy.grammar.input_error import InputError
from privacy.records.csv_dialect_detection import HEAD, detect_layout
from privacy.records.csv_row_reader import column_names, csv_rows
from privacy.records.dictionary_encoding import Tick
from releases import source_tables, uploads
from releases.lifecycle import download_zip
from releases.models import Attack, Register, Release, ReleasedTable
from releases.permissions import MADE
from surveys.questionnaire.problems_and_refusals import NotAllowed, path_and_reason_text

if TYPE_CHECKING:
    from accounts.models import Person

MOST_BYTES = 50_000_000
MOST_TOGETHER = 55_000_000
"""Largest number of bytes of all files of an attack: config/settings.py and deploy/nginx.conf refuse requests of 60
million."""
MOST_WAIT = timedelta(hours=1)
"""Longest time that the files of an attack wait for a worker."""
TOO_LARGE = gettext_noop("The file has more than 50 MB. Leave out columns that the release does not have.")
NO_FILES: Mapping[str, bytes] = MappingProxyType({})


def start_attack(
    release: Release,
    person: "Person",
    register: bytes,
    now: datetime,
    others: Mapping[str, bytes] = NO_FILES,
    ruled_out: int = 1,
) -> Attack:
    """Starts the job that attacks a release with the help of uploaded CSV files.

    `register`: a register of people, empty for none. `others`: other files about the same people, by name. `ruled_out`:
    how many sensitive values of a person the attacker can rule out.
    """
    if not release.may(person, "attack"):
        raise NotAllowed(_("Only the owner of an upload and reviewers can attack a release."))
    files = {"": register, **others} if register else dict(others)
    if any(len(content) > MOST_BYTES for content in files.values()):
        raise NotAllowed(_(TOO_LARGE))
    of_source = release.state not in MADE
    if of_source:
        uploads.get_upload(release.source, now)
    with transaction.atomic():
        Release.objects.lock(release.pk)
        if Attack.objects.filter(release=release, state__in=(JobState.QUEUED, JobState.RUNNING)).exists():
            raise NotAllowed(_("An attack is under way already. Wait for it, or cancel it."))
        attack = Attack(
            release=release,
            of_source=of_source,
            with_register=bool(register),
            others=list(others),
            ruled_out=ruled_out,
        )
        job_queue.enqueue(attack)
        for name, content in files.items():
            Register.objects.create(attack=attack, name=name, content=content)
        subject = release.history_subject_of_review
        log_activity(person, "releases.attacked", subject, note=f"{release}.", when=now)
    return attack


def refuse_without_quasi_identifier(content: bytes, name: str, specification: Specification) -> None:
    """Raises `NotAllowed` for an attacker's file whose first line names no quasi-identifier of the release, before
    anything is stored."""
    try:
        header = next(csv_rows(io.BytesIO(content), name, layout=detect_layout(content[:HEAD])), None)
        names = column_names(header, name)
    except InputError as refusal:
        raise NotAllowed(path_and_reason_text(refusal)) from None
    quasi = [column.name for column in specification.quasi_identifiers]
    if not {*names} & {*quasi}:
        raise NotAllowed(
            _(
                "This file has no quasi-identifier of the release, so nobody can be found with it. Its first line must "
                "name at least one of these columns: %(columns)s."
            )
            % {"columns": ", ".join(quasi)}
        )


def perform(attack: Attack, progress: Progress) -> Write:
    """Runs the attack on a release; returns the function that stores its result."""
    files = take_attacker_files(attack)
    reading = partial(progress, 0.0, gettext_noop("The table is read"))
    reading()
    said = source_tables.get_specification(attack.release)
    published = _read_attacked_table(attack, said, reading)
    others = {name: _read_attacker_file(content, name, said, progress) for name, content in files.items()}
    register = others.pop("", None)
    progress(0.2, gettext_noop("The classes are searched for values that they tell"))
    places = {name: place for place, name in enumerate(files)}

    def report_file_progress(name: str, share: float) -> None:
        text = (
            gettext_noop("The rows are joined with those of %(file)s")
            if name
            else gettext_noop("The people of the register are looked for in the table")
        )
        progress(0.2 + 0.8 * (places[name] + share) / len(places), text, **({"file": name} if name else {}))

    try:
        answer = run_attacks(
            published,
            said,
            ruled_out=attack.ruled_out,
            register=register,
            others=others,
            tick=report_file_progress,
        )
    except InputError as refusal:
        raise JobFailed(
            gettext_noop(
                "%(column)s: %(size)s of its values can be ruled out in %(sets)s ways, too many to try. Rule out fewer."
            ),
            column=refusal.path,
            **{name: cast("int", refusal.values[name]) for name in ("size", "sets")},
        ) from None
    if not attack.of_source:
        # The other attacks on the published file are in the report of the release.
        found = ["register"] if register else []
        found += ["beside", "k", "rows"] if others else []
        found += ["ruled_out"] if attack.ruled_out > 1 else []
        answer = {key: answer[key] for key in found}
    return partial(Attack.objects.filter(pk=attack.pk).update, answer=answer)


def take_attacker_files(attack: Attack) -> dict[str, bytes]:
    """Returns the attacker's files by name, and deletes them at once, so that nothing of them remains even if the job
    fails."""
    with transaction.atomic():
        rows = Register.objects.select_for_update().filter(attack=attack).order_by("pk")
        files = {row.name: bytes(row.content) for row in rows}
        delete_attacker_files(attack=attack)
    if len(files) < attack.with_register + len(attack.others):
        raise JobFailed(
            gettext_noop("The files have been deleted, since the attack was interrupted. Upload them again.")
            if attack.others
            else gettext_noop(
                "The register has been deleted, since the attack was interrupted. Upload it again."
            )
        )
    return files


def delete_attacker_files(**conditions: Any) -> None:
    """Deletes the attackers' files that meet the `conditions` (filters of a query on `Register`).

    If any was deleted, schedules that the database overwrites the bytes of these rows.
    """
    if Register.objects.filter(**conditions).delete()[0]:
        schedule_overwriting(Register)


def delete_unused_attacker_files(now: datetime) -> None:
    """Deletes the attackers' files whose attack has ended, or which no worker took within an hour."""
    live = (JobState.QUEUED, JobState.RUNNING)
    with transaction.atomic():
        old = Register.objects.exclude(attack__state__in=live) | Register.objects.filter(
            attack__created__lte=now - MOST_WAIT
        )
        delete_attacker_files(pk__in=list(old.values_list("pk", flat=True)))


def _read_attacked_table(attack: Attack, specification: Specification, tick: Tick) -> ShownTable:
    """Returns the table to attack: the uploaded table, or the published file."""
    source = attack.release.source
    try:
        if attack.of_source:
            return shown_from_table(
                source_tables.read_source_table(source, None, specification, database.now()),
                specification,
            )
        return read_published_table(download_zip.published_file(attack.release), specification, tick)
    except (InputError, NotAllowed, ReleasedTable.DoesNotExist):
        raise JobFailed(
            gettext_noop("The table cannot be read as the specification says, or is deleted.")
        ) from None


def read_published_table(file: bytes, specification: Specification, tick: Tick) -> ShownTable:
    """Reads a release's published file, as any reader of the file can."""
    return read_shown_table(io.BytesIO(file), "release.csv", specification, tick=tick)


def _read_attacker_file(
    content: bytes, name: str, specification: Specification, progress: Progress
) -> ShownTable:
    """Reads a file of the attacker; `name` is empty for the register."""
    name = name or "register.csv"
    tick = partial(progress, 0.1, gettext_noop("%(file)s is read"), file=name)
    try:
        return read_shown_table(io.BytesIO(content), name, specification, complete=False, tick=tick)
    except InputError as refusal:
        # Without its reason, which quotes a cell.
        raise JobFailed(
            gettext_noop(
                "%(place)s: this cannot be read. A file to attack with is a CSV file in UTF-8 whose first line "
                "names its columns, with at least one of the quasi-identifiers written as in the table. It is "
                "deleted: upload it again."
            ),
            place=refusal.path,
        ) from None
