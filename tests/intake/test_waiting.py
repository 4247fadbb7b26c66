"""How many people were asked to wait, rounded so that a count tells of nobody; and what they meet at a pause."""

import json
import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from config import health
from intake.batches import automatic_sealing
from intake.endpoint import accept_record, endpoint, people_asked_to_wait
from intake.endpoint.accept_record import GRACE, Outcome
from intake.endpoint.people_asked_to_wait import STEP, Tally, WaitCounter, round_randomly
from intake.endpoint.rate_limits import RecordRateLimit
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, Token, WaitCount
from intake.rehearsal import respondent_simulation
from jobs.health import HealthFinding
from surveys.lifecycle import record_counts, state_changes as lifecycle
from surveys.lifecycle.record_counts import WaitCounts
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests import servers
from tests.cast import As
from tests.intake import asked
from tests.intake.asked import CLOSED, KNOWN, MALFORMED, STORED, outcome
from tests.intake.conftest import live_survey
from tests.intake.test_pages import Elements

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ASKS = asked.design()
AGAIN = {"Candor-Again": "1"}
PAUSED = (503, "paused")


def test_waiting_count_is_rounded_to_twenty_and_unbiased() -> None:
    def draws(n: int) -> list[int]:
        """What becomes of n by each of the twenty draws."""
        return [round_randomly(n, partial(min, draw)) for draw in range(STEP)]

    for n in range(101):
        results = draws(n)
        assert all(result % 20 == 0 for result in results)
        assert Fraction(sum(results), len(results)) == n
        assert sum(a != b for a, b in zip(results, draws(n + 1), strict=True)) == 1


def test_waiting_count_that_cannot_be_written_is_continued() -> None:
    flushes: list[Callable[[], None]] = []
    written: list[tuple[int, int, int]] = []
    is_away = True

    def write(survey: int, tally: Tally) -> None:
        if is_away:
            raise DatabaseError
        written.append((survey, tally.asked, tally.returned))

    counter = WaitCounter(write, flushes.append)
    for _person in range(3):
        counter.count(1, asked=1)
    flushes.pop()()
    counter.count(1, returned=1)
    is_away = False
    assert len(flushes) == 1, "one minute is waited for"
    flushes.pop()()
    assert written == [(1, 3, 1)]


# --- who is counted

Counted = dict[int, tuple[int, int]]


@pytest.fixture
def counts_by_survey(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """What this process has counted, by survey."""
    found: Counted = {}

    class Noting(WaitCounter):
        def count(self, survey: int, *, asked: int = 0, returned: int = 0) -> None:
            before = found.get(survey, (0, 0))
            found[survey] = before[0] + asked, before[1] + returned

    monkeypatch.setattr(endpoint, "WAITS", Noting(lambda survey, tally: None, lambda flush: None))
    return found


def test_person_who_waits_and_returns_is_counted_once(
    counts_by_survey: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, record = asked.survey(ASKS), asked.envelope(ASKS)
    # One record is let in, and no time passes.
    monkeypatch.setattr(endpoint, "RATE", RecordRateLimit(1, endpoint.RATE.received, lambda: 0.0))
    asked.post(survey, asked.envelope(ASKS))
    assert asked.post(survey, record).status_code == 503
    assert {asked.post(survey, record, **AGAIN).status_code for _try in range(5)} == {503}
    assert counts_by_survey == {survey.pk: (1, 0)}
    monkeypatch.setattr(endpoint, "RATE", RecordRateLimit(9, endpoint.RATE.received, lambda: 0.0))
    assert [outcome(survey, record, **AGAIN) for _try in range(3)] == [STORED, KNOWN, KNOWN]
    assert counts_by_survey == {survey.pk: (1, 1)}


def test_person_meeting_a_pause_or_full_disk_counts_as_waiting(
    counts_by_survey: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=timezone.now() - timedelta(hours=2))
    rehearsal, survey = asked.design(rehearsal=True), asked.survey(ASKS)
    assert outcome(survey, asked.envelope(ASKS)) == STORED
    assert outcome(survey, "{}", **AGAIN) == MALFORMED
    assert outcome(closed, asked.envelope(ASKS), **AGAIN) == CLOSED
    tried = asked.survey(rehearsal, paused=timezone.now())
    assert outcome(tried, asked.envelope(rehearsal)) == PAUSED
    assert counts_by_survey == {}
    paused = asked.survey(ASKS, paused=timezone.now())
    assert outcome(paused, asked.envelope(ASKS)) == PAUSED

    def raise_database_error(*args: object, **options: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(accept_record, "store_record", raise_database_error)
    assert outcome(survey, asked.envelope(ASKS)) == (503, "cannot be stored now")
    assert counts_by_survey == {paused.pk: (1, 0), survey.pk: (1, 0)}


def test_only_online_records_count_as_waiting_people(
    counts_by_survey: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exchange comes before the record of the same person, and a field device waits by itself."""
    survey = asked.survey(ASKS)
    assert outcome(survey, asked.envelope(ASKS)) == STORED

    def raise_database_error(slug: str) -> None:
        raise DatabaseError

    monkeypatch.setattr(endpoint, "find_public_survey", raise_database_error)
    for name in ("exchange", "field/record", "field/device", "field/lot", "field/report"):
        assert asked.outcome_of(asked.post_to(survey, name, "{}")) == (503, "cannot be stored now"), name
    assert counts_by_survey == {}
    assert outcome(survey, asked.envelope(ASKS)) == (503, "cannot be stored now")
    assert counts_by_survey == {survey.pk: (1, 0)}


# --- the rows


def test_each_process_adds_its_count_to_one_row_a_survey_and_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    survey, other = asked.survey(ASKS), asked.survey(ASKS)
    for minute, (asked_to_wait, returned) in [(7, (40, 0)), (8, (60, 20)), (61, (0, 40))]:
        now = datetime(2026, 3, 1, 9, tzinfo=UTC) + timedelta(minutes=minute)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        people_asked_to_wait.add_to_hourly_counts(survey.pk, Tally(asked_to_wait, returned))
    rows = WaitCount.objects.order_by("hour").values_list("survey", "hour__hour", "asked", "returned")
    assert list(rows) == [(survey.pk, 9, 100, 20), (survey.pk, 10, 0, 40)]
    found = record_counts.wait_counts_of_survey(survey)
    assert (found, found.people_who_did_not_return) == (WaitCounts(100, 60), 40)
    assert record_counts.wait_counts_of_survey(other) == WaitCounts(0, 0)
    # They go with the survey.
    automatic_sealing.delete_all_received(survey.pk)
    assert not WaitCount.objects.exists()


def test_log_gets_one_line_with_the_rounded_waiting_count(caplog: pytest.LogCaptureFixture) -> None:
    survey = asked.survey(ASKS)
    with caplog.at_level(logging.INFO):
        people_asked_to_wait.add_to_hourly_counts(survey.pk, Tally(60, 0))
        people_asked_to_wait.add_to_hourly_counts(survey.pk, Tally(0, 0))
    said = "in a minute about 60 people were asked to wait, and 0 who had waited came back"
    assert [record.getMessage() for record in caplog.records] == [f"survey {survey.pk}: {said}"]


def test_operator_sees_the_last_hours_waits_and_no_failure() -> None:
    first, second = asked.survey(ASKS), asked.survey(ASKS)
    assert health.report_waiting_respondents() == HealthFinding(True, "nobody was asked to wait lately")
    hour = people_asked_to_wait.start_of_hour(timezone.now())
    for survey, ago, number in ((first, 0, 40), (second, 1, 20), (second, 2, 500)):
        WaitCount.objects.create(survey=survey, hour=hour - timedelta(hours=ago), asked=number)
    said = "about 60 people were asked to wait in this hour and the last"
    assert health.report_waiting_respondents() == HealthFinding(True, said)


def test_survey_page_states_how_many_waited(signed_in_as: As) -> None:
    survey = asked.survey(ASKS)
    client, settings = signed_in_as(survey.owner), f"/app/surveys/{survey.pk}/settings"
    assert "asked to wait" not in client.get(survey.get_absolute_url()).text
    people_asked_to_wait.add_to_hourly_counts(survey.pk, Tally(1200, 1140))
    text = client.get(survey.get_absolute_url()).text
    said = "About 1,200 people were asked to wait", "up to 60 of them have not come back."
    assert asked.missing_parts(text, *said, f'href="{settings}"') == []
    assert "Answers expected at once" in client.get(settings).text


# --- what real processes counted is in the database when they have ended

COUNTED = """
import json
from intake.models import WaitCount
print(json.dumps(list(WaitCount.objects.filter(survey={survey}).values_list("asked", "returned"))))
"""


@pytest.mark.night
@pytest.mark.server
def test_ending_process_writes_its_waiting_counts(tmp_path: Path) -> None:
    asks = asked.design(least=100, digits=6)
    with live_survey(tmp_path, asks, {"RECORDS_PER_MINUTE": "20"}) as home:
        statuses = home.post([home.envelope(number) for number in range(300)])
        waiting = statuses.count(503)
        for pid in servers.family(home.process.pid)[1:]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

        def rows() -> list[tuple[int, int]]:
            found: list[tuple[int, int]] = json.loads(home.shell(COUNTED.format(survey=home.survey)))
            return found

        def is_complete() -> bool:
            # Each of two processes is less than 20 off.
            return abs(sum(asked_to_wait for asked_to_wait, _returned in rows()) - waiting) < 40

        servers.wait(is_complete, "both processes having written their counts")
        assert waiting > 200
        assert all(count % 20 == 0 for row in rows() for count in row)
        lines = [line for line in (tmp_path / "web.log").read_text().splitlines() if "asked to wait" in line]
        assert 1 <= len(lines) <= 2, "one line a process"
        assert all(f"survey {home.survey}: in a minute about " in line for line in lines)


# --- what respondents meet while a survey is paused


@pytest.fixture
def paused_survey() -> Survey:
    return asked.survey(ASKS, paused=timezone.now())


def test_paused_record_is_asked_to_return_and_stored_once_on_resuming(paused_survey: Survey) -> None:
    """An acknowledgement that was lost is given even at a pause."""
    sent = asked.envelope(ASKS)
    response = asked.post(paused_survey, sent)
    assert asked.outcome_of(response) == PAUSED
    assert endpoint.LATER[Outcome.PAUSED] <= int(response["Retry-After"]) <= 120
    assert not Inbox.objects.exists()
    assert not FreshKey.objects.exists()
    lifecycle.resume_survey(paused_survey, None, timezone.now())
    assert outcome(paused_survey, sent) == STORED
    lifecycle.pause_survey(paused_survey, None, timezone.now())
    assert outcome(paused_survey, sent) == KNOWN
    assert Inbox.objects.count() == 1


def test_invitation_is_not_spent_during_a_pause() -> None:
    survey = asked.survey(ASKS, invited=True)
    (token,) = create_tokens(survey, 1)
    lifecycle.pause_survey(survey, None, timezone.now())
    for each in (token, "c" * 32):
        assert outcome(survey, asked.envelope(ASKS, token=each)) == PAUSED
    assert Token.objects.count() == 1


def test_survey_closed_during_a_pause_accepts_waiting_people_for_an_hour(paused_survey: Survey) -> None:
    sent, now = asked.envelope(ASKS), timezone.now()
    lifecycle.close_survey(paused_survey, None, now)
    assert outcome(paused_survey, sent) == PAUSED
    lifecycle.reopen_survey(paused_survey, None, now)
    assert outcome(paused_survey, sent) == STORED
    lifecycle.pause_survey(paused_survey, None, now)
    lifecycle.close_survey(paused_survey, None, now)
    Survey.objects.filter(pk=paused_survey.pk).update(closed_at=now - GRACE - timedelta(seconds=1))
    assert outcome(paused_survey, asked.envelope(ASKS)) == CLOSED


def test_page_shows_the_pause_and_returns_on_resuming(paused_survey: Survey) -> None:
    response = Client().get(paused_survey.address)
    assert (response.status_code, response["Cache-Control"]) == (503, "no-store")
    assert int(response["Retry-After"]) > 0
    assert "This survey is paused" in response.text
    assert "data-agree" not in response.text
    # What is on its way in this tab is sent from this page.
    told = Elements(response.text).page_settings
    assert (told["mode"], told["record"]) == ("paused", f"{paused_survey.address}/record")
    lifecycle.resume_survey(paused_survey, None, timezone.now())
    response = Client().get(paused_survey.address)
    assert response.status_code == 200
    assert "data-agree" in response.text
    assert "Retry-After" not in response


def test_simulated_respondents_wait_too_and_stop_at_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsal = asked.survey(asked.design(rehearsal=True), paused=timezone.now())
    with pytest.raises(NotAllowed, match="paused"):
        respondent_simulation.simulate(rehearsal, 10)
    lifecycle.resume_survey(rehearsal, None, timezone.now())
    monkeypatch.setattr(respondent_simulation, "CHUNK", 50)

    def pause(stored: int, n: int) -> None:
        lifecycle.pause_survey(rehearsal, None, timezone.now())

    assert respondent_simulation.simulate(rehearsal, 150, progress=pause) == 50
