"""*k-member*: clusters of at least k records each (Byun, Kamra, Bertino and Li, 2007; docs/references.md: byun-2007).

A class begins with the record farthest from the first one of the class before, and takes the records that add the least
loss; records that are left, and classes that do not keep the other criteria, join the class to which they add the
least.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels.compiling import compiled_clustering
from privacy.anonymity.searches.bottom_up import joined_until_kept
from privacy.anonymity.searches.prepared import Prepared

Integers = NDArray[np.int64]


def clusters_of_k(prepared: Prepared, cache: Path) -> Integers:
    """Classes of at least k records each, whatever the other criteria. Quadratic in the records."""
    labels = np.zeros(len(prepared.records.codes), np.int64)
    compiled_clustering(cache).cluster(prepared.records, prepared.shapes, prepared.rules, labels)
    return labels


def k_member(prepared: Prepared, cache: Path) -> Integers:
    """The class of each record; every class keeps the criteria, or there is one class."""
    return joined_until_kept(prepared, clusters_of_k(prepared, cache), cache)
