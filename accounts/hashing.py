"""A limit on password hashing: two at a time in a process; a further one is refused at once.

A hash of Argon2 takes 100 MB and a third of a second of a processor, which the respondents' pages need too. One of
the two is kept for people who have proved something already: a known device, a session or a link that came by mail. So
sign-ins of strangers, however many, keep none of them out. Hashes run in threads of a lower priority, so that pages
are answered first.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from django.contrib.auth.hashers import Argon2PasswordHasher

AT_ONCE = 2
RETRY_SECONDS = 5

_slots = threading.BoundedSemaphore(AT_ONCE)
_for_strangers = threading.BoundedSemaphore(AT_ONCE - 1)
_thread = threading.local()
NICENESS = 5
"""A quarter of a processor beside pages that want all of it: enough for a sign-in to end."""

T = TypeVar("T")


class Busy(Exception):
    """As many passwords are hashed as may be at a time."""


@contextmanager
def slot(*, stranger: bool = False) -> Iterator[None]:
    """The right to hash passwords in this thread, until the block ends; `Busy` where there is none left."""
    if getattr(_thread, "has_slot", False):
        yield
        return
    with ExitStack() as taken:
        for semaphore in (_for_strangers, _slots) if stranger else (_slots,):
            if not semaphore.acquire(blocking=False):
                raise Busy
            taken.callback(semaphore.release)
        _thread.has_slot = True
        taken.callback(setattr, _thread, "has_slot", False)
        yield


def _yield_to_pages() -> None:
    # Of this thread, and of those that Argon2 starts from it.
    thread = threading.get_native_id()
    os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


_pools: list[ThreadPoolExecutor] = []


def _after_pages(hashed: Callable[[], T]) -> T:
    if not _pools:
        _pools.append(ThreadPoolExecutor(AT_ONCE, "hashing", _yield_to_pages))
    return _pools[0].submit(hashed).result()


# A child has none of its parent's threads.
os.register_at_fork(after_in_child=_pools.clear)


class LimitedArgon2(Argon2PasswordHasher):
    """Django's hasher within a slot, whatever asks for it: a form, the administration or a command.

    With one thread in place of eight: the work is the same, and eight of a lower priority outweigh one that makes a
    page.
    """

    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with slot():
            return _after_pages(lambda: super(LimitedArgon2, self).encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        with slot():
            return _after_pages(lambda: super(LimitedArgon2, self).verify(password, encoded))
