"""One of all workers fires the tick: who holds its lease, and what is due."""

import logging
from datetime import datetime, timedelta

import pytest
from django.conf import settings

from jobs import tick
from jobs.models import Lease
from jobs.tick import Ticker
from tests.jobs.conftest import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.page]
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
TICK = timedelta(seconds=settings.TICK_SECONDS)


def take_tick_lease(holder: str, since_noon: timedelta = timedelta(0)) -> bool:
    return tick.take_lease("tick", holder, NOON + since_noon, MINUTE)


@pytest.fixture
def tick_moments(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """When a function that is due every minute was called; no other is registered."""
    moments: list[datetime] = []
    monkeypatch.setattr(tick, "_registered", {})
    tick.register_periodic_function("slow", moments.append, every=MINUTE)
    return moments


def call_due_functions(ticker: Ticker, moment: datetime) -> bool:
    return ticker.call_due_functions_if_leased(lambda: moment)


def test_lease_is_held_and_renewed_until_expired_or_released() -> None:
    assert take_tick_lease("w1")
    assert not take_tick_lease("w2")
    assert take_tick_lease("w1", MINUTE / 2)
    assert not take_tick_lease("w2", MINUTE)
    # The holder is dead.
    assert take_tick_lease("w2", 1.5 * MINUTE)
    assert not take_tick_lease("w1", 1.5 * MINUTE)
    # Its holder alone releases it.
    tick.release_lease("tick", "w1")
    assert not take_tick_lease("w1", 1.5 * MINUTE)
    tick.release_lease("tick", "w2")
    assert take_tick_lease("w1", 1.5 * MINUTE)


def test_lease_from_before_the_clock_was_set_back_expires() -> None:
    assert take_tick_lease("w1", timedelta(milliseconds=300))
    assert not take_tick_lease("w2")
    assert take_tick_lease("w1", HOUR)
    assert take_tick_lease("w2")
    assert not take_tick_lease("w1")


def test_only_the_lease_holder_fires_and_a_failure_stops_no_other(
    tick_moments: list[datetime], caplog: pytest.LogCaptureFixture
) -> None:
    def raise_failure(now: datetime) -> None:
        raise ZeroDivisionError

    tick.register_periodic_function("bad", raise_failure)
    tick.register_periodic_function("good", tick_moments.append)
    with caplog.at_level(logging.ERROR):
        assert call_due_functions(Ticker("w1"), NOON)
    assert not call_due_functions(Ticker("w2"), NOON)
    assert tick_moments == [NOON, NOON]
    assert "the tick's bad failed" in caplog.text


def test_function_due_every_minute_fires_so_also_after_the_clock_was_set_back(
    tick_moments: list[datetime],
) -> None:
    ticker = Ticker("w1")
    for seconds in (0, 10, 59, 60, 70):
        call_due_functions(ticker, NOON + timedelta(seconds=seconds))
    assert tick_moments == [NOON, NOON + MINUTE]
    for seconds in (-3600, -3590):
        call_due_functions(ticker, NOON + timedelta(seconds=seconds))
    assert tick_moments[2:] == [NOON - HOUR]


@pytest.mark.parametrize("ticks", [-1, 1, 3])
def test_holder_that_lost_the_lease_fires_no_further(ticks: int, tick_moments: list[datetime]) -> None:
    clock = [NOON]

    def slow(now: datetime) -> None:
        clock.append(NOON + ticks * TICK)
        Lease.objects.update(holder="w2", until=clock[-1] + 3 * TICK)

    tick.register_periodic_function("slow", slow)
    tick.register_periodic_function("next", tick_moments.append)
    assert not Ticker("w1").call_due_functions_if_leased(lambda: clock[-1])
    assert tick_moments == []


def test_lease_is_renewed_once_for_quick_functions_and_after_each_tick(tick_moments: list[datetime]) -> None:
    clock, until = [NOON], []

    def work(now: datetime) -> None:
        until.append(Lease.objects.get().until)
        clock.append(clock[-1] + TICK / 2)

    for name in ("first", "second", "third"):
        tick.register_periodic_function(name, work)
    assert Ticker("w1").call_due_functions_if_leased(lambda: clock[-1])
    assert until == [NOON + 3 * TICK, NOON + 3 * TICK, NOON + 4 * TICK]


def test_jobs_registers_its_periodic_functions() -> None:
    assert {"jobs.reap", "jobs.job_queue", "jobs.forget"} <= tick.registrations().keys()
