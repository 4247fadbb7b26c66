"""Steps of Celery's worker: warm-up, heartbeat, tick and graceful shutdown; a limit on prefetching; and what it does
with messages of another version.
"""

import logging
import os
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from celery import bootsteps
from celery.worker import state
from celery.worker.consumer import Consumer
from django.conf import settings
from django.db import Error, connections

from jobs import database, lease, presence, reaping, tick, transitions, warmup
from jobs.listening import ListeningAction, ListeningWatch, NotListening
from jobs.models import Worker

logger = logging.getLogger(__name__)

# A child forked while a thread uses the database would inherit its connection, or a lock that nobody releases. So no
# child is forked meanwhile. Each thread has a lock of its own: a tick that takes long keeps no heartbeat waiting.
_fork_locks = {"heartbeat": threading.Lock(), "tick": threading.Lock()}


class HintConsumer(Consumer):
    """While versions change, a message may name a task that this one does not have. It was a hint: its job's row waits,
    and the tick hints at it again."""

    def on_unknown_task(self: Any, body: Any, message: Any, exc: Exception) -> None:
        logger.warning("a message of another version was passed by; its job is sent again")
        message.reject_log_error(logger, self.connection_errors)


class PrefetchLimit(bootsteps.StartStopStep):
    """Fetches a message only while a process of the pool is free, so that none waits in a busy worker while another
    worker is idle."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        # Messages that could not be acknowledged do not count: the broker was away, and is asked again.
        parent.task_consumer.channel.qos.can_consume = lambda: (
            len(state.reserved_requests) < parent.pool.num_processes
        )


class WorkerStep(bootsteps.StartStopStep):
    requires = ("celery.worker.components:Pool",)

    def create(self, parent: Any) -> None:
        """Before any child is forked, so that all of them start warm."""
        # Our workers know of each other from the database; Celery's own gossip would only cost.
        parent.options.update(without_mingle=True, without_gossip=True, without_heartbeat=True)
        presence.name = f"{parent.hostname}:{os.getpid()}"
        self.slots, self.warm = parent.concurrency, False
        self.watch: ListeningWatch | None = None
        self.beat()
        self.warm = warmup.warm_up()
        self.beat()

    def beat(self) -> None:
        try:
            presence.beat(database.now(), self.warm, self.slots)
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
        self.threads = [
            threading.Thread(target=self.run, args=(name, work), name=name, daemon=True)
            for name, work in {"heartbeat": self.beat, "tick": self.tick}.items()
        ]
        for lock in _fork_locks.values():
            os.register_at_fork(
                before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
            )
        for thread in self.threads:
            thread.start()

    def run(self, name: str, work: Callable[[], object]) -> None:
        while not self.over.is_set():
            with _fork_locks[name]:
                work()
            self.over.wait(settings.TICK_SECONDS)

    def tick(self) -> None:
        self.look()
        self.fire()
        self.listen()

    def look(self) -> None:
        """Also without the lease: a worker that takes it over must have watched for a while."""
        try:
            reaping.SILENCES.look()
        except Error:
            pass  # the tick, which comes next, says it
        finally:
            connections.close_all()

    def fire(self) -> None:
        try:
            self.ticker.fire(database.now)
        except Error:
            logger.warning("the tick lost the database; trying again", exc_info=True)
        finally:
            connections.close_all()

    def listen(self) -> None:
        """Reconnect to the queue, or end, where jobs wait and this worker is free but takes none."""
        try:
            now = database.now()
            self.watch = self.watch or ListeningWatch(began=now)
            worker = Worker.objects.filter(name=presence.name).first()
            action = self.watch.look(worker, now) if worker else ListeningAction.NONE
        except Error:
            return
        finally:
            connections.close_all()
        if action is ListeningAction.RECONNECT:
            logger.error("jobs wait and this worker takes none; it connects to the queue anew")
            self.hub.call_soon(raise_not_listening)
        elif action is ListeningAction.END:
            logger.critical("jobs wait and this worker still takes none; it ends, to be started anew")
            self.leave()
            os._exit(1)

    def close(self, parent: Any) -> None:
        """Graceful shutdown: return running jobs to the queue before the pool waits for its children."""
        self.over.set()
        for thread in self.threads:
            thread.join()
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


def raise_not_listening() -> NoReturn:
    raise NotListening("jobs wait and none is taken")
