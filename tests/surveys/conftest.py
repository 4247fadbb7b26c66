"""The fixed cast, and surveys in every state. The clock stands still at NOW unless a test says otherwise."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from privacy.designs import Design
from surveys.lifecycle import opening, record_counts, reviewer_approvals, state_changes as lifecycle
from surveys.lifecycle.record_counts import Counts
from surveys.lifecycle.reviewer_approvals import Matter
from surveys.models import Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import InputRefused
from tests.cast import (
    As,
    add_collaborator,
    cast,
    db,
    kept_row,
    make_once,
    owner,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
    unsaved_person,
)
from tests.intake import asked
from tests.surveys import drafts

__all__ = ["cast", "db", "owner", "reviewer", "signed_in_as", "stranger", "superuser"]
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
Allow = Callable[[Survey], None]
Answers = Callable[..., None]
People = dict[str, Person]
ASKS = asked.make_design(
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


def acts(survey: Survey) -> list[str]:
    """What the history says was done to it, oldest first."""
    return [act.what for act in History.objects.about(survey).order_by("pk")]


def state(survey: Survey) -> str:
    """As it is stored now."""
    return reload(survey).state


def reload(survey: Survey) -> Survey:
    return Survey.objects.get(pk=survey.pk)


def design_of(survey: Survey) -> Design:
    """What an opened survey asks."""
    assert survey.design is not None
    return survey.design.content


def update_row(survey: Survey, **columns: Any) -> Survey:
    """The same object, whose row was changed without the product's functions."""
    Survey.objects.filter(pk=survey.pk).update(**columns)
    survey.refresh_from_db()
    return survey


def refused_at(act: Callable[..., object], *given: Any) -> list[str]:
    """The places of the problems for which it is refused."""
    with pytest.raises(InputRefused) as refused:
        act(*given)
    return [problem.path for problem in refused.value.problems]


def address(survey: Survey, path: str = "") -> str:
    return f"/app/surveys/{survey.pk}/{path}"


def page_text(client: Client, survey: Survey, path: str = "", **query: Any) -> str:
    return client.get(address(survey, path), query).text


def post(client: Client, survey: Survey, path: str, headers: Any = None, **sent: Any) -> Any:
    """The answer; the survey is read again."""
    answer = client.post(address(survey, path), sent, headers=headers)
    survey.refresh_from_db()
    return answer


def decide(survey: Survey, person: Person, matter: Matter = "weak", *, allow: bool) -> None:
    """What a reviewer decides on the fingerprint of now."""
    of, reason = reviewer_approvals.current_fingerprint(survey, matter), "" if allow else "Too small."
    reviewer_approvals.decide_approval(survey, person, matter, of, allow=allow, reason=reason, now=NOW)


def settings_base(client: Client, survey: Survey) -> str:
    """What the page of the settings says that it shows."""
    found = re.search(r'name="base" value="(\w+)"', page_text(client, survey, "settings"))
    assert found
    return found[1]


def save_settings(client: Client, survey: Survey, **sent: str) -> Any:
    """`base` is what the page shows now unless it is given."""
    given = {"closes": "", "cap": "", "destroy_on": "2099-12-31", "least": "100", "invited": "no"} | sent
    if "base" not in sent:
        given["base"] = settings_base(client, survey)
    return post(client, survey, "settings", **given)


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    """The owner's browser."""
    return signed_in_as(owner)


@pytest.fixture
def draft(owner: Person) -> Survey:
    """Complete, and within the usual limits."""
    return kept_row(("draft",), lambda: Survey.objects.create(owner=owner, draft=drafts.complete()))


@pytest.fixture
def viewer(draft: Survey) -> Person:
    return kept_row(("viewer",), lambda: add_collaborator(draft, unsaved_person("viewer"), may_edit=False))


@pytest.fixture
def editor(draft: Survey) -> Person:
    return kept_row(("editor",), lambda: add_collaborator(draft, unsaved_person("editor"), may_edit=True))


@pytest.fixture
def people(
    owner: Person, viewer: Person, editor: Person, reviewer: Person, superuser: Person, stranger: Person
) -> People:
    """By role, those who see `draft`, and a stranger last."""
    return {each.username: each for each in (owner, viewer, editor, reviewer, superuser, stranger)}


def move_to_state(survey: Survey, state: str, move: Callable[[], object]) -> Survey:
    """The same object in its next state."""
    make_once((state,), lambda: move() and None, lambda _none: survey.refresh_from_db())
    return survey


@pytest.fixture
def opened(draft: Survey, owner: Person) -> Survey:
    return move_to_state(draft, "opened", lambda: opening.open_survey_now(draft, owner, NOW))


@pytest.fixture
def closed(opened: Survey, owner: Person) -> Survey:
    return move_to_state(opened, "closed", lambda: lifecycle.close_survey(opened, owner, NOW))


@pytest.fixture
def finished(closed: Survey, owner: Person) -> Survey:
    return move_to_state(closed, "finished", lambda: lifecycle.finish_survey(closed, owner, NOW))


@pytest.fixture
def destroyed(closed: Survey, owner: Person) -> Survey:
    return move_to_state(closed, "destroyed", lambda: lifecycle.destroy_survey(closed, owner, NOW))


@pytest.fixture
def weak(owner: Person) -> Survey:
    """Complete, but each person's epsilon is ln 1025 = 6.93, and the smallest batch 50."""
    return kept_row(("weak",), lambda: Survey.objects.create(owner=owner, draft=drafts.weak_draft()))


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """What the counting room would say: answers(survey, sealed=…, waiting=…)."""
    told: dict[int, Counts] = {}

    def set_counts(survey: Survey, sealed: int = 0, waiting: int = 0) -> None:
        told[survey.pk] = Counts(sealed, waiting)

    monkeypatch.setattr(record_counts, "_count", [lambda ids: {pk: told[pk] for pk in ids if pk in told}])
    return set_counts


@pytest.fixture
def survey(owner: Person) -> Survey:
    """Asks ASKS of whoever has its address."""
    return kept_row(("open survey",), lambda: asked.survey(ASKS, owner=owner))


@pytest.fixture
def invited(owner: Person) -> Survey:
    """Asks ASKS of people with an invitation; its smallest batch is 20."""
    return kept_row(("invited survey",), lambda: asked.survey(ASKS, owner=owner, invited=True))


@pytest.fixture
def works_on() -> Callable[..., Person]:
    def work(*surveys: Survey, may_edit: bool) -> Person:
        person = unsaved_person("editor" if may_edit else "viewer")
        for survey in surveys:
            Collaborator.objects.create(survey=survey, person=person, may_edit=may_edit)
        return person

    return work


@pytest.fixture
def approve_record_files(reviewer: Person) -> Allow:
    """A reviewer's yes to the record files of a survey."""
    return lambda survey: reviewer_approvals.decide_approval(
        survey, reviewer, "records", survey.design_id or "", allow=True, reason="", now=timezone.now()
    )
