"""Estimated shares of a place's regions, of elsewhere, and of each cell outside, with support intervals.

A region is estimated like a choice with keep probability b and noise |A_j|/|A|. A cell outside has no noise: a
disguised record that has it is true, so small counts are withheld as those of plain answers are.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import LEAST
from mining.disclosure.small_cells import choose_withheld_classes
from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, ItemsetPart
from mining.inference.intervals import ShareIntervals, share_interval
from mining.inference.score_test import support_test
from mining.kinds.minimum_record_counts import Counts, has_enough_records
from privacy.kinds.place.law import PlaceLaw


def place_shares(law: PlaceLaw, count_tables: Sequence[Counts]) -> list[ShareIntervals]:
    """Estimates a place's shares from each of `count_tables`: record counts by group (open, disguised) and cell.

    Items are the regions, then *elsewhere* if there are cells outside, then the cells outside, in order. The estimator
    is `stratified`. NaN if there are too few records, or the share is withheld.
    """
    having = np.stack([item_counts_from_cells(law, counts) for counts in count_tables], axis=1)
    items = having.shape[2]
    base = np.stack([counts.sum(axis=1) for counts in count_tables], axis=1)
    some = (
        np.stack([~withheld_items(law, counts) for counts in count_tables])
        & has_enough_records(base.T)[:, None]
    )
    estimates = np.full((3, len(count_tables), items), np.nan)
    if some.any():
        noise = np.zeros(items)
        noise[: len(law.regions)] = [float(share) for share in law.region_shares]
        everybody = np.broadcast_to(base[..., None], having.shape)
        table = ContingencyTable(
            (ItemsetPart(ANTECEDENT, 0),),
            np.stack([everybody, having])[..., some].astype(np.float64),
            np.full((1, int(some.sum())), float(law.keep)),
            np.broadcast_to(noise, some.shape)[some][None],
        )
        test = support_test(table)
        estimates[0, some] = test.estimate
        estimates[1:, some] = share_interval(test)
    return [ShareIntervals(*columns) for columns in estimates.swapaxes(0, 1)]


def item_counts_from_cells(law: PlaceLaw, counts: Counts) -> Counts:
    """Returns the record counts by group of each region, of elsewhere, and of each cell outside, from counts by
    cell."""
    regions = [counts[:, list(region)].sum(axis=1) for region in law.regions]
    outside = counts[:, list(law.cells_outside_regions)]
    elsewhere = [outside.sum(axis=1)] if law.cells_outside_regions else []
    return np.concatenate([np.stack([*regions, *elsewhere], axis=1), outside], axis=1)


def withheld_items(law: PlaceLaw, counts: Counts) -> NDArray[np.bool_]:
    """Returns True for each item of `item_counts_from_cells` that is withheld.

    Where *elsewhere* has fewer than ten records of a group, the smallest regions are withheld with it, since their
    estimates would reveal its count. The cells outside are withheld as the classes of a plain question.
    """
    having = item_counts_from_cells(law, counts)
    is_withheld = np.zeros(having.shape[1], np.bool_)
    if not law.cells_outside_regions:
        return is_withheld
    elsewhere = len(law.regions)
    for records in having[counts.any(axis=1)]:
        if records[elsewhere] < LEAST:
            is_withheld[_elsewhere_and_smallest_regions(records[: elsewhere + 1])] = True
        is_withheld[
            [elsewhere + 1 + cell for cell in choose_withheld_classes(records[elsewhere + 1 :], ())]
        ] = True
    is_withheld[elsewhere + 1 :] |= is_withheld[elsewhere]
    return is_withheld


def _elsewhere_and_smallest_regions(records: NDArray[np.int64]) -> list[int]:
    """Returns the indexes of the items to withhold together: elsewhere (the last item) and the smallest regions,
    until they have ten records."""
    chosen = [len(records) - 1]
    for region in np.argsort(records[:-1], kind="stable").tolist():
        chosen.append(region)
        if records[chosen].sum() >= LEAST:
            break
    return chosen
