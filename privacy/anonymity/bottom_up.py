"""*bottom-up* of the utility paper: every record begins as a class; classes below k are merged in pairs.

Where the paper leaves gaps, they are closed so (docs/mathematics.md, Anonymised tables): partners only among the
classes below k, each merged once per round, by the loss per record of both together; a leftover, and a class that does
not keep the other criteria, joins the class to which it adds the least loss.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels.compiling import compiled_merging
from privacy.anonymity.kernels.repartition import Classes
from privacy.anonymity.prepared import Prepared


def bottom_up(prepared: Prepared, cache: Path) -> NDArray[np.int64]:
    """The class of each record. Quadratic in the records, and all at once: it knows no better or worse result."""
    records, shapes, rules, cells = prepared
    kernels = compiled_merging(cache)
    count = len(records.codes)
    labels = np.arange(count)
    classes = _singles(prepared)
    while kernels.merge_round(classes, count, shapes, rules):
        pass
    histogram = np.zeros(cells, np.int64)
    while kernels.merge_violating(records, classes, count, shapes, rules, histogram):
        pass
    kernels.members(classes, count, labels)
    return np.unique(labels, return_inverse=True)[1].ravel()


def _singles(prepared: Prepared) -> Classes:
    """Every record a class of its own."""
    codes = prepared.records.codes.astype(np.int64)
    count = len(codes)
    return Classes(
        np.array([count]),
        np.arange(count),
        np.full(count, -1),
        np.ones(count, np.int64),
        np.zeros(count),
        codes.copy(),
        codes.copy(),
        prepared.records.weights.copy(),
    )
