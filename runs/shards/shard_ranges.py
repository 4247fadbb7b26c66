"""Divides records among shards: whole batches where they are small, ranges of records of a large batch."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from intake.batches.merging import SealedBatch
from privacy.records.columns import WORD, Columns


class ShardRange(NamedTuple):
    """The records start..stop of the batches first..last taken as one; `start` is at the begin of a word."""

    first: int
    last: int
    start: int
    stop: int


def divide(batches: Sequence[SealedBatch], most: int) -> list[ShardRange]:
    """Ranges of about `most` records. Only whole batches share a range, so that merging them does not change it."""
    ranges: list[ShardRange] = []
    small: list[SealedBatch] = []
    for batch in batches:
        if small and sum(one.n for one in small) + batch.n > most:
            ranges.append(_whole_batches(small))
            small = []
        if batch.n > most:
            ranges += _ranges(batch, most)
        else:
            small.append(batch)
    return ranges + ([_whole_batches(small)] if small else [])


def _whole_batches(batches: Sequence[SealedBatch]) -> ShardRange:
    return ShardRange(batches[0].first, batches[-1].last, 0, sum(batch.n for batch in batches))


def _ranges(batch: SealedBatch, most: int) -> Iterator[ShardRange]:
    count = -(-batch.n // most)
    size = -(-batch.n // (count * WORD)) * WORD
    for start in range(0, batch.n, size):
        yield ShardRange(batch.first, batch.last, start, min(start + size, batch.n))


def record_slice(columns: Columns, start: int, stop: int) -> Columns:
    """The records start..stop of a batch; `start` is at the begin of a word."""
    words = columns.words[:, start // WORD : -(-stop // WORD)]
    integers = {index: column[start:stop] for index, column in columns.integers.items()}
    return Columns(columns.design, stop - start, words, columns.places, integers)
