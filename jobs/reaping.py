"""What the tick does for the jobs themselves: nothing is lost, whoever dies."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from jobs import queue
from jobs.kinds import kinds
from jobs.models import MOST_ATTEMPTS, Job, State, Trial, Worker
from jobs.words import Words

# Beats that may fail to come before a job is taken for dead.
PATIENCE = 4
AT_ONCE = 1000
GAVE_UP = Words(
    gettext_noop(
        "The worker stopped answering %(attempts)s times. The job may need more memory than there is: start it again "
        "with less to do at once, or ask the operator to look into the worker's log."
    ),
    {"attempts": MOST_ATTEMPTS},
)


def reap(now: datetime) -> None:
    """Jobs whose heartbeat is lost wait again, or have failed after the last attempt."""
    for model in kinds():
        reap_kind(model, now)


def reap_kind(model: type[Job], now: datetime) -> None:
    before = now - timedelta(seconds=PATIENCE * settings.HEARTBEAT_SECONDS)
    with transaction.atomic():
        # A row that is locked just now is being finished, whatever its heartbeat says.
        silent = model._base_manager.filter(state=State.RUNNING, heartbeat__lt=before)
        lost = list(silent.select_for_update(skip_locked=True).values_list("pk", flat=True))
        rows = model._base_manager.filter(pk__in=lost, state=State.RUNNING)
        rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=now)
        rows.filter(attempts__gte=MOST_ATTEMPTS).update(
            state=State.FAILED, claim="", finished=now, error=GAVE_UP.stored()
        )
        rows.update(state=State.QUEUED, claim="", hinted=None, fraction=None, words={})


def send_again(now: datetime) -> None:
    """Hint once more at waiting jobs whose hint was lost: those just reaped, and all if the queue is empty."""
    waiting = queue.hints()
    if waiting is None:
        return
    lost = Q(hinted__isnull=True)
    if not waiting:
        lost |= Q(hinted__lt=now - timedelta(seconds=2 * settings.TICK_SECONDS))
    for model in kinds():
        for job in model._base_manager.filter(lost, state=State.QUEUED).order_by("created")[:AT_ONCE]:
            if not queue.send_again(job, now):
                return


def forget(now: datetime) -> None:
    Worker.objects.filter(heard__lt=now - timedelta(hours=1)).delete()
    Trial.objects.filter(finished__lt=now - timedelta(days=1)).delete()
