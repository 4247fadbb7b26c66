"""How much is let in: by token and in total, and never by address, since 500 people may share one.

Counts of the running minute in the memory of one process: no row and no log tells who came. In total a process
takes 120,000 posts, three times what it could store on the machines this was measured on: a class or a town hall
answering at once never meets the limit, and of a flood the rest is turned away before it reaches the database. A
token may be refused 300 times, so that one token alone cannot occupy a process. Only refusals are counted: a count of
everything would tell another person with the token whether its owner has used it in this minute.
"""

import time
from array import array
from collections.abc import Callable
from threading import Lock

IN_TOTAL = 120_000
BY_TOKEN = 300
MINUTE = 60
BUCKETS = 1 << 16


class Limits:
    def __init__(
        self,
        in_total: int = IN_TOTAL,
        by_token: int = BY_TOKEN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.in_total, self.by_token, self.clock = in_total, by_token, clock
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._minute = self.clock() // MINUTE
        self._total = 0
        # Tokens that share 16 bits of their hash share a count, which therefore never grows.
        self._tokens = array("I", bytes(4 * BUCKETS))

    def _fresh(self) -> None:
        if self.clock() // MINUTE != self._minute:
            self._begin()

    def admits(self) -> bool:
        with self._lock:
            self._fresh()
            self._total += 1
            return self._total <= self.in_total

    def admits_token(self, token_hash: str) -> bool:
        with self._lock:
            self._fresh()
            return self._tokens[_bucket(token_hash)] < self.by_token

    def count_refused(self, token_hash: str) -> None:
        """A token was shown with a record that could be stored, and was unknown or spent."""
        with self._lock:
            self._fresh()
            self._tokens[_bucket(token_hash)] += 1

    def seconds_left(self) -> int:
        """Until the next minute, in which it may be tried again."""
        return MINUTE - int(self.clock() % MINUTE)


def _bucket(token_hash: str) -> int:
    return int(token_hash[:4], 16)
