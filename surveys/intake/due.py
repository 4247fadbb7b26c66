"""When something happens to what waits: after a record, at closing, with time, at destruction."""

import logging
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from surveys import lifecycle
from surveys.intake import merging, sealing, sweeping
from surveys.intake.accept import GRACE, Door, counted
from surveys.intake.models import Batch, FreshKey, Inbox, SeenKey, Token, Truth
from surveys.models import DesignChanged, Survey
from surveys.refused import Refused

logger = logging.getLogger(__name__)
State = Survey.State
SWEEP_EVERY = 10
"""Seconds: a sweep holds up new records for a moment, so under load the tick and not each sealing sweeps."""


class Pace:
    """How often one process looks whether something is due. Where its memory is wrong, the tick is right."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: dict[str, int] = {}
        self._swept = float("-inf")
        self._lock = Lock()

    def counts_now(self, slug: str) -> bool:
        with self._lock:
            self._left[slug] = self._left.get(slug, 1) - 1
            return self._left[slug] <= 0

    def next_count(self, slug: str, missing: int) -> None:
        """After a quarter of what is missing: four processes reach the mark together, and near it all count."""
        with self._lock:
            self._left[slug] = max(1, missing // 4)

    def sweeps_now(self) -> bool:
        with self._lock:
            due = self._clock() - self._swept >= SWEEP_EVERY
            if due:
                self._swept = self._clock()
            return due


_pace = Pace()


def settle(door: Door) -> None:
    """After a record was stored: look whether something is due, if that is worth while."""
    if _pace.counts_now(door.slug):
        _pace.next_count(door.slug, look(door))


def look(door: Door) -> int:
    """Seal, or close at the cap, if that is due; how many more records there would have to be."""
    counts = counted(door.survey)
    missing = 2 * door.design.least - counts.waiting
    if door.cap is not None and door.state == State.OPEN:
        missing = min(missing, door.cap - counts.received)
        if counts.received >= door.cap:
            _close(door.survey)
    if counts.waiting >= 2 * door.design.least:
        sealing.seal(door.survey, patient=False)
    if missing <= 0 and _pace.sweeps_now():
        sweeping.sweep(patience=0.2)
    return missing


def _close(survey: int) -> None:
    try:
        lifecycle.close(Survey.objects.get(pk=survey), None, timezone.now())
    except Refused:
        logger.info("a full survey was closed by somebody else")


def on_closing(survey: Survey, **kwargs: Any) -> None:
    """Inside the closing's transaction: all that wait are sealed if they are enough for a batch."""
    try:
        sealing.seal(survey.pk, everything=True)
    except DesignChanged:
        # Whatever has happened to its design, a survey can be closed.
        logger.exception("a survey was closed, but what waits cannot be sealed")
    transaction.on_commit(sweeping.sweep, robust=True)


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    forget(survey.pk)
    transaction.on_commit(sweeping.sweep, robust=True)


def forget(survey: int) -> None:
    """Delete all that was ever sent to a survey."""
    with transaction.atomic():
        for table in (Inbox, FreshKey, SeenKey, Token, Batch):
            if table.objects.filter(survey=survey).delete()[0]:
                sealing.owe([table])
        Truth.objects.filter(survey=survey).delete()


def tick(now: datetime) -> None:
    """Whatever a process that died, or that is not there, has left to be done."""
    _each(_to_seal(now), lambda survey: sealing.seal(survey[0], everything=survey[1]))
    _each(_to_merge(), merging.merge)
    # A record or an invitation that was on its way in while its survey was destroyed.
    _each(_left_behind(), forget)
    sweeping.sweep()


def _each(surveys: Iterable[Any], do: Callable[[Any], object]) -> None:
    for survey in surveys:
        try:
            do(survey)
        except Exception:
            logger.exception("a survey was passed over; it is tried again at the next tick")


def _to_seal(now: datetime) -> list[tuple[int, bool]]:
    """Surveys with perhaps enough waiting, and whether all of it is sealed since no more can come."""
    found = []
    waiting = Inbox.objects.values_list("survey", "survey__state", "survey__closed_at").annotate(
        n=Count("pk")
    )
    for survey, state, closed_at, _n in waiting.filter(n__gte=settings.LEAST_FLOOR):
        over = state in (State.CLOSED, State.ARCHIVED) and closed_at is not None and now > closed_at + GRACE
        found.append((survey, over))
    return found


def _to_merge() -> list[int]:
    many = Batch.objects.values("survey").annotate(n=Count("pk")).filter(n__gte=merging.FEWEST)
    return list(many.values_list("survey", flat=True))


def _left_behind() -> set[int]:
    destroyed = Survey.objects.filter(state=State.DESTROYED)
    return {
        survey
        for table in (Inbox, FreshKey, Token)
        for survey in table.objects.filter(survey__in=destroyed).values_list("survey", flat=True).distinct()
    }
