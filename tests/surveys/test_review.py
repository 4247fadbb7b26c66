import pytest

from accounts.models import REVIEWERS, History, Person
from surveys.lifecycle import approvals, survey_creation
from surveys.lifecycle.state_changes import destroy_survey
from surveys.models import Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, with_role
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def fingerprint(survey: Survey) -> str:
    return approvals.current_fingerprint(survey, "weak")


def test_nobody_has_said_anything_of_a_new_survey(weak: Survey) -> None:
    assert approvals.approval_status(weak, "weak", fingerprint(weak)).verdict is None


def test_whoever_asks_is_remembered_with_the_reason(weak: Survey, owner: Person) -> None:
    approvals.request_approval(weak, owner, "weak", fingerprint(weak), "A small clinic.", NOW)
    answer = approvals.approval_status(weak, "weak", fingerprint(weak))
    assert answer.asked
    assert answer.approval is not None
    assert (answer.approval.by, answer.note, answer.approval.fingerprint) == (
        owner,
        "A small clinic.",
        fingerprint(weak),
    )


def test_asking_twice_is_refused(weak: Survey, owner: Person) -> None:
    approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
    with pytest.raises(NotAllowed, match="asked already"):
        approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)


def test_after_a_refusal_one_may_ask_again(weak: Survey, owner: Person, reviewer: Person) -> None:
    approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
    approvals.decide_approval(
        weak, reviewer, "weak", fingerprint(weak), allow=False, reason="Too small.", now=NOW
    )
    approvals.request_approval(weak, owner, "weak", fingerprint(weak), "Please.", NOW)
    assert [one.survey for one in approvals.waiting_approvals(reviewer)] == [weak]


def test_nobody_reviews_what_they_have_a_share_in(weak: Survey, owner: Person, reviewer: Person) -> None:
    Collaborator.objects.create(survey=weak, person=reviewer)
    for person in (owner, reviewer):
        with pytest.raises(NotAllowed, match="own, work on or have worked on"):
            approvals.decide_approval(weak, person, "weak", fingerprint(weak), allow=True, reason="", now=NOW)
    assert not History.objects.about(weak).exists()


def test_saying_the_same_twice_is_refused(weak: Survey, reviewer: Person) -> None:
    approvals.decide_approval(weak, reviewer, "weak", fingerprint(weak), allow=True, reason="", now=NOW)
    with pytest.raises(NotAllowed, match="said already"):
        approvals.decide_approval(weak, reviewer, "weak", fingerprint(weak), allow=True, reason="", now=NOW)


def test_of_two_reviewers_nobody_overrules_what_they_have_not_seen(
    weak: Survey, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
    address = f"/app/surveys/{weak.pk}/review"
    client = signed_in_as(reviewer)
    shown = client.get(address).context["form"].initial
    second = with_role(REVIEWERS, "second")
    approvals.decide_approval(weak, second, "weak", fingerprint(weak), allow=False, reason="No.", now=NOW)
    page = client.post(address, {**shown, "allow": "yes"}).content.decode()
    assert "second has decided since you opened this page: refused." in page
    assert approvals.approval_status(weak, "weak", fingerprint(weak)).refused
    shown = client.get(address).context["form"].initial
    assert client.post(address, {**shown, "allow": "yes"}).status_code == 302
    assert approvals.approval_status(weak, "weak", fingerprint(weak)).allowed


class TestTheQueue:
    def test_holds_what_was_asked_and_not_answered(
        self, weak: Survey, opened: Survey, owner: Person, reviewer: Person
    ) -> None:
        approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
        approvals.request_approval(opened, owner, "records", str(opened.design_id), "", NOW)
        found = [(one.survey, one.matter) for one in approvals.waiting_approvals(reviewer)]
        assert found == [(weak, "weak"), (opened, "records")]
        approvals.decide_approval(weak, reviewer, "weak", fingerprint(weak), allow=True, reason="", now=NOW)
        assert [one.survey for one in approvals.waiting_approvals(reviewer)] == [opened]

    def test_forgets_a_request_whose_draft_was_changed(
        self, weak: Survey, owner: Person, reviewer: Person
    ) -> None:
        approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
        Survey.objects.filter(pk=weak.pk).update(draft={**weak.draft, "minutes": 9})
        assert approvals.waiting_approvals(reviewer) == []

    def test_forgets_a_request_whose_draft_is_no_design_any_more(
        self, weak: Survey, owner: Person, reviewer: Person
    ) -> None:
        approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
        Survey.objects.filter(pk=weak.pk).update(draft={**weak.draft, "sections": []})
        assert approvals.waiting_approvals(reviewer) == []

    def test_forgets_a_survey_that_was_destroyed(
        self, closed: Survey, owner: Person, reviewer: Person
    ) -> None:
        approvals.request_approval(closed, owner, "records", str(closed.design_id), "", NOW)
        destroy_survey(closed, owner, NOW)
        assert approvals.waiting_approvals(reviewer) == []

    def test_shows_a_reviewer_nothing_they_work_on(
        self, weak: Survey, owner: Person, reviewer: Person
    ) -> None:
        approvals.request_approval(weak, owner, "weak", fingerprint(weak), "", NOW)
        Collaborator.objects.create(survey=weak, person=reviewer)
        assert approvals.waiting_approvals(reviewer) == []

    def test_asks_the_database_as_often_for_ten_as_for_one(
        self, weak: Survey, owner: Person, reviewer: Person, django_assert_max_num_queries: object
    ) -> None:
        surveys = [weak, *(survey_creation.duplicate_survey(weak, owner, NOW) for _ in range(9))]
        for survey in surveys:
            approvals.request_approval(survey, owner, "weak", fingerprint(survey), "", NOW)
        with django_assert_max_num_queries(5):  # type: ignore[operator]
            assert len(approvals.waiting_approvals(reviewer)) == 10


def test_record_files_are_a_matter_of_what_was_opened(draft: Survey) -> None:
    assert approvals.current_fingerprint(draft, "records") == ""
    assert not draft.are_record_files_approved
