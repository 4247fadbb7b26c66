from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest
from django.dispatch import Signal

from accounts.models import History, Person
from surveys.lifecycle import opening, state_changes as lifecycle
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
from tests.surveys.conftest import NOW, acts, state

pytestmark = pytest.mark.page
Answers = Callable[..., None]
PROMISED = date(2099, 12, 31)


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


def test_a_survey_goes_from_open_to_closed_to_finished_to_destroyed(opened: Survey, owner: Person) -> None:
    close_survey(opened, owner, NOW)
    finish_survey(opened, owner, NOW)
    destroy_survey(opened, owner, NOW)
    assert acts(opened) == ["surveys.opened", "surveys.closed", "surveys.finished", "surveys.destroyed"]
    assert state(opened) == "destroyed"


def test_closing_is_dated_and_heard_of(opened: Survey, owner: Person) -> None:
    with heard(survey_closed) as found:
        close_survey(opened, owner, NOW)
    assert found == ["closed"]
    assert opened.closed_at == NOW


def test_a_closed_survey_opens_again_under_the_same_design(closed: Survey, owner: Person) -> None:
    before = closed.design_id
    reopen_survey(closed, owner, NOW)
    assert (closed.state, closed.design_id, closed.closed_at) == ("open", before, None)


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
    with pytest.raises(NotAllowed, match=reason):
        act(survey, owner, NOW)
    assert (state(survey), acts(survey)) == (before, done)
    assert Survey.objects.get(pk=survey.pk).paused is None


def test_of_two_who_close_at_once_one_does(opened: Survey, owner: Person) -> None:
    first, second = (Survey.objects.get(pk=opened.pk) for _ in range(2))
    close_survey(first, owner, NOW)
    with pytest.raises(NotAllowed, match="done already"):
        close_survey(second, owner, NOW)
    assert acts(opened).count("surveys.closed") == 1


class TestReopening:
    @pytest.mark.parametrize(
        ("hours", "is_read", "kept"),
        [(-1, True, False), (1, True, True), (3, False, True)],
        ids=["passed", "to come", "set meanwhile"],
    )
    def test_keeps_a_closing_time_to_come(
        self, closed: Survey, owner: Person, hours: int, is_read: bool, kept: bool
    ) -> None:
        closes = NOW + timedelta(hours=hours)
        Survey.objects.filter(pk=closed.pk).update(closes=closes)
        if is_read:
            closed.refresh_from_db()
        reopen_survey(closed, owner, NOW)
        assert closed.closes == (closes if kept else None)

    @pytest.mark.parametrize(
        ("column", "value", "reason"),
        [("cap", 300, "Raise it in the settings"), ("destroy_on", NOW.date(), "deletion date")],
    )
    def test_is_refused_once_it_must_stay_closed(
        self, closed: Survey, owner: Person, answers: Answers, column: str, value: object, reason: str
    ) -> None:
        Survey.objects.filter(pk=closed.pk).update(**{column: value})
        closed.refresh_from_db()
        answers(closed, sealed=200, waiting=100)
        with pytest.raises(NotAllowed, match=reason):
            reopen_survey(closed, owner, NOW)


class TestDestroying:
    def test_leaves_a_tombstone_and_the_design(self, closed: Survey, owner: Person) -> None:
        fingerprint = closed.design_id
        destroy_survey(closed, owner, NOW)
        tombstone = Survey.objects.get(pk=closed.pk)
        assert (tombstone.state, tombstone.design_id) == ("destroyed", fingerprint)
        assert tombstone.design is not None
        assert tombstone.design.content.fingerprint == fingerprint
        assert str(tombstone) == "Work and health"

    def test_of_a_draft_leaves_no_word_of_it(self, draft: Survey, owner: Person) -> None:
        destroy_survey(draft, owner, NOW)
        tombstone = Survey.objects.get(pk=draft.pk)
        assert (tombstone.draft, str(tombstone)) == ({}, "Deleted draft")

    def test_of_what_was_a_draft_when_it_was_last_looked_at_keeps_the_questions(
        self, draft: Survey, owner: Person
    ) -> None:
        stale = Survey.objects.get(pk=draft.pk)
        opening.open_survey_now(draft, owner, NOW)
        close_survey(draft, owner, NOW)
        destroy_survey(stale, owner, NOW)
        assert stale.draft["contact"] == "council@example.org"

    def test_the_history_still_calls_it_by_its_name(self, draft: Survey, owner: Person) -> None:
        destroy_survey(draft, owner, NOW)
        assert History.objects.about(draft).get().thing_name == "Work and health"

    def test_lets_other_rooms_destroy_what_they_hold(self, closed: Survey, owner: Person) -> None:
        with heard(survey_destroyed) as found:
            destroy_survey(closed, owner, NOW)
        assert found == ["destroyed"]

    def test_happens_wholly_or_not_at_all(self, closed: Survey, owner: Person) -> None:
        with heard(survey_destroyed, fail=True), pytest.raises(RuntimeError):
            destroy_survey(closed, owner, NOW)
        assert state(closed) == "closed"
        assert "surveys.destroyed" not in acts(closed)

    def test_stays_quiet_when_it_is_refused(self, opened: Survey, owner: Person) -> None:
        with heard(survey_destroyed) as found, pytest.raises(NotAllowed):
            destroy_survey(opened, owner, NOW)
        assert found == []


def settle(
    survey: Survey, owner: Person, closes: Any, cap: int | None, destroy_on: date | None = PROMISED
) -> None:
    """Somebody who has seen the stored settings changes them."""
    change_end_settings(survey, owner, EndSettings(closes, cap, destroy_on), survey.end_settings.digest, NOW)


class TestSettling:
    def test_changes_when_it_ends_and_writes_each_change_down(self, opened: Survey, owner: Person) -> None:
        closes = NOW + timedelta(days=7)
        settle(opened, owner, closes, 500, date(2099, 6, 30))
        assert opened.end_settings == EndSettings(closes, 500, date(2099, 6, 30))
        notes = [act.note for act in History.objects.about(opened).order_by("pk")[1:]]
        assert notes == ["2026-12-08T09:00+00:00", "500", "2099-06-30"]

    def test_that_changes_nothing_leaves_no_trace(self, opened: Survey, owner: Person) -> None:
        change_end_settings(opened, owner, opened.end_settings, opened.end_settings.digest, NOW)
        assert acts(opened) == ["surveys.opened"]

    @pytest.mark.parametrize("destroy_on", [date(2100, 1, 1), None])
    def test_never_puts_destruction_back(
        self, opened: Survey, owner: Person, destroy_on: date | None
    ) -> None:
        with pytest.raises(NotAllowed, match="earlier, never later"):
            settle(opened, owner, None, None, destroy_on)
        assert opened.destroy_on == PROMISED

    @pytest.mark.parametrize(
        ("end_settings", "path"),
        [
            (EndSettings(None, 99, PROMISED), "cap"),
            (EndSettings(NOW, None, PROMISED), "closes"),
            (EndSettings(NOW + timedelta(days=3), None, date(2026, 12, 4)), "closes"),
            (EndSettings(None, None, NOW.date()), "destroy_on"),
            (EndSettings(None, None, NOW.date() - timedelta(days=365)), "destroy_on"),
        ],
    )
    def test_refuses_an_end_that_does_not_fit(
        self, opened: Survey, owner: Person, end_settings: EndSettings, path: str
    ) -> None:
        with pytest.raises(InputRefused) as refused:
            change_end_settings(opened, owner, end_settings, opened.end_settings.digest, NOW)
        assert [problem.path for problem in refused.value.problems] == [path]
        assert opened.end_settings == EndSettings(None, None, PROMISED)

    @pytest.mark.parametrize(
        ("sealed", "waiting", "nearest"), [(0, 0, 100), (0, 24, 100), (0, 137, 225), (300, 139, 500)]
    )
    def test_a_new_cap_is_a_batch_away_and_tells_no_more_than_tenths(
        self, opened: Survey, owner: Person, answers: Answers, sealed: int, waiting: int, nearest: int
    ) -> None:
        """An owner who tries caps, or sets one higher again and again, does not find out when each answer came."""
        answers(opened, sealed=sealed, waiting=waiting)
        with pytest.raises(InputRefused) as refused:
            settle(opened, owner, None, nearest - 1)
        assert [problem.path for problem in refused.value.problems] == ["cap"]
        assert str(nearest) in refused.value.problems[0].sentence
        settle(opened, owner, None, nearest)
        assert opened.cap == nearest

    def test_a_cap_that_stays_or_goes_is_not_looked_at(
        self, opened: Survey, owner: Person, answers: Answers
    ) -> None:
        settle(opened, owner, None, 300)
        answers(opened, sealed=200, waiting=99)
        settle(opened, owner, NOW + timedelta(days=7), 300)
        settle(opened, owner, None, None)
        assert opened.cap is None

    def test_destroys_no_sooner_than_tomorrow(self, opened: Survey, owner: Person) -> None:
        tomorrow = NOW.date() + timedelta(days=1)
        settle(opened, owner, None, None, tomorrow)
        assert opened.destroy_on == tomorrow

    def test_does_not_complain_of_what_it_leaves_as_it_was(self, closed: Survey, owner: Person) -> None:
        passed = NOW - timedelta(days=1)
        Survey.objects.filter(pk=closed.pk).update(closes=passed)
        closed.refresh_from_db()
        settle(closed, owner, passed, 500)
        assert closed.cap == 500

    @pytest.mark.parametrize("fixture", ["draft", "finished", "destroyed"])
    def test_is_for_open_and_closed_surveys(
        self, fixture: str, owner: Person, request: pytest.FixtureRequest
    ) -> None:
        with pytest.raises(NotAllowed, match="open or a closed"):
            change_end_settings(
                request.getfixturevalue(fixture), owner, EndSettings(None, 500, PROMISED), "", NOW
            )


def test_every_move_that_is_refused_has_words(draft: Survey) -> None:
    for before in Survey.State:
        for after in Survey.State:
            assert lifecycle.state_change_refusal_text(before, after)
