"""Merges small batches into large ones and shuffles their records again, so that batches stay few."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from os import urandom
from typing import NamedTuple

from django.db import transaction
from django.db.models import Sum

from intake.batches.overwrite_deleted import schedule_overwriting
from intake.batches.sealed_batch_reader import merge_boundary_batches
from intake.batches.sealing import RandomBytes, random_permutation
from intake.models import Batch
from privacy.records import batch_bit_columns
from surveys.models import Survey

FEWEST = 8
"""Lowest number of batches that are merged into one."""
LARGEST = 1 << 22
"""Highest number of records in a merged batch: among so many no order is left to find.

PostgreSQL's `bytea` ends at 1 GB, which 2.1e8 respondents of 40 yes/no questions would fill; and a merge
holds the batch in memory.
"""


class SealedBatch(NamedTuple):
    first: int
    last: int
    n: int


def groups_to_merge(
    batches: Sequence[SealedBatch], pinned_numbers: Collection[int]
) -> list[list[SealedBatch]]:
    """Returns the groups of neighbouring batches to merge; no group may reach across a number in `pinned_numbers`.

    A group has at most LARGEST records, and no batch of it is larger than all others together. So each merge at least
    doubles the batch of a record, and a record is rewritten at most log2(all / least) times.
    """
    merged: list[list[SealedBatch]] = []
    segment: list[SealedBatch] = []
    for batch in batches:
        segment.append(batch)
        if batch.last in pinned_numbers:
            merged += _groups_in_segment(segment)
            segment = []
    return merged + _groups_in_segment(segment)


def _groups_in_segment(segment: list[SealedBatch]) -> list[list[SealedBatch]]:
    """Returns the groups to merge among consecutive batches: the longest group, then by recursion those before and
    after it."""
    upto = [0, *accumulate(batch.n for batch in segment)]
    for length in range(len(segment), FEWEST - 1, -1):
        for start in range(len(segment) - length + 1):
            n = upto[start + length] - upto[start]
            if n <= LARGEST and 2 * max(batch.n for batch in segment[start : start + length]) <= n:
                return [
                    *_groups_in_segment(segment[:start]),
                    segment[start : start + length],
                    *_groups_in_segment(segment[start + length :]),
                ]
    return []


def reduce_batches_by_merging(survey: int, random_bytes: RandomBytes = urandom) -> int:
    """Merges the due batches of one survey; returns by how many its number of batches fell."""
    with transaction.atomic():
        row = Survey.objects.get_locked_while_records_arrive(survey)
        rows = Batch.objects.filter(survey=row).order_by("first")
        batches = [SealedBatch(*numbers) for numbers in rows.values_list("first", "last", "n")]
        gone = 0
        for group in groups_to_merge(batches, merge_boundary_batches(survey)):
            first, last, n = group[0].first, group[-1].last, sum(batch.n for batch in group)
            parts = rows.filter(first__gte=first, last__lte=last)
            stored = list(parts.values_list("columns", flat=True))
            order = batch_bit_columns.order_open_records_first(
                batch_bit_columns.stored_groups(stored), random_permutation(n, random_bytes)
            )
            merged = batch_bit_columns.merge_batches(stored, order)
            copies = None if parts.filter(copies=None).exists() else parts.aggregate(n=Sum("copies"))["n"]
            parts.delete()
            Batch.objects.create(survey=row, first=first, last=last, n=n, copies=copies, columns=merged)
            gone += len(group) - 1
        if gone:
            # In the old batches' bytes a record lies among few again.
            schedule_overwriting(Batch)
    return gone
