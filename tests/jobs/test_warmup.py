"""A worker becomes warm once all kernels are compiled and loaded; health and the pool as the worker sees them."""

import errno
import gc
import logging
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery.concurrency import get_implementation
from django.conf import settings
from kombu.asynchronous import Hub

from jobs import health, job_attempt, warmup
from jobs.models import Worker
from jobs.worker import WorkerStep, write_worker_heartbeat
from jobs.worker_child_processes import ForkedPool
from mining import compile_kernels
from privacy import machine_code_cache
from tests.jobs.conftest import NOON

pytestmark = pytest.mark.page
Started = list[SimpleNamespace]


@pytest.fixture(autouse=True)
def some_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Two kernels that are not compiled; the names of those that are loaded."""
    loaded: list[str] = []
    kernels = {name: (lambda name=name: loaded.append(name)) for name in ("runs", "releases")}
    monkeypatch.setattr(compile_kernels, "KERNELS", kernels)
    monkeypatch.setattr(machine_code_cache, "cache_folder", lambda: tmp_path)
    return loaded


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> Started:
    """The processes that would compile; `status` is what they end with."""
    processes: Started = []

    def start() -> SimpleNamespace:
        processes.append(SimpleNamespace(status=None))
        processes[-1].poll = lambda: processes[-1].status
        return processes[-1]

    monkeypatch.setattr(warmup, "start_compiling", start)
    return processes


def compile_empty(*names: str) -> None:
    for name in names:
        with machine_code_cache.compile_once(name):
            pass


def test_worker_is_warm_when_all_kernels_are_compiled(some_kernels: list[str], compilations: Started) -> None:
    warm_up = warmup.WarmUp()
    assert not warm_up.load_or_compile_kernels()
    compile_empty("runs")
    assert not warm_up.load_or_compile_kernels()
    assert (some_kernels, len(compilations), warm_up.warm) == ([], 1, False)
    compile_empty("releases")
    for next_worker in (warm_up, warmup.WarmUp()):
        assert next_worker.load_or_compile_kernels()
        assert (next_worker.warm, len(compilations)) == (True, 1)
        assert not next_worker.load_or_compile_kernels(), "it becomes warm once"
    assert some_kernels == ["runs", "releases"] * 2


def test_worker_stays_cold_where_nothing_can_be_compiled_or_loaded(
    compilations: Started, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def raise_no_room() -> None:
        raise OSError("no room for the cache")

    caplog.set_level(logging.ERROR)
    warm_up = warmup.WarmUp()
    warm_up.load_or_compile_kernels()
    compilations[0].status = 3
    for _ in range(2):
        assert not warm_up.load_or_compile_kernels()
    assert caplog.text.count("cannot warm up") == 1
    assert "ended with status 3" in caplog.text
    assert len(compilations) == 1
    compile_empty("runs", "releases")
    monkeypatch.setitem(compile_kernels.KERNELS, "runs", raise_no_room)
    warm_up = warmup.WarmUp()
    for _ in range(2):
        assert not warm_up.load_or_compile_kernels()
    assert caplog.text.count("cannot warm up") == 2


def test_kernels_are_compiled_later_if_the_disk_was_full(
    compilations: Started, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    warm_up = warmup.WarmUp()
    warm_up.load_or_compile_kernels()
    compilations[0].status = compile_kernels.NO_ROOM
    with caplog.at_level(logging.ERROR):
        for now[0] in (10.0, 20.0, 309.0):
            assert not warm_up.load_or_compile_kernels()
    assert (len(compilations), len(caplog.records)) == (1, 1)
    now[0] = 310.0
    warm_up.load_or_compile_kernels()
    assert len(compilations) == 2
    compile_empty("runs", "releases")
    assert warm_up.load_or_compile_kernels()


def test_full_disk_during_warm_up_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (compile_kernels.main(), capsys.readouterr().err) == (0, "")

    def load() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "x.nbi")

    monkeypatch.setattr(compile_kernels, "KERNELS", {"runs": load})
    assert compile_kernels.main() == compile_kernels.NO_ROOM
    (line,) = capsys.readouterr().err.splitlines()
    assert "x.nbi: No space left" in line


def test_worker_restart_leaves_the_compiler_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends a worker's group of processes does not reach the process that compiles."""
    monkeypatch.setattr(compile_kernels, "__name__", "http.server")  # a module that runs until it is stopped
    script = "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.killpg(0, signal.SIGTERM)"
    process = warmup.start_compiling()
    try:
        assert os.getsid(process.pid) == process.pid != os.getsid(0)
        subprocess.run([sys.executable, "-c", script], check=True, start_new_session=True)
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_compiler_uses_the_workers_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    requested: dict[str, str] = {}
    monkeypatch.setattr(subprocess, "Popen", lambda _words, env, **_options: requested.update(env))
    warmup.start_compiling()
    assert requested["NUMBA_CACHE_DIR"] == str(tmp_path.parent)


@pytest.mark.django_db
def test_heartbeat_reports_a_warm_worker(monkeypatch: pytest.MonkeyPatch, compilations: Started) -> None:
    monkeypatch.setattr(job_attempt, "worker_name", "w1")
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    step = WorkerStep.__new__(WorkerStep)
    step.slots, step.warm_up = 2, warmup.WarmUp()
    step.write_heartbeat_and_warm_up()
    assert not Worker.objects.get().warm
    compile_empty("runs", "releases")
    step.write_heartbeat_and_warm_up()
    assert Worker.objects.get().warm
    assert len(compilations) == 1


def test_modules_loaded_by_warm_up_are_not_garbage_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_empty("runs", "releases")
    loaded: list[list[bool]] = []
    load = {"runs": lambda: loaded.extend([gc.isenabled()] for _ in range(100_000))}
    monkeypatch.setattr(compile_kernels, "KERNELS", load)
    kept = gc.get_freeze_count()
    warmup.WarmUp().load_or_compile_kernels()
    assert loaded == [[False]] * 100_000
    # Some of what was frozen before may be gone by now.
    assert gc.get_freeze_count() >= kept + 50_000
    assert gc.isenabled()


@pytest.mark.django_db
def test_health_needs_a_recent_warm_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that missed three ticks is not there; nor is one whose last word lies ahead, after the clock was set back."""
    monkeypatch.setattr(job_attempt, "worker_name", "w1")
    away, cold = (health.HealthFinding(False, says) for says in ("none heard lately", "heard, not warm yet"))
    well = health.HealthFinding(True, "heard and warm")
    assert health.check_worker(NOON) == away
    write_worker_heartbeat(NOON, warm=False, slots=2)
    assert health.check_worker(NOON) == cold
    write_worker_heartbeat(NOON, warm=True, slots=2)
    found = {at: health.check_worker(NOON + timedelta(seconds=at)) for at in (-31, -29, 30, 31)}
    assert found == {-31: away, -29: well, 30: well, 31: away}


def test_reconnecting_worker_skips_a_pool_child_that_ended() -> None:
    named = settings.CELERY["worker_pool"]
    assert isinstance(named, str)
    assert get_implementation(named).Pool is ForkedPool
    pool: Any = ForkedPool.__new__(ForkedPool)
    hub = Hub()
    ends = [os.pipe() for _ in range(2)]
    children: list[Any] = [
        SimpleNamespace(_popen=SimpleNamespace(sentinel=reading)) for reading, _writing in ends
    ]
    living, ending = children
    for child in children:
        pool._track_child_process(child, hub)
    watched = set(hub.readers)
    pool._untrack_child_process(ending, hub)
    for child in children:
        pool._track_child_process(child, hub)
    assert set(hub.readers) == {living._sentinel_poll} < watched
    hub.close()
    for fd in [living._sentinel_poll, *(fd for pair in ends for fd in pair)]:
        os.close(fd)
