"""The child processes of Celery's worker. Celery imports this before Django is set up."""

from typing import Any

from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool


class ForkedPool(AsynPool):
    """Celery pool that does not watch an ended child process again; watching it would end the worker.

    Celery stops watching a child when it sees its end, which can be before the system reports its exit status. The
    child then stays in the pool for up to five seconds.
    """

    def _track_child_process(self, proc: Any, hub: Any) -> None:
        is_ending = getattr(proc, "_sentinel_poll", 0) is None
        if not is_ending:
            super()._track_child_process(proc, hub)  # type: ignore[misc]


class ChildProcesses(TaskPool):
    Pool = ForkedPool
