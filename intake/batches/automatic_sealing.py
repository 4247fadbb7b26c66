"""Seals, merges and deletes records and closes full surveys automatically: after a record arrives, at closing, at each
periodic tick and at destruction."""

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

from intake.batches import merging, overwrite_deleted, sealing, seen_keys
from intake.endpoint.accept_record import PublicSurvey, count_received, grace_after_closing
from intake.models import (
    Batch,
    ExpiringKeys,
    FreshKey,
    Inbox,
    KeySecret,
    SeenKeys,
    SpentToken,
    Token,
    WaitCount,
)
from surveys.lifecycle import state_changes as lifecycle
from surveys.lifecycle.record_counts import Counts, records_that_fill_a_batch
from surveys.models import Design as DesignRow, DesignChanged, InvitationKey, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

logger = logging.getLogger(__name__)
State = Survey.State
everything_deleted = Signal()
"""Signal, sent with a survey's id as `survey`, in the transaction that deletes all of its records and keys."""

KEYS = (FreshKey, SeenKeys, ExpiringKeys, KeySecret)
KEYS_KEPT = timedelta(days=7)
"""Time after the end of a survey for which submission keys are kept: a browser that got no reply can still
ask whether its record has arrived."""

SWEEP_EVERY = 30
"""Seconds between two sweeps for deleted rows.

A sweep delays new records for a moment, so under load the tick sweeps and not each sealing.
"""

SEAL_EVERY = 1
"""Seconds between two sealings of one survey: under load it is sealed less often, and its batches grow."""


@dataclass(slots=True)
class CountState:
    """What a process remembers of one survey, to decide when it counts the survey's records again.

    `received`: records at the last count, None before the first. `own`: records that this process stored since then.
    `left`: how many more it stores before the next count. `is_counting`: True while one of its threads counts.
    """

    received: int | None = None
    own: int = 0
    left: int = 1
    is_counting: bool = False


class CountPacing:
    """Decides after which stored records a process counts a survey's records, since each count costs a query.

    It also limits sealing to once a second for each survey. Records that no process counts are found by the
    periodic tick (`jobs/tick.py`).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: defaultdict[str, CountState] = defaultdict(CountState)
        self._sealings: dict[str, tuple[int, float]] = {}
        self._swept = float("-inf")
        self._lock = Lock()

    def note_record_is_count_due(self, slug: str) -> bool:
        """Notes that the caller stored a record; returns True if the caller must now count the survey's records.

        After that it returns False until the caller has called `schedule_count`.
        """
        with self._lock:
            state = self._states[slug]
            state.own += 1
            state.left -= 1
            counts = state.left <= 0 and not state.is_counting
            state.is_counting = state.is_counting or counts
            return counts

    def schedule_count(self, slug: str, missing: int, received: int) -> None:
        """Sets the next count to after this process's expected share of the `missing` records.

        The share is that of this process among the records since the last count. At the first count it is a quarter, so
        that four processes together store all of the missing records.
        """
        with self._lock:
            state = self._states[slug]
            share = (
                0.25 if state.received is None else state.own / max(state.own, received - state.received, 1)
            )
            self._states[slug] = CountState(received, 0, max(1, int(missing * share)))

    def allow_recount_after_failure(self, slug: str) -> None:
        """Makes the process count again after the next stored record, because the last count failed."""
        with self._lock:
            self._states[slug].is_counting = False

    def may_seal(self, slug: str, sealed: int) -> bool:
        """Returns True if this process noticed no sealing of the survey within the last second.

        It notices a sealing when `sealed`, the number of sealed records, has changed since the last call. The first
        call notices one if `sealed` is not 0.
        """
        with self._lock:
            now = self._clock()
            known, when = self._sealings.get(slug, (0, float("-inf")))
            if sealed != known:
                when = now
            self._sealings[slug] = sealed, when
            return now - when >= SEAL_EVERY

    def may_overwrite_now(self) -> bool:
        """Returns True at most once in SWEEP_EVERY seconds; the caller then overwrites the bytes of deleted rows."""
        with self._lock:
            due = self._clock() - self._swept >= SWEEP_EVERY
            if due:
                self._swept = self._clock()
            return due


_pacing = CountPacing()


def on_record_stored(public: PublicSurvey) -> None:
    """Counts the survey's records, after some of the stored records only; seals or closes the survey if that is due."""
    if not _pacing.note_record_is_count_due(public.slug):
        return
    try:
        counts = count_received(public.survey)
        missing = seal_or_close_count_missing(
            public, counts, may_seal=_pacing.may_seal(public.slug, counts.sealed)
        )
    except BaseException:
        _pacing.allow_recount_after_failure(public.slug)
        raise
    _pacing.schedule_count(public.slug, missing, counts.received)


def seal_or_close_count_missing(public: PublicSurvey, counts: Counts, *, may_seal: bool = True) -> int:
    """Seals the survey's waiting records, or closes the survey at its cap, if due.

    Returns how many records are missing until the next sealing or the cap; `least` for a sealing that is due but not
    made now.
    """
    missing, to_cap = records_that_fill_a_batch(public.design.least) - counts.waiting, None
    if public.cap is not None and public.state == State.OPEN:
        to_cap = public.cap - counts.received
        if to_cap <= 0:
            try:
                lifecycle.close_survey(Survey.objects.get(pk=public.survey), None, timezone.now())
            except NotAllowed:
                logger.info("a full survey was closed by somebody else")
    if missing <= 0:
        # 0: somebody else is sealing just now, or has a moment ago.
        n = sealing.seal_records(public.survey, waits_for_lock=False) if may_seal else 0
        missing = missing + n if n else public.design.least
        if n and _pacing.may_overwrite_now():
            overwrite_deleted.overwrite_deleted_rows(patience=0.2, rewrites_sqlite=False)
    return missing if to_cap is None else min(missing, to_cap)


def on_closing(survey: Survey, **kwargs: Any) -> None:
    """Seals all waiting records, if they are enough for a batch, in the transaction that closes the survey."""
    try:
        sealing.seal_records(survey.pk, seals_all=True)
    except DesignChanged:
        # Whatever has happened to its design, a survey can be closed.
        logger.exception("a survey was closed, but what waits cannot be sealed")
    transaction.on_commit(overwrite_deleted.overwrite_deleted_rows, robust=True)


def expire_keys_on_finishing(survey: Survey, now: datetime, **kwargs: Any) -> None:
    """Deletes the key that signs invitations, so that nobody can make a token, and sets submission keys to expire."""
    _delete_rows(survey.pk, InvitationKey)
    ExpiringKeys.objects.create(survey=survey, due=now + KEYS_KEPT)


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    delete_all_received(survey.pk)
    transaction.on_commit(overwrite_deleted.overwrite_deleted_rows, robust=True)


def delete_all_received(survey: int) -> None:
    """Deletes everything that respondents ever sent to this survey."""
    with transaction.atomic():
        _delete_rows(survey, *KEYS, Inbox, Token, SpentToken, Batch, WaitCount, InvitationKey)
        everything_deleted.send(Survey, survey=survey)


def delete_submission_keys(survey: int) -> None:
    """Deletes the submission keys of a finished survey, and the secret of their hashes."""
    with transaction.atomic():
        _delete_rows(survey, *KEYS)


def _delete_rows(survey: int, *tables: type[Model]) -> None:
    for table in tables:
        if table._default_manager.filter(survey=survey).delete()[0]:
            overwrite_deleted.schedule_overwriting(table)


def on_tick(now: datetime) -> None:
    """Seals surveys, merges batches, deletes keys that are due, and overwrites deleted rows; called periodically, also
    because a process may have died before it sealed."""
    _for_each_survey(surveys_to_seal(), lambda survey: _seal_waiting_records(now, *survey))
    many = Batch.objects.values("survey").annotate(n=Count("pk")).filter(n__gte=merging.FEWEST)
    _for_each_survey(list(many.values_list("survey", flat=True)), merging.reduce_batches_by_merging)
    # A record or an invitation that was stored while its survey was being destroyed.
    destroyed = Survey.objects.filter(state=State.DESTROYED)
    left_behind = {
        survey
        for table in (Inbox, FreshKey, Token, SpentToken, WaitCount, KeySecret)
        for survey in table.objects.filter(survey__in=destroyed).values_list("survey", flat=True).distinct()
    }
    _for_each_survey(left_behind, delete_all_received)
    _for_each_survey(
        ExpiringKeys.objects.filter(due__lte=now).values_list("survey", flat=True), delete_submission_keys
    )
    _for_each_survey(
        seen_keys.surveys_with_old_epochs(now),
        lambda survey: seen_keys.delete_keys_of_old_epochs(survey, now),
    )
    overwrite_deleted.overwrite_deleted_rows()


def _for_each_survey(surveys: Iterable[Any], do: Callable[[Any], object]) -> None:
    for survey in surveys:
        try:
            do(survey)
        except Exception:
            logger.exception("a survey was passed over; it is tried again at the next tick")


def surveys_to_seal() -> list[tuple[int, str, datetime | None, str]]:
    """Returns the id, state, time of closing and design's fingerprint of surveys that may have enough waiting records
    to seal."""
    waiting = Inbox.objects.values_list("survey", "survey__state", "survey__closed_at", "survey__design")
    enough = waiting.annotate(n=Count("pk")).filter(n__gte=settings.LEAST_FLOOR)
    return [row[:4] for row in enough]


def _seal_waiting_records(
    now: datetime, survey: int, state: str, closed_at: datetime | None, design: str
) -> None:
    """Seals a full batch, or all waiting records once a closed survey takes no others."""
    end = closed_at and closed_at + grace_after_closing(DesignRow.load_parsed(design))
    sealing.seal_records(survey, seals_all=state == State.CLOSED and end is not None and now > end)
