"""Two reviewers of one report, each with a page opened before the other decided: nobody overrules what they have not
seen, and nobody publishes it."""

import re

import pytest
from django.test import Client

from accounts.models import REVIEWERS, Person
from reports.models import Decision, Publication, Review
from reports.review import regression_decisions, rule_decisions
from runs.models import Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, with_role
from tests.reports import made
from tests.reports.paged import Desk, accept
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
MEANWHILE = "Second Reviewer has decided since you opened this page: rule {}: {}. Nothing was changed."
ACCEPT, REJECT = Decision.Verdict.ACCEPT, Decision.Verdict.REJECT


@pytest.fixture
def other(review: Review, signed_in_as: As) -> Desk:
    second = with_role(REVIEWERS, "second", name="Second Reviewer")
    return Desk(signed_in_as(second), review)


def seen(page: str) -> str:
    """What every form of this page says that it shows."""
    (value,) = set(re.findall(r'name="seen" value="(\w+)"', page))
    return str(value)


def test_a_key_does_not_overrule_what_another_has_decided_meanwhile(
    desk: Desk, other: Desk, reviewer: Person
) -> None:
    opened = seen(desk.page())
    # One's own decisions are no surprise.
    for verdict in (ACCEPT, REJECT):
        assert desk.judge("rules/2/judge", verdict=verdict, seen=opened)[0] == 200
    other.judge("rules/1/judge", verdict="reject", note="By chance.", seen=seen(other.page()))
    status, answer = desk.judge("rules/1/judge", verdict="accept", seen=opened)
    assert status == 409
    assert answer["said"].startswith(MEANWHILE.format(1, "rejected"))
    assert desk.verdicts[0] == "reject"
    # Both may say the same, and an undone decision says nothing.
    assert desk.judge("rules/1/judge", verdict="reject", seen=opened)[0] == 200
    other.judge("rules/3/judge", verdict="accept")
    other.judge("rules/3/undo", decision=Decision.objects.get(rule__place=2).pk)
    assert desk.judge("rules/3/judge", verdict="reject", seen=opened)[0] == 200
    # Nor does the page of a rule, nor a decision on many.
    page = desk.page("rules/1")
    one = seen(page)
    other.judge("rules/1/judge", verdict="accept", seen=one)
    assert MEANWHILE.format(1, "accepted") in desk.post("rules/1/decide", verdict="reject", seen=one)
    assert desk.verdicts[0] == "accept"
    query, before = "?verdict=any&association=any", desk.verdicts
    for which in ({"which": "ticked", "rule": ["1", "2"], "fitting": 4}, {"which": "fitting", "fitting": 4}):
        page = desk.post(f"rules/decide{query}", verdict="reject", seen=one, **which)
        assert MEANWHILE.format(1, "accepted") in page
        assert desk.verdicts == before
    # Who has seen it may.
    assert desk.judge("rules/1/judge", verdict="reject", seen=seen(desk.page("rules/1")))[0] == 200
    assert desk.verdicts[0] == "reject"


def test_nothing_is_published_that_the_page_did_not_show_and_of_two_the_second_is_told(
    desk: Desk, other: Desk, reviewer: Person
) -> None:
    accept(desk.review, reviewer, 1)
    opened = seen(desk.page("publish"))
    other.judge("rules/1/judge", verdict="reject")
    page = desk.post("publish", groups="age", seen=opened)
    assert "Decisions on this report have changed since you opened this page." in page
    assert not Publication.objects.exists()
    assert Review.objects.get().state == "in-review"
    other.post("publish", groups="age", seen=seen(page))
    assert Publication.objects.get().content["left_out"]["rejected"] == 1
    assert "This report is published already." in desk.post("publish", seen=seen(page))
    assert "its rules are decided" in desk.post("rules/1/decide", verdict="accept", seen="0")


def test_a_model_is_not_overruled_unseen(
    owner: Person, reviewer: Person, judging: Client, signed_in_as: As, broker: object
) -> None:
    run: Run = sealed.model_run(sealed.model_survey(owner), owner)
    model, review = sealed.model(run, owner).model, made.waiting(run)
    desk, second = Desk(judging, review), with_role(REVIEWERS, "second", name="Second Reviewer")
    opened = seen(desk.page("models"))
    regression_decisions.decide_model(review, second, model, ACCEPT, "", NOW)
    page = desk.post("models/1/decide", verdict="reject", seen=opened)
    assert "Second Reviewer has decided since you opened this page: accepted." in page
    assert regression_decisions.accepted_models(run).exists()
    desk.post("models/1/decide", verdict="reject", seen=seen(page))
    assert not regression_decisions.accepted_models(run).exists()


def test_what_nobody_says_to_have_seen_is_not_compared(review: Review, reviewer: Person) -> None:
    """A command, and a page of an older version, which has no such field."""
    second = with_role(REVIEWERS, "second")
    rules = rule_decisions.rules_with_verdicts(review.run).filter(place=0)
    for person, verdict in ((second, ACCEPT), (reviewer, REJECT)):
        rule_decisions.decide_rules(review, person, rules, verdict, "", NOW)
    with pytest.raises(NotAllowed, match="Nothing was changed"):
        rule_decisions.decide_rules(review, second, rules, ACCEPT, "", NOW, seen=0)
