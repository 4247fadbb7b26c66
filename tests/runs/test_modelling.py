"""Models of runs as jobs: what is fitted, what is refused, and that nothing changes them."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import History, Person
from intake.batches import batch_reader
from jobs import database, job_state_changes
from jobs.models import State
from mining.report.json_codec import dump_brief
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.model_fits import fit_model, read_request_with_arm
from mining.studies.single_answer_estimates import answer_law
from privacy.designs import InputError
from runs import regression_job
from runs.models import Model, ModelJob, Run
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.model_survey(owner)


@pytest.fixture
def run(survey: Survey, owner: Person, broker: object) -> Run:
    return sealed.model_run(survey, owner)


def by_columns(run: Run, specification: Mapping[str, Any]) -> dict[str, Any]:
    """The same model as the command fits it."""
    request = read_request_with_arm(run.mined_design, **specification)
    parts = [batch.columns for batch in batch_reader.read_all_batches(run.survey, run.through)]
    counts = PatternCounts.count_records(
        run.mined_design, parts, request.item, request.questions, request.among
    )
    found = fit_model(request, counts, answer_law(run.mined_design, request.item))
    read: dict[str, Any] = json.loads(json.dumps(dump_brief(found)))
    return read


@pytest.mark.parametrize(
    "more",
    [{}, {"numbers": ["age"], "products": ["age*sex"]}, {"among": ["sex=f"], "on": ["age"]}, {"logit": True}],
)
def test_a_worker_fits_the_model_of_the_command(run: Run, owner: Person, more: dict[str, Any]) -> None:
    job = sealed.model(run, owner, **sealed.ON_BOTH | more)
    assert job.state == State.DONE, job.error
    found = Model.objects.get(job=job)
    assert found.numbers == by_columns(run, sealed.ON_BOTH | more)
    assert found.specification == sealed.ON_BOTH | more
    assert found.run == run


def test_later_batches_are_not_in_the_model_of_a_run(run: Run, owner: Person) -> None:
    before = sealed.model(run, owner)
    sealed.seal_for_models(run.survey)
    after = sealed.model(run, owner, **sealed.ON_BOTH, among=[])
    assert before.model.numbers == after.model.numbers


def test_models_of_a_run_are_numbered_recorded_written_once_and_destroyed_with_it(
    run: Run, owner: Person
) -> None:
    numbers = [sealed.model(run, owner, item="theft=yes", on=[name]).number for name in ("age", "sex")]
    assert numbers == [1, 2]
    assert History.objects.filter(what="mining.modelled", who=owner).count() == 2
    with pytest.raises(NotAllowed, match="specified already"):
        regression_job.start(run, owner, {"item": "theft=yes", "on": ["sex"]}, NOW)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE runs_model SET numbers = '{}'")
    Run.objects.filter(pk=run.pk).delete()
    assert not Model.objects.exists()
    assert not ModelJob.objects.exists()


def test_neither_what_is_no_model_nor_one_of_a_run_that_is_not_finished_becomes_a_job(
    run: Run, owner: Person
) -> None:
    with pytest.raises(InputError, match="'theft' is sensitive"):
        regression_job.start(run, owner, {"item": "theft=yes", "on": ["theft"]}, NOW)
    Run.objects.filter(pk=run.pk).update(state="queued", finished=None)
    run.refresh_from_db()
    with pytest.raises(NotAllowed, match="not finished"):
        regression_job.start(run, owner, sealed.ON_BOTH, NOW)
    assert not ModelJob.objects.exists()


def test_a_model_below_the_floor_fails_without_the_number_of_its_records(run: Run, owner: Person) -> None:
    """Filters could count people by it."""
    sealed.seal_for_models(run.survey, 300, old=40)
    later = sealed.model_run(run.survey, owner)
    few = sealed.model(later, owner, item="theft=yes", on=["sex"], among=["age=18-39", "club=yes"])
    assert few.state == State.FAILED
    assert str(few.problem) == "fewer than 50 records answer the item and all covariates: choose others"
    assert not Model.objects.exists()


def test_a_full_product_below_the_floor_fails_and_names_the_cell(owner: Person, broker: object) -> None:
    survey = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(survey, men=120)
    run = sealed.model_run(survey, owner)
    alone = sealed.model(run, owner)
    assert alone.state == State.DONE, alone.error
    product = sealed.model(run, owner, **sealed.ON_BOTH, products=["age*sex"])
    assert product.state == State.FAILED
    assert "sex=m' has fewer than 50 records: merge choices, or leave it out" in str(product.problem)


def test_a_cancelled_model_leaves_nothing(run: Run, owner: Person) -> None:
    job = regression_job.start(run, owner, sealed.ON_BOTH, NOW)
    job_state_changes.cancel(job, database.now())
    working.one(job)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert not Model.objects.exists()
    assert sealed.model(run, owner).state == State.DONE
