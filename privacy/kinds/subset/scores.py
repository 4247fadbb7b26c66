"""Scores by which shares are estimated from subset selection, and the codes (ranks) of many sets at once."""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from privacy.kinds.score_table import ScoreTable
from privacy.kinds.subset.law import SubsetLaw


@cache
def all_sets(choices: int, size: int) -> NDArray[np.intp]:
    """Returns every set of this size, in the order of their codes (ranks): set x member."""
    sets = np.array(list(combinations(range(choices), size)), np.intp)
    sets.flags.writeable = False
    return sets


@cache
def set_membership(choices: int, size: int) -> NDArray[np.bool_]:
    """Returns whether each set of this size holds each choice, set x choice."""
    sets = all_sets(choices, size)
    holds = np.zeros((len(sets), choices), np.bool_)
    np.put_along_axis(holds, sets, True, axis=1)
    holds.flags.writeable = False
    return holds


def set_ranks(members: NDArray[np.intp], choices: int) -> NDArray[np.intp]:
    """Returns the codes (lexicographic ranks) of many sets; each row of `members` is an ascending set."""
    size = members.shape[1]
    behind = np.array(
        [[comb(choices - 1 - member, size - index) for index in range(size)] for member in range(choices)]
    )
    numbers: NDArray[np.intp] = comb(choices, size) - 1 - behind[members, np.arange(size)].sum(axis=1)
    return numbers


@cache
def score_table(law: SubsetLaw) -> ScoreTable:
    """Returns the scores of each choice by record code, by which shares are estimated from subset selection.

    Each choice is a class and an item.
    """
    choices = np.arange(law.choices)
    holds = set_membership(law.choices, law.size)
    # Behind the sets come the codes of open records, which nobody sends who chose disguise.
    openly = np.zeros((law.choices, law.choices))
    inside, outside = (law.probability(0, members) for members in (frozenset({0}), frozenset()))
    chance = np.where(holds.T, float(inside), float(outside))
    scores = np.where(holds, float(law.score_inside), float(law.score_outside))
    return ScoreTable(
        np.concatenate([chance, openly], axis=1),
        np.concatenate([scores, openly]),
        np.concatenate([holds, openly.astype(np.bool_)]),
        np.concatenate([np.full(len(holds), -1), choices]),
        np.eye(law.choices, dtype=np.bool_),
        # All choices that are not true have the same moments.
        np.stack([choices, (choices + 1) % law.choices], axis=1),
    )
