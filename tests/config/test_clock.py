"""The clock of the machine is set forward and back by an hour and by a year, while records come and the tick fires."""

import logging
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import Sum
from django.utils import timezone

from intake.models import Batch, Inbox
from jobs.tick import Ticker
from surveys.models import Survey
from tests.intake import asked
from tests.jobs.conftest import broker

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page]
HOUR, YEAR, MOMENT = timedelta(hours=1), timedelta(days=365), timedelta(minutes=2)
EACH = 30


@pytest.mark.parametrize("shift", [HOUR, -HOUR, YEAR, -YEAR], ids=["+hour", "-hour", "+year", "-year"])
def test_records_are_stored_once_and_ticks_work_after_the_clock_jumps(
    shift: timedelta, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broker: Path
) -> None:
    """One that was told so. After a year that was none, the keys of this month are forgotten, and with them the means
    to tell a record that is sent again: nothing of that month is taken any more."""
    moment = [timezone.now()]
    monkeypatch.setattr(timezone, "now", lambda: moment[0])
    asks = asked.design()
    survey, ticker, answers = asked.survey(asks), Ticker("w"), list[set[tuple[int, int]]]()
    with caplog.at_level(logging.ERROR):
        for turn, change in enumerate((timedelta(0), shift, MOMENT, -shift, MOMENT)):
            moment[0] += change
            envelopes = [asked.envelope(asks, EACH * turn + number) for number in range(EACH)]
            twice = ([asked.post(survey, each).status_code for _ in range(2)] for each in envelopes)
            answers.append({(first, again) for first, again in twice})
            ticker.call_due_functions_if_leased(lambda: moment[0])
    stored = answers.count({(201, 200)})
    assert answers[stored:] == ([{(410, 410)}] * 2 if shift == YEAR else [])
    sealed = Batch.objects.aggregate(n=Sum("n"))["n"]
    assert Inbox.objects.count() + sealed == EACH * stored
    assert caplog.records == []
    another = asked.survey(asks)
    assert asked.post(another, asked.envelope(asks)).status_code == 201
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
