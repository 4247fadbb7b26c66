"""Seals, closes, merges and deletes when it is due: after a record, at closing, at a tick, at destruction."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Model
from django.dispatch import Signal
from django.utils import timezone

from intake.batches import merging, sealing, sweeping
from intake.endpoint.accept import GRACE, PublicSurvey, count_received
from intake.models import Batch, ExpiringKeys, FreshKey, Inbox, SeenKey, SpentToken, Token, WaitCount
from surveys.lifecycle import states as lifecycle
from surveys.lifecycle.counts import Counts, records_that_fill_a_batch
from surveys.models import DesignChanged, InvitationKey, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

logger = logging.getLogger(__name__)
State = Survey.State
everything_deleted = Signal()
"""Sent with the number of a `survey` when all that was ever sent to it is deleted, inside that transaction."""

KEYS = (FreshKey, SeenKey, ExpiringKeys)
KEYS_KEPT = timedelta(days=7)
"""So long after a survey is finished a browser that got no reply still learns whether its record has arrived."""

SWEEP_EVERY = 30
"""Seconds: a sweep delays new records for a moment, so under load the tick sweeps and not each sealing."""

SEAL_EVERY = 1
"""Seconds: under load a survey is sealed less often, and its batches grow."""


@dataclass(slots=True)
class CountState:
    """What one process knows about a survey.

    `received`: its records at the last count, None before the first. `own`: records stored by this process since.
    `left`: how many more before the next count. `is_counting`: a thread counts now.
    """

    received: int | None = None
    own: int = 0
    left: int = 1
    is_counting: bool = False


class CountPacing:
    """Decides after which stored records a process counts whether something is due, so that few records cost a count,
    and that a survey is sealed at most once a second, whoever seals it.

    What it misses, the periodic job (`jobs/tick.py`) finds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: defaultdict[str, CountState] = defaultdict(CountState)
        self._sealings: dict[str, tuple[int, float]] = {}
        self._swept = float("-inf")
        self._lock = Lock()

    def counts_now(self, slug: str) -> bool:
        """Called once for each stored record. True for one caller, then False until that one calls `next_count`."""
        with self._lock:
            state = self._states[slug]
            state.own += 1
            state.left -= 1
            counts = state.left <= 0 and not state.is_counting
            state.is_counting = state.is_counting or counts
            return counts

    def next_count(self, slug: str, missing: int, received: int) -> None:
        """Count again after this process's share of what is missing: the share it had of what came since last time.

        Of the first count no share is known; a quarter lets four processes reach the mark together.
        """
        with self._lock:
            state = self._states[slug]
            share = (
                0.25 if state.received is None else state.own / max(state.own, received - state.received, 1)
            )
            self._states[slug] = CountState(received, 0, max(1, int(missing * share)))

    def give_up(self, slug: str) -> None:
        """After a count that failed: the next record counts."""
        with self._lock:
            self._states[slug].is_counting = False

    def seals_now(self, slug: str, sealed: int) -> bool:
        """Whether no sealing was seen for a second; a new number of `sealed` records shows one."""
        with self._lock:
            now = self._clock()
            known, when = self._sealings.get(slug, (sealed, float("-inf")))
            if sealed != known:
                when = now
            self._sealings[slug] = sealed, when
            return now - when >= SEAL_EVERY

    def sweeps_now(self) -> bool:
        with self._lock:
            due = self._clock() - self._swept >= SWEEP_EVERY
            if due:
                self._swept = self._clock()
            return due


_pacing = CountPacing()


def after_record(public: PublicSurvey) -> None:
    """Called after a record was stored: seal or close if that is due. Counts only now and then."""
    if not _pacing.counts_now(public.slug):
        return
    try:
        counts = count_received(public.survey)
        missing = seal_or_close(public, counts, may_seal=_pacing.seals_now(public.slug, counts.sealed))
    except BaseException:
        _pacing.give_up(public.slug)
        raise
    _pacing.next_count(public.slug, missing, counts.received)


def seal_or_close(public: PublicSurvey, counts: Counts, *, may_seal: bool = True) -> int:
    """Seal, or close at the cap, if that is due; return how many records are missing until the next time."""
    missing = records_that_fill_a_batch(public.design.least) - counts.waiting
    to_cap = missing
    if public.cap is not None and public.state == State.OPEN:
        to_cap = public.cap - counts.received
        if to_cap <= 0:
            try:
                lifecycle.close_survey(Survey.objects.get(pk=public.survey), None, timezone.now())
            except NotAllowed:
                logger.info("a full survey was closed by somebody else")
    if missing <= 0:
        # 0: somebody else is sealing just now, or has a moment ago.
        n = sealing.seal(public.survey, patient=False) if may_seal else 0
        missing += n or public.design.least
        if n and _pacing.sweeps_now():
            sweeping.sweep(patience=0.2)
    return min(missing, to_cap)


def on_closing(survey: Survey, **kwargs: Any) -> None:
    """Inside the closing's transaction: seal all records that wait, if they are enough for a batch."""
    try:
        sealing.seal(survey.pk, everything=True)
    except DesignChanged:
        # Whatever has happened to its design, a survey can be closed.
        logger.exception("a survey was closed, but what waits cannot be sealed")
    transaction.on_commit(sweeping.sweep, robust=True)


def on_finishing(survey: Survey, now: datetime, **kwargs: Any) -> None:
    """Delete the key that signs invitations, so that nobody can make a token, and let submission keys expire."""
    _delete(survey.pk, InvitationKey)
    ExpiringKeys.objects.create(survey=survey, due=now + KEYS_KEPT)


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    delete_everything(survey.pk)
    transaction.on_commit(sweeping.sweep, robust=True)


def delete_everything(survey: int) -> None:
    """Delete all that was ever sent to a survey."""
    with transaction.atomic():
        _delete(survey, *KEYS, Inbox, Token, SpentToken, Batch, WaitCount, InvitationKey)
        everything_deleted.send(Survey, survey=survey)


def delete_keys(survey: int) -> None:
    """Delete the submission keys of a finished survey: nearly all that it takes on the disk."""
    with transaction.atomic():
        _delete(survey, *KEYS)


def _delete(survey: int, *tables: type[Model]) -> None:
    for table in tables:
        if table._default_manager.filter(survey=survey).delete()[0]:
            sweeping.schedule(table)


def tick(now: datetime) -> None:
    """Do what no process has done after a record, for example because it died."""
    _each(surveys_to_seal(now), lambda survey: sealing.seal(survey[0], everything=survey[1]))
    many = Batch.objects.values("survey").annotate(n=Count("pk")).filter(n__gte=merging.FEWEST)
    _each(list(many.values_list("survey", flat=True)), merging.merge)
    # A record or an invitation that was stored while its survey was being destroyed.
    destroyed = Survey.objects.filter(state=State.DESTROYED)
    left_behind = {
        survey
        for table in (Inbox, FreshKey, Token, SpentToken, WaitCount)
        for survey in table.objects.filter(survey__in=destroyed).values_list("survey", flat=True).distinct()
    }
    _each(left_behind, delete_everything)
    _each(ExpiringKeys.objects.filter(due__lte=now).values_list("survey", flat=True), delete_keys)
    sweeping.sweep()


def _each(surveys: Iterable[Any], do: Callable[[Any], object]) -> None:
    for survey in surveys:
        try:
            do(survey)
        except Exception:
            logger.exception("a survey was passed over; it is tried again at the next tick")


def surveys_to_seal(now: datetime) -> list[tuple[int, bool]]:
    """Surveys in which enough records may wait, and whether all are sealed since no more can come."""
    waiting = Inbox.objects.values_list("survey", "survey__state", "survey__closed_at")
    enough = waiting.annotate(n=Count("pk")).filter(n__gte=settings.LEAST_FLOOR)
    return [
        (survey, state == State.CLOSED and closed_at is not None and now > closed_at + GRACE)
        for survey, state, closed_at, _n in enough
    ]
