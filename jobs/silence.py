"""Which running jobs this process has seen no heartbeat of.

A heartbeat can be old by the clock because the database was away, because the clock was changed, or because
this very process was stopped. So a job counts as dead only if its heartbeat did not
change over at least two looks of this process, for `PATIENCE` heartbeats by its own clock.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import Error

from jobs.kinds import kinds
from jobs.models import State

Key = tuple[str, object]
# Missing heartbeats after which a job counts as dead.
PATIENCE = 4
LOOKS = 3


@dataclass
class LastBeat:
    """A job's heartbeat, since when it has not changed by our clock, and how often it was looked at."""

    heartbeat: datetime | None
    since: float
    looks: int = 1


class SilentJobs:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[Key, LastBeat] = {}
        self._looked = float("-inf")

    def look(self) -> None:
        """Every worker looks at every tick, so that the next one that reaps has looked for long enough."""
        try:
            hearts = {
                (model._meta.label_lower, pk): heartbeat
                for model in kinds()
                for pk, heartbeat in model._base_manager.filter(state=State.RUNNING).values_list(
                    "pk", "heartbeat"
                )
            }
        except Error:
            self._heard = {}
            raise
        now = self._clock()
        if now - self._looked > longest_gap():
            # Somebody stopped us or the database did not answer: nobody could be heard meanwhile.
            self._heard = {}
        self._looked = now
        self._heard = {key: self._again(key, heartbeat, now) for key, heartbeat in hearts.items()}

    def _again(self, key: Key, heartbeat: datetime | None, now: float) -> LastBeat:
        heard = self._heard.get(key)
        if heard is None or heard.heartbeat != heartbeat:
            return LastBeat(heartbeat, now)
        return LastBeat(heartbeat, heard.since, heard.looks + 1)

    def silent(self, label: str) -> set[object]:
        """The keys of the jobs of this model without a heartbeat for too long."""
        patience = PATIENCE * settings.HEARTBEAT_SECONDS
        return {
            pk
            for (of, pk), heard in self._heard.items()
            if of == label and heard.looks >= LOOKS and self._looked - heard.since >= patience
        }


def longest_gap() -> float:
    """Seconds between two looks: a tick, and what a tick may take."""
    return 1.5 * settings.TICK_SECONDS + settings.HEARTBEAT_SECONDS
