"""Group commit: requests that arrive during a commit share the next one.

SQLite lets one write at a time and each commit waits for the disk, so that a queue of commits would take as many
waits as it is long. PostgreSQL does the same by itself.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from django.db import transaction

T = TypeVar("T")


class _Request(Generic[T]):
    """One request that waits; `failure` where the shared transaction failed."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.result: list[T] = []
        self.failure: Exception | None = None


class GroupCommit(Generic[T]):
    def __init__(self) -> None:
        self._commit_lock, self._queue_lock = Lock(), Lock()
        self._waiting: list[_Request[T]] = []

    def do(self, work: Callable[[], T]) -> T:
        """Call `work` in a transaction that other requests may share, perhaps in another thread; return once it is
        committed. An exception of one is raised for all that share the transaction, and nothing of it is stored.
        """
        request = _Request(work)
        with self._queue_lock:
            self._waiting.append(request)
        with self._commit_lock:
            if not request.result and request.failure is None:
                with self._queue_lock:
                    requests, self._waiting = self._waiting, []
                self._write(requests)
        if request.failure is not None:
            raise request.failure
        return request.result[0]

    def _write(self, requests: list[_Request[T]]) -> None:
        try:
            with transaction.atomic():
                results = [request.work() for request in requests]
        except Exception as failure:
            for request in requests:
                request.failure = failure
        else:
            for request, result in zip(requests, results, strict=True):
                request.result.append(result)
