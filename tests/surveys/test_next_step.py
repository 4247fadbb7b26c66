"""The next step with a survey: those who may not take it read who may."""

from collections.abc import Callable

import pytest

from accounts.models import Person
from surveys.lifecycle import opening, record_counts, state_changes
from surveys.lifecycle.next_step import NextStep, next_step
from surveys.models import Survey
from tests.surveys import drafts
from tests.surveys.conftest import NOW, address, decide

pytestmark = pytest.mark.page
Steps = Callable[[Survey], list[NextStep]]


@pytest.fixture
def steps(owner: Person, works_on: Callable[..., Person]) -> Steps:
    """Those of owner, editor and viewer."""

    def steps_of_survey(survey: Survey) -> list[NextStep]:
        people = owner, works_on(survey, may_edit=True), works_on(survey, may_edit=False)
        counts = record_counts.shown_counts_of_survey(survey)
        return [next_step(survey, person, counts, NOW) for person in people]

    return steps_of_survey


def open_new_survey(owner: Person, **columns: object) -> Survey:
    survey = Survey.objects.create(**{"owner": owner, "draft": drafts.complete(), **columns})
    opening.open_survey_now(survey, owner, NOW)
    return survey


def test_refused_settings_are_changed_by_owner_or_editor(
    weak: Survey, reviewer: Person, steps: Steps
) -> None:
    decide(weak, reviewer, allow=False)
    mine = NextStep("A reviewer refused its settings: change them", address(weak, "edit"))
    theirs = NextStep("A reviewer refused its settings: its owner or an editor can change them")
    assert steps(weak) == [mine, mine, theirs]


def test_a_survey_with_too_few_answers_is_opened_again_by_its_owner_alone(
    owner: Person, steps: Steps
) -> None:
    survey = open_new_survey(owner)
    state_changes.close_survey(survey, owner, NOW)
    mine = NextStep("Too few answers to count: open it again", address(survey, "reopen"))
    theirs = NextStep("Too few answers to count: its owner can open it again")
    assert steps(survey) == [mine, theirs, theirs]


def test_answers_are_simulated_by_owner_or_editor(owner: Person, steps: Steps) -> None:
    rehearsal = open_new_survey(owner, draft=drafts.complete(rehearsal=True))
    mine = NextStep("Simulate answers", address(rehearsal, "rehearse"))
    assert steps(rehearsal) == [mine, mine, NextStep("Its owner or an editor can simulate answers")]


def test_invitations_are_sent_by_owner_or_editor(owner: Person, steps: Steps) -> None:
    invited = open_new_survey(owner, invited=True)
    mine = NextStep("Send invitations", address(invited, "invitations"))
    assert steps(invited) == [mine, mine, NextStep("Its owner or an editor can send invitations")]
