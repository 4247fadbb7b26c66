"""Records by which parts of an itemset they contain, and the score of each kind of record.

The parts of an itemset are what it has in each sensitive section. Cell i holds the records that contain exactly
the parts whose bits are set in i; they are counted from supersets by inclusion and exclusion. A score is the same
for all records of a cell and a group, so means, variances and covariances are sums over cells.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.counted import Counts
from mining.reconstruction.shapes import Floats, Group, Laws, Places


def subsets(parts: Sequence[Places]) -> Iterator[Places]:
    """The places of every choice of parts, in the order of the bits."""
    for bits in range(1 << len(parts)):
        chosen = [part for bit, part in enumerate(parts) if bits >> bit & 1]
        yield tuple(sorted(place for part in chosen for place in part))


def exactly(supersets: Counts) -> Counts:
    """From how many contain at least these parts to how many contain exactly these; axis 1 is the subsets."""
    cells = supersets.copy()
    for bit in range(cells.shape[1].bit_length() - 1):
        halves = cells.reshape(len(cells), -1, 2, 1 << bit, *cells.shape[2:])
        halves[:, :, 0] -= halves[:, :, 1]
    return cells


def keeps(group: Group, laws: Laws, parts: Sequence[Places]) -> Floats:
    """p of the section of each part."""
    columns = [laws.keep[group.questions[:, part[0]]] for part in parts]
    return np.stack(columns, axis=1) if columns else np.empty((len(group.rows), 0))


def chances(group: Group, laws: Laws, parts: Sequence[Places]) -> Floats:
    """c = (1-p) q of each part: how often noise alone shows it."""
    columns = [
        (1 - laws.keep[group.questions[:, part[0]]]) * laws.noise[group.items[:, part]].prod(axis=1)
        for part in parts
    ]
    return np.stack(columns, axis=1) if columns else np.empty((len(group.rows), 0))


def disguised_scores(keep: Floats, chance: Floats) -> Floats:
    """z of a disguised record of each cell: the product of (1[y contains the part] - c) / p."""
    scores = np.ones((len(keep), 1))
    for p, c in zip(keep.T, chance.T, strict=True):
        scores = np.concatenate([scores * (-c / p)[:, None], scores * ((1 - c) / p)[:, None]], axis=1)
    return scores


def open_scores(cells: int) -> Floats:
    """z of an open record of each cell: whether it contains all parts."""
    scores = np.zeros((1, cells))
    scores[0, -1] = 1.0
    return scores


def quotient(above: NDArray[np.float64], below: NDArray[np.float64]) -> Floats:
    """above / below, and 0 where nobody is below."""
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below != 0)
