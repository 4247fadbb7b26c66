import logging
from datetime import datetime, timedelta

import pytest
from django.conf import settings

from jobs import tick
from jobs.models import Lease
from jobs.tick import Ticker
from tests.jobs.conftest import NOON

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
TICK = timedelta(seconds=settings.TICK_SECONDS)


@pytest.fixture
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tick, "_registered", {})


def fire(ticker: Ticker, moment: datetime) -> bool:
    return ticker.call_due_functions(lambda: moment)


def test_one_holds_a_lease_and_the_other_does_not() -> None:
    assert tick.take_lease("tick", "w1", NOON, MINUTE)
    assert not tick.take_lease("tick", "w2", NOON, MINUTE)


def test_the_holder_renews_its_lease() -> None:
    tick.take_lease("tick", "w1", NOON, MINUTE)
    assert tick.take_lease("tick", "w1", NOON + MINUTE / 2, MINUTE)
    assert not tick.take_lease("tick", "w2", NOON + MINUTE, MINUTE)


def test_a_dead_holders_lease_lapses() -> None:
    tick.take_lease("tick", "w1", NOON, MINUTE)
    assert tick.take_lease("tick", "w2", NOON + MINUTE, MINUTE)
    assert not tick.take_lease("tick", "w1", NOON + MINUTE, MINUTE)


def test_a_lease_from_before_the_clock_was_set_back_lapses() -> None:
    hour = timedelta(hours=1)
    assert tick.take_lease("tick", "w1", NOON + hour, MINUTE)
    assert tick.take_lease("tick", "w2", NOON, MINUTE)
    assert not tick.take_lease("tick", "w1", NOON, MINUTE)


def test_a_lease_that_was_renewed_a_moment_later_holds() -> None:
    assert tick.take_lease("tick", "w1", NOON + timedelta(milliseconds=300), MINUTE)
    assert not tick.take_lease("tick", "w2", NOON, MINUTE)


def test_a_lease_that_is_released_is_free_at_once() -> None:
    tick.take_lease("tick", "w1", NOON, MINUTE)
    tick.release_lease("tick", "w2")
    assert not tick.take_lease("tick", "w2", NOON, MINUTE)
    tick.release_lease("tick", "w1")
    assert tick.take_lease("tick", "w2", NOON, MINUTE)


@pytest.mark.usefixtures("only_ours")
def test_only_the_holder_of_the_lease_fires() -> None:
    fired: list[datetime] = []
    tick.register("one", fired.append)
    assert fire(Ticker("w1"), NOON)
    assert not fire(Ticker("w2"), NOON)
    assert fired == [NOON]


@pytest.mark.usefixtures("only_ours")
def test_one_that_fails_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    def fail(now: datetime) -> None:
        raise ZeroDivisionError

    fired: list[datetime] = []
    tick.register("bad", fail)
    tick.register("good", fired.append)
    with caplog.at_level(logging.ERROR):
        fire(Ticker("w1"), NOON)
    assert fired == [NOON]
    assert "the tick's bad failed" in caplog.text


@pytest.mark.usefixtures("only_ours")
def test_what_is_registered_for_every_minute_fires_once_a_minute() -> None:
    fired: list[datetime] = []
    tick.register("slow", fired.append, every=MINUTE)
    ticker = Ticker("w1")
    for seconds in (0, 10, 59, 60, 70):
        fire(ticker, NOON + timedelta(seconds=seconds))
    assert fired == [NOON, NOON + MINUTE]


@pytest.mark.usefixtures("only_ours")
def test_what_is_due_every_minute_is_due_after_the_clock_was_set_back() -> None:
    fired: list[datetime] = []
    tick.register("slow", fired.append, every=MINUTE)
    ticker = Ticker("w1")
    for moment in (NOON + timedelta(hours=1), NOON, NOON + timedelta(seconds=10)):
        fire(ticker, moment)
    assert fired == [NOON + timedelta(hours=1), NOON]


@pytest.mark.usefixtures("only_ours")
@pytest.mark.parametrize("ticks", [-1, 1, 3])
def test_a_holder_that_lost_the_lease_meanwhile_fires_no_further(ticks: int) -> None:
    clock, fired = [NOON], []

    def slow(now: datetime) -> None:
        clock.append(NOON + ticks * TICK)
        Lease.objects.update(holder="w2", until=clock[-1] + 3 * TICK)

    def late(now: datetime) -> None:
        fired.append(now)

    tick.register("slow", slow)
    tick.register("next", late)
    assert not Ticker("w1").call_due_functions(lambda: clock[-1])
    assert fired == []


@pytest.mark.usefixtures("only_ours")
def test_a_lease_is_renewed_once_for_functions_that_take_no_time_and_again_after_each_tick() -> None:
    clock, until = [NOON], []

    def work(now: datetime) -> None:
        until.append(Lease.objects.get().until)
        clock.append(clock[-1] + TICK / 2)

    for name in ("first", "second", "third"):
        tick.register(name, work)
    assert Ticker("w1").call_due_functions(lambda: clock[-1])
    assert until == [NOON + 3 * TICK, NOON + 3 * TICK, NOON + 4 * TICK]


def test_the_room_registers_its_own() -> None:
    assert {"jobs.reap", "jobs.job_queue", "jobs.forget"} <= tick.registrations().keys()
