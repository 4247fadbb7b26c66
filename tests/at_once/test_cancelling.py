"""A job is cancelled before each statement that its worker sends to the database: it ends, cancelled or done, as the
person was told; what is cancelled has stored nothing, and the same can be started again."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from intake.rehearsal import respondent_simulation, true_counts
from jobs import database, job_attempt, job_state_changes
from jobs.models import Job, State
from mining.parameters import Parameters
from releases.lifecycle import making_job, release_decisions
from releases.models import Release, ReleasedTable
from releases.permissions import UNMADE
from runs import run_start
from runs.models import EngineCheck, Histogram, Itemset, Rule, Run
from surveys.models import Survey
from tests.at_once import worlds
from tests.at_once.test_pairs import Statements
from tests.releases.conftest import draft_of_survey, everybody, plain_design, plain_survey_anew
from tests.runs import sealed

pytestmark = [pytest.mark.page, pytest.mark.django_db]


@dataclass(frozen=True)
class Kind:
    """How a job of this kind is started on a survey, and what of its result is stored."""

    survey: Callable[[], Survey]
    start: Callable[[Survey], Job]
    stored: Callable[[Survey], Any]


def make_closed_survey(design: Any) -> Callable[[], Survey]:
    return lambda: sealed.survey_anew(worlds.people()[0], design, [60, 60])


def start_run(survey: Survey) -> Run:
    return run_start.start_mining_run(survey, survey.owner, Parameters(0.2, 0.4, max_size=2), timezone.now())


def run_rows(survey: Survey) -> list[int]:
    rows: list[Any] = [model.objects.filter(run__survey=survey) for model in (Itemset, Rule, EngineCheck)]
    counted = Run.objects.filter(survey=survey).exclude(digest="")
    return [query.count() for query in [*rows, Histogram.objects.filter(survey=survey), counted]]


def with_table() -> Survey:
    owner = worlds.people()[0]
    survey = plain_survey_anew(owner, plain_design(), [everybody(40)])
    draft_of_survey(survey, owner, "age")
    return survey


def start_making(survey: Survey) -> Job:
    making_job.end_failed_makings(timezone.now())
    release = Release.objects.filter(source__survey=survey).latest("pk")
    if release.stage == UNMADE:
        release_decisions.refuse(release, worlds.people()[1][0], "Make it again.", timezone.now())
        release = draft_of_survey(survey, survey.owner, "age")
    return making_job.start_release_making(release, survey.owner, timezone.now())


def tables(survey: Survey) -> list[ReleasedTable]:
    return list(ReleasedTable.objects.filter(making__release__source__survey=survey))


def people_without_truth(survey: Survey) -> int:
    """Of simulated people record and truth are stored together, a few hundred at a time."""
    return worlds.stored_record_count(survey) - true_counts.respondent_count(survey)


KINDS = {
    "run": Kind(make_closed_survey(sealed.small_design()), start_run, run_rows),
    "run without a histogram": Kind(make_closed_survey(sealed.large_design()), start_run, run_rows),
    "making of a table": Kind(with_table, start_making, tables),
    "simulated people": Kind(
        lambda: worlds.rehearsal_world().survey,
        lambda survey: respondent_simulation.start_simulation(survey, survey.owner, 60, timezone.now()),
        people_without_truth,
    ),
}


def claim_and_attempt(job: Job) -> None:
    claimed = job_state_changes.claim(job.pk, token="c", worker="w", now=database.now())
    if claimed:
        job_attempt.perform_claimed_job(claimed)


def cancelled_at(kind: Kind, at: int) -> tuple[bool, int]:
    """Whether the person was told that the job is cancelled, and the number of statements of the worker."""
    survey = kind.survey()
    nothing, job = kind.stored(survey), kind.start(survey)
    told = [False]

    def cancel() -> None:
        told[0] = job_state_changes.cancel(job, database.now())

    statements = Statements(at, cancel, is_serial=True)
    with connection.execute_wrapper(statements):
        claim_and_attempt(job)
    job.refresh_from_db()
    if told[0]:
        assert job.state == State.CANCELLED, at
        assert kind.stored(survey) == nothing, at
        again = kind.start(survey)
        claim_and_attempt(again)
        again.refresh_from_db()
        assert again.state == State.DONE, at
    else:
        assert job.state == State.DONE, at
    return told[0], statements.count


@pytest.mark.at_push(2)
@pytest.mark.parametrize("name", KINDS)
def test_cancelled_job_stores_nothing_in_any_phase_and_can_restart(name: str) -> None:
    kind = KINDS[name]
    told, count = cancelled_at(kind, 10**6)
    assert not told
    places = {1, 2, count, random.Random(name).randrange(1, count + 1)}
    found = [cancelled_at(kind, at)[0] for at in sorted(places)]
    assert found[0]
