"""The cells of a table before and after the disguise, as the compiled loops compute them on the way to a test."""

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ContingencyTable
from mining.inference.estimate_kernel import apply_disguise, fill_true_shares

Floats = NDArray[np.float64]


def true_cells(table: ContingencyTable) -> Floats:
    """Returns x: cell by group by row."""
    true = np.empty((2, len(table), len(table.received_shares)))
    for group in (0, 1):
        for row in range(len(table)):
            keep, noise = laws(table, row)
            received = table.received_shares[:, group, row]
            fill_true_shares(received, group, table.arrays.sections, keep, noise, true[group, row])
    return true.transpose(2, 0, 1)


def disguised_cells(table: ContingencyTable, cells: Floats) -> Floats:
    """Returns x H of the true cells of the first row."""
    received = cells.copy()
    apply_disguise(received, table.arrays.sections, *laws(table, 0), False)
    return received


def laws(table: ContingencyTable, row: int) -> tuple[Floats, Floats]:
    return table.keep[:, min(row, table.keep.shape[1] - 1)], table.noise[
        :, min(row, table.noise.shape[1] - 1)
    ]
