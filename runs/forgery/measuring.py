"""Tests each batch for copied records once, in a job: soon after it was sealed, and before it is merged with others.

One level covers all batches of a survey, however many come: batch t gets LEVEL/2 * 1/(t(t+1)) of it, the batches
first..last the sum of their parts. Copies that are too few in each batch may be found in all batches together: so the
batches 1..t are tested as one pool when t reaches 2, 4, 8, … 2^j, with LEVEL/2 * 1/(j(j+1)).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max, Sum
from django.utils.translation import gettext_noop

from intake.batches import batches, sealing
from intake.models import Batch, Sweep
from jobs import wake
from jobs.message import Progress
from jobs.models import FINISHED, State, Write
from mining.error.identical import Identical, identical
from privacy.records import columns
from runs.forgery.models import ForgeryCheck, Measured
from surveys.models import Survey

LEVEL = 0.001
"""The largest probability that a survey without forged records is ever reported to have some."""

MOST_POOLED = 2_000_000
"""The most records in a pool, which is in memory as a whole; so many copies are found batch by batch."""

AGAIN = timedelta(hours=1)
"""After this time a check that failed is tried again."""


def share_of_batches(first: int, last: int) -> float:
    """SUM_t 1/(t(t+1)) over first..last: 1 over all."""
    return 1 / first - 1 / (last + 1)


def share_of_pool(last: int) -> float:
    """The part of the level for the pool of the batches 1..last, with 2^j <= last < 2^(j+1)."""
    j = last.bit_length() - 1
    return 1 / (j * (j + 1))


def start_due(now: datetime) -> None:
    """Called by the tick: start a check of each survey with batches that are sealed and not measured yet."""
    sealed = dict(Batch.objects.values_list("survey").annotate(last=Max("last")))
    measured = dict(Measured.objects.filter(pooled=False).values_list("survey").annotate(last=Max("last")))
    for survey, last in sealed.items():
        if last > measured.get(survey, 0):
            _start(survey, now)


def _start(survey: int, now: datetime) -> None:
    before = ForgeryCheck.objects.filter(survey=survey)
    if before.exclude(state__in=FINISHED).exists():
        return
    if before.exclude(state=State.DONE).filter(finished__range=(now - AGAIN, now)).exists():
        return
    with transaction.atomic():
        before.delete()
        wake.enqueue(ForgeryCheck(survey_id=survey))


def perform(job: ForgeryCheck, progress: Progress) -> Write:
    progress(None, gettext_noop("The records are compared with each other"))
    return partial(store, job.survey_id, measurements(job.survey_id))


def measurements(survey: int) -> list[Measured]:
    """Measures the batches of a survey that are not measured yet, without a lock."""
    row = Survey.objects.get(pk=survey)
    since = measured_through(survey)
    through = sealing.last_sealed(survey)
    if through <= since:
        return []
    measured = []
    for batch in unmeasured(row, since, through):
        share = share_of_batches(max(batch.first, since + 1), batch.last)
        one = _measured(row, batch.first, batch.last, [batch.columns], LEVEL / 2 * share)
        measured.append(without_measured(one, since) if batch.first <= since else one)
    if is_pool_due(survey, through):
        everything = [batch.columns for batch in batches.read_all(row, through)]
        level = LEVEL / 2 * share_of_pool(through)
        measured.append(_measured(row, 1, through, everything, level, pooled=True))
    return measured


def store(survey: int, measured: list[Measured]) -> None:
    """In a transaction: that which makes the job done."""
    if Survey.objects.locked_beside_records(survey).state != Survey.State.DESTROYED:
        Measured.objects.bulk_create(measured, ignore_conflicts=True)


def unmeasured_ends(survey: int) -> Collection[int]:
    """The batches t of a survey that no merge reaches across: the last that was measured, and all after it."""
    since = measured_through(survey)
    return {since, *Batch.objects.filter(survey=survey, last__gt=since).values_list("last", flat=True)}


def unmeasured(survey: Survey, since: int, through: int) -> Iterable[batches.DecodedBatch]:
    """The batches to measure; one that was merged with measured batches in the meantime is among them."""
    firsts = Batch.objects.filter(survey=survey, last__gt=since).order_by("first")
    first = firsts.values_list("first", flat=True).first()
    return batches.read(survey, through, after=(first or 1) - 1)


def without_measured(one: Measured, since: int) -> Measured:
    """The measurement of a batch that was merged with measured ones before, less what was measured of those."""
    inside = Measured.objects.filter(survey=one.survey, pooled=False, first__gte=one.first)
    known = inside.aggregate(disguised=Sum("disguised"), excess=Sum("excess"))
    one.first = since + 1
    one.disguised -= known["disguised"]
    one.excess = min(one.disguised, max(0, one.excess - known["excess"]))
    return one


def measured_through(survey: int) -> int:
    newest = Measured.objects.filter(survey=survey, pooled=False).aggregate(last=Max("last"))
    return newest["last"] or 0


def is_pool_due(survey: int, through: int) -> bool:
    """Whether t has reached another power of 2 since the last pool."""
    pooled = Measured.objects.filter(survey=survey, pooled=True).aggregate(last=Max("last"))["last"] or 1
    if through < 2 or through.bit_length() <= pooled.bit_length():
        return False
    n = Batch.objects.filter(survey=survey, last__lte=through).aggregate(n=Sum("n"))["n"] or 0
    return bool(n <= MOST_POOLED)


def _measured(
    survey: Survey,
    first: int,
    last: int,
    batches: list[columns.Columns],
    level: float,
    *,
    pooled: bool = False,
) -> Measured:
    copies = test_for_copies(batches, level)
    row = {"disguised": copies.disguised, "excess": copies.excess}
    return Measured(survey=survey, first=first, last=last, pooled=pooled, **row)


def test_for_copies(batches: list[columns.Columns], level: float) -> Identical:
    groups, codes = zip(*map(columns.unpack, batches), strict=True)
    return identical(batches[0].design, np.concatenate(groups), np.concatenate(codes, axis=1), level)


@dataclass(frozen=True)
class Meter:
    """At least `excess` of the `disguised` records in the batches 1..through are forged; `batches`: where they are.

    `sharpest` is the measurement that finds the smallest part of copies: the last pool, else the largest batch.
    """

    through: int
    disguised: int
    excess: int
    batches: tuple[Measured, ...]
    sharpest: Measured

    @property
    def level(self) -> float:
        """The level of the sharpest test."""
        sharpest = self.sharpest
        return (
            LEVEL
            / 2
            * (
                share_of_pool(sharpest.last)
                if sharpest.pooled
                else share_of_batches(sharpest.first, sharpest.last)
            )
        )


def meter(survey: int, through: int) -> Meter | None:
    """The measurements of the batches 1..through; None while none of them is measured."""
    rows = list(Measured.objects.filter(survey=survey, last__lte=through).order_by("first", "last"))
    single = [row for row in rows if not row.pooled]
    if not single:
        return None
    pools = [row for row in rows if row.pooled]
    excess = max((row.excess for row in pools), default=0)
    return Meter(
        max(row.last for row in single),
        sum(row.disguised for row in single),
        max(excess, sum(row.excess for row in single)),
        tuple(row for row in single if row.excess),
        pools[-1] if pools else max(single, key=lambda row: row.disguised),
    )


def surveys_with_excess(surveys: Iterable[int]) -> set[int]:
    return set(Measured.objects.filter(survey__in=surveys, excess__gt=0).values_list("survey", flat=True))


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    ForgeryCheck.objects.filter(survey=survey).delete()
    Measured.objects.filter(survey=survey).delete()
    Sweep.objects.create(table=Measured._meta.db_table)
