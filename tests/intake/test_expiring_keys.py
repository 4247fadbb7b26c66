"""Submission keys are deleted seven days after a survey is finished: no record can come that they would refuse."""

from datetime import timedelta

import pytest
from django.utils import timezone

from intake.batches import due
from intake.models import Batch, ExpiringKeys, FreshKey, SeenKey
from privacy.records import Envelope
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from tests.intake import asked

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ASKS = asked.design()


def finished() -> tuple[Survey, Envelope]:
    """With two batches, so that there are keys of both kinds; and an envelope that arrived."""
    survey, sent = asked.survey(ASKS), asked.envelope(ASKS)
    assert asked.post(survey, sent).status_code == 201
    for _ in range(45):
        asked.post(survey, asked.envelope(ASKS))
    lifecycle.close(survey, survey.owner, timezone.now())
    lifecycle.finish(survey, survey.owner, timezone.now())
    return survey, sent


def keys(survey: Survey) -> int:
    return sum(table.objects.filter(survey=survey).count() for table in (FreshKey, SeenKey))


def test_keys_are_kept_for_a_week_and_then_deleted_with_their_bytes() -> None:
    survey, sent = finished()
    now = timezone.now()
    due.tick(now + timedelta(days=6, hours=23))
    assert keys(survey) == 46
    assert asked.post(survey, sent).json()["outcome"] == "already stored"
    due.tick(now + timedelta(days=7, hours=1))
    assert (keys(survey), ExpiringKeys.objects.count()) == (0, 0)
    # The records stay, and whoever sends one again is told that the survey is closed.
    assert sum(Batch.objects.filter(survey=survey).values_list("n", flat=True)) == 46
    assert asked.post(survey, sent).json()["outcome"] == "closed"


def test_keys_of_another_survey_stay() -> None:
    survey, _sent = finished()
    other = asked.survey(ASKS)
    assert asked.post(other, asked.envelope(ASKS)).status_code == 201
    due.tick(timezone.now() + timedelta(days=8))
    assert (keys(survey), keys(other)) == (0, 1)


def test_of_a_destroyed_survey_nothing_is_left_to_expire() -> None:
    survey, _sent = finished()
    lifecycle.destroy(survey, survey.owner, timezone.now())
    assert (keys(survey), ExpiringKeys.objects.count()) == (0, 0)
