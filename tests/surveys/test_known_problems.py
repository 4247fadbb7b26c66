"""A list of surveys asks again and again what is missing in the same drafts: each is looked through once."""

import copy
from datetime import date

import pytest
from django.utils import translation

from privacy.designs import Design
from surveys.draft_json import Draft
from surveys.lifecycle import draft_problems
from surveys.lifecycle.freeze_draft import freeze_stored_draft
from surveys.models import Survey

pytestmark = pytest.mark.page

DAY = date(2026, 11, 1)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The drafts that were frozen."""
    drafts: list[object] = []

    def count(draft: Draft) -> Design:
        drafts.append(draft)
        return freeze_stored_draft(draft)

    monkeypatch.setattr(draft_problems, "_known", {})
    monkeypatch.setattr(draft_problems, "freeze_stored_draft", count)
    return drafts


def test_the_same_draft_is_looked_through_once(draft: Survey, frozen: list[object]) -> None:
    first = draft_problems.draft_problems(draft.draft, DAY, 20)
    again = draft_problems.draft_problems(copy.deepcopy(draft.draft), DAY, 20)
    assert (first, len(frozen)) == (again, 1)
    first.clear()
    assert draft_problems.draft_problems(draft.draft, DAY, 20) == again, "what a caller changes is its own"


def test_what_the_problems_depend_on_is_looked_at(draft: Survey, frozen: list[object]) -> None:
    draft_problems.draft_problems(draft.draft, DAY, 20)
    draft_problems.draft_problems({**draft.draft, "minutes": 0}, DAY, 20)
    draft_problems.draft_problems(draft.draft, date(2026, 11, 2), 20)
    draft_problems.draft_problems(draft.draft, DAY, 40)
    with translation.override("de"):
        draft_problems.draft_problems(draft.draft, DAY, 20)
    assert len(frozen) == 5


def test_what_is_remembered_is_bounded(
    draft: Survey, frozen: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_problems, "MOST_KNOWN", 2)
    for floor in (20, 21, 22):
        draft_problems.draft_problems(draft.draft, DAY, floor)
    assert len(draft_problems._known) == 1
