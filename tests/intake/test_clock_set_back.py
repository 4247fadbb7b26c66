"""A clock that is set back while people answer: no record is lost, none doubled, and nobody turned away for it."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from intake.batches import due
from intake.endpoint import waiting
from intake.endpoint.waiting import Tally
from intake.models import Batch, FreshKey, Inbox, WaitCount
from surveys.lifecycle import counts
from surveys.lifecycle.counts import Waits
from surveys.models import Survey
from tests.intake import asked

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ASKS = asked.design(least=20)
DAY = timedelta(days=1)


@pytest.fixture
def yesterday(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """From now on the machine takes it for yesterday."""
    moment = timezone.now() - DAY
    monkeypatch.setattr(timezone, "now", lambda: moment)
    return moment


def test_what_was_stored_before_is_known_and_what_comes_after_is_stored(
    request: pytest.FixtureRequest,
) -> None:
    survey = asked.survey(ASKS)
    before, after = asked.envelope(ASKS), asked.envelope(ASKS)
    assert asked.post(survey, before).status_code == 201
    request.getfixturevalue("yesterday")
    assert [asked.post(survey, each).status_code for each in (before, after, after)] == [200, 201, 200]
    assert (Inbox.objects.count(), FreshKey.objects.count()) == (2, 2)


def test_batches_are_sealed_as_ever(yesterday: datetime) -> None:
    survey = asked.survey(ASKS)
    for _person in range(50):
        asked.post(survey, asked.envelope(ASKS))
    due.tick(yesterday)
    assert Batch.objects.filter(survey=survey).get().n >= 20
    assert counts.of(survey).received == 50


def test_who_sends_after_the_closing_is_taken_rather_than_lost(yesterday: datetime) -> None:
    survey = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=yesterday + DAY)
    assert asked.post(survey, asked.envelope(ASKS)).status_code == 201


def test_people_who_waited_are_added_to_the_hour_that_comes_again(yesterday: datetime) -> None:
    survey = asked.survey(ASKS)
    WaitCount.objects.create(survey=survey, hour=waiting.hour_of(yesterday), asked=20)
    waiting.add(survey.pk, Tally(40, 20))
    assert WaitCount.objects.get().asked == 60
    assert counts.waits(survey) == Waits(60, 20)
