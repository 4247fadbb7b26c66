"""What a publication says of a study, and what it withholds."""

import json
from typing import Any

import pytest

from mining.parameters import Parameters
from people.models import Person
from reports import publishing
from reports.content import Content, as_json, from_json
from reports.models import Review
from runs import starting
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.reports.paged import desk, shown
from tests.runs import studied, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return studied.survey(owner, studied.design(plan=studied.PLAN), [500, 300])


def start(survey: Survey, owner: Person) -> Run:
    wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
    return working.work(starting.start(survey, owner, wanted, NOW))


@pytest.fixture
def run(survey: Survey, owner: Person) -> Run:
    return start(survey, owner)


def changed(run: Run, name: str, **values: Any) -> Run:
    run.findings[name] = {**run.findings[name], **values}
    run.save(update_fields=["findings"])
    return run


def publish(run: Run, reviewer: Person) -> None:
    publishing.add_finished_runs(NOW)
    publishing.publish(Review.objects.get(run=run), reviewer, [], "", NOW)


def content(run: Run) -> Content:
    return publishing.content_of(run, [], publishing.published_earlier(run))


def items(found: Content) -> list[str]:
    assert found.study.arms
    return [one.item for one in found.study.arms.items]


SENSITIVE = ["theft=yes", "lying=yes", "mars=yes", "drugs=yes"]


def test_a_study_comes_back_whole_from_json(run: Run) -> None:
    found = content(run)
    assert found.study.arms
    assert found.study.controls
    assert found.study.plan
    assert from_json(json.loads(json.dumps(as_json(found), allow_nan=False))) == found


def test_all_of_it_is_published_where_nothing_is_small(run: Run) -> None:
    found = content(run)
    assert items(found) == SENSITIVE
    assert found.study.arms
    assert [one.item for one in found.study.arms.controls] == ["moon=yes", "mars=yes"]
    assert found.study.plan
    assert found.study.plan.plan == studied.PLAN.as_json()
    assert len(found.study.plan.hypotheses) == len(studied.HYPOTHESES)
    assert found.study.controls
    assert found.study.controls.items


def test_fewer_than_ten_direct_records_are_not_compared(run: Run) -> None:
    found = content(changed(run, "direct", groups={"/": 9}))
    assert found.study.arms
    assert (found.study.arms.withheld, found.study.arms.items, found.study.arms.controls) == (True, (), ())
    assert found.study.arms.direct == run.findings["arms"]["direct"]


def test_a_plan_that_is_not_whole_is_not_published_at_all(run: Run) -> None:
    """One of its hypotheses is about the arms."""
    found = content(changed(run, "direct", groups={"/": 9}))
    assert found.study.plan
    assert found.study.plan.withheld
    written = json.dumps(as_json(found))
    assert studied.PLAN.salt not in written
    assert "many steal" not in written
    assert studied.PLAN.fingerprint in written


@pytest.mark.parametrize(("new", "compared"), [(9, []), (10, SENSITIVE), (0, SENSITIVE)])
def test_none_or_at_least_ten_direct_records_are_new(
    new: int, compared: list[str], survey: Survey, run: Run, owner: Person, reviewer: Person
) -> None:
    publish(run, reviewer)
    studied.seal(survey, 150, direct=new)
    assert items(content(start(survey, owner))) == compared


def test_one_batch_later_passes_and_one_record_later_is_refused_by_name(
    survey: Survey, run: Run, owner: Person, reviewer: Person
) -> None:
    publish(run, reviewer)
    studied.seal(survey, 100)
    later = start(survey, owner)
    assert items(content(later)) == SENSITIVE
    counts = dict(later.findings["direct"]["records"])
    before = run.findings["direct"]["records"]["theft=yes"]
    for apart, allowed in ((1, False), (99, False), (100, True), (-1, False), (0, True)):
        changed(later, "direct", records={**counts, "theft=yes": before + apart})
        assert ("theft=yes" in items(content(later))) is allowed
        assert "lying=yes" in items(content(later))


def test_the_reviewer_reads_which_publication_is_too_near(
    survey: Survey, run: Run, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    publish(run, reviewer)
    Review.objects.all().delete()
    studied.seal(survey, 100)
    later = start(survey, owner)
    counts = later.findings["direct"]["records"]
    near = counts | {"theft=yes": run.findings["direct"]["records"]["theft=yes"] + 1}
    changed(later, "direct", records=near)
    review = Review.objects.create(run=later, since=NOW)
    page = shown(signed_in_as(reviewer), f"/admin/reports/review/{review.pk}/publish")
    assert "Left out of the study" in page
    assert f"{run.title()}, which is published, has all but fewer than 100 of its records." in page
    assert "The plan: one of its results is left out here" in page


def test_a_plain_control_item_is_compared_only_where_ten_of_each_arm_gave_each_answer(run: Run) -> None:
    n = run.findings["arms"]["direct"]
    found = content(changed(run, "direct", controls={"moon=yes": [n - 9, 9]}))
    assert found.study.arms
    assert [one.item for one in found.study.arms.controls] == ["mars=yes"]


def test_a_plain_control_item_of_a_few_is_not_published_with_what_follows_from_it(run: Run) -> None:
    tables = run.findings["plain_tables"]
    for table in tables:
        if table["questions"] == [1]:
            table["counts"] = [0, 0, sum(table["counts"]) - 9, 9]
    run.findings["plain_tables"] = tables
    run.save(update_fields=["findings"])
    controls = content(run).study.controls
    assert controls
    assert controls.withheld
    assert (controls.seen, controls.careless, controls.p, controls.items) == (None, None, None, ())


def test_what_would_be_left_out_is_said_before_publishing(
    run: Run, reviewer: Person, signed_in_as: As
) -> None:
    publishing.add_finished_runs(NOW)
    changed(run, "direct", groups={"/": 9})
    page = shown(signed_in_as(reviewer), desk("publish"))
    assert "The comparison of the arms: fewer than 10 people were asked directly" in page


def test_nothing_is_said_to_be_left_out_where_nothing_is(
    run: Run, reviewer: Person, signed_in_as: As
) -> None:
    publishing.add_finished_runs(NOW)
    assert "Left out of the study" not in shown(signed_in_as(reviewer), desk("publish"))
