"""Rate limits on records: in total, by token and by open link; never by network address, which 500 people may share.

Nothing is stored for it: no row and no log tells who came.
"""

import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

IN_TOTAL = 120_000
BY_TOKEN = 300
MINUTE = 60
BUCKETS = 1 << 16
LOOK = 1.0
"""Seconds after which a survey's number of records is queried again, at the latest, to refill its bucket."""

PART = 8


class RequestLimits:
    """Limits on POST requests in the current minute, counted in the memory of one process.

    In total a process takes 120,000 posts, three times what it could store where this was measured, so a class that
    answers at once never meets the limit, and most of a flood is refused before it reaches the database. A token may be
    refused 300 times, so that one token cannot occupy a process. Only refusals are counted by token: a count of all
    posts would tell another holder of the token if its owner has just used it.
    """

    def __init__(
        self,
        in_total: int = IN_TOTAL,
        by_token: int = BY_TOKEN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.in_total, self.by_token, self.clock = in_total, by_token, clock
        self._lock = Lock()
        self._begin_minute()

    def _begin_minute(self) -> None:
        self._minute = self.clock() // MINUTE
        self._total = 0
        # Tokens that share 16 bits of their hash share a count, which therefore never grows.
        self._tokens = array("I", bytes(4 * BUCKETS))

    def _begin_new_minute_if_due(self) -> None:
        if self.clock() // MINUTE != self._minute:
            self._begin_minute()

    def try_acquire(self) -> bool:
        """Counts a POST request; returns True if this minute's limit is not exceeded."""
        with self._lock:
            self._begin_new_minute_if_due()
            self._total += 1
            return self._total <= self.in_total

    def admits_token(self, token_hash: bytes) -> bool:
        with self._lock:
            self._begin_new_minute_if_due()
            return self._tokens[_token_counter_index(token_hash)] < self.by_token

    def count_refused(self, token_hash: bytes) -> None:
        """Counts a refusal of this token, which is unknown or spent."""
        with self._lock:
            self._begin_new_minute_if_due()
            self._tokens[_token_counter_index(token_hash)] += 1

    def seconds_left(self) -> int:
        """Returns the seconds until the next minute begins, after which the sender may try again."""
        return MINUTE - int(self.clock() % MINUTE)


def _token_counter_index(token_hash: bytes) -> int:
    return int.from_bytes(token_hash[:2])


@dataclass(slots=True)
class Bucket:
    """Token bucket of one survey.

    `level`: records that the survey may store now; `left`: how many of them before the next refill.
    """

    level: float
    received: int
    looked: float
    left: int = 0

    def is_refill_due(self, now: float) -> bool:
        return now - self.looked >= LOOK or (self.left <= 0 and self.level >= 1)


class RecordRateLimit:
    """Rate limit of a survey's open link: how many records a minute it takes, so that a flood fills neither
    its batches nor its cap.

    It is a token bucket in every process. A process queries how many records the survey has in all, and takes
    from its bucket the number that came since its last query, through whichever process on whichever machine.
    So no time, address or key is stored or shared.

    The bucket's size is one minute of records: a class or a town hall that sends at the same moment is
    accepted, and as many a minute from then on. A process that sees a survey for the first time has a full
    bucket: after a restart nobody waits for what came before it. Between two queries a process takes at most
    an eighth of its bucket, so that up to eight processes together stay near the rate.

    `a_minute` is the rate of surveys without a rate of their own.
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

    def try_acquire(self, survey: int, name: str = "", a_minute: int | None = None) -> bool:
        """Takes one record from the survey's bucket; returns True if the survey may store it now.

        `name` identifies the survey where ids are reused; `a_minute` is the survey's own rate, used from the
        next refill on.
        """
        key, now = name or survey, self.clock()
        with self._lock:
            bucket = self._buckets.get(key)
            is_due = bucket is None or bucket.is_refill_due(now)
        if is_due:
            received = self.received(survey)
            with self._lock:
                bucket = self._refill(key, received, now, a_minute or self.a_minute)
        with self._lock:
            if bucket is None or bucket.left <= 0:
                return False
            bucket.left -= 1
            return True

    def _refill(self, key: int | str, received: int, now: float, a_minute: int) -> Bucket:
        """Refills the survey's bucket by the time passed, minus the records received since the last refill.

        The level is at least minus one bucket.
        """
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
