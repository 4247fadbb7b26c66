"""Job that fits a regression model to the records of a finished run, as a researcher specified it."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _, gettext_noop

from accounts.activity_log import log_activity
from intake.disclosure import record_selection
from jobs import job_queue
from jobs.models import State, Write
from jobs.progress_messages import JobFailed, Progress
from mining.json_codec import dump_brief
from mining.nodes.regression_nodes import ModelResult
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.model_fits import fit_model, read_request_allowing_arm
from mining.studies.model_request_and_columns import ModelRequest
from mining.studies.single_answer_score_moments import answer_law
from privacy.designs import Design, InputError
from runs.margin_weights import refusal_message
from runs.models import Model, ModelJob, Run
from runs.run_job import design_changed_failure
from surveys.models import DesignChanged
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

Specification = Mapping[str, Any]
"""A model as JSON: `item` and `on`, then `numbers`, `products`, `among` and `logit`, the options of the command
`model`."""


def parse_request(design: Design, specification: Specification) -> ModelRequest:
    """Returns the specified model; raises `InputError` if it does not fit the mined design."""
    return read_request_allowing_arm(design, **specification)


def start_model_job(run: Run, person: "Person", specification: Specification, now: datetime) -> ModelJob:
    """Starts the job that fits this model to the records of the run."""
    parse_request(run.mined_design, specification)
    with transaction.atomic():
        # Locked, so that no two models get one number.
        if not Run.objects.lock(run.pk):
            raise NotAllowed(_("The answers of this survey have been deleted."))
        if run.state != State.DONE:
            raise NotAllowed(_("The run is not finished. Wait for it, then specify the model."))
        before = ModelJob.objects.filter(run=run)
        if before.filter(specification=specification, state__in=PENDING).exists():
            raise NotAllowed(_("This model is specified already. Change it, or read the one that is there."))
        last = before.aggregate(last=Max("number"))["last"]
        job = ModelJob(run=run, number=(last or 0) + 1, specification=dict(specification))
        job_queue.enqueue(job)
        log_activity(person, "mining.modelled", run.survey, note=str(job), when=now)
    return job


PENDING = (State.QUEUED, State.RUNNING, State.DONE)
"""States of a job because of which a second request for the same model is refused."""


def perform(job: ModelJob, progress: Progress) -> Write:
    """Fits the model; returns the function that stores it."""
    try:
        request = parse_request(job.run.mined_design, job.specification)
        counts = count_patterns(job.run, request, progress)
    except DesignChanged as changed:
        raise design_changed_failure(changed) from None
    progress(1.0, gettext_noop("The coefficients are estimated"))
    try:
        model = fit_model(request, counts, answer_law(request.design, request.item))
    except InputError as refusal:
        raise model_failure(refusal) from None
    return partial(store_model, job, model)


def model_failure(refusal: InputError) -> JobFailed:
    """Returns the failure of a job whose model cannot be fitted to the records.

    That a cell has fewer records than the floor is said to everybody, since it helps to specify another model. Other
    reasons, such as that all records have one answer, stand beside a neutral text, for people who may read all numbers
    (`ModelJob.shown_to`).
    """
    reason = refusal_message(refusal)
    if "least" in reason.values:
        return JobFailed(reason.text, **reason.values)
    neutral = gettext_noop("This model cannot be fitted to the records of this run. A reviewer sees why.")
    return JobFailed(neutral, **reason.values, reason=reason.text)


def count_patterns(run: Run, request: ModelRequest, progress: Progress) -> PatternCounts:
    """Counts the patterns of a model's answers in one pass over the batches, one batch in memory at a time."""
    arguments = (request.design, request.item, request.questions, request.among)
    counts, done = PatternCounts.zeros(*arguments), 0
    for batch in record_selection.read_used_batches(run.survey, run.through, run.population):
        progress(done / max(run.records, 1), gettext_noop("The records are counted"))
        counts += PatternCounts.count_records(arguments[0], [batch.columns], *arguments[1:])
        done += batch.columns.n
    return counts


def store_model(job: ModelJob, model: ModelResult) -> None:
    """Stores the model, in the transaction that ends the job."""
    Model.objects.create(job=job, run=job.run, specification=job.specification, numbers=dump_brief(model))
