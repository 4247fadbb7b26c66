"""The fixed cast, and surveys in every state. The clock stands still at NOW unless a test says otherwise."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from accounts.models import History, Person
from surveys.lifecycle import opening, record_counts, state_changes as lifecycle
from surveys.lifecycle.record_counts import Counts
from surveys.models import Survey
from tests.cast import joined, somebody
from tests.kept_rows import (
    cast,
    db,
    kept,
    kept_row,
    owner,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
)
from tests.surveys import drafts

__all__ = ["cast", "db", "owner", "reviewer", "signed_in_as", "stranger", "superuser"]
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def acts(survey: Survey) -> list[str]:
    """What the history says was done to it, oldest first."""
    return [act.what for act in History.objects.about(survey).order_by("pk")]


def state(survey: Survey) -> str:
    """As it is stored now."""
    return Survey.objects.get(pk=survey.pk).state


@pytest.fixture
def draft(owner: Person) -> Survey:
    """Complete, and within the usual limits."""
    return kept_row(("draft",), lambda: Survey.objects.create(owner=owner, draft=drafts.complete()))


@pytest.fixture
def viewer(draft: Survey) -> Person:
    return kept_row(("viewer",), lambda: joined(draft, somebody("viewer"), may_edit=False))


@pytest.fixture
def editor(draft: Survey) -> Person:
    return kept_row(("editor",), lambda: joined(draft, somebody("editor"), may_edit=True))


def moved(survey: Survey, state: str, move: Callable[[], object]) -> Survey:
    """The same object in its next state."""
    kept((state,), lambda: move() and None, lambda _none: survey.refresh_from_db())
    return survey


@pytest.fixture
def opened(draft: Survey, owner: Person) -> Survey:
    return moved(draft, "opened", lambda: opening.open_survey_now(draft, owner, NOW))


@pytest.fixture
def closed(opened: Survey, owner: Person) -> Survey:
    return moved(opened, "closed", lambda: lifecycle.close_survey(opened, owner, NOW))


@pytest.fixture
def finished(closed: Survey, owner: Person) -> Survey:
    return moved(closed, "finished", lambda: lifecycle.finish_survey(closed, owner, NOW))


@pytest.fixture
def destroyed(closed: Survey, owner: Person) -> Survey:
    return moved(closed, "destroyed", lambda: lifecycle.destroy_survey(closed, owner, NOW))


@pytest.fixture
def weak(owner: Person) -> Survey:
    """Complete, but each person's epsilon is ln 1025 = 6.93, and the smallest batch 50."""
    return kept_row(("weak",), lambda: Survey.objects.create(owner=owner, draft=drafts.weak()))


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the counting room would say: answers(survey, sealed=…, waiting=…)."""
    told: dict[int, Counts] = {}

    def tell(survey: Survey, sealed: int = 0, waiting: int = 0) -> None:
        told[survey.pk] = Counts(sealed, waiting)

    monkeypatch.setattr(record_counts, "_count", [lambda ids: {pk: told[pk] for pk in ids if pk in told}])
    return tell
