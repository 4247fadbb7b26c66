"""The fixed cast and a survey of each kind."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import Person
from surveys.lifecycle import approvals
from surveys.models import Collaborator, Survey
from tests.cast import somebody
from tests.intake import asked
from tests.kept_rows import kept_row
from tests.surveys import drafts

Allow = Callable[[Survey], None]


ASKS = asked.written(
    {"kind": "plain", "questions": [{"name": "age", "role": "quasi", "choices": ["18-39", "40+"]}]},
    {
        "kind": "unrelated-question",
        "keep": "0.5",
        "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}],
    },
    title={"en": "Work & health", "zh-hans": "工作"},
    asker={"en": "The works council", "zh-hans": "工会"},
    why={"en": "To learn how common theft is."},
    contact="council@example.org",
    minutes=4,
    languages=["en", "zh-hans"],
    least=20,
    open_answers=True,
)


@pytest.fixture
def survey(owner: Person) -> Survey:
    """Open to whoever has its address."""
    return kept_row(("open survey",), lambda: asked.survey(ASKS, owner=owner))


@pytest.fixture
def invited(owner: Person) -> Survey:
    """Open to people with an invitation; its smallest batch is 20."""
    return kept_row(("invited survey",), lambda: asked.survey(ASKS, owner=owner, invited=True))


@pytest.fixture
def draft(owner: Person) -> Survey:
    return kept_row(("draft",), lambda: Survey.objects.create(owner=owner, draft=drafts.complete()))


@pytest.fixture
def works_on() -> Callable[..., Person]:
    def work(*surveys: Survey, may_edit: bool) -> Person:
        person = somebody("editor" if may_edit else "viewer")
        for survey in surveys:
            Collaborator.objects.create(survey=survey, person=person, may_edit=may_edit)
        return person

    return work


@pytest.fixture
def allow(reviewer: Person) -> Allow:
    """A reviewer's yes to the record files of a survey."""

    def say_yes(survey: Survey) -> None:
        fingerprint = survey.design_id or ""
        approvals.decide_approval(
            survey, reviewer, "records", fingerprint, allow=True, reason="", now=timezone.now()
        )

    return say_yes
