"""A coefficient of a plan tells of its records as a published model does."""

import json

import pytest

from accounts.models import Person
from privacy.designs import parse
from privacy.designs.hypothesis_plan import Plan, parse_plan
from reports.review import read_published_content, regression_decisions as judging
from runs.models import Run
from surveys.models import Plan as PlanRow
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.reports.modelling.test_differencing import accepted, published_report, report
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]


def plan(*covariates: str) -> Plan:
    coefficient = {
        "name": "men steal",
        "kind": "coefficient",
        "item": "theft=yes",
        "model": "linear",
        "covariates": list(covariates),
        "of": "sex=m",
    }
    return parse_plan(json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": [coefficient]}))


def planned(owner: Person, of: Plan) -> Run:
    """The only young person is hidden `club`."""
    design = parse(json.dumps({**sealed.model_design().as_json(), "plan": of.fingerprint}))
    survey = sealed.survey(owner, design, [])
    PlanRow.objects.create(survey=survey, json=of.canonical)
    sealed.seal_for_models(survey, 400, young=1)
    return sealed.model_run(survey, owner)


def test_one_record_apart_by_a_hidden_covariate_withholds_that_result(
    owner: Person, reviewer: Person, broker: object
) -> None:
    run = planned(owner, plan("sex", "club"))
    published_report(run, reviewer)
    found = read_published_content.published_report(report(run)).study.plan
    assert found
    (withheld,) = found.hypotheses
    assert (withheld.withheld, withheld.estimate, withheld.p, withheld.low) == (True, None, None, None)


def test_of_all_records_it_is_published_and_a_model_one_record_apart_is_refused_by_its_name(
    owner: Person, reviewer: Person, broker: object
) -> None:
    run = planned(owner, plan("sex"))
    published_report(run, reviewer)
    found = read_published_content.published_report(report(run)).study.plan
    assert found
    assert found.hypotheses[0].estimate == pytest.approx(run.findings["plan"]["hypotheses"][0]["estimate"])
    hidden = accepted(run, owner, reviewer, item="theft=yes", on=["sex", "club"])
    with pytest.raises(NotAllowed, match="from those of “men steal” in the plan of Run 1"):
        judging.publish_model(report(run), reviewer, hidden, "", NOW)
