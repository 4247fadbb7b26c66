"""Cells: records by the parts of an itemset that they contain, and the score of the records of each cell.

The parts of an itemset are what it has in each sensitive section. Cell i holds the records that contain exactly
the parts whose bits are set in i; they are counted from supersets by inclusion and exclusion. A score is the same
for all records of a cell and a group, so means, variances and covariances are sums over cells.

Arrays are cells (or parts) by group by itemset.
See docs/mathematics.md, Estimators.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.itemset_groups import ItemsetGroup, Places
from mining.reconstruction.laws import Floats, Laws


def subsets(parts: Sequence[Places]) -> Iterator[Places]:
    """The places of the items of every choice of parts, in the order of the cells."""
    for bits in range(1 << len(parts)):
        chosen = [part for bit, part in enumerate(parts) if bits >> bit & 1]
        yield tuple(sorted(index for part in chosen for index in part))


def keep_probabilities(group: ItemsetGroup, laws: Laws, parts: Sequence[Places]) -> Floats:
    """p of the section of each part."""
    keep = np.empty((len(parts), len(group.rows)))
    for row, part in zip(keep, parts, strict=True):
        row[:] = laws.keep[group.questions[:, part[0]]]
    return keep


def noises(group: ItemsetGroup, laws: Laws, parts: Sequence[Places]) -> Floats:
    """q of each part: the probability that noise shows it."""
    noise = np.ones((len(parts), len(group.rows)))
    for index, part in enumerate(parts):
        for item in part:
            noise[index] *= laws.noise[group.items[:, item]]
    return noise


def noise_chances(group: ItemsetGroup, laws: Laws, parts: Sequence[Places]) -> Floats:
    """c = (1-p) q of each part: how often noise alone shows it."""
    return (1 - keep_probabilities(group, laws, parts)) * noises(group, laws, parts)


def disguised_scores(keep: Floats, chance: Floats) -> Floats:
    """z of a disguised record of each cell: the product of (1[y contains the part] - c) / p."""
    scores = np.ones((1, keep.shape[1]))
    for p, c in zip(keep, chance, strict=True):
        scores = np.concatenate([scores * (-c / p), scores * ((1 - c) / p)])
    return scores


def open_scores(cells: int) -> Floats:
    """z of an open record of each cell: whether it contains all parts."""
    scores = np.zeros((cells, 1))
    scores[-1] = 1.0
    return scores


def sum_of_groups(groups: NDArray[Any]) -> NDArray[Any]:
    """The sum of the open and the disguised group; for few itemsets several times faster than numpy's sum."""
    together: NDArray[Any] = groups[0] + groups[1]
    return together


def quotient(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """above / below, and 0 where below is 0."""
    if below.all():
        return np.asarray(above / below)
    result = np.zeros(np.broadcast(above, below).shape)
    np.divide(above, below, out=result, where=below != 0)
    return result
