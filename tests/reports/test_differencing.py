"""An attacker subtracts two published estimates of one answer: one batch apart passes, one record apart does not."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Person
from intake.batches import sealed_batch_reader
from jobs.models import State
from mining.studies.answer_counts_by_plain_pattern import EstimateRecords
from privacy.designs import parse_design
from privacy.designs.hypothesis_plan import Plan, parse_plan
from reports.models import Decision, ModelPublication, Review
from reports.review import (
    differencing_check,
    read_published_content,
    regression_decisions as judging,
    report_state_changes,
)
from runs import run_start
from runs.models import Model, ModelJob, Run
from surveys.models import Plan as PlanRow, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import kept_row
from tests.reports import made
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("broker")]
ACCEPT = Decision.Verdict.ACCEPT


def published_report(run: Run, reviewer: Person) -> Review:
    review = made.waiting_review(run)
    made.publish(review, reviewer)
    return review


def accept_model(run: Run, owner: Person, reviewer: Person, **specification: object) -> Model:
    def make() -> Model:
        job = sealed.model(run, owner, **specification)
        assert job.state == State.DONE, job.error
        judging.decide_model(made.waiting_review(run), reviewer, job.model, ACCEPT, "", NOW)
        found: Model = job.model
        return found

    return kept_row(("accepted", run.pk, repr(specification)), make, is_computed=True)


def publish(run: Run, owner: Person, reviewer: Person, **specification: object) -> ModelPublication:
    model = accept_model(run, owner, reviewer, **specification)
    step = ("model published", model.pk)
    return kept_row(
        step,
        lambda: judging.publish_model(made.waiting_review(run), reviewer, model, "", NOW),
        is_computed=True,
    )


BY_SEX = {"item": "theft=yes", "on": ["sex"]}


def test_models_one_batch_apart_are_published(owner: Person, reviewer: Person) -> None:
    survey = sealed.model_survey(owner)
    run = sealed.model_run(survey, owner)
    published_report(run, reviewer)
    for specification in (BY_SEX, {"item": "theft=yes", "on": ["age"]}, BY_SEX | {"logit": True}):
        publish(run, owner, reviewer, **specification)
    assert ModelPublication.objects.count() == 3
    sealed.seal_for_models(survey, 100)
    later = sealed.model_run(survey, owner)
    published_report(later, reviewer)
    assert publish(later, owner, reviewer, **BY_SEX).pk
    assert judging.MOST_MODELS == 20
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judging, "MOST_MODELS", 4)
        with pytest.raises(NotAllowed, match="4 models of this survey are published"):
            publish(later, owner, reviewer, item="theft=yes", on=["age"])


def test_a_few_later_records_are_refused(owner: Person, reviewer: Person) -> None:
    """No batch has so few, but a question that rotates is asked of a part of each."""
    survey = sealed.model_survey(owner, of=sealed.model_design(least=300))
    run = sealed.model_run(survey, owner)
    published_report(run, reviewer)
    publish(run, owner, reviewer, **BY_SEX)
    sealed.seal_for_models(survey, 30)
    later = sealed.model_run(survey, owner)
    said = r"in the report of Run 2 differ by fewer than 300 from those of Model 1 of Run 1"
    with pytest.raises(NotAllowed, match=said):
        published_report(later, reviewer)
    assert made.waiting_review(later).is_open


def test_an_earlier_run_is_compared_too(owner: Person, reviewer: Person) -> None:
    survey = sealed.model_survey(owner, of=sealed.model_design(least=300))
    first = sealed.model_run(survey, owner)
    sealed.seal_for_models(survey, 30)
    later = sealed.model_run(survey, owner)
    published_report(later, reviewer)
    publish(later, owner, reviewer, **BY_SEX)
    first = sealed.work(run_start.repeat_run(first, owner, NOW))
    job = sealed.model(first, owner, **BY_SEX)
    judging.decide_model(made.waiting_review(first), reviewer, job.model, ACCEPT, "", NOW)
    with pytest.raises(NotAllowed, match="differ by fewer than 300"):
        published_report(first, reviewer)


def survey_with_few_open_answers(owner: Person, **of: int) -> Survey:
    survey = sealed.model_survey(owner, batches=0)
    sealed.seal_for_models(survey, 400, **of)
    return survey


def test_one_record_apart_by_a_hidden_covariate_is_refused(owner: Person, reviewer: Person) -> None:
    """The only young person is hidden `club`: of a model with it everybody else is."""
    run = sealed.model_run(survey_with_few_open_answers(owner, young=1), owner)
    published_report(run, reviewer)
    publish(run, owner, reviewer, **BY_SEX)
    hidden = accept_model(run, owner, reviewer, item="theft=yes", on=["sex", "club"])
    with pytest.raises(NotAllowed) as refused:
        judging.publish_model(made.waiting_review(run), reviewer, hidden, "", NOW)
    assert "Model 2 of Run 1 differ by fewer than 20 from those of Model 1 of Run 1" in str(refused.value)
    assert ModelPublication.objects.count() == 1


def test_one_record_apart_by_a_filter_is_refused(owner: Person, reviewer: Person) -> None:
    """All but one are women: the share of everybody, less the model of women, is one man."""
    women = {"item": "theft=yes", "on": ["age"], "among": ["sex=f"]}
    run = sealed.model_run(survey_with_few_open_answers(owner, men=1), owner)
    accept_model(run, owner, reviewer, **women)
    # Nothing of the report is published then.
    with pytest.raises(NotAllowed, match="differ by fewer than 20"):
        published_report(run, reviewer)
    assert made.waiting_review(run).is_open
    assert not ModelPublication.objects.exists()
    run = sealed.model_run(survey_with_few_open_answers(owner, men=1), owner)
    published_report(run, reviewer)
    model = accept_model(run, owner, reviewer, **women)
    with pytest.raises(NotAllowed) as refused:
        judging.publish_model(made.waiting_review(run), reviewer, model, "", NOW)
    assert "the share of “theft: Yes” in the report of Run 1" in str(refused.value).replace("Theft", "theft")


def test_the_columns_are_read_once_for_all_pairs_of_a_share_and_a_model(
    owner: Person, reviewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two models of one answer and one of another, beside the shares of a later report."""
    survey = sealed.model_survey(owner)
    first = sealed.model_run(survey, owner)
    published_report(first, reviewer)
    for specification in (BY_SEX, {"item": "theft=yes", "on": ["age"]}, {"item": "lie=yes", "on": ["sex"]}):
        publish(first, owner, reviewer, **specification)
    sealed.seal_for_models(survey, 400)
    review = made.waiting_review(sealed.model_run(survey, owner))
    content = made.published_content(review.run)
    passes = []
    read = sealed_batch_reader.read_batches

    def read_and_count(
        of: Survey, through: int, after: int = 0
    ) -> Iterator[sealed_batch_reader.DecodedBatch]:
        passes.append(through)
        return read(of, through, after)

    monkeypatch.setattr(sealed_batch_reader, "read_batches", read_and_count)
    differencing_check.refuse_differencing_shares(review.run, content)
    assert passes == [3]


def test_batches_after_either_run_are_records_of_the_other_alone(owner: Person) -> None:
    """Batch 2 has 30 records; everybody is asked about theft."""
    survey = sealed.model_survey(owner, batches=1)
    sealed.seal_for_models(survey, 30)
    sealed.finish_survey(survey)
    everybody = EstimateRecords((sealed.THEFT, 1), everybody=True)
    for new, published, expected in ((1, 1, (0, 0)), (2, 1, (30, 0)), (1, 2, (0, 30)), (2, 2, (0, 0))):
        ours, theirs = (
            differencing_check.EstimateUpToBatch(everybody, through, "") for through in (new, published)
        )
        (apart,) = differencing_check.count_differing_by_pair(survey, [(ours, theirs, 20)])
        assert (apart.more, apart.fewer) == expected, (new, published)


def test_other_answers_tell_no_plain_count_below_ten(owner: Person, reviewer: Person) -> None:
    """All young people are men, and one man is old: the numbers of records would tell of him."""
    run = sealed.model_run(survey_with_few_open_answers(owner, young=45, men=46), owner)
    published_report(run, reviewer)
    publish(run, owner, reviewer, item="theft=yes", on=["club"])
    assert publish(run, owner, reviewer, item="lie=yes", on=["club"]).pk
    with pytest.raises(NotAllowed, match="differ by fewer than 10 from those of Model 1 of Run 1"):
        publish(run, owner, reviewer, item="sick=yes", on=["club"], among=["sex=f"])


def test_a_withdrawn_model_has_left_all_the_same(owner: Person, reviewer: Person) -> None:
    run = sealed.model_run(survey_with_few_open_answers(owner, young=1), owner)
    review = published_report(run, reviewer)
    publish(run, owner, reviewer, **BY_SEX)
    report_state_changes.withdraw(review, reviewer, "wrong", "", NOW)
    with pytest.raises(NotAllowed, match="withdrawn"):
        judging.decide_model(made.waiting_review(run), reviewer, run.models.get(), ACCEPT, "", NOW)
    again = run_start.repeat_run(run, owner, NOW)
    published_report(sealed.work(again), reviewer)
    hidden = accept_model(again, owner, reviewer, item="theft=yes", on=["sex", "club"])
    with pytest.raises(NotAllowed, match="those of Model 1 of Run 1"):
        judging.publish_model(made.waiting_review(again), reviewer, hidden, "", NOW)


def test_a_product_below_the_floor_is_not_published(owner: Person, reviewer: Person) -> None:
    """Whatever a row says: the records are counted again."""
    run = sealed.model_run(survey_with_few_open_answers(owner, men=120), owner)
    published_report(run, reviewer)
    fitted = accept_model(run, owner, reviewer, item="theft=yes", on=["age", "sex"])
    asked = {**fitted.specification, "products": ["age*sex"]}
    job = ModelJob.objects.create(
        run=run, number=9, specification=asked, state="done", created=NOW, finished=NOW
    )
    forged = Model.objects.create(job=job, run=run, specification=asked, numbers=fitted.numbers)
    judging.decide_model(made.waiting_review(run), reviewer, forged, ACCEPT, "", NOW)
    with pytest.raises(NotAllowed, match="has fewer than 50 records"):
        judging.publish_model(made.waiting_review(run), reviewer, forged, "", NOW)


def plan(*covariates: str) -> Plan:
    coefficient: dict[str, Any] = {"name": "men steal", "kind": "coefficient", "item": "theft=yes"}
    coefficient |= {"model": "linear", "covariates": list(covariates), "of": "sex=m"}
    return parse_plan(json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": [coefficient]}))


def run_with_plan(owner: Person, of: Plan) -> Run:
    """The only young person is hidden `club`."""
    design = parse_design(json.dumps({**sealed.model_design().as_json(), "plan": of.fingerprint}))
    survey = sealed.survey(owner, design, [])
    PlanRow.objects.create(survey=survey, json=of.canonical)
    sealed.seal_for_models(survey, 400, young=1)
    return sealed.model_run(survey, owner)


def test_a_coefficient_of_a_plan_is_compared_too(owner: Person, reviewer: Person) -> None:
    # One record apart, by a hidden covariate, its result is withheld.
    run = run_with_plan(owner, plan("sex", "club"))
    published_report(run, reviewer)
    found = read_published_content.published_report_without_rules(made.waiting_review(run)).study.plan
    assert found
    (withheld,) = found.hypotheses
    assert (withheld.withheld, withheld.estimate, withheld.p, withheld.low) == (True, None, None, None)
    # Of all records it is published, and a model one record apart is refused by its name.
    run = run_with_plan(owner, plan("sex"))
    published_report(run, reviewer)
    found = read_published_content.published_report_without_rules(made.waiting_review(run)).study.plan
    assert found
    assert found.hypotheses[0].estimate == pytest.approx(run.findings["plan"]["hypotheses"][0]["estimate"])
    hidden = accept_model(run, owner, reviewer, item="theft=yes", on=["sex", "club"])
    with pytest.raises(NotAllowed, match="from those of “men steal” in the plan of Run 1"):
        judging.publish_model(made.waiting_review(run), reviewer, hidden, "", NOW)
