"""Work in a thread is left when its job is cancelled, and tells what it raised."""

import threading
import time

import pytest

from jobs.progress_messages import Cancelled
from mining import cancellable_thread
from mining.cancellable_thread import run_in_thread
from tests import servers


def cancel() -> None:
    raise Cancelled


def test_native_code_is_left_within_a_second_of_cancelling() -> None:
    begun, over = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        over.wait()

    with pytest.raises(Cancelled):
        run_in_thread(work, cancel)
    assert begun.is_set()
    over.set()


def test_work_abandoned_before_its_thread_starts_leaves_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    class SlowThread(threading.Thread):
        def run(self) -> None:
            time.sleep(0.1)
            super().run()

    unhandled: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unhandled.append)
    monkeypatch.setattr(threading, "Thread", SlowThread)
    monkeypatch.setattr(cancellable_thread, "PAUSE", 0)
    over = threading.Event()
    with pytest.raises(Cancelled):
        run_in_thread(over.wait, cancel)
    [thread] = [thread for thread in threading.enumerate() if isinstance(thread, SlowThread)]
    over.set()
    thread.join(servers.PATIENCE)
    assert unhandled == []


def test_python_work_ends_at_its_next_step() -> None:
    waited, ended = threading.Event(), threading.Event()

    def work() -> None:
        try:
            while True:
                waited.wait(0.01)
        finally:
            ended.set()

    with pytest.raises(Cancelled):
        run_in_thread(work, cancel)
    assert ended.wait(30)


def test_exception_of_the_work_is_raised_to_the_waiting_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        run_in_thread(lambda: 1 // 0, lambda: None)
