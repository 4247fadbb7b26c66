"""A direct arm: it opens with an approval of that very draft, and epsilon is stated for the disguised arm alone.

Batches must be large enough for it; nothing is promised to people asked directly, nor for both arms together.
"""

import pytest
from django.test import Client

from accounts.models import Person
from privacy.designs import Design
from surveys.lifecycle import approvals, opening
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.questionnaire.protection import find_weak_settings
from tests.cast import As
from tests.intake import asked
from tests.privacy.questionnaires import HALF, question, sensitive
from tests.reports.paged import shown
from tests.surveys import drafts as texts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
TEN = [question(f"q{place}", *HALF) for place in range(10)]


@pytest.fixture
def survey(draft: Survey) -> Survey:
    """20 / .25 = 80, below the usual minimum; all other settings are within the usual limits."""
    return written(draft, direct="0.2500")


def written(survey: Survey, **more: object) -> Survey:
    survey.draft = texts.complete(**{"open_answers": False, **more})
    survey.save()
    return survey


def decide(survey: Survey, reviewer: Person, *, allow: bool) -> None:
    fingerprint = approvals.current_fingerprint(survey, "weak")
    approvals.decide_approval(survey, reviewer, "weak", fingerprint, allow=allow, reason="", now=NOW)


def test_without_an_approval_it_stays_a_draft(survey: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="no reviewer has approved"):
        opening.open_survey_now(survey, owner, NOW)
    survey.refresh_from_db()
    assert survey.state == "draft"


def test_with_an_approval_it_opens(survey: Survey, owner: Person, reviewer: Person) -> None:
    decide(survey, reviewer, allow=True)
    opening.open_survey_now(survey, owner, NOW)
    assert survey.design is not None
    assert survey.design.content.direct_parts == 2500


def test_a_refusal_keeps_it_closed(survey: Survey, owner: Person, reviewer: Person) -> None:
    decide(survey, reviewer, allow=False)
    with pytest.raises(NotAllowed, match="no reviewer has approved"):
        opening.open_survey_now(survey, owner, NOW)


def test_another_share_needs_another_approval(survey: Survey, owner: Person, reviewer: Person) -> None:
    decide(survey, reviewer, allow=True)
    written(survey, direct="0.3000")
    with pytest.raises(NotAllowed, match="no reviewer has approved"):
        opening.open_survey_now(survey, owner, NOW)


def test_the_owner_cannot_approve_it(survey: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
        decide(survey, owner, allow=True)


@pytest.mark.parametrize(("direct", "needed"), [("0.1000", 200), ("0.1500", 134), ("0.1999", 101)])
def test_batches_below_20_direct_answers_are_refused(
    draft: Survey, owner: Person, direct: str, needed: int
) -> None:
    """20 / .1 = 200, 20 / .15 = 133.3, 20 / .1999 = 100.05; one more record is enough."""
    written(draft, direct=direct, least=needed - 1)
    with pytest.raises(InputRefused) as refused:
        opening.open_survey_now(draft, owner, NOW)
    [problem] = refused.value.problems
    assert problem.path == "least"
    assert f"the minimum batch size is at least {needed}" in problem.reason
    assert freeze_design(written(draft, direct=direct, least=needed).draft).least == needed


def design(**more: str) -> Design:
    return asked.written(sensitive("0.5", *TEN), least=200, **more)


@pytest.fixture
def arms(owner: Person) -> Survey:
    return asked.survey(design(direct="0.5"), owner=owner)


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


def test_the_page_of_a_survey_says_for_whom_it_holds(arms: Survey, client: Client) -> None:
    page = shown(client, arms.get_absolute_url())
    assert (
        "ε = 6.94 (all sensitive answers together); this holds for people whose answers are disguised" in page
    )
    assert "people asked directly have no protection but the batch" in page
    assert "for each person" not in page


def test_without_arms_it_holds_for_each_person(owner: Person, client: Client) -> None:
    page = shown(client, asked.survey(design(), owner=owner).get_absolute_url())
    assert "ε = 6.94 for each person" in page
    assert "directly" not in page


def test_a_reviewer_reads_for_whom_it_holds(arms: Survey, reviewer: Person, signed_in_as: As) -> None:
    page = shown(signed_in_as(reviewer), f"/app/surveys/{arms.pk}/review")
    assert "Epsilon of a person whose answers are disguised" in page
    assert "Epsilon of one person" not in page
    assert "Only the batch protects their answers." in page


def test_a_weak_setting_says_for_whom_it_holds() -> None:
    problem, _direct = find_weak_settings(design(direct="0.5"))
    assert problem.reason == (
        "the epsilon of a person whose answers are disguised is 6.94, above 5; people asked directly have none"
    )


def test_how_it_works_says_that_the_direct_arm_has_none() -> None:
    page = shown(Client(), "/app/method")
    assert (
        "gamma is that of the disguised arm. The direct arm has none, and neither have both arms together"
        in page
    )
