"""Takes a person's own table, experiments with it in a worker, and deletes it after a day."""

import secrets
import sys
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from importing import isolated
from importing.faults import FileRefused
from intake.batches.overwrite_deleted import schedule_overwriting
from jobs import wake
from jobs.message import Progress
from jobs.models import LIVE, Job, Write
from mining.document.codec import dump, load
from mining.own_table.experiment import run_experiment
from mining.own_table.settings import Settings
from mining.own_table.table import MOST_BYTES, Column, OmittedColumn, OwnTable as Table
from own_tables.models import Experiment, OwnTable
from own_tables.pictures import draw_pictures
from runs import kernel_cache
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MOST_AT_ONCE = 5
"""Tables of one person that are kept at a time."""
KEPT = timedelta(days=1)
PATIENCE = 60.0
"""Seconds by the clock that reading may take."""
ENTRY = (sys.executable, "-m", "own_tables.reading_process")


def read_upload(data: bytes, name: str, columns: list[str]) -> Table:
    """The columns that can be disguised, read by a process of its own; `ReadersBusy` without waiting."""
    if len(data) > MOST_BYTES:
        raise NotAllowed(_("The file has more than 50 MB. Leave out columns or rows that you do not need."))
    try:
        answer, codes = isolated.answer_of(data, ENTRY, PATIENCE, name=name, columns=columns)
    except FileRefused as refused:
        faults = [
            _("%(place)s: %(reason)s") % {"place": fault.location, "reason": fault.reason}
            for fault in refused.faults
        ]
        raise NotAllowed(" ".join(faults)) from None
    described = tuple(load(Column, column) for column in answer["columns"])
    omitted = tuple(load(OmittedColumn, column) for column in answer["omitted"])
    rows = np.frombuffer(codes, np.uint8).reshape(len(described), -1)
    return Table(described, rows, omitted, answer["incomplete"])


def refuse_more(person: "Person") -> None:
    if OwnTable.objects.filter(person=person).count() >= MOST_AT_ONCE:
        raise NotAllowed(
            _("You have %(most)s tables here already. Delete one first.") % {"most": MOST_AT_ONCE}
        )


def store_table(person: "Person", table: Table, name: str, settings: Settings, now: datetime) -> OwnTable:
    """Store the table and start an experiment with it."""
    with transaction.atomic():
        refuse_more(person)
        stored = OwnTable.of(table, person=person, name=name.strip()[:200], created=now)
        stored.save()
        start_experiment(stored, settings)
    return stored


def start_experiment(table: OwnTable, settings: Settings) -> Experiment:
    """Start an experiment by these settings, which replaces the one before."""
    with transaction.atomic():
        OwnTable.objects.select_for_update().get(pk=table.pk)
        if table.experiments.filter(state__in=LIVE).exists():
            raise NotAllowed(
                _("An experiment with this table is under way already. Wait for it, or cancel it.")
            )
        table.experiments.all().delete()
        experiment = Experiment(table=table, settings=asdict(settings), seed=secrets.randbits(31))
        wake.enqueue(experiment)
    return experiment


def perform(experiment: Experiment, progress: Progress) -> Write:
    progress(0.0, gettext_noop("The table is disguised and mined"))

    def step(share: float) -> None:
        progress(0.95 * share, gettext_noop("The table is disguised and mined again and again"))

    table = experiment.table.as_table()
    result = run_experiment(table, experiment.read_settings(), experiment.seed, kernel_cache.folder(), step)
    progress(0.95, gettext_noop("The curves are drawn"))
    pictures = draw_pictures(result)
    return partial(Experiment.objects.filter(pk=experiment.pk).update, result=dump(result), pictures=pictures)


def delete_tables(**which: object) -> None:
    """Delete tables with their experiments, and overwrite them in the files of the database."""
    with transaction.atomic():
        if OwnTable.objects.filter(**which).delete()[0]:
            schedule_overwriting(OwnTable, Experiment, Job)


def delete_old(now: datetime) -> None:
    """Delete tables that were uploaded a day ago."""
    delete_tables(created__lte=now - KEPT)
