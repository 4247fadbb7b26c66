"""The counting loop: AND along a path of columns, popcount at its end; one thread, without the GIL.

Importing this module imports numba, so `bitmaps` does it when it first counts.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from privacy import machine_code_cache
from privacy.numba_compilation import compile_cached, compile_kernel_helper

Kernel = Callable[..., None]
Words = NDArray[np.uint64]


def _popcount_intrinsic(_typing: Any, _word: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.types.uint64(numba.types.uint64), codegen


_ones: Any = intrinsic(_popcount_intrinsic)
"""Number of set bits of a word; numba does not support numpy's function."""


def add_records_by_path(
    columns: Words,
    words: int,
    start: int,
    open_words: int,
    mixed_words: int,
    paths: NDArray[np.int32],
    lengths: NDArray[np.int32],
    shared: NDArray[np.int32],
    prefixes: Words,
    counts: NDArray[np.int64],
) -> None:
    """Adds to `counts`, in place, the open and disguised records of a block that have all columns of each path.

    A block is `words` words of each column, from word `start` on, and fits into the processor's cache; column 0 is the
    group. Its first `open_words` words hold open records alone, the `mixed_words` after them both groups, and the rest
    disguised ones: so most words cost one popcount for both groups. Paths are sorted. `shared` is the number of leading
    columns whose AND is in `prefixes` already; row d of `prefixes` is the AND of d + 1 columns. So a candidate costs
    one AND.
    """
    mixed_end, stop = open_words + mixed_words, start + words
    disguised = columns[0, start + open_words : start + mixed_end]
    for index in range(paths.shape[0]):
        path = paths[index]
        last = lengths[index] - 1
        for depth in range(max(shared[index], 1), last):
            before = columns[path[0], start:stop] if depth == 1 else prefixes[depth - 1]
            column, prefix = columns[path[depth], start:stop], prefixes[depth]
            for word in range(words):
                prefix[word] = before[word] & column[word]
        before = columns[path[0], start:stop] if last < 2 else prefixes[last - 1]
        column = columns[path[last], start:stop]
        opened, hidden = np.uint64(0), np.uint64(0)
        for word in range(open_words):
            opened += _ones(before[word] & column[word])
        # As slices, so that the compiler knows that no index is negative, and counts several words at once.
        first, second = before[open_words:mixed_end], column[open_words:mixed_end]
        for word in range(len(disguised)):
            both = first[word] & second[word]
            opened += _ones(both & ~disguised[word])
            hidden += _ones(both & disguised[word])
        first, second = before[mixed_end:words], column[mixed_end:words]
        for word in range(len(first)):
            hidden += _ones(first[word] & second[word])
        counts[index, 0] += np.int64(opened)
        counts[index, 1] += np.int64(hidden)


def add_records_by_path_and_code(
    columns: Words,
    words: int,
    codes: NDArray[np.int32],
    paths: NDArray[np.int32],
    lengths: NDArray[np.int32],
    shared: NDArray[np.int32],
    prefixes: Words,
    counts: NDArray[np.int64],
) -> None:
    """Adds to `counts`, in place, the records of a block by path and code, those that have all columns of the path.

    Arguments are as in `add_records_by_path`; `codes` has a code for each record of the block, different ones in both
    groups. Records are sorted by code first, each code from a whole word on, so that a path costs one AND here too.
    """
    starts = _start_word_by_code(codes[: words * 64], counts.shape[1])
    height = starts[-1]
    ordered = _sort_records_by_code(columns, words, codes, starts)
    prefixes = np.empty((prefixes.shape[0], height), np.uint64)
    for index in range(paths.shape[0]):
        path = paths[index]
        last = lengths[index] - 1
        for depth in range(max(shared[index], 1), last):
            before = ordered[path[0]] if depth == 1 else prefixes[depth - 1]
            column, prefix = ordered[path[depth]], prefixes[depth]
            for word in range(height):
                prefix[word] = before[word] & column[word]
        before = ordered[path[0]] if last < 2 else prefixes[last - 1]
        column = ordered[path[last]]
        for code in range(counts.shape[1]):
            value = np.uint64(0)
            for word in range(starts[code], starts[code + 1]):
                value += _ones(before[word] & column[word])
            counts[index, code] += np.int64(value)


@compile_kernel_helper
def _start_word_by_code(codes: NDArray[np.int32], many: int) -> NDArray[np.int64]:
    """Returns the word at which the records of each code start, then the word behind the last record."""
    starts = np.zeros(many + 1, np.int64)
    for code in codes:
        starts[code + 1] += 1
    for code in range(many):
        starts[code + 1] = starts[code] + (starts[code + 1] + 63) // 64
    return starts


@compile_kernel_helper
def _sort_records_by_code(
    columns: Words, words: int, codes: NDArray[np.int32], starts: NDArray[np.int64]
) -> Words:
    """Returns the columns with their records sorted by code.

    Moves 64 columns at a time, so that one record's bits of these are one word.
    """
    many, height = len(columns), starts[-1]
    ordered = np.empty((many, height), np.uint64)
    records, square = np.empty(height * 64, np.uint64), np.zeros(64, np.uint64)
    for first in range(1, many, 64):
        few = min(64, many - first)
        free = starts * 64
        records[:] = 0
        for word in range(words):
            square[few:] = 0
            for index in range(few):
                square[index] = columns[first + index, word]
            _transpose_bits(square)
            for bit in range(64):
                code = codes[word * 64 + bit]
                records[free[code]] = square[bit]
                free[code] += 1
        for word in range(height):
            for bit in range(64):
                square[bit] = records[word * 64 + bit]
            _transpose_bits(square)
            for index in range(few):
                ordered[first + index, word] = square[index]
    return ordered


@compile_kernel_helper
def _transpose_bits(square: Words) -> None:
    """Transposes a 64 x 64 matrix of bits in place (H. S. Warren, Hacker's Delight, section 7-3)."""
    width = 32
    mask = np.uint64(0xFFFFFFFF)
    while width:
        shift = np.uint64(width)
        for first in range(0, 64, 2 * width):
            for low in range(first, first + width):
                swapped = ((square[low] >> shift) ^ square[low + width]) & mask
                square[low] ^= swapped << shift
                square[low + width] ^= swapped
        width >>= 1
        mask ^= mask << np.uint64(width)


def as_read_only_columns(columns: Words) -> Words:
    """Returns a read-only view of columns of bits, so that stored columns and copies have the one type for which
    `add_records_by_path` is compiled."""
    view = columns.view()
    view.flags.writeable = False
    return view


@cache
def compile_counting_loop(*, by_code: bool = False) -> Kernel:
    """Returns the counting loop as machine code; takes seconds if no process has compiled it yet, else milliseconds."""
    kernel: Kernel = compile_cached(add_records_by_path_and_code if by_code else add_records_by_path)
    with machine_code_cache.compile_once("counting-by-code" if by_code else "counting"):
        kernel(*_sample_arguments(by_code=by_code))
    return kernel


def _sample_arguments(*, by_code: bool) -> tuple[Any, ...]:
    """Returns dummy arguments with the types that counting uses, to compile the loop before the first count."""
    column, path = np.zeros((1, 1), np.uint64), np.zeros((1, 1), np.int32)
    of_records = (np.zeros(64, np.int32),) if by_code else (0, 0, 1)
    return (
        column if by_code else as_read_only_columns(column),
        1,
        *of_records,
        path,
        path[0] + 1,
        path[0],
        column,
        np.zeros((1, 2), np.int64),
    )
