"""What Candor adds to Celery's worker: warming up, saying that it lives, the tick, and a good farewell."""

import logging
import os
import threading
from typing import Any

from celery import bootsteps
from django.conf import settings
from django.db import Error, connections

from jobs import clock, lease, presence, tick, transitions, warm

logger = logging.getLogger(__name__)

# A child forked while the tick's thread talks to the database would inherit a connection, or a lock that
# nobody is left to release. So no child is born while the thread is at it.
_births = threading.Lock()


class Tick(bootsteps.StartStopStep):
    requires = ("celery.worker.components:Pool",)

    def create(self, parent: Any) -> None:
        """Before any child is forked, so that all of them find everything warm."""
        # Our workers know of each other from the database; Celery's own gossip would only cost.
        parent.options.update(without_mingle=True, without_gossip=True, without_heartbeat=True)
        presence.name = f"{parent.hostname}:{os.getpid()}"
        self.warm = False
        self.hear()
        self.warm = warm.warm_up()
        self.hear()

    def hear(self) -> None:
        try:
            presence.hear(clock.now(), self.warm)
        except Error:
            logger.warning(
                "cannot say without the database that this worker lives; trying again", exc_info=True
            )
        finally:
            connections.close_all()

    def start(self, parent: Any) -> None:
        self.over = threading.Event()
        self.ticker = tick.Ticker(presence.name)
        self.thread = threading.Thread(target=self.run, name="tick", daemon=True)
        os.register_at_fork(
            before=_births.acquire, after_in_parent=_births.release, after_in_child=_births.release
        )
        self.thread.start()

    def run(self) -> None:
        while not self.over.is_set():
            with _births:
                self.hear()
                self.fire()
            self.over.wait(settings.TICK_SECONDS)

    def fire(self) -> None:
        try:
            self.ticker.fire(clock.now)
        except Error:
            logger.warning("the tick lost the database; trying again", exc_info=True)
        finally:
            connections.close_all()

    def close(self, parent: Any) -> None:
        """Before the pool waits for its children: what they do is given back, and they notice."""
        self.over.set()
        self.thread.join()
        try:
            transitions.give_back(presence.name)
            lease.release(tick.LEASE, presence.name)
            presence.leave()
        except Error:
            logger.warning("cannot say goodbye without the database", exc_info=True)
        finally:
            connections.close_all()
