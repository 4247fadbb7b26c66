"""Starts runs over the sealed batches, repeats runs, and starts checks by mlxtend; or returns why this is
impossible.
"""

from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from functools import cache
from importlib.metadata import version as read_installed_version
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, Sum
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.batches import sealing
from intake.disclosure import record_selection
from intake.models import Batch
from jobs import job_queue
from jobs.models import State
from mining.disclosure.plain_table_counts import (
    MOST_SETS,
    bound_question_set_count,
    smallest_tables_to_decide,
)
from mining.parameters import Parameters
from runs.models import EngineCheck, Margins, MlxtendCheck, Run
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

USUAL = Parameters(min_support=0.1, min_confidence=0.6)
"""Initial parameters in the form that starts a run."""
VERSION = 1
"""Version of the mathematics, increased whenever the same records and parameters give other digits."""
installed = cache(read_installed_version)
"""Returns the version of an installed package, which is read from its files once."""


def mining_version() -> str:
    """Returns the versions of Candor's mathematics, numpy and scipy, which determine the digits of a run."""
    parts = {"mining": str(VERSION)} | {name: installed(name) for name in ("numpy", "scipy")}
    return ", ".join(f"{name} {number}" for name, number in parts.items())


def refusal_text(survey: Survey) -> str:
    """Returns the reason why no run can start, and what to do about it; empty if one can."""
    if survey.state == Survey.State.DESTROYED:
        return _("The answers of this survey have been deleted.")
    if survey.state == Survey.State.DRAFT or survey.design_id is None:
        return _("No one has answered yet. Open the survey first.")
    if not sealing.last_batch_number(survey.pk):
        return _(
            "No answers can be counted yet: they are counted together (in sealed batches), the first when "
            "%(many)s have come, or when the survey closes with at least %(least)s."
        ) % {
            "many": format_count(records_that_fill_a_batch(survey.least)),
            "least": format_count(survey.least),
        }
    return ""


def too_many_sets_text(survey: Survey, parameters: Parameters) -> str:
    """Returns the reason why the disclosure verdict would take too long, and what to do about it; empty if it would
    not."""
    assert survey.design
    design = survey.design.content.mined
    many = bound_question_set_count(design, parameters.max_size)
    if many <= MOST_SETS:
        return ""
    return _(
        "%(questions)s questions that are not disguised make %(many)s sets of up to %(size)s answers, and of at most "
        "%(most)s it can be checked in time whether they may be told. Ask for rules of at most two answers, or ask "
        "fewer such questions."
    ) % {
        "questions": format_count(len(smallest_tables_to_decide(design))),
        "many": format_count(many),
        "size": format_count(parameters.max_size),
        "most": format_count(MOST_SETS),
    }


def start_mining_run(
    survey: Survey,
    person: "Person | None",
    parameters: Parameters,
    now: datetime,
    margins: Margins | None = None,
    *,
    mlxtend: str = MlxtendCheck.AUTOMATIC,
) -> Run:
    """Starts a run over all batches that are sealed now; with `margins`, shares of single answers are also weighted to
    them."""
    with transaction.atomic():
        # Locked until the run is stored, whose row pins its last batch: no merge may reach across it.
        locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if why := refusal_text(locked) or too_many_sets_text(locked, parameters):
            raise NotAllowed(why)
        population = record_selection.current_population(locked)
        run = _enqueue_run(
            locked, sealing.last_batch_number(survey.pk), parameters, population, margins, mlxtend
        )
        log_activity(person, "mining.started", survey, note=str(run), when=now)
    return run


def start_first_rehearsal_run(survey: Survey, now: datetime, **kwargs: object) -> None:
    """Starts a run with the usual parameters after a rehearsal was simulated, unless the survey has a run."""
    if not survey.runs.exists():
        with suppress(NotAllowed):
            start_mining_run(survey, None, USUAL, now)


def repeat_run(run: Run, person: "Person", now: datetime, *, with_decisions: bool = False) -> Run:
    """Starts a run with the same batches and parameters; `with_decisions`: reviewers' decisions are taken over."""
    with transaction.atomic():
        locked = Survey.objects.get_locked_while_records_arrive(run.survey_id)
        if why := refusal_text(locked):
            raise NotAllowed(why)
        again = _enqueue_run(
            locked,
            run.through,
            run.search_parameters,
            run.population,
            run.margins,
            run.mlxtend,
            repeats=run.number if with_decisions else None,
        )
        note = _("%(run)s, a repetition of %(first)s") % {"run": again, "first": run}
        log_activity(person, "mining.started", locked, note=note, when=now)
    return again


def start_full_check(run: Run, person: "Person", now: datetime) -> None:
    """Starts a check of the run by mlxtend on all of its records, whatever that costs."""
    with transaction.atomic():
        # Locked, so that two people do not start two.
        if not Run.objects.lock(run.pk):
            raise NotAllowed(_("The answers of this survey have been deleted."))
        if run.state != State.DONE:
            raise NotAllowed(_("The run is not finished. Wait for it, then have it checked."))
        if run.checks.filter(state__in=(State.QUEUED, State.RUNNING)).exists():
            raise NotAllowed(_("A check of this run is on its way already. Wait for it, or cancel it first."))
        enqueue_check(run, always=True)
        log_activity(person, "mining.checked", run.survey, note=str(run), when=now)


def enqueue_check(run: Run, *, always: bool) -> None:
    job_queue.enqueue(EngineCheck(run=run, always=always))


def stored_parameters(parameters: Parameters) -> dict[str, Any]:
    """Returns the parameters as a run stores them: without the engine, which is always Candor's."""
    return {name: value for name, value in asdict(parameters).items() if name != "engine"}


def _enqueue_run(
    survey: Survey,
    through: int,
    parameters: Parameters,
    population: str,
    margins: Margins | None,
    mlxtend: str,
    repeats: int | None = None,
) -> Run:
    stored = stored_parameters(parameters)
    same = Run.objects.filter(
        survey=survey,
        through=through,
        parameters=stored,
        population=population,
        margins=margins,
    )
    if same.filter(state__in=(State.QUEUED, State.RUNNING)).exists():
        raise NotAllowed(_("The same run is on its way already. Wait for it, or cancel it first."))
    # The survey is locked, so no two runs get one number.
    last = Run.objects.filter(survey=survey).aggregate(last=Max("number"))["last"]
    sealed = Batch.objects.filter(survey=survey, last__lte=through)
    run = Run(
        survey=survey,
        number=(last or 0) + 1,
        through=through,
        records=sealed.aggregate(n=Sum("n"))["n"],
        design=survey.design_id or "",
        parameters=stored,
        population=population,
        margins=margins,
        mlxtend=mlxtend,
        repeats=repeats,
    )
    job_queue.enqueue(run)
    return run
