"""How many records a minute a survey's open link takes, so that a flood fills neither its batches nor its cap at once.

A token bucket in every process. Nothing is stored for it: a process looks at how many records
the survey has in all, which its page shows too, and takes from its bucket what has come since its last look, through
whichever process on whichever machine. So no time, address or key is stored or shared.

So it takes as many at once as come in one minute, and as many a minute from then on. A process that sees a survey
for the first time has a full bucket: after a restart nobody waits for what came before it. Between two looks a process
takes an eighth of what its bucket has at most, so that up to eight processes together stay near the rate.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

MINUTE = 60.0
LOOK = 1.0
"""Seconds after which a look is too old, and in which an empty bucket is not looked at again."""

PART = 8


@dataclass(slots=True)
class Bucket:
    """`level`: how many more records the survey takes at once; `left`: how many before the next look."""

    level: float
    received: int
    looked: float
    left: int = 0

    def due(self, now: float) -> bool:
        return now - self.looked >= LOOK or (self.left <= 0 and self.level >= 1)


class Rate:
    """The bucket's size is one minute of records: a class or a town hall that sends at the same moment is accepted.

    `a_minute` is the rate of surveys that have none of their own.
    """

    def __init__(
        self,
        a_minute: int,
        received: Callable[[int], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.a_minute, self.received, self.clock = a_minute, received, clock
        self._buckets: dict[int | str, Bucket] = {}
        self._lock = Lock()

    def admits(self, survey: int, name: str = "", a_minute: int | None = None) -> bool:
        """Whether this survey takes one more record now; asked once for each that would be stored.

        `name` is of this survey alone, where numbers come again; `a_minute` is its own rate, from the next look on.
        """
        key, now = name or survey, self.clock()
        with self._lock:
            bucket = self._buckets.get(key)
            due = bucket is None or bucket.due(now)
        if due:
            received = self.received(survey)
            with self._lock:
                bucket = self._looked(key, received, now, a_minute or self.a_minute)
        with self._lock:
            if bucket is None or bucket.left <= 0:
                return False
            bucket.left -= 1
            return True

    def _looked(self, key: int | str, received: int, now: float, a_minute: int) -> Bucket:
        """Refill the bucket, and take out what has come; what came too much is owed, up to one bucket."""
        if key not in self._buckets:
            self._buckets[key] = Bucket(a_minute, received, now)
        bucket = self._buckets[key]
        refilled = max(0.0, now - bucket.looked) * a_minute / MINUTE
        level = bucket.level + refilled - max(0, received - bucket.received)
        bucket.level = max(-a_minute, min(a_minute, level))
        bucket.received = max(received, bucket.received)
        bucket.looked = max(now, bucket.looked)
        bucket.left = max(1, int(bucket.level) // PART) if bucket.level >= 1 else 0
        return bucket
