from collections.abc import Callable
from datetime import timedelta
from typing import cast

import numpy as np
import pytest
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from jobs import job_state_changes
from jobs.heartbeat import Heartbeat
from jobs.models import State, Trial
from jobs.progress_messages import Cancelled, ClaimLost, Message
from tests.jobs.conftest import NOON


def test_telling_costs_no_query(claimed: Trial, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    progress = Heartbeat(claimed)
    with django_assert_num_queries(0):
        for step in range(1000):
            progress(step / 1000, "Step %(step)s of %(steps)s", step=step, steps=1000)


def test_a_pulse_writes_only_the_latest_and_beats(claimed: Trial) -> None:
    progress = Heartbeat(claimed)
    progress(0.1, "Loading")
    progress(0.5, "Step %(step)s of %(steps)s", step=5, steps=10)
    progress.synchronize()
    claimed.refresh_from_db()
    assert (claimed.fraction, str(claimed.progress_message)) == (0.5, "Step 5 of 10")
    assert claimed.heartbeat
    assert timezone.now() - claimed.heartbeat < timedelta(minutes=1)


def test_a_fraction_stays_between_none_of_it_and_all(claimed: Trial) -> None:
    progress = Heartbeat(claimed)
    progress(1.0000001)
    progress.synchronize()
    claimed.refresh_from_db()
    assert claimed.fraction == 1
    progress(-0.1)
    progress.synchronize()
    claimed.refresh_from_db()
    assert claimed.fraction == 0


def test_numbers_of_arrays_and_numbers_that_are_none_are_told_too(claimed: Trial) -> None:
    progress, seven = Heartbeat(claimed), cast("int", np.int64(7))
    progress(float("nan"), "%(n)s of %(share)s", n=seven, share=float("inf"))
    progress.synchronize()
    claimed.refresh_from_db()
    assert (claimed.fraction, str(claimed.progress_message)) == (None, "7 of inf")
    progress(np.float64(0.5))
    progress.synchronize()
    claimed.refresh_from_db()
    assert claimed.fraction == 0.5


def test_without_news_the_heart_beats_no_oftener_than_it_must(
    claimed: Trial, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    progress = Heartbeat(claimed)
    with override_settings(HEARTBEAT_SECONDS=60), django_assert_num_queries(0):
        progress.synchronize()
    with override_settings(HEARTBEAT_SECONDS=0):
        progress.synchronize()
    claimed.refresh_from_db()
    assert claimed.heartbeat != NOON


def test_a_cancelled_job_learns_it_when_it_next_tells(claimed: Trial) -> None:
    progress = Heartbeat(claimed)
    job_state_changes.cancel(claimed, NOON)
    progress(0.5)
    progress.synchronize()
    with pytest.raises(Cancelled):
        progress(0.6)


def test_a_job_that_was_given_away_learns_it_when_it_next_tells(claimed: Trial) -> None:
    progress = Heartbeat(claimed)
    Trial.objects.update(state=State.QUEUED, claim="")
    progress(0.5)
    progress.synchronize()
    with pytest.raises(ClaimLost):
        progress(0.6)


def test_news_that_could_not_be_written_is_written_later(claimed: Trial) -> None:
    progress = Heartbeat(claimed)
    progress(0.5)

    def refuse(*args: object) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError), transaction.atomic(), connection.execute_wrapper(refuse):
        progress.synchronize()
    progress.synchronize()
    claimed.refresh_from_db()
    assert claimed.fraction == 0.5


def test_news_that_come_while_older_ones_are_written_are_not_forgotten(claimed: Trial) -> None:
    progress = Heartbeat(claimed)

    def meanwhile(execute: Callable[..., object], *query: object) -> object:
        progress(0.6)
        return execute(*query)

    progress(0.5)
    with connection.execute_wrapper(meanwhile):
        progress.synchronize()
    progress.synchronize()
    claimed.refresh_from_db()
    assert claimed.fraction == 0.6


def test_words_are_translated_when_they_are_shown() -> None:
    stored = Message("Yes").as_json()
    with translation.override("zh-hans"):
        assert str(Message(**stored)) == "是"
    with translation.override("en"):
        assert str(Message(**stored)) == "Yes"


def test_no_words_are_no_words_in_any_language() -> None:
    with translation.override("zh-hans"):
        assert str(Message()) == ""
