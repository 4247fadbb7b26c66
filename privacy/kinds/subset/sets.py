"""The codes of sets of d among K choices: their ranks, from 0, in lexicographic order."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray


def rank(members: Sequence[int], choices: int) -> int:
    """Of a set in increasing order."""
    size = len(members)
    behind = sum(comb(choices - 1 - member, size - place) for place, member in enumerate(members))
    return comb(choices, size) - 1 - behind


@cache
def all_sets(choices: int, size: int) -> NDArray[np.intp]:
    """Every set in the order of the ranks: sets x members."""
    sets = np.array(list(combinations(range(choices), size)), np.intp)
    sets.flags.writeable = False
    return sets


@cache
def membership(choices: int, size: int) -> NDArray[np.bool_]:
    """Which choices each set holds: sets x choices."""
    sets = all_sets(choices, size)
    holds = np.zeros((len(sets), choices), np.bool_)
    np.put_along_axis(holds, sets, True, axis=1)
    holds.flags.writeable = False
    return holds


def ranks(members: NDArray[np.intp], choices: int) -> NDArray[np.intp]:
    """Of many sets at once, each a row in increasing order."""
    size = members.shape[1]
    behind = np.array(
        [[comb(choices - 1 - member, size - place) for place in range(size)] for member in range(choices)]
    )
    found: NDArray[np.intp] = comb(choices, size) - 1 - behind[members, np.arange(size)].sum(axis=1)
    return found
