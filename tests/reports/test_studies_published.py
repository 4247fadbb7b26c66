"""What a publication says of a study, and what it withholds."""

import json
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, Door
from mining.parameters import Parameters
from mining.report.report_nodes import Report, report_from_json, report_to_json
from reports.review import publishing
from runs.models import Run
from surveys.models import Survey
from tests.reports import made
from tests.reports.paged import desk, shown
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])


def start(survey: Survey, owner: Person) -> Run:
    wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
    return working.mined(survey, owner, wanted)


@pytest.fixture
def run(survey: Survey, owner: Person) -> Run:
    return start(survey, owner)


def changed(run: Run, name: str, **values: Any) -> Run:
    run.findings[name] = {**run.findings[name], **values}
    run.save(update_fields=["findings"])
    return run


def publish(run: Run, reviewer: Person) -> None:
    made.publish(made.waiting(run), reviewer)


def content(run: Run) -> Report:
    return publishing.propose_publication(run, [])[0]


def items(found: Report) -> list[str]:
    assert found.study.arms
    return [one.item for one in found.study.arms.items]


SENSITIVE = ["theft=yes", "lying=yes", "mars=yes", "drugs=yes"]


def test_a_study_comes_back_whole_from_json(run: Run) -> None:
    found = content(run)
    assert found.study.arms
    assert found.study.controls
    assert found.study.plan
    assert report_from_json(json.loads(json.dumps(report_to_json(found), allow_nan=False))) == found


def test_all_of_it_is_published_where_nothing_is_small(run: Run) -> None:
    found = content(run)
    assert items(found) == SENSITIVE
    assert found.study.arms
    assert [one.item for one in found.study.arms.controls] == ["moon=yes", "mars=yes"]
    assert found.study.plan
    assert found.study.plan.plan == sealed.PLAN.as_json()
    assert len(found.study.plan.hypotheses) == len(sealed.HYPOTHESES)
    assert found.study.controls
    assert found.study.controls.items


def test_before_the_survey_is_finished_the_arms_are_not_compared(survey: Survey, owner: Person) -> None:
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.CLOSED)
    survey.refresh_from_db()
    run = start(survey, owner)
    assert "arms" not in run.findings
    assert run.n_open == 0
    assert content(run).study.arms is None


def test_a_plain_control_item_is_compared_only_where_ten_direct_people_gave_each_answer(
    run: Run, survey: Survey, owner: Person
) -> None:
    row = Disclosure.objects.get(door=Door.FINISHING)
    (table,) = [one for one in row.kept["tables"] if one["questions"] == [1]]
    (of_one_pattern,) = table["counts"]
    table["counts"] = [[sum(of_one_pattern) - 9, 9]]
    QuerySet(Disclosure).filter(pk=row.pk).delete()
    Disclosure.objects.create(**{field.attname: getattr(row, field.attname) for field in row._meta.fields})
    found = content(start(survey, owner))
    assert found.study.arms
    assert [one.item for one in found.study.arms.controls] == ["mars=yes"]


def test_where_everything_was_looked_at_nothing_is_said(run: Run, judging: Client) -> None:
    publishing.create_reviews_of_finished_runs(NOW)
    assert "Not looked at" not in shown(judging, desk("publish"))
