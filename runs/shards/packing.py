"""Packs the queries of a run and the counts of a shard as bytes, for the database."""

import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Counts, Queries

FASTEST = 1
"""Neighbouring queries share most items, so even the fastest compression gives a tenth."""


@dataclass(frozen=True)
class ShardCounts:
    """The result of one shard: its open and disguised records, and a row of both counts for each query."""

    n: tuple[int, int]
    counts: Counts


def pack(questions: Sequence[Queries]) -> bytes:
    """The queries of each level so far."""
    return _packed([part for asked in questions for part in (asked.items, asked.asked, asked.applies)])


def unpack(data: bytes) -> list[Queries]:
    arrays = iter(_unpacked(data))
    return [Queries(*parts) for parts in zip(arrays, arrays, arrays, strict=True)]


def pack_counts(counts: ShardCounts) -> bytes:
    return _packed([np.array(counts.n, np.int64), counts.counts])


def unpack_counts(data: bytes) -> ShardCounts:
    n, counts = _unpacked(data)
    return ShardCounts((int(n[0]), int(n[1])), counts)


def fingerprint(asked: Queries) -> str:
    return sha256(pack([asked])).hexdigest()


def _packed(arrays: Sequence[NDArray[Any]]) -> bytes:
    plain = io.BytesIO()
    for array in arrays:
        np.save(plain, array, allow_pickle=False)
    return zlib.compress(plain.getvalue(), FASTEST)


def _unpacked(data: bytes) -> list[NDArray[Any]]:
    raw = zlib.decompress(data)
    plain = io.BytesIO(raw)
    arrays = []
    while plain.tell() < len(raw):
        arrays.append(np.load(plain, allow_pickle=False))
    return arrays
