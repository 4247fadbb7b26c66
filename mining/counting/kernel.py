"""The counting loop: AND along a path of columns, popcount at its end; one thread, without the GIL.

Importing this module imports numba, so `bitmaps` does it when it first counts.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

Kernel = Callable[..., None]
Words = NDArray[np.uint64]

config: Any = numba.config


def _one_instruction(_typing: Any, _word: Any) -> Any:
    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.types.uint64(numba.types.uint64), code


_ones: Any = intrinsic(_one_instruction)
"""How many bits of a word are set; numba does not know numpy's function for it."""


def _trailing_zeros(_typing: Any, _word: Any) -> Any:
    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(numba.types.boolean, 0))

    return numba.types.uint64(numba.types.uint64), code


_zeros: Any = intrinsic(_trailing_zeros)
"""How many bits of a word below the first that is set are not."""


def tally(
    columns: Words,
    words: int,
    paths: NDArray[np.int32],
    lengths: NDArray[np.int32],
    shared: NDArray[np.int32],
    prefixes: Words,
    counts: NDArray[np.int64],
) -> None:
    """Add to `counts` how many open and disguised records of a block are in all columns of each path.

    A block has `words` words of each column and fits into the processor's own cache; column 0 is the group. Paths are
    sorted; `shared`: how many first columns of a path are ANDed in `prefixes` already, whose row d is the AND of d + 1
    columns. So a candidate costs one AND.
    """
    disguised = columns[0]
    for place in range(paths.shape[0]):
        path = paths[place]
        last = lengths[place] - 1
        for depth in range(max(shared[place], 1), last):
            before = columns[path[0]] if depth == 1 else prefixes[depth - 1]
            column, prefix = columns[path[depth]], prefixes[depth]
            for word in range(words):
                prefix[word] = before[word] & column[word]
        before = columns[path[0]] if last < 2 else prefixes[last - 1]
        column = columns[path[last]]
        everyone, hidden = np.uint64(0), np.uint64(0)
        for word in range(words):
            both = before[word] & column[word]
            everyone += _ones(both)
            hidden += _ones(both & disguised[word])
        counts[place, 0] += np.int64(everyone - hidden)
        counts[place, 1] += np.int64(hidden)


def tally_codes(
    columns: Words,
    words: int,
    codes: NDArray[np.int32],
    paths: NDArray[np.int32],
    lengths: NDArray[np.int32],
    shared: NDArray[np.int32],
    prefixes: Words,
    counts: NDArray[np.int64],
) -> None:
    """Add to `counts`, by path and code, how many records of a block that are in all columns have the code.

    As above; `codes` are those of the records of the block, in any numbering that tells their groups apart.
    """
    for place in range(paths.shape[0]):
        path = paths[place]
        last = lengths[place] - 1
        for depth in range(max(shared[place], 1), last):
            before = columns[path[0]] if depth == 1 else prefixes[depth - 1]
            column, prefix = columns[path[depth]], prefixes[depth]
            for word in range(words):
                prefix[word] = before[word] & column[word]
        before = columns[path[0]] if last < 2 else prefixes[last - 1]
        column = columns[path[last]]
        row = counts[place]
        for word in range(words):
            both = before[word] & column[word]
            first = word * 64
            while both:
                row[codes[first + _zeros(both)]] += 1
                both &= both - np.uint64(1)


@cache
def compiled(folder: Path, *, by_code: bool = False) -> Kernel:
    """The loop in machine code, cached in `folder`; seconds the first time, milliseconds after that."""
    before = config.CACHE_DIR
    # numba has one cache folder for a whole process: set ours for this compilation, then restore it.
    config.CACHE_DIR = str(folder)
    try:
        loop = tally_codes if by_code else tally
        kernel: Kernel = numba.njit(cache=True, nogil=True, error_model="numpy")(loop)
    finally:
        config.CACHE_DIR = before
    kernel(*_nothing(by_code=by_code))
    return kernel


def _nothing(*, by_code: bool) -> tuple[Any, ...]:
    """Arguments of the types that counting uses, so that the loop is compiled before the first count."""
    column, path = np.zeros((1, 1), np.uint64), np.zeros((1, 1), np.int32)
    codes = (np.zeros(64, np.int32),) if by_code else ()
    return column, 1, *codes, path, path[0] + 1, path[0], column, np.zeros((1, 2), np.int64)
