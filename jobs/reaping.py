"""What the tick does for jobs: requeues those whose worker died and sends lost messages again."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q
from django.utils.translation import gettext_noop

from jobs import database, queue
from jobs.kinds import kinds
from jobs.message import Message
from jobs.models import MOST_ATTEMPTS, Job, State, Trial, Worker
from jobs.silence import PATIENCE, SilentJobs

AT_ONCE = 1000
SILENCES = SilentJobs()
GAVE_UP = Message(
    gettext_noop(
        "The worker stopped answering %(attempts)s times. The job may need more memory than there is: start it again "
        "with less to do at once, or ask the operator to look into the worker's log."
    ),
    {"attempts": MOST_ATTEMPTS},
)


def reap(now: datetime, silences: SilentJobs = SILENCES) -> None:
    """Requeue the jobs without a heartbeat, or fail them after the last attempt."""
    for model in kinds():
        unheard = silences.silent(model._meta.label_lower)
        if unheard:
            reap_kind(model, now, unheard)


def reap_kind(model: type[Job], now: datetime, unheard: set[object]) -> None:
    before = now - timedelta(seconds=PATIENCE * settings.HEARTBEAT_SECONDS)
    lapsed = Q(heartbeat__lt=before) | Q(heartbeat__gt=database.ahead(now))
    with transaction.atomic():
        # A locked row is being finished just now, whatever its heartbeat says.
        silent = model._base_manager.filter(lapsed, pk__in=unheard, state=State.RUNNING)
        lost = list(silent.select_for_update(skip_locked=True).values_list("pk", flat=True))
        rows = model._base_manager.filter(pk__in=lost, state=State.RUNNING)
        rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=now)
        rows.filter(attempts__gte=MOST_ATTEMPTS).update(
            state=State.FAILED, claim="", finished=now, error=GAVE_UP.stored()
        )
        rows.update(state=State.QUEUED, claim="", hinted=None, fraction=None, words={})


def send_again(now: datetime) -> None:
    """Hint once more at waiting jobs whose hint was lost: those just reaped, those that others passed by, and all if
    the queue is empty."""
    waiting = queue.hints()
    if waiting is None:
        return
    margin = timedelta(seconds=2 * settings.TICK_SECONDS)
    lost = Q(hinted__isnull=True) | Q(hinted__gt=database.ahead(now))
    # Hints are read in order, so one before the last that was taken is not in the queue any more.
    taken = latest_taken(now)
    until = now - margin if not waiting else taken and taken - margin
    if until:
        lost |= Q(hinted__lt=until)
    for model in kinds():
        for job in model._base_manager.filter(lost, state=State.QUEUED).order_by("created")[:AT_ONCE]:
            if not queue.send_again(job, now):
                return


def latest_taken(now: datetime) -> datetime | None:
    """When the job that was taken last, of those hinted at latest, was hinted at."""
    found = [
        model._base_manager.exclude(state=State.QUEUED)
        .filter(started__isnull=False, hinted__lte=database.ahead(now))
        .aggregate(latest=Max("hinted"))["latest"]
        for model in kinds()
    ]
    return max((moment for moment in found if moment), default=None)


def forget(now: datetime) -> None:
    hour = timedelta(hours=1)
    Worker.objects.exclude(heard__range=(now - hour, now + hour)).delete()
    Trial.objects.filter(finished__lt=now - timedelta(days=1)).delete()
