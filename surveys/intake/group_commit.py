"""Group commit: requests that arrive during a commit share the next one.

SQLite lets one write at a time and each commit waits for the disk, so that a queue of commits would take as many
waits as it is long. PostgreSQL does the same by itself.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from django.db import transaction

T = TypeVar("T")


class _Place(Generic[T]):
    """One who waits; `failure` where the common transaction failed."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.result: list[T] = []
        self.failure: Exception | None = None


class GroupCommit(Generic[T]):
    def __init__(self) -> None:
        self._turn, self._door = Lock(), Lock()
        self._waiting: list[_Place[T]] = []

    def do(self, work: Callable[[], T]) -> T:
        """Do this in a transaction, perhaps not alone in it and in another thread; returns once it is committed.

        What it raises is raised for all who are written with it, and nothing of any of them is stored.
        """
        place = _Place(work)
        with self._door:
            self._waiting.append(place)
        with self._turn:
            if not place.result and place.failure is None:
                with self._door:
                    places, self._waiting = self._waiting, []
                self._write(places)
        if place.failure is not None:
            raise place.failure
        return place.result[0]

    def _write(self, places: list[_Place[T]]) -> None:
        try:
            with transaction.atomic():
                results = [place.work() for place in places]
        except Exception as failure:
            for place in places:
                place.failure = failure
        else:
            for place, result in zip(places, results, strict=True):
                place.result.append(result)
