"""Merges small batches into large ones and shuffles their records again, so that batches stay few."""

from collections.abc import Collection, Sequence
from os import urandom
from typing import NamedTuple

from django.db import transaction
from django.db.models import Sum

from intake.batches.batches import pinned
from intake.batches.sealing import RandomBytes, permutation
from intake.batches.sweeping import schedule
from intake.models import Batch
from privacy.records import columns
from surveys.models import Survey

FEWEST = 8
"""Batches that are merged at once, at least."""


class SealedBatch(NamedTuple):
    first: int
    last: int
    n: int


def groups(batches: Sequence[SealedBatch], stops: Collection[int]) -> list[list[SealedBatch]]:
    """Which batches to merge; `stops` are the numbers that no merged batch may reach across.

    A group is a run of neighbours of which none is larger than the others together. So whatever is rewritten
    at least doubles, and a record is rewritten at most log2(all / least) times.
    """
    merged: list[list[SealedBatch]] = []
    segment: list[SealedBatch] = []
    for batch in batches:
        segment.append(batch)
        if batch.last in stops:
            merged += _groups(segment)
            segment = []
    return merged + _groups(segment)


def _groups(segment: list[SealedBatch]) -> list[list[SealedBatch]]:
    """The longest such run of a segment, then those before and after it."""
    for length in range(len(segment), FEWEST - 1, -1):
        for start in range(len(segment) - length + 1):
            run = segment[start : start + length]
            if 2 * max(batch.n for batch in run) <= sum(batch.n for batch in run):
                return [*_groups(segment[:start]), run, *_groups(segment[start + length :])]
    return []


def merge(survey: int, random_bytes: RandomBytes = urandom) -> int:
    """Merge the batches of one survey where that is due; return by how many they are fewer."""
    with transaction.atomic():
        row = Survey.objects.get_locked_beside_records(survey)
        rows = Batch.objects.filter(survey=row).order_by("first")
        batches = [SealedBatch(*numbers) for numbers in rows.values_list("first", "last", "n")]
        gone = 0
        for group in groups(batches, pinned(survey)):
            first, last, n = group[0].first, group[-1].last, sum(batch.n for batch in group)
            parts = rows.filter(first__gte=first, last__lte=last)
            merged = columns.merge_batches(
                list(parts.values_list("columns", flat=True)), permutation(n, random_bytes)
            )
            copies = None if parts.filter(copies=None).exists() else parts.aggregate(n=Sum("copies"))["n"]
            parts.delete()
            Batch.objects.create(survey=row, first=first, last=last, n=n, copies=copies, columns=merged)
            gone += len(group) - 1
        if gone:
            # In the old batches' bytes a record lies among few again.
            schedule(Batch)
    return gone
