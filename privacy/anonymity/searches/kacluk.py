"""The anonymisation method *kacluk*, as document 003 prints it (docs/references.md: 003, li-2008).

Sensitive values are clustered by their rows u_ij of the utility matrix, D_ik = SUM_j |u_ij - u_kj|, in three clusters
whatever their sizes. Within a cluster, classes of fewer than k records merge in random pairs.
"""

from collections import Counter
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.information_loss import utility_matrix
from privacy.anonymity.searches.bottom_up_and_k_member import join_until_criteria_hold
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.sensitive_value_clustering import absolute_distances
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import InputError, mark_for_translation as _

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
CLUSTERS = 3
MOST_VALUES = 50
"""Most sensitive values: k-means runs from every choice of three of them."""


def anonymize_by_kacluk(table: Table, specification: Specification) -> AnonymisedTable:
    """Anonymises a table by KACLUK; classes are then joined until each keeps the criteria, or one remains."""
    if len(table.sensitive) != 1 or not CLUSTERS <= table.sensitive[0].distinct_values <= MOST_VALUES:
        raise InputError(
            "specification.method",
            _("kacluk needs one sensitive column of %(least)s to %(most)s values"),
            least=CLUSTERS,
            most=MOST_VALUES,
        )
    labels = kacluk_classes(table, specification, np.random.default_rng(specification.seed))
    prepared = prepare_kernel_arrays(table, specification)
    return outcome_from_labels(table, join_until_criteria_hold(prepared, labels))


def kacluk_classes(table: Table, specification: Specification, rng: np.random.Generator) -> Integers:
    """Returns the class of each record by KACLUK, which takes ceil(log2 k) rounds."""
    occurring, values = np.unique(table.sensitive[0].codes, return_inverse=True)
    clusters = k_means_clusters(utility_matrix(table, specification)[occurring], CLUSTERS)[values.ravel()]
    labels, begun = np.empty(table.records, np.int64), 0
    for cluster in np.unique(clusters):
        records = np.flatnonzero(clusters == cluster)
        own = _merge_at_random(np.arange(len(records)), specification.criteria.k, rng)
        labels[records] = begun + own
        begun += int(own.max()) + 1
    return labels


def k_means_clusters(rows: Floats, count: int) -> Integers:
    """Runs k-means from every choice of rows as first centres; returns the most frequent result.

    The clusterings of least distance leave single values alone on Adult: all classes of such a cluster would
    then show one value.
    """
    ends = Counter(
        _k_means_from(rows, rows[list(chosen)]) for chosen in combinations(range(len(rows)), count)
    )
    return np.array(ends.most_common(1)[0][0])


def _k_means_from(rows: Floats, centres: Floats) -> tuple[int, ...]:
    """Runs k-means from these centres; returns the cluster of each row, numbered by first occurrence."""
    while True:
        labels = absolute_distances(rows, centres).argmin(axis=1)
        means = [
            rows[labels == at].mean(axis=0) if (labels == at).any() else old for at, old in enumerate(centres)
        ]
        if np.allclose(means, centres):
            return tuple(
                np.unique(labels, return_index=True)[1].argsort().argsort()[_renumber(labels)].tolist()
            )
        centres = np.array(means)


def _renumber(labels: Integers) -> Integers:
    return np.unique(labels, return_inverse=True)[1].ravel()


def _merge_at_random(labels: Integers, k: int, rng: np.random.Generator) -> Integers:
    """Merges classes of fewer than k records in random pairs; a class without a pair joins a random one."""
    while True:
        sizes = np.bincount(labels)
        small = rng.permutation(np.flatnonzero(sizes < k))
        if not len(small) or len(sizes) == 1:
            return labels
        target = np.arange(len(sizes))
        half = len(small) // 2
        if half:
            target[small[:half]] = small[half : 2 * half]
        else:
            target[small[0]] = rng.choice(np.delete(target, small[0]))
        labels = _renumber(target[labels])
