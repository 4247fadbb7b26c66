"""Smallest numbers of records for an estimate of a number, a place or an answer (docs/mathematics.md, Floors)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP

Counts = NDArray[np.int64]


def has_enough_records(records: NDArray[Any]) -> NDArray[np.bool_]:
    """Returns True if open and disguised records (last axis) are enough for an estimate; a group may have none."""
    group_is_enough = (records == 0) | (records >= LEAST_GROUP)
    return np.asarray((records.sum(axis=-1) >= LEAST_BASE) & group_is_enough.all(axis=-1))
