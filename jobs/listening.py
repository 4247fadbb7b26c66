"""Notices that this worker takes no job although some wait, and makes it listen again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from django.conf import settings
from kombu.exceptions import ConnectionError as BrokerConnectionError

from jobs import queue, waiting
from jobs.models import Worker

# Celery itself may pause for half a minute before it connects to a broker that is back.
LONGEST_PAUSE = timedelta(seconds=40)


class Deaf(BrokerConnectionError):
    """Raised in the consumer's loop, which takes it for a lost connection and connects to the queue anew."""


class Cure(Enum):
    NONE = "none"
    RECONNECT = "reconnect"
    END = "end"


@dataclass
class Watch:
    """`began`: when this worker could first have taken a job."""

    began: datetime
    reconnected: datetime | None = None

    def look(self, worker: Worker, now: datetime) -> Cure:
        """What this worker needs; it is asked at every tick."""
        limit = timedelta(seconds=waiting.TICKS * settings.TICK_SECONDS)
        waited = min(waiting.untaken(worker, now), now - self.began)
        if waited < limit:
            self.reconnected = None
            return Cure.NONE
        if queue.hints() is None:
            # No hint can be heard while the broker is away. Celery goes on trying.
            return Cure.NONE
        if self.reconnected is None:
            self.reconnected = now
            return Cure.RECONNECT
        return Cure.END if now - self.reconnected >= max(limit, LONGEST_PAUSE) else Cure.NONE
