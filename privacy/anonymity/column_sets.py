"""How well a column tells people apart (Motwani and Xu, 2008)."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def separation_of(counts: Integers) -> float:
    """The share of all pairs of records that differ; `counts`: of each distinct value, fewer than 2**31 in all."""
    records = int(counts.sum())
    pairs = records * (records - 1)
    same = int((counts * (counts - 1)).sum())
    return (pairs - same) / pairs if pairs else 0.0
