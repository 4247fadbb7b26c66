"""What a partition keeps, beside what was asked of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria import counted, distances, views_of
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.node import PARTS


def reached(table: Table, specification: Specification, labels: NDArray[np.int64]) -> dict[str, Any]:
    """By criterion: what was asked for, and the worst class. `l`: the fewest distinct values, whatever its kind."""
    criteria = specification.criteria
    whole = [counted(view, labels) for view in views_of(table, specification) if view.whole]
    levels: dict[str, Any] = {"k": {"asked": criteria.k, "reached": int(np.bincount(labels).min())}}
    if criteria.diversity:
        least = min(int(counts.values.min()) for counts in whole)
        kind = criteria.diversity.kind.value
        levels["l"] = {"kind": kind, "asked": criteria.diversity.least, "reached": least}
    if criteria.closeness is not None:
        worst = max(float(distances(counts).max()) for counts in whole)
        levels["t"] = {"asked": criteria.closeness / PARTS, "reached": worst}
    if whole:
        share = max(float((counts.largest / counts.sizes).max()) for counts in whole)
        asked = None if criteria.max_frequency is None else criteria.max_frequency / PARTS
        levels["max_frequency"] = {"asked": asked, "reached": share}
    if criteria.breach:
        levels["rho"] = {"asked": [share / PARTS for share in criteria.breach]}
    return levels
