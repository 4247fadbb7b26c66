"""A direct arm opens with a reviewer's approval of that very draft, and only with batches large enough for it."""

import pytest

from accounts.models import Person
from surveys.lifecycle import opening, review
from surveys.lifecycle.freezing import freeze_design
from surveys.models import Survey
from surveys.questionnaire.problems import InputRefused, NotAllowed
from tests.surveys import drafts as texts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    """20 / .25 = 80, below the usual minimum; all other settings are within the usual limits."""
    return written(draft, direct="0.2500")


def written(survey: Survey, **more: object) -> Survey:
    survey.draft = texts.complete(**{"open_answers": False, **more})
    survey.save()
    return survey


def decided(survey: Survey, reviewer: Person, *, allow: bool) -> None:
    fingerprint = review.current(survey, "weak")
    review.decide(survey, reviewer, "weak", fingerprint, allow=allow, reason="", now=NOW)


def test_without_an_approval_it_stays_a_draft(survey: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="no reviewer has approved"):
        opening.open_now(survey, owner, NOW)
    survey.refresh_from_db()
    assert survey.state == "draft"


def test_with_an_approval_it_opens(survey: Survey, owner: Person, reviewer: Person) -> None:
    decided(survey, reviewer, allow=True)
    opening.open_now(survey, owner, NOW)
    assert survey.design is not None
    assert survey.design.content.direct_parts == 2500


def test_a_refusal_keeps_it_closed(survey: Survey, owner: Person, reviewer: Person) -> None:
    decided(survey, reviewer, allow=False)
    with pytest.raises(NotAllowed, match="no reviewer has approved"):
        opening.open_now(survey, owner, NOW)


def test_another_share_needs_another_approval(survey: Survey, owner: Person, reviewer: Person) -> None:
    decided(survey, reviewer, allow=True)
    written(survey, direct="0.3000")
    with pytest.raises(NotAllowed, match="no reviewer has approved"):
        opening.open_now(survey, owner, NOW)


def test_the_owner_cannot_approve_it(survey: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
        decided(survey, owner, allow=True)


@pytest.mark.parametrize(("direct", "needed"), [("0.1000", 200), ("0.1500", 134), ("0.1999", 101)])
def test_batches_below_20_direct_answers_are_refused(
    draft: Survey, owner: Person, direct: str, needed: int
) -> None:
    """20 / .1 = 200, 20 / .15 = 133.3, 20 / .1999 = 100.05; one more record is enough."""
    written(draft, direct=direct, least=needed - 1)
    with pytest.raises(InputRefused) as refused:
        opening.open_now(draft, owner, NOW)
    [problem] = refused.value.problems
    assert problem.path == "least"
    assert f"the minimum batch size is at least {needed}" in problem.reason
    assert freeze_design(written(draft, direct=direct, least=needed).draft).least == needed
