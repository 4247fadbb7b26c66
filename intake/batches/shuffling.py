"""Orders that nobody can guess or draw again."""

from collections.abc import Callable
from os import urandom

import numpy as np
from numpy.typing import NDArray

RandomBytes = Callable[[int], bytes]


def below(n: int, random_bytes: RandomBytes = urandom) -> int:
    """A random number from 0 to n-1, uniform up to n parts in 2^64."""
    return int.from_bytes(random_bytes(8), "little") % n


def permutation(n: int, random_bytes: RandomBytes = urandom) -> NDArray[np.intp]:
    """A uniform order of 0..n-1, by sorting secure random numbers of 64 bits.

    Two equal numbers would keep their order; among a million that happens once in 30 million shuffles.
    """
    return np.argsort(np.frombuffer(random_bytes(8 * n), np.uint64), kind="stable")
