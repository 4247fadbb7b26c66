"""Attacks on a release as a job: on its file once it is made, on the uploaded table before that, by whoever may.

A register is personal data. It waits in a table of its own, which no backup holds, until a worker takes it. From then
on only the worker's memory has it, and a job that is interrupted cannot go on with it. None of its names and cells is
stored or logged.
"""

import io
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.history import log_activity
from intake.batches.overwrite_deleted import schedule_overwriting
from jobs import database, wake
from jobs.message import JobFailed, Progress
from jobs.models import State as JobState, Write
from privacy.anonymity.risk.attacked_table import ShownTable, read_shown, shown_from_table
from privacy.anonymity.risk.attacks import register_attack, run_attacks
from privacy.anonymity.tables.specification import Specification
from privacy.grammar.input_error import InputError
from privacy.records.codebooks import Tick
from releases import sources, uploads
from releases.making import downloading
from releases.models import Attack, Register, Release, ReleasedTable
from releases.permission import MADE
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MOST_BYTES = 50_000_000
MOST_WAIT = timedelta(hours=1)
"""How long a register waits for a worker."""


def start(release: Release, person: "Person", register: bytes, now: datetime) -> Attack:
    """Start attacking; `register`: a CSV file of people, or nothing."""
    if not release.may(person, "attack"):
        raise NotAllowed(_("Only the owner of an upload and reviewers can attack a release."))
    if len(register) > MOST_BYTES:
        raise NotAllowed(
            _("The register has more than 50 MB. Leave out columns that the release does not have.")
        )
    of_source = release.state not in MADE
    if of_source:
        uploads.get_upload(release.source, now)
    with transaction.atomic():
        Release.objects.lock(release.pk)
        if Attack.objects.filter(release=release, state__in=(JobState.QUEUED, JobState.RUNNING)).exists():
            raise NotAllowed(_("An attack is under way already. Wait for it, or cancel it."))
        attack = Attack(release=release, of_source=of_source, with_register=bool(register))
        wake.enqueue(attack)
        if register:
            Register.objects.create(attack=attack, content=register)
        log_activity(person, "releases.attacked", release.thing, note=f"{release}.", when=now)
    return attack


def perform(attack: Attack, progress: Progress) -> Write:
    register = take_register(attack) if attack.with_register else b""
    progress(0.0, gettext_noop("The table is read"))
    said = sources.get_specification(attack.release)
    shown = _read_table(attack, said, progress)
    people = _read_register(register, said, progress) if register else None

    def tick(share: float) -> None:
        progress(0.2 + 0.8 * share, gettext_noop("The people of the register are looked for in the table"))

    if attack.of_source:
        answer = run_attacks(shown, said, register=people, tick=tick)
    else:
        assert people
        answer = {"register": register_attack(shown.without_hidden(said.criteria.k), people, tick)}
    return partial(Attack.objects.filter(pk=attack.pk).update, answer=answer)


def take_register(attack: Attack) -> bytes:
    """The register, which is deleted at once: whatever becomes of the job, nothing of it is left."""
    with transaction.atomic():
        register = Register.objects.select_for_update().filter(attack=attack).first()
        if register is not None:
            delete_registers(attack=attack)
    if register is None:
        raise JobFailed(
            gettext_noop("The register has been deleted, since the attack was interrupted. Upload it again.")
        )
    return bytes(register.content)


def delete_registers(**which: Any) -> None:
    if Register.objects.filter(**which).delete()[0]:
        schedule_overwriting(Register)


def delete_old(now: datetime) -> None:
    """Delete the registers of attacks that were cancelled, or that no worker has taken for an hour."""
    live = (JobState.QUEUED, JobState.RUNNING)
    with transaction.atomic():
        old = Register.objects.exclude(attack__state__in=live) | Register.objects.filter(
            attack__created__lte=now - MOST_WAIT
        )
        delete_registers(pk__in=list(old.values_list("pk", flat=True)))


def _read_table(attack: Attack, said: Specification, progress: Progress) -> ShownTable:
    source = attack.release.source
    try:
        if attack.of_source:
            return shown_from_table(sources.read_source(source, None, said, database.now()), said)
        return read_published(downloading.published_file(attack.release), said, partial(progress, None))
    except (InputError, NotAllowed, ReleasedTable.DoesNotExist):
        raise JobFailed(
            gettext_noop("The table cannot be read as the specification says, or is deleted.")
        ) from None


def read_published(file: bytes, said: Specification, tick: Tick) -> ShownTable:
    """A published file as its reader sees it."""
    return read_shown(io.BytesIO(file), "release.csv", said, tick=tick)


def _read_register(register: bytes, said: Specification, progress: Progress) -> ShownTable:
    try:
        return read_shown(
            io.BytesIO(register), "register.csv", said, complete=False, tick=partial(progress, None)
        )
    except InputError as refusal:
        # Without its reason, which quotes a cell.
        raise JobFailed(
            gettext_noop(
                "%(place)s: this cannot be read. A register is a CSV file in UTF-8 whose first line names its columns, "
                "with at least one of the quasi-identifiers written as in the table. It is deleted: upload it again."
            ),
            place=refusal.path,
        ) from None
