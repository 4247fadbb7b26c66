"""Progress of a job whose work runs in a thread."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from jobs.progress_messages import Progress
from mining.cancellable_thread import run_in_thread

T = TypeVar("T")


class RepeatedProgress:
    """Progress of a job whose work runs in a thread: repeats the last report, so that the job can be stopped.

    A report raises an exception if the job should stop.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last: Callable[[], None] = partial(progress, None)

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        self._last = partial(self._progress, fraction, text, **values)
        self._last()

    def wait_for(self, work: Callable[[], T]) -> T:
        """Returns the result of `work`, computed in a thread; repeats the last report meanwhile."""
        return run_in_thread(work, self.repeat)

    def repeat(self) -> None:
        self._last()
