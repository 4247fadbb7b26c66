"""The pool's children, as the worker watches them."""

import os
from types import SimpleNamespace
from typing import Any

from celery.concurrency import get_implementation
from django.conf import settings
from kombu.asynchronous import Hub

from jobs.worker_child_processes import ForkedPool


def _child(sentinel: int) -> Any:
    return SimpleNamespace(_popen=SimpleNamespace(sentinel=sentinel))


def test_a_worker_that_connects_again_passes_by_a_child_whose_end_was_seen() -> None:
    pool: Any = ForkedPool.__new__(ForkedPool)
    hub = Hub()
    ends = [os.pipe() for _ in range(2)]
    living, ending = (_child(reading) for reading, _writing in ends)
    for child in (living, ending):
        pool._track_child_process(child, hub)
    watched = set(hub.readers)
    pool._untrack_child_process(ending, hub)
    for child in (living, ending):
        pool._track_child_process(child, hub)
    assert set(hub.readers) == {living._sentinel_poll} < watched
    hub.close()
    for fd in [living._sentinel_poll, *(fd for pair in ends for fd in pair)]:
        os.close(fd)


def test_workers_use_this_pool() -> None:
    named = settings.CELERY["worker_pool"]
    assert isinstance(named, str)
    assert get_implementation(named).Pool is ForkedPool
