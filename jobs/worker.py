"""Celery worker steps: warm-up, heartbeat, tick, graceful shutdown, prefetch limit, and messages of other versions."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from celery import bootsteps
from celery.worker import state
from celery.worker.consumer import Consumer
from django.conf import settings
from django.db import Error, connections

from jobs import (
    database,
    health,
    job_attempt,
    job_queue,
    job_state_changes,
    running_job_heartbeats,
    tick,
    warmup,
)
from jobs.models import Worker

logger = logging.getLogger(__name__)

# A child forked while a thread uses the database would inherit its connection, or a lock that nobody releases. So no
# child is forked meanwhile. The two threads have a lock each: a long tick delays no heartbeat.
_fork_locks = {"heartbeat": threading.Lock(), "tick": threading.Lock()}


class QuietConsumer(Consumer):
    """Celery consumer that rejects messages with a task of another version; the job's row waits for the next
    message."""

    def on_unknown_task(self: Any, body: Any, message: Any, exc: Exception) -> None:
        logger.warning("a message of another version was passed by; its job waits for the next")
        message.reject_log_error(logger, self.connection_errors)


class PrefetchLimit(bootsteps.StartStopStep):
    """Worker step that fetches a message only while a process of the pool is free, so that no message waits in a busy
    worker while another worker is idle."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        # Not counted are messages that could not be acknowledged: the broker was away, and sends them again.
        parent.task_consumer.channel.qos.can_consume = lambda: (
            len(state.reserved_requests) < parent.pool.num_processes
        )


@dataclass
class IdleWatch:
    """Detector of a worker that is free (since `since`) and claims no job although some wait."""

    since: datetime

    def must_end(self, worker: Worker, now: datetime, *, connected: bool) -> bool:
        """Returns True if the worker has let jobs wait for too long and has to be started again; called at every
        tick."""
        self.since = min(self.since, now)  # the clock may have been set back
        if not connected:
            self.since = now
        if min(health.unclaimed_wait(worker, now), now - self.since) < health.max_unclaimed_wait():
            return False
        if job_queue.is_queue_reachable():
            return True
        self.since = now
        return False


def write_worker_heartbeat(now: datetime, *, warm: bool, slots: int) -> None:
    """Writes the heartbeat of this worker; `slots`: how many jobs it performs at a time."""
    values = {"heard": now, "warm": warm, "slots": slots}
    Worker.objects.update_or_create(name=job_attempt.worker_name, defaults=values)


def requeue_jobs_and_deregister_worker() -> None:
    """Requeues this worker's running jobs, releases its lease and deletes its row."""
    job_attempt.stop_claiming()
    with tolerating_database_loss("cannot say goodbye without the database"):
        job_state_changes.requeue_all_of_worker(job_attempt.worker_name)
        tick.release_lease(tick.LEASE, job_attempt.worker_name)
        Worker.objects.filter(name=job_attempt.worker_name).delete()


@contextmanager
def tolerating_database_loss(warning: str = "") -> Iterator[None]:
    """Context manager: logs `warning` and goes on if the database is lost; always closes this thread's connections."""
    try:
        yield
    except Error:
        if warning:
            logger.warning(warning, exc_info=True)
    finally:
        connections.close_all()


class WorkerStep(bootsteps.StartStopStep):
    requires = ("celery.worker.components:Pool",)

    def create(self, parent: Any) -> None:
        """Loads the kernels (compiled functions) or starts compiling them, before any child is forked, so that all
        children have them."""
        # Workers know of each other from the database; Celery's own messages between workers would only cost.
        parent.options.update(without_mingle=True, without_gossip=True, without_heartbeat=True)
        job_attempt.worker_name = f"{parent.hostname}:{os.getpid()}"
        self.slots, self.warm_up = parent.concurrency, warmup.WarmUp()
        self.watch: IdleWatch | None = None
        self.write_heartbeat_and_warm_up()

    def write_heartbeat_and_warm_up(self) -> None:
        with tolerating_database_loss("cannot say without the database that this worker lives; trying again"):
            write_worker_heartbeat(database.now(), warm=self.warm_up.warm, slots=self.slots)
        if self.warm_up.load_or_compile_kernels():
            self.write_heartbeat_and_warm_up()

    def start(self, parent: Any) -> None:
        """Starts the threads that write the worker's heartbeat and call the tick."""
        self.worker = parent
        self.over = threading.Event()
        self.ticker = tick.Ticker(job_attempt.worker_name)
        self.threads = [
            threading.Thread(target=self.run, args=(name, work), name=name, daemon=True)
            for name, work in {"heartbeat": self.write_heartbeat_and_warm_up, "tick": self.tick}.items()
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
        missing = running_job_heartbeats.MISSING_HEARTBEATS
        with (
            tolerating_database_loss("the tick lost the database; trying again"),
            missing.reading_heartbeats(),
        ):
            self.ticker.call_due_functions_if_leased(database.now)
        self.end_if_idle()

    def end_if_idle(self) -> None:
        """Ends the worker, to be started again, if jobs wait and it is free but claims none."""
        must_end = False
        with tolerating_database_loss():
            now = database.now()
            self.watch = self.watch or IdleWatch(now)
            worker = Worker.objects.filter(name=job_attempt.worker_name).first()
            # Celery has no connection while it tries to reach a broker that is away.
            connected = getattr(getattr(self.worker, "consumer", None), "connection", None) is not None
            must_end = worker is not None and self.watch.must_end(worker, now, connected=connected)
        if must_end:
            logger.critical("jobs wait and this worker takes none; it ends, to be started again")
            requeue_jobs_and_deregister_worker()
            os._exit(1)

    def close(self, parent: Any) -> None:
        """Shuts down gracefully: requeues running jobs before the pool waits for its children."""
        self.over.set()
        for thread in self.threads:
            thread.join()
        requeue_jobs_and_deregister_worker()
