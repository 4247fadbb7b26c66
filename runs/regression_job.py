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
from jobs.progress_messages import JobFailed, Message, Progress
from mining.json_codec import dump_brief
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.model_fits import fit_model, read_request_allowing_arm
from mining.studies.model_request_and_columns import ModelRequest
from mining.studies.single_answer_score_moments import answer_law
from privacy.designs import Design, InputError
from runs.margin_weights import refusal_message
from runs.models import Model, ModelJob, Run
from runs.run_job import design_changed_failure
from surveys.models import DesignChanged, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

Specification = Mapping[str, Any]
"""A model as JSON: `item` and `on`, then `numbers`, `products`, `among` and `logit`, the options of the command
`model`."""

MOST_WAITING = 20
"""Largest number of models of a survey that wait for a reviewer, as the people who work on it see it."""


def parse_request(design: Design, specification: Specification) -> ModelRequest:
    """Returns the specified model; raises `InputError` if it does not fit the mined design."""
    return read_request_allowing_arm(design, **specification)


def start_model_job(run: Run, person: "Person", specification: Specification, now: datetime) -> ModelJob:
    """Starts the job that fits this model to the records of the run.

    What is refused here depends on the design and on what the person reads anyway, and on no record.
    """
    parse_request(run.mined_design, specification)
    with transaction.atomic():
        survey = Survey.objects.get_locked_while_records_arrive(run.survey_id)
        # Locked, so that no two models get one number.
        if not Run.objects.lock(run.pk):
            raise NotAllowed(_("The answers of this survey have been deleted."))
        if run.state != State.DONE:
            raise NotAllowed(_("The run is not finished. Wait for it, then specify the model."))
        before = ModelJob.objects.filter(run=run)
        same = before.filter(specification=specification)
        if not survey.hides_outcomes:
            same = same.exclude(state__in=(State.FAILED, State.CANCELLED))
        if same.exists():
            raise NotAllowed(_("This model is specified already. Change it, or read the one that is there."))
        waiting = ModelJob.objects.filter(run__survey=survey, told=False)
        if survey.hides_outcomes and waiting.count() >= MOST_WAITING:
            raise NotAllowed(
                _(
                    "%(most)s models of this survey wait for a reviewer. Specify another when the next report or model "
                    "of the survey is published: then those that were decided on wait no longer."
                )
                % {"most": MOST_WAITING}
            )
        last = before.aggregate(last=Max("number"))["last"]
        job = ModelJob(run=run, number=(last or 0) + 1, specification=dict(specification))
        job_queue.enqueue(job)
        log_activity(person, "mining.modelled", run.survey, note=str(job), when=now)
    return job


def perform(job: ModelJob, progress: Progress) -> Write:
    """Fits the model; returns the function that stores it, or why it could not be fitted.

    Of a rehearsal, whose people may know it, such a job fails.
    """
    try:
        request = parse_request(job.run.mined_design, job.specification)
        counts = count_patterns(job.run, request, progress)
    except DesignChanged as changed:
        raise design_changed_failure(changed) from None
    progress(1.0, gettext_noop("The coefficients are estimated"))
    try:
        model = fit_model(request, counts, answer_law(request.design, request.item))
    except InputError as refusal:
        reason = refusal_message(refusal)
        if job.run.survey.hides_outcomes:
            return partial(store_model, job, {}, reason)
        raise JobFailed(reason.text, **reason.values) from None
    return partial(store_model, job, dump_brief(model))


def count_patterns(run: Run, request: ModelRequest, progress: Progress) -> PatternCounts:
    """Counts the patterns of a model's answers in one pass over the batches, one batch in memory at a time."""
    arguments = (request.design, request.item, request.questions, request.among)
    counts, done = PatternCounts.zeros(*arguments), 0
    for batch in record_selection.read_used_batches(run.survey, run.through, run.population):
        progress(done / max(run.records, 1), gettext_noop("The records are counted"))
        counts += PatternCounts.count_records(arguments[0], [batch.columns], *arguments[1:])
        done += batch.columns.n
    return counts


def store_model(job: ModelJob, numbers: dict[str, Any], problem: Message | None = None) -> None:
    """Stores the model, in the transaction that ends the job."""
    row = {"run": job.run, "specification": job.specification, "numbers": numbers}
    Model.objects.get_or_create(job=job, defaults={**row, "problem": problem and problem.as_json()})


def store_models_of_failed_jobs(now: datetime) -> None:
    """Stores a model without numbers for each job that failed or was cancelled: a reviewer decides on it too."""
    failed = ModelJob.objects.filter(state__in=(State.FAILED, State.CANCELLED), model=None, told=False)
    for job in failed.select_related("run__survey__design").order_by("pk"):
        if job.run.survey.hides_outcomes:
            store_model(
                job, {}, job.problem if job.error else Message(gettext_noop("The job was cancelled."))
            )
