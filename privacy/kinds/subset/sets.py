"""The codes of sets of d among K choices: their ranks, from 0, in lexicographic order."""

from collections.abc import Sequence
from math import comb


def rank(members: Sequence[int], choices: int) -> int:
    """Of a set in increasing order."""
    size = len(members)
    behind = sum(comb(choices - 1 - member, size - index) for index, member in enumerate(members))
    return comb(choices, size) - 1 - behind
