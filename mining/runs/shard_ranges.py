"""How records are parted among shards: whole batches where they are small, stretches of a large one."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surveys.intake.columns import WORD, Columns
from surveys.intake.merging import SealedBatch


class ShardRange(NamedTuple):
    """The records start..stop of the batches first..last taken together; `start` is at a whole word."""

    first: int
    last: int
    start: int
    stop: int


def divide(batches: Sequence[SealedBatch], most: int) -> list[ShardRange]:
    """About `most` records each. A batch is never in one part with another if it is not all in it, so that merging
    what lies inside a part changes nothing about it."""
    found: list[ShardRange] = []
    small: list[SealedBatch] = []
    for batch in batches:
        if small and sum(one.n for one in small) + batch.n > most:
            found.append(_whole_batches(small))
            small = []
        if batch.n > most:
            found += _ranges(batch, most)
        else:
            small.append(batch)
    return found + ([_whole_batches(small)] if small else [])


def _whole_batches(batches: Sequence[SealedBatch]) -> ShardRange:
    return ShardRange(batches[0].first, batches[-1].last, 0, sum(batch.n for batch in batches))


def _ranges(batch: SealedBatch, most: int) -> Iterator[ShardRange]:
    count = -(-batch.n // most)
    size = -(-batch.n // (count * WORD)) * WORD
    for start in range(0, batch.n, size):
        yield ShardRange(batch.first, batch.last, start, min(start + size, batch.n))


def record_slice(columns: Columns, start: int, stop: int) -> Columns:
    """These respondents of a batch."""
    words = columns.words[:, start // WORD : -(-stop // WORD)]
    return Columns(columns.design, stop - start, words, columns.places)
