"""Decides for which map cells outside a place question's sensitive regions the number of people may be published:
people there send their cell undisguised, like a plain answer.

The total number of people outside is published with the shares of regions (`mining.disclosure.small_cells` decides
about that). So a small cell is withheld together with other cells outside.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import LEAST, PlainTable, is_one_to_nine
from mining.disclosure.small_cells import EarlierPublication, OutsideCells
from mining.nodes.place_nodes import PlaceNode, Values
from privacy.kinds.place.law import PlaceLaw

Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class EarlierCells:
    """The counts by cell of an earlier publication, and the cells it withheld. `same`: it used the same records."""

    counts: NDArray[np.int64]
    hidden: Chosen
    same: bool


def decide_withheld_outside_cells(
    place: int, counts: NDArray[np.int64], earlier: Sequence[EarlierPublication]
) -> OutsideCells:
    """Decides which cells outside the regions of a place are withheld; `place` is the index of its question."""
    before = [
        EarlierCells(one.cells[place].counts, np.array(one.cells[place].hidden, np.bool_), one.same)
        for one in earlier
        if place in one.cells
    ]
    return OutsideCells(counts, tuple(choose_hidden_cells(counts, before).tolist()))


def choose_hidden_cells(counts: NDArray[np.int64], earlier: Sequence[EarlierCells]) -> Chosen:
    """Returns True for each cell to withhold: cells below ten, then the next smallest, until the withheld cells hold at
    least ten people together.

    More cells are withheld until no cell or sum of cells that two publications reveal differs between them by one to
    nine.
    """
    others = [(counts - before.counts, before.hidden) for before in earlier if not before.same]
    withheld = counts < LEAST
    for before in earlier:
        if before.same:
            withheld |= before.hidden
    for change, then in others:
        withheld |= is_one_to_nine(change) & ~then
    while not withheld.all():
        few = withheld.any() and (withheld.sum() < 2 or counts[withheld].sum() < LEAST)
        if not few and not any(_reveals_few(change, withheld, then) for change, then in others):
            break
        withheld[np.argmin(np.where(withheld, np.iinfo(np.int64).max, counts))] = True
    return withheld


def _reveals_few(change: NDArray[np.int64], now: Chosen, then: Chosen) -> bool:
    """Returns True if the difference of two publications reveals a sum of cells with one to nine new records."""
    blocks = [now | then] if (now & then).any() else [now, then]
    return bool(is_one_to_nine(np.array([change[block].sum() for block in blocks])).any())


def counts_outside_regions(node: PlaceNode, law: PlaceLaw, table: PlainTable | None) -> NDArray[np.int64]:
    """Returns the disguised records received in each cell outside the regions.

    `table` counts the regions and *elsewhere*. If the report withheld cells, the first of them gets their total count,
    since they are always withheld together.
    """
    received = np.array([node.received[at] or 0 if node.received else 0 for at in law.cells_outside_regions])
    known = [one is not None for one in node.outside]
    counts = np.where(known, np.rint(received * (node.n_asked or 0)), 0).astype(np.int64)
    if table is not None and not all(known):
        counts[known.index(False)] = table.counts[len(law.regions)] - counts.sum()
    return counts


def remove_cell_numbers(node: PlaceNode, law: PlaceLaw, hidden: Collection[int] | None) -> PlaceNode:
    """Removes the numbers of the `hidden` cells from a place's report node; None removes all numbers of the place."""
    if hidden is None or not node.is_known:
        return PlaceNode(node.question, None, disguised_only=node.disguised_only)
    outside = zip(law.cells_outside_regions, node.outside, strict=True)
    return replace(
        node,
        received=_blank_cells(node.received, hidden),
        illustration=_blank_cells(node.illustration, hidden),
        outside=tuple(None if cell in hidden else one for cell, one in outside),
    )


def _blank_cells(values: Values, cells: Collection[int]) -> Values:
    return tuple(None if cell in cells else value for cell, value in enumerate(values))
