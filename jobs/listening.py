"""Detects that this worker takes no job although some wait, and lets it reconnect to the queue."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from django.conf import settings
from kombu.exceptions import ConnectionError as BrokerConnectionError

from jobs import queue, waiting
from jobs.models import Worker

# Celery itself may pause for half a minute before it connects to a broker that is back.
LONGEST_PAUSE = timedelta(seconds=40)


class NotListening(BrokerConnectionError):
    """Raised in the consumer's loop, which treats it as a lost connection and reconnects."""


class ListeningAction(Enum):
    NONE = "none"
    RECONNECT = "reconnect"
    END = "end"


@dataclass
class ListeningWatch:
    """`began`: when this worker could first take a job."""

    began: datetime
    reconnected: datetime | None = None

    def look(self, worker: Worker, now: datetime) -> ListeningAction:
        """What to do about this worker; called at every tick."""
        # The clock may have been set back.
        self.began = min(self.began, now)
        self.reconnected = self.reconnected and min(self.reconnected, now)
        limit = timedelta(seconds=waiting.TICKS * settings.TICK_SECONDS)
        waited = min(waiting.untaken(worker, now), now - self.began)
        if waited < limit:
            self.reconnected = None
            return ListeningAction.NONE
        if queue.hints() is None:
            # No hint can be heard while the broker is away. Celery goes on trying.
            return ListeningAction.NONE
        if self.reconnected is None:
            self.reconnected = now
            return ListeningAction.RECONNECT
        return (
            ListeningAction.END
            if now - self.reconnected >= max(limit, LONGEST_PAUSE)
            else ListeningAction.NONE
        )
