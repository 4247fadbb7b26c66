"""A reviewer who once worked on a survey has nothing to do with its reports, also after they were removed."""

import pytest

from accounts.models import REVIEWERS, Person
from reports.models import Decision, Review
from reports.review import emails as letters_about, rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from surveys.lifecycle import approvals as asking, survey_people
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, with_role
from tests.reports import made
from tests.reports.conftest import Letters
from tests.reports.paged import desk, reader
from tests.reports.test_access import all_say, answers
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def former(survey: Survey, owner: Person) -> Person:
    person = with_role(REVIEWERS, "former")
    survey_people.add_collaborator(survey, owner, person, may_edit=True, now=NOW)
    survey_people.remove_collaborator(survey, owner, survey.collaborators.get(person=person), NOW)
    return person


def test_no_page_of_the_desk_opens_and_no_form_of_it_does_anything(
    review: Review, former: Person, signed_in_as: As
) -> None:
    data = {"verdict": "accept", "which": "fitting", "fitting": "4", "reason": "No."}
    assert all_say(404, answers(signed_in_as(former), ["report", "rules/1", "publish"], desk))
    assert all_say(404, answers(signed_in_as(former), ["rules/decide", "publish", "withdraw"], desk, **data))
    assert signed_in_as(former).get(reader("")).status_code == 404
    assert Review.objects.get().state == "waiting"
    assert not Decision.objects.exists()


def test_the_lists_leave_it_out(review: Review, former: Person, signed_in_as: As) -> None:
    client = signed_in_as(former)
    for page in ("/app/reports/", "/app/admin/reports/review/", "/app/surveys/?state=all"):
        assert "Work &amp; health" not in client.get(page).text
    assert not Review.objects.to_review_by(former).exists()
    assert not review.may(former, "review")


def test_no_letter_asks_them(review: Review, former: Person, reviewer: Person, letters: Letters) -> None:
    letters_about.send_waiting(review)
    assert [letter.to for letter in letters()] == [[reviewer.email]]


def test_behind_the_pages_they_are_refused_too(review: Review, former: Person) -> None:
    review = Review.objects.get()
    rules = rules_with_verdicts(review.run)
    with pytest.raises(NotAllowed, match="have worked on"):
        rule_decisions.decide_rules(review, former, rules, Decision.Verdict.ACCEPT, "", NOW)
    with pytest.raises(NotAllowed, match="have worked on"):
        made.publish(review, former)


def test_record_files_wait_for_somebody_else(
    survey: Survey, owner: Person, former: Person, reviewer: Person
) -> None:
    asking.request_approval(survey, owner, "records", survey.design_id or "", "For a thesis.", NOW)
    assert asking.waiting_approvals(former) == []
    assert [one.survey for one in asking.waiting_approvals(reviewer)] == [survey]
