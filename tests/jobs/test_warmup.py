import logging
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import override_settings
from pytest_django.fixtures import Settings

from jobs import health, presence, warmup
from jobs.models import Worker
from tests.jobs.conftest import NOON

# A tick every 10 seconds; a worker that missed three is not there.
ticks = override_settings(TICK_SECONDS=10)


@pytest.mark.slow
def test_one_that_cannot_warm_up_leaves_the_worker_cold(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WARM_UP = "gc.collect"
    assert warmup.warm_up()
    for broken in ("os.abort_softly", "os.fspath"):
        settings.WARM_UP = broken
        with caplog.at_level(logging.ERROR):
            assert not warmup.warm_up()
    assert caplog.text.count("cannot warm up") == 2


@pytest.mark.django_db
@ticks
def test_health_wants_a_worker_heard_lately_and_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "name", "w1")
    assert health.worker(NOON) == health.HealthFinding(False, "none heard lately")
    presence.beat(NOON, warm=False, slots=2)
    assert health.worker(NOON) == health.HealthFinding(False, "heard, not warm yet")
    presence.beat(NOON, warm=True, slots=2)
    assert health.worker(NOON + timedelta(seconds=30)) == health.HealthFinding(True, "heard and warm")
    assert health.worker(NOON + timedelta(seconds=31)) == health.HealthFinding(False, "none heard lately")
    early = NOON - timedelta(seconds=31)
    assert health.worker(early) == health.HealthFinding(False, "none heard lately"), "the clock was set back"
    assert health.worker(NOON - timedelta(seconds=29)).ok
    presence.leave()
    assert not Worker.objects.exists()


def test_health_wants_a_queue_that_can_be_reached(broker: Path) -> None:
    assert health.broker().ok
    broker.rmdir()
    broker.write_text("a file where the folder should be")
    assert not health.broker().ok
