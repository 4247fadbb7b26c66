"""What Candor adds to Celery's worker: warming up, saying that it lives, the tick, and a good farewell."""

import logging
import os
import threading
from typing import Any, NoReturn

from celery import bootsteps
from celery.worker import state
from django.conf import settings
from django.db import Error, connections

from jobs import clock, lease, presence, reaping, tick, transitions, warm
from jobs.listening import Cure, Deaf, Watch
from jobs.models import Worker

logger = logging.getLogger(__name__)

# A child forked while the tick's thread talks to the database would inherit a connection, or a lock that
# nobody is left to release. So no child is born while the thread is at it.
_births = threading.Lock()


class Hands(bootsteps.StartStopStep):
    """Asks the queue for a hint only while a process of the pool is free, so that none waits in a busy worker's memory
    while another worker is idle."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        # Messages that could not be acknowledged do not count: the broker was away, and is asked again.
        parent.task_consumer.channel.qos.can_consume = lambda: (
            len(state.reserved_requests) < parent.pool.num_processes
        )


class Tick(bootsteps.StartStopStep):
    requires = ("celery.worker.components:Pool",)

    def create(self, parent: Any) -> None:
        """Before any child is forked, so that all of them find everything warm."""
        # Our workers know of each other from the database; Celery's own gossip would only cost.
        parent.options.update(without_mingle=True, without_gossip=True, without_heartbeat=True)
        presence.name = f"{parent.hostname}:{os.getpid()}"
        self.slots, self.warm = parent.concurrency, False
        self.watch: Watch | None = None
        self.hear()
        self.warm = warm.warm_up()
        self.hear()

    def hear(self) -> None:
        try:
            presence.hear(clock.now(), self.warm, self.slots)
        except Error:
            logger.warning(
                "cannot say without the database that this worker lives; trying again", exc_info=True
            )
        finally:
            connections.close_all()

    def start(self, parent: Any) -> None:
        self.hub = parent.hub
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
                self.look()
                self.fire()
                self.listen()
            self.over.wait(settings.TICK_SECONDS)

    def look(self) -> None:
        """Holder of the lease or not: who takes it over must have looked for a while."""
        try:
            reaping.SILENCES.look()
        except Error:
            pass  # the tick, which comes next, says it
        finally:
            connections.close_all()

    def fire(self) -> None:
        try:
            self.ticker.fire(clock.now)
        except Error:
            logger.warning("the tick lost the database; trying again", exc_info=True)
        finally:
            connections.close_all()

    def listen(self) -> None:
        """Jobs may wait while this worker, free, takes none: then it connects to the queue anew, or ends."""
        try:
            now = clock.now()
            self.watch = self.watch or Watch(began=now)
            worker = Worker.objects.filter(name=presence.name).first()
            cure = self.watch.look(worker, now) if worker else Cure.NONE
        except Error:
            return
        finally:
            connections.close_all()
        if cure is Cure.RECONNECT:
            logger.error("jobs wait and this worker takes none; it connects to the queue anew")
            self.hub.call_soon(raise_deaf)
        elif cure is Cure.END:
            logger.critical("jobs wait and this worker still takes none; it ends, to be started anew")
            self.leave()
            os._exit(1)

    def close(self, parent: Any) -> None:
        """Before the pool waits for its children: what they do is given back, and they notice."""
        self.over.set()
        self.thread.join()
        self.leave()

    def leave(self) -> None:
        try:
            transitions.give_back(presence.name)
            lease.release(tick.LEASE, presence.name)
            presence.leave()
        except Error:
            logger.warning("cannot say goodbye without the database", exc_info=True)
        finally:
            connections.close_all()


def raise_deaf() -> NoReturn:
    raise Deaf("jobs wait and none is taken")
