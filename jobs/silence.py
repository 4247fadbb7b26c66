"""Which running jobs have been silent for as long as this process was looking.

A heartbeat that is old by the clock may be old because the database was away, because the clock was changed, or because
this very process was stopped. So a job is taken for dead only if its heart did not beat from one look to the next, by
this process's own clock, at least twice and for as long as a heart may pause.
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
# Beats that may fail to come before a job is taken for dead.
PATIENCE = 4
LOOKS = 3


@dataclass
class Heard:
    """A job's heartbeat, since when it has not changed by our clock, and how often it was looked at."""

    heartbeat: datetime | None
    since: float
    looks: int = 1


class Silences:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[Key, Heard] = {}
        self._looked = float("-inf")

    def look(self) -> None:
        """Every worker looks at every tick, so that whoever reaps next has looked for long enough."""
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

    def _again(self, key: Key, heartbeat: datetime | None, now: float) -> Heard:
        heard = self._heard.get(key)
        if heard is None or heard.heartbeat != heartbeat:
            return Heard(heartbeat, now)
        return Heard(heartbeat, heard.since, heard.looks + 1)

    def silent(self, label: str) -> set[object]:
        """The keys of the jobs of this model whose heart has not been heard for too long."""
        patience = PATIENCE * settings.HEARTBEAT_SECONDS
        return {
            pk
            for (of, pk), heard in self._heard.items()
            if of == label and heard.looks >= LOOKS and self._looked - heard.since >= patience
        }


def longest_gap() -> float:
    """Seconds between two looks: a tick, and what a tick may take."""
    return 1.5 * settings.TICK_SECONDS + settings.HEARTBEAT_SECONDS
