"""How long jobs have waited although a worker has a free process: so a worker that does not listen is noticed."""

from datetime import datetime, timedelta

from django.db.models import DateTimeField, F, Max, Min, Q
from django.db.models.functions import Coalesce, Greatest

from jobs import database
from jobs.kinds import kinds
from jobs.models import State, Worker

# A hint that was lost is sent again within three ticks; a worker that takes nothing for longer does not listen.
TICKS = 4


def untaken(worker: Worker, now: datetime) -> timedelta:
    """For how long jobs have waited while this worker had a free process and took none; zero where all is well."""
    since = oldest()
    if since is None or running(worker) >= worker.slots:
        return timedelta(0)
    return max(now - max(since, last_busy(worker, now) or since), timedelta(0))


def oldest() -> datetime | None:
    """Since when the job has waited that waits longest; one that was given back waits since its last heartbeat."""
    waits = Greatest(F("created"), Coalesce("heartbeat", "created"), output_field=DateTimeField())
    found = [
        model._base_manager.filter(state=State.QUEUED).aggregate(since=Min(waits))["since"]
        for model in kinds()
    ]
    return min((since for since in found if since), default=None)


def running(worker: Worker) -> int:
    return sum(
        model._base_manager.filter(state=State.RUNNING, worker=worker.name).count() for model in kinds()
    )


def last_busy(worker: Worker, now: datetime) -> datetime | None:
    """When this worker last took a job or ended one, but for those from before the clock was set back."""
    found: list[datetime | None] = []
    until = database.ahead(now)
    for model in kinds():
        ours = model._base_manager.filter(worker=worker.name)
        found += ours.aggregate(
            taken=Max("started", filter=Q(started__lte=until)),
            ended=Max("finished", filter=Q(finished__lte=until)),
        ).values()
    return max((moment for moment in found if moment), default=None)
