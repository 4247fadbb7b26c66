"""Which cells of a place outside its regions may be published: somebody there sends the cell as it is.

How many are outside in all is published with the shares of regions (`mining.disclosure.small_cells` decides about
that), and so is how many are in each region. So a small cell outside is withheld beside others outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_tables import LEAST

Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class EarlierCells:
    """What an earlier publication counted, cell by cell, and what it withheld; `same`: it used the same records."""

    counts: NDArray[np.int64]
    hidden: Chosen
    same: bool


def hidden_cells(counts: NDArray[np.int64], earlier: Sequence[EarlierCells]) -> Chosen:
    """The cells to withhold: those below ten, then the next smallest, until all of them have at least ten together.

    A cell, or a sum of cells, that two publications reveal may not have changed by one to nine.
    """
    others = [(counts - before.counts, before.hidden) for before in earlier if not before.same]
    withheld = counts < LEAST
    for before in earlier:
        if before.same:
            withheld |= before.hidden
    for change, then in others:
        withheld |= _is_small(change) & ~then
    while not withheld.all():
        few = withheld.any() and (withheld.sum() < 2 or counts[withheld].sum() < LEAST)
        if not few and not any(_tells_few(change, withheld, then) for change, then in others):
            break
        withheld[np.argmin(np.where(withheld, np.iinfo(np.int64).max, counts))] = True
    return withheld


def _tells_few(change: NDArray[np.int64], now: Chosen, then: Chosen) -> bool:
    """Whether one to nine are new in a sum that follows from both publications."""
    blocks = [now | then] if (now & then).any() else [now, then]
    return bool(_is_small(np.array([change[block].sum() for block in blocks])).any())


def _is_small(change: NDArray[np.int64]) -> Chosen:
    return np.asarray((change != 0) & (np.abs(change) < LEAST))
