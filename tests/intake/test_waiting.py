"""How many people were asked to wait, rounded so that a count tells of nobody; and what they meet at a pause."""

import json
import logging
import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from config import health
from intake.batches import automatic_sealing
from intake.endpoint import accept_record, endpoint, people_asked_to_wait
from intake.endpoint.accept_record import GRACE, Outcome
from intake.endpoint.people_asked_to_wait import STEP, Tally, WaitCounter, round_randomly
from intake.endpoint.rate_limits import Rate
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, Token, WaitCount
from intake.rehearsal import respondent_simulation
from jobs.health import HealthFinding
from surveys.lifecycle import record_counts, state_changes as lifecycle
from surveys.lifecycle.record_counts import WaitCounts
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests import servers
from tests.intake import asked
from tests.intake.live_survey import live_survey

pytestmark = pytest.mark.page
ASKS = asked.design()
AGAIN = {"Candor-Again": "1"}
Full = Callable[[int], None]


def draws(n: int) -> list[int]:
    """What becomes of n by each of the twenty draws."""
    return [round_randomly(n, partial(min, draw)) for draw in range(STEP)]


def test_a_count_is_rounded_to_twenty_and_right_on_average() -> None:
    for n in range(101):
        results = draws(n)
        assert all(result % 20 == 0 for result in results)
        assert Fraction(sum(results), len(results)) == n


def test_one_person_more_changes_a_count_in_one_case_of_twenty() -> None:
    for n in range(100):
        assert sum(a != b for a, b in zip(draws(n), draws(n + 1), strict=True)) == 1


def test_a_count_that_cannot_be_written_is_counted_on() -> None:
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


# --- at the endpoint ----------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[int, tuple[int, int]]:
    """What this process has counted, by survey."""
    found: dict[int, tuple[int, int]] = {}

    class Noting(WaitCounter):
        def count(self, survey: int, *, asked: int = 0, returned: int = 0) -> None:
            before = found.get(survey, (0, 0))
            found[survey] = before[0] + asked, before[1] + returned

    monkeypatch.setattr(endpoint, "WAITS", Noting(lambda survey, tally: None, lambda flush: None))
    return found


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Full:
    """So many records are let in from now on, and no time passes."""

    def after(records: int) -> None:
        monkeypatch.setattr(endpoint, "RATE", Rate(records, endpoint.RATE.received, lambda: 0.0))

    return after


@pytest.mark.django_db
def test_a_person_is_counted_once_however_often_their_page_tries(
    full: Full, counted: dict[int, tuple[int, int]]
) -> None:
    survey, record = asked.survey(ASKS), asked.envelope(ASKS)
    full(1)
    asked.post(survey, asked.envelope(ASKS))
    assert asked.post(survey, record).status_code == 503
    for _try in range(5):
        assert asked.post(survey, record, **AGAIN).status_code == 503
    assert counted == {survey.pk: (1, 0)}


@pytest.mark.django_db
def test_who_comes_back_is_counted_when_the_record_is_stored_and_once(
    full: Full, counted: dict[int, tuple[int, int]]
) -> None:
    survey, record = asked.survey(ASKS), asked.envelope(ASKS)
    assert [asked.post(survey, record, **AGAIN).status_code for _try in range(3)] == [201, 200, 200]
    assert counted == {survey.pk: (0, 1)}


@pytest.mark.django_db
def test_who_finds_a_paused_survey_waits_too(counted: dict[int, tuple[int, int]]) -> None:
    survey = asked.survey(ASKS, paused=timezone.now())
    assert asked.post(survey, asked.envelope(ASKS)).status_code == 503
    assert counted == {survey.pk: (1, 0)}


@pytest.mark.django_db
def test_who_comes_while_nothing_can_be_stored_waits_too(
    counted: dict[int, tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **options: object) -> None:
        raise DatabaseError

    survey = asked.survey(ASKS)
    monkeypatch.setattr(accept_record, "store_record", full)
    assert asked.post(survey, asked.envelope(ASKS)).json()["outcome"].strip() == "cannot be stored now"
    assert counted == {survey.pk: (1, 0)}


@pytest.mark.django_db
def test_who_is_stored_or_refused_for_good_does_not_wait(counted: dict[int, tuple[int, int]]) -> None:
    late = timezone.now() - timedelta(hours=2)
    closed = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=late)
    survey = asked.survey(ASKS)
    asked.post(survey, asked.envelope(ASKS))
    asked.post(survey, "{}", **AGAIN)
    asked.post(closed, asked.envelope(ASKS), **AGAIN)
    assert counted == {}


@pytest.mark.django_db
def test_of_a_rehearsal_nobody_is_counted(counted: dict[int, tuple[int, int]]) -> None:
    asks = asked.design(rehearsal=True)
    survey = asked.survey(asks, paused=timezone.now())
    asked.post(survey, asked.envelope(asks))
    assert counted == {}


# --- the rows -----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_each_process_adds_its_count_to_one_row_a_survey_and_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    survey, other = asked.survey(ASKS), asked.survey(ASKS)
    for minute, (asked_to_wait, returned) in [(7, (40, 0)), (8, (60, 20)), (61, (0, 40))]:
        now = datetime(2026, 3, 1, 9, tzinfo=UTC) + timedelta(minutes=minute)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        people_asked_to_wait.add_to_hour(survey.pk, Tally(asked_to_wait, returned))
    rows = WaitCount.objects.order_by("hour").values_list("survey", "hour__hour", "asked", "returned")
    assert list(rows) == [(survey.pk, 9, 100, 20), (survey.pk, 10, 0, 40)]
    assert record_counts.count_people_asked_to_wait(survey) == WaitCounts(100, 60)
    assert record_counts.count_people_asked_to_wait(survey).people_who_did_not_return == 40
    assert record_counts.count_people_asked_to_wait(other) == WaitCounts(0, 0)


@pytest.mark.django_db
def test_the_log_gets_one_line_with_the_rounded_count(caplog: pytest.LogCaptureFixture) -> None:
    survey = asked.survey(ASKS)
    with caplog.at_level(logging.INFO):
        people_asked_to_wait.add_to_hour(survey.pk, Tally(60, 0))
        people_asked_to_wait.add_to_hour(survey.pk, Tally(0, 0))
    assert [record.getMessage() for record in caplog.records] == [
        f"survey {survey.pk}: in a minute about 60 people were asked to wait, and 0 who had waited came back"
    ]


@pytest.mark.django_db
def test_the_operator_is_told_of_the_last_hours_and_nothing_is_called_broken() -> None:
    first, second = asked.survey(ASKS), asked.survey(ASKS)
    assert health.check_waiting_respondents() == HealthFinding(True, "nobody was asked to wait lately")
    hour = people_asked_to_wait.start_of_hour(timezone.now())
    WaitCount.objects.create(survey=first, hour=hour, asked=40)
    WaitCount.objects.create(survey=second, hour=hour - timedelta(hours=1), asked=20)
    WaitCount.objects.create(survey=second, hour=hour - timedelta(hours=2), asked=500)
    assert health.check_waiting_respondents() == HealthFinding(
        True, "about 60 people were asked to wait in this hour and the last"
    )


@pytest.mark.django_db
def test_the_page_of_the_survey_says_how_many(signed_in_as: Callable[[Any], Client]) -> None:
    survey = asked.survey(ASKS)
    page = signed_in_as(survey.owner)
    assert "asked to wait" not in page.get(survey.get_absolute_url()).content.decode()
    people_asked_to_wait.add_to_hour(survey.pk, Tally(1200, 1140))
    text = page.get(survey.get_absolute_url()).content.decode()
    assert (
        "About 1,200 people were asked to wait with their answers, and up to 60 of them have not come back."
        in text
    )
    settings = f"/app/surveys/{survey.pk}/settings"
    assert f'href="{settings}"' in text
    assert "Answers expected at once" in page.get(settings).content.decode()


@pytest.mark.django_db
def test_they_go_with_the_survey() -> None:
    survey = asked.survey(ASKS)
    people_asked_to_wait.add_to_hour(survey.pk, Tally(40, 0))
    automatic_sealing.delete_all_received(survey.pk)
    assert not WaitCount.objects.exists()


# --- What real processes counted of people who were asked to wait is in the database when they

ASKS_OF_MANY = asked.design(least=100, digits=6)
COUNTED = """
import json
from intake.models import WaitCount
print(json.dumps(list(WaitCount.objects.filter(survey={survey}).values_list("asked", "returned"))))
"""


@pytest.mark.night
@pytest.mark.server
def test_a_process_that_ends_writes_what_it_has_counted(tmp_path: Path) -> None:
    with live_survey(tmp_path, ASKS_OF_MANY, {"RECORDS_PER_MINUTE": "20"}) as home:
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


# --- What respondents meet while a survey is paused


@pytest.fixture
def paused() -> Survey:
    return asked.survey(ASKS, paused=timezone.now())


def said(response: Any) -> tuple[int, str]:
    word: str = response.json()["outcome"]
    return response.status_code, word


@pytest.mark.django_db
def test_a_record_is_asked_to_come_again_and_stored_once_the_survey_goes_on(paused: Survey) -> None:
    sent = asked.envelope(ASKS)
    response = asked.post(paused, sent)
    assert said(response) == (503, "paused")
    assert endpoint.LATER[Outcome.PAUSED] <= int(response["Retry-After"]) <= 120
    assert not Inbox.objects.exists()
    assert not FreshKey.objects.exists()
    lifecycle.resume_survey(paused, None, timezone.now())
    assert said(asked.post(paused, sent)) == (201, "stored")
    assert Inbox.objects.count() == 1


@pytest.mark.django_db
def test_an_acknowledgement_that_was_lost_is_given_even_now() -> None:
    survey, sent = asked.survey(ASKS), asked.envelope(ASKS)
    asked.post(survey, sent)
    lifecycle.pause_survey(survey, None, timezone.now())
    assert said(asked.post(survey, sent)) == (200, "already stored")


@pytest.mark.django_db
def test_no_invitation_is_spent_meanwhile() -> None:
    survey = asked.survey(ASKS, invited=True)
    (token,) = create_tokens(survey, 1)
    lifecycle.pause_survey(survey, None, timezone.now())
    assert said(asked.post(survey, asked.envelope(ASKS, token=token)))[0] == 503
    assert Token.objects.count() == 1
    assert said(asked.post(survey, asked.envelope(ASKS, token="c" * 32)))[0] == 503


@pytest.mark.django_db
def test_one_that_closes_meanwhile_lets_nobody_in_and_keeps_those_who_wait_for_an_hour(
    paused: Survey,
) -> None:
    sent, now = asked.envelope(ASKS), timezone.now()
    lifecycle.close_survey(paused, None, now)
    assert said(asked.post(paused, sent)) == (503, "paused")
    lifecycle.reopen_survey(paused, None, now)
    assert said(asked.post(paused, sent)) == (201, "stored")
    lifecycle.pause_survey(paused, None, now)
    lifecycle.close_survey(paused, None, now)
    Survey.objects.filter(pk=paused.pk).update(closed_at=now - GRACE - timedelta(seconds=1))
    assert said(asked.post(paused, asked.envelope(ASKS))) == (410, "closed")


@pytest.mark.django_db
def test_the_page_says_that_it_is_paused_and_offers_to_try_again(paused: Survey) -> None:
    response = Client().get(paused.address)
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert response["Cache-Control"] == "no-store"
    assert "This survey is paused" in response.text
    assert "data-agree" not in response.text
    # What is on its way in this tab is sent from this page.
    found = re.search(r'id="page">(.*?)</script>', response.text)
    assert found
    page = json.loads(found[1])
    assert (page["mode"], page["record"]) == ("paused", f"{paused.address}/record")


@pytest.mark.django_db
def test_the_page_is_back_when_the_survey_goes_on(paused: Survey) -> None:
    lifecycle.resume_survey(paused, None, timezone.now())
    response = Client().get(paused.address)
    assert response.status_code == 200
    assert "data-agree" in response.text
    assert "Retry-After" not in response


@pytest.mark.django_db
def test_simulated_respondents_wait_too() -> None:
    rehearsal = asked.survey(asked.design(rehearsal=True), paused=timezone.now())
    with pytest.raises(NotAllowed, match="paused"):
        respondent_simulation.simulate(rehearsal, 10)


@pytest.mark.django_db
def test_simulated_respondents_stop_at_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(respondent_simulation, "CHUNK", 50)
    rehearsal = asked.survey(asked.design(rehearsal=True))

    def pause(stored: int, n: int) -> None:
        lifecycle.pause_survey(rehearsal, None, timezone.now())

    assert respondent_simulation.simulate(rehearsal, 150, progress=pause) == 50
