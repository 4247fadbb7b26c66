import os
import signal
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from config.start import instance_lock

app = Celery("candor")
# Also for the threads of a web server, which would otherwise get an application of no broker.
app.set_default()
app.config_from_object(settings.CELERY)
app.steps["worker"].add("jobs.worker:WorkerStep")
app.steps["consumer"].add("jobs.worker:PrefetchLimit")


@app.task(name="jobs.work")
def perform_waiting_jobs() -> None:
    """Does all jobs that wait: the only Celery task, which `jobs.job_queue` sends."""
    from jobs import job_queue  # late for Django

    job_queue.attempt_waiting_jobs()


@signals.setup_logging.connect
def keep_our_logging(**kwargs: Any) -> None:
    """Signal receiver that keeps Celery from changing the log format and level."""
    from celery.apps import worker  # late for cost

    setattr(worker, "safe_say", lambda *args: None)  # noqa: B010 - its types name it nowhere


@signals.worker_init.connect
def end_with_supervisor(**kwargs: Any) -> None:
    """Ends the worker and its children at once when the supervisor ends; another worker continues its jobs."""

    def end_all(*args: object) -> None:
        os.killpg(os.getpgrp(), signal.SIGKILL)

    signal.signal(signal.SIGRTMIN, end_all)
    instance_lock.end_with_supervisor(signal.SIGRTMIN)


@signals.worker_init.connect
def lock_instance(**kwargs: Any) -> None:
    """Takes the shared lock of the instance when a worker starts; ends the worker if a restore runs.

    It is taken before child processes are forked, so that they share it.
    """
    try:
        instance_lock.lock_shared(settings.VAR)
    except instance_lock.InstanceLocked as reason:
        # Celery would write down any other exception, and go on.
        raise SystemExit(f"The worker does not start: {reason}") from None
