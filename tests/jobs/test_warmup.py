import gc
import logging
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import override_settings

from jobs import attempt, health, warmup
from jobs.worker import write_worker_heartbeat
from tests.jobs.conftest import NOON

pytestmark = pytest.mark.page


# A tick every 10 seconds; a worker that missed three is not there.
ticks = override_settings(TICK_SECONDS=10)


def abort() -> None:
    raise OSError("no room for the cache")


def test_one_that_cannot_warm_up_leaves_the_worker_cold(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(warmup, "_registered", [])
    warmup.register(gc.collect)
    assert warmup.warm_up()
    warmup.register(abort)
    with caplog.at_level(logging.ERROR):
        assert not warmup.warm_up()
    assert caplog.text.count("cannot warm up") == 1


def test_functions_are_called_in_the_order_in_which_they_were_registered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called: list[str] = []
    monkeypatch.setattr(warmup, "_registered", [])
    warmup.register(lambda: called.append("first"))
    warmup.register(abort)
    warmup.register(lambda: called.append("last"))
    assert not warmup.warm_up()
    assert called == ["first", "last"]


def test_what_a_warm_up_loads_is_kept_and_what_comes_later_may_be_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[list[bool]] = []
    monkeypatch.setattr(warmup, "_registered", [])
    warmup.register(lambda: loaded.extend([gc.isenabled()] for _ in range(100_000)))
    warmup.register(abort)
    kept = gc.get_freeze_count()
    warmup.warm_up()
    assert loaded == [[False]] * 100_000
    # Some of what was frozen before may be gone by now.
    assert gc.get_freeze_count() >= kept + 50_000
    assert gc.isenabled()


@pytest.mark.django_db
@ticks
def test_health_wants_a_worker_heard_lately_and_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "worker_name", "w1")
    assert health.worker(NOON) == health.HealthFinding(False, "none heard lately")
    write_worker_heartbeat(NOON, warm=False, slots=2)
    assert health.worker(NOON) == health.HealthFinding(False, "heard, not warm yet")
    write_worker_heartbeat(NOON, warm=True, slots=2)
    assert health.worker(NOON + timedelta(seconds=30)) == health.HealthFinding(True, "heard and warm")
    assert health.worker(NOON + timedelta(seconds=31)) == health.HealthFinding(False, "none heard lately")
    early = NOON - timedelta(seconds=31)
    assert health.worker(early) == health.HealthFinding(False, "none heard lately"), "the clock was set back"
    assert health.worker(NOON - timedelta(seconds=29)).ok


def test_health_wants_a_queue_that_can_be_reached(broker: Path) -> None:
    assert health.broker().ok
    broker.rmdir()
    broker.write_text("a file where the folder should be")
    assert not health.broker().ok
