"""The states of a survey in order: what moves it, what is refused with the reason, and who hears of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest
from django.dispatch import Signal

from accounts.models import History, Person
from surveys.lifecycle import due_surveys, opening, state_changes as lifecycle
from surveys.lifecycle.state_changes import (
    change_end_settings,
    close_survey,
    destroy_survey,
    finish_survey,
    pause_survey,
    reopen_survey,
    resume_survey,
    survey_closed,
    survey_destroyed,
)
from surveys.models import Survey
from surveys.questionnaire.closing_settings import EndSettings
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from tests.surveys.conftest import NOW, Answers, acts, changed, fresh, refused_at, state

pytestmark = pytest.mark.page
PROMISED = date(2099, 12, 31)
LATER = NOW + timedelta(hours=1)


@contextmanager
def heard(signal: Signal, fail: bool = False) -> Iterator[list[str]]:
    """The states that surveys were in when the signal came."""
    found: list[str] = []

    def listen(sender: object, survey: Survey, **more: Any) -> None:
        found.append(state(survey))
        if fail:
            raise RuntimeError("cannot delete")

    signal.connect(listen)
    try:
        yield found
    finally:
        signal.disconnect(listen)


def test_a_survey_is_closed_reopened_finished_and_destroyed(opened: Survey, owner: Person) -> None:
    before = opened.design_id
    with heard(survey_closed) as closings:
        close_survey(opened, owner, NOW)
    assert (closings, opened.closed_at) == (["closed"], NOW)
    reopen_survey(opened, owner, NOW)
    assert (opened.state, opened.design_id, opened.closed_at) == ("open", before, None)
    close_survey(opened, owner, NOW)
    finish_survey(opened, owner, NOW)
    with heard(survey_destroyed) as destructions:
        destroy_survey(opened, owner, NOW)
    assert destructions == ["destroyed"]
    moves = ("opened", "closed", "reopened", "closed", "finished", "destroyed")
    assert acts(opened) == [f"surveys.{move}" for move in moves]
    tombstone = fresh(opened)
    assert (tombstone.state, tombstone.design_id, str(tombstone)) == ("destroyed", before, "Work and health")
    assert tombstone.design is not None
    assert tombstone.design.content.fingerprint == before


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("act", "state_before", "reason"),
    [
        (close_survey, "draft", "never been opened"),
        (reopen_survey, "draft", "never been opened"),
        (finish_survey, "draft", "never been opened"),
        (reopen_survey, "opened", "done already: the survey is open"),
        (finish_survey, "opened", "Close it first"),
        (destroy_survey, "opened", "Close it first"),
        (close_survey, "closed", "done already: the survey is closed"),
        (close_survey, "finished", "finished and stays closed"),
        (reopen_survey, "finished", "finished and stays closed"),
        (finish_survey, "finished", "done already: the survey is finished"),
        (close_survey, "destroyed", "has been deleted"),
        (reopen_survey, "destroyed", "has been deleted"),
        (finish_survey, "destroyed", "has been deleted"),
        (destroy_survey, "destroyed", "has been deleted"),
        (pause_survey, "draft", "draft, so it takes no answers"),
        (pause_survey, "closed", "closed, so it takes no answers"),
        (pause_survey, "finished", "finished, so it takes no answers"),
        (pause_survey, "destroyed", "deleted, so it takes no answers"),
        (resume_survey, "opened", "is not paused"),
        (resume_survey, "draft", "draft, so it takes no answers"),
        (resume_survey, "closed", "closed, so it takes no answers"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(
    act: Callable[..., None], state_before: str, reason: str, owner: Person, request: pytest.FixtureRequest
) -> None:
    survey: Survey = request.getfixturevalue(state_before)
    before, done = state(survey), acts(survey)
    with heard(survey_destroyed) as found, pytest.raises(NotAllowed, match=reason):
        act(survey, owner, NOW)
    assert (state(survey), acts(survey), found) == (before, done, [])
    assert fresh(survey).paused is None


@pytest.mark.parametrize(
    ("act", "already", "once"),
    [(close_survey, "done already", "surveys.closed"), (pause_survey, "paused already", "surveys.paused")],
)
def test_of_two_who_do_it_at_once_one_does(
    act: Callable[..., None], already: str, once: str, opened: Survey, owner: Person
) -> None:
    first, second = fresh(opened), fresh(opened)
    act(first, owner, NOW)
    with pytest.raises(NotAllowed, match=already):
        act(second, owner, LATER)
    assert acts(opened).count(once) == 1
    assert fresh(opened).paused in (NOW, None)


def test_a_pause_has_a_beginning_an_end_and_two_lines_in_the_history(opened: Survey, owner: Person) -> None:
    pause_survey(opened, owner, NOW)
    assert (opened.state, opened.paused, opened.is_paused) == ("open", NOW, True)
    resume_survey(opened, owner, LATER)
    assert (opened.state, opened.paused, opened.is_paused) == ("open", None, False)
    assert acts(opened)[-2:] == ["surveys.paused", "surveys.resumed"]
    assert [act.who for act in History.objects.about(opened).order_by("-pk")[:2]] == [owner, owner]


def test_a_paused_survey_closes_and_its_pause_ends(opened: Survey, owner: Person, answers: Answers) -> None:
    changed(opened, closes=LATER)
    pause_survey(opened, owner, NOW)
    due_surveys.close_due_or_full_surveys(LATER - timedelta(seconds=1))
    assert state(opened) == "open"
    due_surveys.close_due_or_full_surveys(LATER)
    assert (state(opened), fresh(opened).is_paused) == ("closed", False)
    reopen_survey(opened, owner, LATER)
    assert fresh(opened).paused is None
    pause_survey(opened, owner, LATER)
    changed(opened, cap=100)
    answers(opened, waiting=100)
    due_surveys.close_due_or_full_surveys(LATER)
    assert state(opened) == "closed"


@pytest.mark.parametrize(
    ("hours", "is_read", "kept"),
    [(-1, True, False), (1, True, True), (3, False, True)],
    ids=["passed", "to come", "set meanwhile"],
)
def test_reopening_keeps_a_closing_time_to_come(
    closed: Survey, owner: Person, hours: int, is_read: bool, kept: bool
) -> None:
    closes = NOW + timedelta(hours=hours)
    Survey.objects.filter(pk=closed.pk).update(closes=closes)
    if is_read:
        closed.refresh_from_db()
    reopen_survey(closed, owner, NOW)
    assert closed.closes == (closes if kept else None)


def test_no_survey_reopens_that_must_stay_closed(closed: Survey, owner: Person, answers: Answers) -> None:
    answers(closed, sealed=200, waiting=100)
    for column, value, reason in (
        ("cap", 300, "Raise it in the settings"),
        ("destroy_on", NOW.date(), "deletion date"),
    ):
        changed(closed, **{"cap": None, column: value})
        with pytest.raises(NotAllowed, match=reason):
            reopen_survey(closed, owner, NOW)
    # Every move that is refused has words.
    for before in Survey.State:
        for after in Survey.State:
            assert lifecycle.state_change_refusal_text(before, after)


class TestDestroying:
    def test_of_a_draft_leaves_but_its_name_in_the_history(self, draft: Survey, owner: Person) -> None:
        destroy_survey(draft, owner, NOW)
        tombstone = fresh(draft)
        assert (tombstone.draft, str(tombstone)) == ({}, "Deleted draft")
        assert History.objects.about(draft).get().thing_name == "Work and health"

    def test_of_what_was_a_draft_when_last_read_keeps_questions(self, draft: Survey, owner: Person) -> None:
        stale = fresh(draft)
        opening.open_survey_now(draft, owner, NOW)
        close_survey(draft, owner, NOW)
        destroy_survey(stale, owner, NOW)
        assert stale.draft["contact"] == "council@example.org"

    def test_happens_wholly_or_not_at_all(self, closed: Survey, owner: Person) -> None:
        with heard(survey_destroyed, fail=True), pytest.raises(RuntimeError):
            destroy_survey(closed, owner, NOW)
        assert state(closed) == "closed"
        assert "surveys.destroyed" not in acts(closed)


def settle(
    survey: Survey, owner: Person, closes: Any = None, cap: Any = None, destroy_on: Any = PROMISED
) -> None:
    """Somebody who has seen the stored settings changes them."""
    change_end_settings(survey, owner, EndSettings(closes, cap, destroy_on), survey.end_settings.digest, NOW)


class TestSettling:
    def test_changes_when_it_ends_and_writes_each_change_down(self, opened: Survey, owner: Person) -> None:
        change_end_settings(opened, owner, opened.end_settings, opened.end_settings.digest, NOW)
        assert acts(opened) == ["surveys.opened"]
        closes = NOW + timedelta(days=7)
        settle(opened, owner, closes, 500, date(2099, 6, 30))
        assert opened.end_settings == EndSettings(closes, 500, date(2099, 6, 30))
        notes = [act.note for act in History.objects.about(opened).order_by("pk")[1:]]
        assert notes == ["2026-12-08T09:00+00:00", "500", "2099-06-30"]

    def test_never_puts_destruction_back(self, opened: Survey, owner: Person) -> None:
        for destroy_on in (date(2100, 1, 1), None):
            with pytest.raises(NotAllowed, match="earlier, never later"):
                settle(opened, owner, destroy_on=destroy_on)
            assert opened.destroy_on == PROMISED

    def test_refuses_an_end_that_does_not_fit(self, opened: Survey, owner: Person) -> None:
        for path, *end in (
            ("cap", None, 99),
            ("closes", NOW),
            ("closes", NOW + timedelta(days=3), None, date(2026, 12, 4)),
            ("destroy_on", None, None, NOW.date()),
            ("destroy_on", None, None, NOW.date() - timedelta(days=365)),
        ):
            assert refused_at(settle, opened, owner, *end) == [path]
            assert opened.end_settings == EndSettings(None, None, PROMISED)
        tomorrow = NOW.date() + timedelta(days=1)
        settle(opened, owner, destroy_on=tomorrow)
        assert opened.destroy_on == tomorrow

    @pytest.mark.parametrize(
        ("sealed", "waiting", "nearest"), [(0, 0, 100), (0, 24, 100), (0, 137, 225), (300, 139, 500)]
    )
    def test_a_new_cap_is_a_batch_away_and_tells_no_more_than_tenths(
        self, opened: Survey, owner: Person, answers: Answers, sealed: int, waiting: int, nearest: int
    ) -> None:
        """An owner who tries caps, or sets one higher again and again, does not find out when each answer came."""
        answers(opened, sealed=sealed, waiting=waiting)
        with pytest.raises(InputRefused) as refused:
            settle(opened, owner, cap=nearest - 1)
        [problem] = refused.value.problems
        assert problem.path == "cap"
        assert str(nearest) in problem.sentence
        settle(opened, owner, cap=nearest)
        assert opened.cap == nearest

    def test_ignores_what_stays_or_goes(self, opened: Survey, owner: Person, answers: Answers) -> None:
        settle(opened, owner, cap=300)
        answers(opened, sealed=200, waiting=99)
        settle(opened, owner, NOW + timedelta(days=7), 300)
        settle(opened, owner)
        assert opened.cap is None
        passed = NOW - timedelta(days=1)
        settle(changed(opened, closes=passed, state="closed"), owner, passed, 500)
        assert opened.cap == 500

    @pytest.mark.parametrize("fixture", ["draft", "finished", "destroyed"])
    def test_is_for_open_and_closed_surveys(
        self, fixture: str, owner: Person, request: pytest.FixtureRequest
    ) -> None:
        with pytest.raises(NotAllowed, match="open or a closed"):
            settle(request.getfixturevalue(fixture), owner, cap=500)
