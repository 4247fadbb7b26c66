"""Makes the report node of a sensitive place from counts of records by group and cell."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.finite_numbers_for_json import round_or_none
from mining.inference.intervals import ShareIntervals
from mining.kinds.minimum_record_counts import Counts, has_enough_records
from mining.kinds.place.people_density_by_cell import likeliest_density
from mining.kinds.place.region_shares import place_shares, withheld_items
from mining.nodes.place_nodes import OutsideShare, PlaceNode, Values
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceSection


def place_node(section: PlaceSection, counts: Counts) -> PlaceNode:
    """Returns the report node of a place from counts by group (open, disguised) and cell of the records to which it
    applies.

    Takes half a second for 4,096 cells, most of it for the illustration.
    """
    law = section.law
    (shares,) = place_shares(law, [counts])
    node = PlaceNode(section.question.name, int(counts.sum()), outside=_outside_shares(law, shares))
    if not has_enough_records(counts.sum(axis=1)):
        return node
    shown = shown_cells(law, counts)
    received = _keep_shown(counts.sum(axis=0) / counts.sum(), shown)
    return replace(
        node, received=received, illustration=_keep_shown(likeliest_density(law, counts).share, shown)
    )


def _outside_shares(law: PlaceLaw, shares: ShareIntervals) -> tuple[OutsideShare | None, ...]:
    first = len(law.regions) + bool(law.cells_outside_regions)
    rows = zip(
        *(round_or_none(column[first:]) for column in (shares.share, shares.low, shares.high)), strict=True
    )
    return tuple(None if share is None else OutsideShare(share, low, high) for share, low, high in rows)


def shown_cells(law: PlaceLaw, counts: Counts) -> NDArray[np.bool_]:
    """Returns True for each cell that a map may show: its region, or the cell outside, is not withheld."""
    hide = withheld_items(law, counts)
    shown = np.ones(len(law.points), np.bool_)
    for region, is_hidden in zip(law.regions, hide[: len(law.regions)], strict=True):
        shown[list(region)] = not is_hidden
    shown[list(law.cells_outside_regions)] = ~hide[len(law.regions) + bool(law.cells_outside_regions) :]
    return shown


def _keep_shown(shares: Any, shown: NDArray[np.bool_]) -> Values:
    values = zip(round_or_none(shares), shown.tolist(), strict=True)
    return tuple(share if is_shown else None for share, is_shown in values)
