import os
import signal
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from config.start import running

app = Celery("candor")
# Also for the threads of a web server, which would otherwise get an application of no broker.
app.set_default()
app.config_from_object(settings.CELERY)
app.steps["worker"].add("jobs.worker:WorkerStep")
app.steps["consumer"].add("jobs.worker:PrefetchLimit")


@app.task(name="jobs.work")
def work() -> None:
    """The one task. `jobs.wake` sends it, as it is registered with it."""
    from jobs import wake  # late for Django

    wake.work()


@signals.setup_logging.connect
def keep_our_logging(**kwargs: Any) -> None:
    """Without a receiver Celery would log in a format of its own, and at a level of its own. What it prints when it is
    told to stop would pass by every log."""
    from celery.apps import worker  # late for cost

    setattr(worker, "safe_say", lambda *args: None)  # noqa: B010 - its types name it nowhere


@signals.worker_init.connect
def end_with_supervisor(**kwargs: Any) -> None:
    """At once, with all that it started: a job goes on in another worker. SIGTERM would wait for the job."""

    def end_all(*args: object) -> None:
        os.killpg(os.getpgrp(), signal.SIGKILL)

    signal.signal(signal.SIGRTMIN, end_all)
    running.end_with_supervisor(signal.SIGRTMIN)


@signals.worker_init.connect
def lock_instance(**kwargs: Any) -> None:
    """Before any child is forked, so that children share the lock too."""
    try:
        running.lock_shared(settings.VAR)
    except running.InstanceLocked as reason:
        # Celery would write down any other exception, and go on.
        raise SystemExit(f"The worker does not start: {reason}") from None
