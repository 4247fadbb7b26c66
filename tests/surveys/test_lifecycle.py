"""The states of a survey in order: what moves it, what is refused and why, who hears of it, what the tick does."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.dispatch import Signal

from accounts.models import History, Person
from jobs import tick
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import due_surveys, opening, state_changes as lifecycle
from surveys.models import Logo, Survey
from surveys.questionnaire.closing_settings import EndSettings
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from tests.surveys import drafts
from tests.surveys.conftest import NOW, Answers, acts, design_of, refused_at, reload, state, update_row

pytestmark = pytest.mark.page
PROMISED = date(2099, 12, 31)
LATER = NOW + timedelta(hours=1)


@contextmanager
def states_at_signal(signal: Signal, fail: bool = False) -> Iterator[list[str]]:
    """The states that surveys were in when the signal came."""
    found: list[str] = []

    def note_state(sender: object, survey: Survey, **more: Any) -> None:
        found.append(state(survey))
        if fail:
            raise RuntimeError("cannot delete")

    signal.connect(note_state)
    try:
        yield found
    finally:
        signal.disconnect(note_state)


def test_a_survey_is_closed_reopened_finished_and_destroyed(opened: Survey, owner: Person) -> None:
    before = opened.design_id
    with states_at_signal(lifecycle.survey_closed) as closings:
        lifecycle.close_survey(opened, owner, NOW)
    assert (closings, opened.closed_at) == (["closed"], NOW)
    lifecycle.reopen_survey(opened, owner, NOW)
    assert (opened.state, opened.design_id, opened.closed_at) == ("open", before, None)
    lifecycle.close_survey(opened, owner, NOW)
    lifecycle.finish_survey(opened, owner, NOW)
    with states_at_signal(lifecycle.survey_destroyed) as destructions:
        lifecycle.destroy_survey(opened, owner, NOW)
    assert destructions == ["destroyed"]
    moves = ("opened", "closed", "reopened", "closed", "finished", "destroyed")
    assert acts(opened) == [f"surveys.{move}" for move in moves]
    tombstone = reload(opened)
    assert (tombstone.state, tombstone.design_id, str(tombstone)) == ("destroyed", before, "Work and health")
    assert design_of(tombstone).fingerprint == before


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("act", "state_before", "reason"),
    [
        (lifecycle.close_survey, "draft", "never been opened"),
        (lifecycle.reopen_survey, "draft", "never been opened"),
        (lifecycle.finish_survey, "draft", "never been opened"),
        (lifecycle.reopen_survey, "opened", "done already: the survey is open"),
        (lifecycle.finish_survey, "opened", "Close it first"),
        (lifecycle.destroy_survey, "opened", "Close it first"),
        (lifecycle.close_survey, "closed", "done already: the survey is closed"),
        (lifecycle.close_survey, "finished", "finished and stays closed"),
        (lifecycle.reopen_survey, "finished", "finished and stays closed"),
        (lifecycle.finish_survey, "finished", "done already: the survey is finished"),
        (lifecycle.close_survey, "destroyed", "has been deleted"),
        (lifecycle.reopen_survey, "destroyed", "has been deleted"),
        (lifecycle.finish_survey, "destroyed", "has been deleted"),
        (lifecycle.destroy_survey, "destroyed", "has been deleted"),
        (lifecycle.pause_survey, "draft", "draft, so it takes no answers"),
        (lifecycle.pause_survey, "closed", "closed, so it takes no answers"),
        (lifecycle.pause_survey, "finished", "finished, so it takes no answers"),
        (lifecycle.pause_survey, "destroyed", "deleted, so it takes no answers"),
        (lifecycle.resume_survey, "opened", "is not paused"),
        (lifecycle.resume_survey, "draft", "draft, so it takes no answers"),
        (lifecycle.resume_survey, "closed", "closed, so it takes no answers"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(
    act: Callable[..., None], state_before: str, reason: str, owner: Person, request: pytest.FixtureRequest
) -> None:
    survey: Survey = request.getfixturevalue(state_before)
    before, done = state(survey), acts(survey)
    with states_at_signal(lifecycle.survey_destroyed) as found, pytest.raises(NotAllowed, match=reason):
        act(survey, owner, NOW)
    assert (state(survey), acts(survey), found) == (before, done, [])
    assert reload(survey).paused is None


@pytest.mark.parametrize(
    ("act", "already", "once"),
    [
        (lifecycle.close_survey, "done already", "surveys.closed"),
        (lifecycle.pause_survey, "paused already", "surveys.paused"),
    ],
)
def test_one_of_two_simultaneous_state_changes_happens(
    act: Callable[..., None], already: str, once: str, opened: Survey, owner: Person
) -> None:
    first, second = reload(opened), reload(opened)
    act(first, owner, NOW)
    with pytest.raises(NotAllowed, match=already):
        act(second, owner, LATER)
    assert acts(opened).count(once) == 1
    assert reload(opened).paused in (NOW, None)


def test_a_pause_has_a_beginning_an_end_and_two_lines_in_the_history(opened: Survey, owner: Person) -> None:
    lifecycle.pause_survey(opened, owner, NOW)
    assert (opened.state, opened.paused, opened.is_paused) == ("open", NOW, True)
    lifecycle.resume_survey(opened, owner, LATER)
    assert (opened.state, opened.paused, opened.is_paused) == ("open", None, False)
    assert acts(opened)[-2:] == ["surveys.paused", "surveys.resumed"]
    assert [act.who for act in History.objects.about(opened).order_by("-pk")[:2]] == [owner, owner]


def test_a_paused_survey_closes_and_its_pause_ends(opened: Survey, owner: Person, answers: Answers) -> None:
    update_row(opened, closes=LATER)
    lifecycle.pause_survey(opened, owner, NOW)
    due_surveys.close_due_or_full_surveys(LATER - timedelta(seconds=1))
    assert state(opened) == "open"
    due_surveys.close_due_or_full_surveys(LATER)
    assert (state(opened), reload(opened).is_paused) == ("closed", False)
    lifecycle.reopen_survey(opened, owner, LATER)
    assert reload(opened).paused is None
    lifecycle.pause_survey(opened, owner, LATER)
    update_row(opened, cap=100)
    answers(opened, waiting=100)
    due_surveys.close_due_or_full_surveys(LATER)
    assert state(opened) == "closed"


@pytest.mark.parametrize(
    ("hours", "is_read", "kept"),
    [(-1, True, False), (1, True, True), (3, False, True)],
    ids=["passed", "to come", "set meanwhile"],
)
def test_reopening_keeps_an_end(closed: Survey, owner: Person, hours: int, is_read: bool, kept: bool) -> None:
    closes = NOW + timedelta(hours=hours)
    Survey.objects.filter(pk=closed.pk).update(closes=closes)
    if is_read:
        closed.refresh_from_db()
    lifecycle.reopen_survey(closed, owner, NOW)
    assert closed.closes == (closes if kept else None)


def test_no_survey_reopens_that_must_stay_closed(closed: Survey, owner: Person, answers: Answers) -> None:
    answers(closed, sealed=200, waiting=100)
    for column, value, reason in (
        ("cap", 300, "Raise it in the settings"),
        ("destroy_on", NOW.date(), "deletion date"),
    ):
        update_row(closed, **{"cap": None, column: value})
        with pytest.raises(NotAllowed, match=reason):
            lifecycle.reopen_survey(closed, owner, NOW)
    # Every move that is refused has words.
    for before in Survey.State:
        for after in Survey.State:
            assert lifecycle.state_change_refusal_text(before, after)


class TestDestroying:
    def test_destroying_a_draft_leaves_only_its_name_in_the_history(
        self, draft: Survey, owner: Person
    ) -> None:
        lifecycle.destroy_survey(draft, owner, NOW)
        tombstone = reload(draft)
        assert (tombstone.draft, str(tombstone)) == ({}, "Deleted draft")
        assert History.objects.about(draft).get().thing_name == "Work and health"

    def test_destroying_a_survey_read_as_draft_keeps_its_questions(
        self, draft: Survey, owner: Person
    ) -> None:
        stale = reload(draft)
        opening.open_survey_now(draft, owner, NOW)
        lifecycle.close_survey(draft, owner, NOW)
        lifecycle.destroy_survey(stale, owner, NOW)
        assert stale.draft["contact"] == "council@example.org"

    def test_destroying_is_atomic(self, closed: Survey, owner: Person) -> None:
        with states_at_signal(lifecycle.survey_destroyed, fail=True), pytest.raises(RuntimeError):
            lifecycle.destroy_survey(closed, owner, NOW)
        assert state(closed) == "closed"
        assert "surveys.destroyed" not in acts(closed)


def change_end_settings(
    survey: Survey, owner: Person, closes: Any = None, cap: Any = None, destroy_on: Any = PROMISED
) -> None:
    """Somebody who has seen the stored settings changes them."""
    lifecycle.change_end_settings(
        survey, owner, EndSettings(closes, cap, destroy_on), survey.end_settings.digest, NOW
    )


class TestSettling:
    def test_settling_changes_the_end_and_logs_each_change(self, opened: Survey, owner: Person) -> None:
        lifecycle.change_end_settings(opened, owner, opened.end_settings, opened.end_settings.digest, NOW)
        assert acts(opened) == ["surveys.opened"]
        closes = NOW + timedelta(days=7)
        change_end_settings(opened, owner, closes, 500, date(2099, 6, 30))
        assert opened.end_settings == EndSettings(closes, 500, date(2099, 6, 30))
        notes = [act.note for act in History.objects.about(opened).order_by("pk")[1:]]
        assert notes == ["2026-12-08T09:00+00:00", "500", "2099-06-30"]

    def test_settling_never_postpones_destruction(self, opened: Survey, owner: Person) -> None:
        for destroy_on in (date(2100, 1, 1), None):
            with pytest.raises(NotAllowed, match="earlier, never later"):
                change_end_settings(opened, owner, destroy_on=destroy_on)
            assert opened.destroy_on == PROMISED

    def test_settling_refuses_an_unfit_end(self, opened: Survey, owner: Person) -> None:
        for path, *end in (
            ("cap", None, 99),
            ("closes", NOW),
            ("closes", NOW + timedelta(days=3), None, date(2026, 12, 4)),
            ("destroy_on", None, None, NOW.date()),
            ("destroy_on", None, None, NOW.date() - timedelta(days=365)),
        ):
            assert refused_at(change_end_settings, opened, owner, *end) == [path]
            assert opened.end_settings == EndSettings(None, None, PROMISED)
        tomorrow = NOW.date() + timedelta(days=1)
        change_end_settings(opened, owner, destroy_on=tomorrow)
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
            change_end_settings(opened, owner, cap=nearest - 1)
        [problem] = refused.value.problems
        assert problem.path == "cap"
        assert str(nearest) in problem.sentence
        change_end_settings(opened, owner, cap=nearest)
        assert opened.cap == nearest

    def test_settling_ignores_unchanged_and_removed_values(
        self, opened: Survey, owner: Person, answers: Answers
    ) -> None:
        change_end_settings(opened, owner, cap=300)
        answers(opened, sealed=200, waiting=99)
        change_end_settings(opened, owner, NOW + timedelta(days=7), 300)
        change_end_settings(opened, owner)
        assert opened.cap is None
        passed = NOW - timedelta(days=1)
        change_end_settings(update_row(opened, closes=passed, state="closed"), owner, passed, 500)
        assert opened.cap == 500

    @pytest.mark.parametrize("fixture", ["draft", "finished", "destroyed"])
    def test_settling_is_for_open_or_closed_surveys(
        self, fixture: str, owner: Person, request: pytest.FixtureRequest
    ) -> None:
        with pytest.raises(NotAllowed, match="open or a closed"):
            change_end_settings(request.getfixturevalue(fixture), owner, cap=500)


# What the tick does.


DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def test_the_tick_opens_and_closes_a_survey_at_its_time_and_not_before(draft: Survey, owner: Person) -> None:
    fired = tick.registrations()
    assert [fired[f"surveys.{name}"].function for name in ("open", "close", "destroy", "logos")] == [
        due_surveys.open_due_surveys,
        due_surveys.close_due_or_full_surveys,
        due_surveys.destroy_due_surveys,
        due_surveys.delete_unused_logos,
    ]
    opens, closes = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
    opening.schedule_opening(draft, owner, opens, NOW)
    due_surveys.open_due_surveys(opens - SECOND)
    assert state(draft) == "draft"
    due_surveys.open_due_surveys(opens)
    assert state(draft) == "open"
    update_row(draft, closes=closes)
    due_surveys.close_due_or_full_surveys(closes - SECOND)
    assert state(draft) == "open"
    due_surveys.close_due_or_full_surveys(closes)
    assert state(draft) == "closed"
    assert History.objects.about(draft).get(what="surveys.closed").who is None


@pytest.mark.parametrize(
    ("cap", "sealed", "waiting", "after"),
    [(300, 200, 99, "open"), (300, 200, 100, "closed"), (300, 0, 301, "closed"), (None, 10**6, 0, "open")],
)
def test_a_survey_closes_when_the_cap_is_reached(
    opened: Survey, answers: Answers, cap: int | None, sealed: int, waiting: int, after: str
) -> None:
    update_row(opened, cap=cap)
    answers(opened, sealed=sealed, waiting=waiting)
    due_surveys.close_due_or_full_surveys(NOW)
    assert state(opened) == after


@pytest.mark.parametrize("fixture", ["opened", "closed", "finished"])
def test_on_its_day_a_survey_is_destroyed_whatever_its_state(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    survey: Survey = request.getfixturevalue(fixture)
    update_row(survey, destroy_on=date(2027, 3, 1))
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 23, 59, tzinfo=UTC))
    assert state(survey) != "destroyed"
    due_surveys.destroy_due_surveys(datetime(2027, 3, 1, 0, 0, tzinfo=UTC))
    assert state(survey) == "destroyed"
    assert History.objects.about(survey).get(what="surveys.destroyed").who is None


def test_the_day_begins_in_the_instances_own_time_zone(closed: Survey, settings: object) -> None:
    settings.TIME_ZONE = "Asia/Shanghai"  # type: ignore[attr-defined]
    update_row(closed, destroy_on=date(2027, 3, 1))
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 15, 59, tzinfo=UTC))
    assert state(closed) == "closed"
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 16, 0, tzinfo=UTC))
    assert state(closed) == "destroyed"


def test_a_second_tick_does_nothing_more(opened: Survey) -> None:
    update_row(opened, destroy_on=date(2026, 12, 1), closes=NOW)
    for _ in range(2):
        due_surveys.close_due_or_full_surveys(NOW)
        due_surveys.destroy_due_surveys(NOW)
    assert acts(opened) == ["surveys.opened", "surveys.closed", "surveys.destroyed"]


def test_a_failure_keeps_no_others(opened: Survey, owner: Person, caplog: pytest.LogCaptureFixture) -> None:
    other = Survey.objects.create(owner=owner, draft=opened.draft)
    opening.open_survey_now(other, owner, NOW)
    Survey.objects.update(closes=NOW)

    def fail_for_other_survey(sender: object, survey: Survey, **more: object) -> None:
        if survey.pk == other.pk:
            raise RuntimeError("cannot seal")

    lifecycle.survey_closed.connect(fail_for_other_survey)
    try:
        with caplog.at_level(logging.ERROR):
            due_surveys.close_due_or_full_surveys(NOW)
    finally:
        lifecycle.survey_closed.disconnect(fail_for_other_survey)
    assert (state(opened), state(other)) == ("closed", "open")
    assert f"survey {other.pk} could not be handled" in caplog.text


def with_logo(owner: Person, logo: str) -> Survey:
    more = {"logo": logo, "logo_alt": {"en": "University of Example"}}
    return Survey.objects.create(owner=owner, draft=read_questionnaire(drafts.complete() | more).as_json())


def logos(days: int, less: timedelta = timedelta()) -> set[str]:
    """Those that are left so many days after NOW."""
    due_surveys.delete_unused_logos(NOW + days * DAY - less)
    return set(Logo.objects.values_list("pk", flat=True))


def test_a_logo_is_deleted_a_day_after_the_last_draft_that_named_it(owner: Person) -> None:
    replaced, deleted = Logo.store_picture(b"replaced"), Logo.store_picture(b"of a deleted draft")
    survey, other = with_logo(owner, replaced), with_logo(owner, deleted)
    copy = with_logo(owner, replaced)
    Survey.objects.create(owner=owner, draft=drafts.complete())
    assert logos(0) == {replaced, deleted} == logos(2)
    update_row(survey, draft={**survey.draft, "logo": Logo.store_picture(b"new")})
    lifecycle.destroy_survey(other, owner, NOW + 2 * DAY)
    # It can be taken back for a day, and the copy still has the one that was replaced.
    assert logos(2) > {replaced, deleted}
    assert logos(3, less=SECOND) > {replaced, deleted}
    assert logos(3) == {replaced, Logo.store_picture(b"new")}
    lifecycle.destroy_survey(copy, owner, NOW + 3 * DAY)
    assert replaced in logos(4)
    assert logos(5) == {Logo.store_picture(b"new")}


def test_a_logo_that_was_taken_back_or_uploaded_again_begins_anew(owner: Person) -> None:
    logo = Logo.store_picture(b"a picture")
    assert logos(0) == {logo}
    survey = with_logo(owner, logo)
    assert logos(2) == {logo}
    lifecycle.destroy_survey(survey, owner, NOW + 2 * DAY)
    assert logos(3) == {logo}
    Logo.store_picture(b"a picture")
    assert logos(4) == {logo}
    assert logos(5) == set()


def test_the_logo_of_a_survey_that_was_opened_stays_with_its_design(owner: Person) -> None:
    logo = Logo.store_picture(b"a picture")
    survey = with_logo(owner, logo)
    for step in (opening.open_survey_now, *(lifecycle.close_survey, lifecycle.finish_survey)):
        step(survey, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    logos(1)
    assert logos(3) == {logo}
