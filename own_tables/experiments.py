"""Stores a person's own table, runs an experiment with it in a worker, and deletes it after a day."""

import secrets
import sys
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.models import Person
from importing import isolated_reader
from importing.faults import FileRefused
from intake.batches.overwrite_deleted import schedule_overwriting
from jobs import job_queue
from jobs.models import LIVE, Job, Write
from jobs.progress_messages import JobFailed, Progress, calling_periodically
from mining.json_codec import node_from_json, node_to_json
from mining.own_table.experiment import run_experiment
from mining.own_table.settings import Settings
from mining.own_table.table import MOST_BYTES, Column, OmittedColumn, OwnTable as Table
from own_tables.curve_pictures import draw_pictures
from own_tables.models import Experiment, OwnTable
from privacy.designs import InputError
from surveys.questionnaire.problems_and_refusals import NotAllowed

MOST_AT_ONCE = 5
"""Most tables stored for one person at a time."""
KEPT = timedelta(days=1)
ENTRY = (sys.executable, "-m", "own_tables.reading_process")


def read_upload(data: bytes, name: str, columns: list[str], person: int) -> Table:
    """Reads an uploaded file in a separate process; returns the table of the columns that can be disguised.

    Raises ReadersBusy at once if no reading process is free.
    """
    if len(data) > MOST_BYTES:
        raise NotAllowed(_("The file has more than 50 MB. Leave out columns or rows that you do not need."))
    try:
        answer, codes = isolated_reader.read_in_child_process(data, person, ENTRY, name=name, columns=columns)
    except FileRefused as refused:
        raise NotAllowed(refused.in_words()) from None
    described = tuple(node_from_json(Column, column) for column in answer["columns"])
    omitted = tuple(node_from_json(OmittedColumn, column) for column in answer["omitted"])
    rows = np.frombuffer(codes, np.uint8).reshape(len(described), -1)
    return Table(described, rows, omitted, answer["incomplete"])


def refuse_too_many_tables(person: Person) -> None:
    """Raises NotAllowed if the person already has the largest allowed number of tables."""
    if OwnTable.objects.filter(person=person).count() >= MOST_AT_ONCE:
        raise NotAllowed(
            _("You have %(most)s tables here already. Delete one first.") % {"most": MOST_AT_ONCE}
        )


def store_table(person: Person, table: Table, name: str, settings: Settings, now: datetime) -> OwnTable:
    """Stores an uploaded table and starts an experiment with it."""
    with transaction.atomic():
        Person.objects.select_for_update().get(pk=person.pk)
        refuse_too_many_tables(person)
        stored = OwnTable.from_table(table, person=person, name=name.strip()[:200], created=now)
        stored.save()
        start_experiment(stored, settings)
    return stored


def start_experiment(table: OwnTable, settings: Settings) -> Experiment:
    """Starts an experiment on a table with these settings; it replaces the previous experiment."""
    with transaction.atomic():
        if OwnTable.objects.select_for_update().filter(pk=table.pk).first() is None:
            raise NotAllowed(_("This table has been deleted."))
        if table.experiments.filter(state__in=LIVE).exists():
            raise NotAllowed(
                _("An experiment with this table is under way already. Wait for it, or cancel it.")
            )
        table.experiments.all().delete()
        experiment = Experiment(table=table, settings=asdict(settings), seed=secrets.randbits(31))
        job_queue.enqueue(experiment)
    return experiment


def perform(experiment: Experiment, progress: Progress) -> Write:
    """Runs the experiment in a worker: disguises and mines the table; returns the function that stores the result."""
    progress(0.0, gettext_noop("The table is disguised and mined"))

    last = 0.0

    def report_step(share: float) -> None:
        nonlocal last
        last = share
        progress(0.95 * share, gettext_noop("The table is disguised and mined again and again"))

    table = experiment.table.as_table()
    settings = experiment.read_settings()
    try:
        with calling_periodically(lambda: report_step(last)):
            result = run_experiment(table, settings, experiment.seed, report_step)
    except InputError as refusal:
        raise JobFailed(refusal.template, **refusal.values) from None  # type: ignore[arg-type]
    progress(0.95, gettext_noop("The curves are drawn"))
    pictures = draw_pictures(result)
    return partial(
        Experiment.objects.filter(pk=experiment.pk).update, result=node_to_json(result), pictures=pictures
    )


def delete_tables(**filters: object) -> None:
    """Deletes the tables that match the filters, with their experiments, and has their rows overwritten on disk."""
    with transaction.atomic():
        locked = OwnTable.objects.select_for_update().filter(**filters).order_by("pk")
        if OwnTable.objects.filter(pk__in=[table.pk for table in locked]).delete()[0]:
            schedule_overwriting(OwnTable, Experiment, Job)


def delete_expired_tables(now: datetime) -> None:
    """Deletes tables that were uploaded more than a day ago."""
    # A table from before the clock was set back is kept for a day from now, not from then.
    OwnTable.objects.filter(created__gt=now).update(created=now)
    delete_tables(created__lte=now - KEPT)
