"""The tick: calls periodic functions. Apps register functions here, and the one worker that has the lease
calls them.

A function gets the database's time and may be called early or by two workers in turn (when a stopped holder
wakes up), so it reads rows and changes them conditionally. It should take seconds; longer work is a job.

The lease is decided by one conditional UPDATE and expires when its holder dies. A lease that ends later than
a whole length from now counts as expired: it was taken before the clock was set back.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from jobs.models import Lease

logger = logging.getLogger(__name__)
Function = Callable[[datetime], object]
LEASE = "tick"
MOMENT = timedelta(seconds=1)  # another may have renewed the lease after this process read the clock


@dataclass(frozen=True)
class Registration:
    function: Function
    every: timedelta


_registered: dict[str, Registration] = {}


def register_periodic_function(name: str, function: Function, every: timedelta = timedelta(0)) -> None:
    """Registers a function that is called with the time at every tick, at most once per `every`.

    A second registration of the same name replaces the first. The function runs in the worker's main process
    and must not fork.
    """
    _registered[name] = Registration(function, every)


def registrations() -> dict[str, Registration]:
    return dict(_registered)


def is_due(last: datetime | None, every: timedelta, now: datetime) -> bool:
    """Returns True if `every` has passed since `last`, or the clock was set back meanwhile."""
    return last is None or not timedelta(0) <= now - last < every


@dataclass
class Ticker:
    """Caller of the registered functions for one worker, the `holder` of the lease.

    `fired`: the time of each function's last call.
    """

    holder: str
    fired: dict[str, datetime] = field(default_factory=dict)

    def call_due_functions_if_leased(self, clock: Callable[[], datetime]) -> bool:
        """Calls the functions that are due; returns False if another worker has the lease.

        A function that fails does not stop the others. The lease is renewed after each length of a tick, not
        before each function: every renewal is a write.
        """
        tick = timedelta(seconds=settings.TICK_SECONDS)
        renewed: datetime | None = None
        for name, registration in registrations().items():
            now = clock()
            if is_due(renewed, tick, now):
                if not take_lease(LEASE, self.holder, now, 3 * tick):
                    return False
                renewed = now
            if not is_due(self.fired.get(name), registration.every, now):
                continue
            self.fired[name] = now
            try:
                registration.function(now)
            except Exception:
                logger.exception("the tick's %s failed; it is tried again when it is due", name)
        return True


def take_lease(name: str, holder: str, now: datetime, length: timedelta) -> bool:
    """Takes or renews the lease; returns False while another process has it."""
    ours = Lease.objects.filter(
        Q(holder=holder) | Q(until__lte=now) | Q(until__gt=now + length + MOMENT), name=name
    )
    if ours.update(holder=holder, until=now + length):
        return True
    # The first holder ever inserts the row; of two, the second inserts none and finds it taken.
    first = Lease(name=name, holder=holder, until=now + length)
    Lease.objects.bulk_create([first], ignore_conflicts=True)
    return Lease.objects.filter(name=name, holder=holder, until=first.until).exists()


def release_lease(name: str, holder: str) -> None:
    Lease.objects.filter(name=name, holder=holder).delete()
