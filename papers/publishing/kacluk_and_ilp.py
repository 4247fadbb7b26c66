"""Implements KACLUK and ILP as document 003 prints them (docs/references.md: 003, li-2008).

Sensitive values are clustered by their rows u_ij of the utility matrix, D_ik = SUM_j |u_ij - u_kj|, and records are
merged within a cluster: by KACLUK at random, by ILP with the record that loses least, column j weighing SUM_i u_ij /
SUM_ij u_ij. ILP's clusters have at least l values each, KACLUK's are three without that bound. The document's bottom-up
is the product's.
"""

from collections import Counter
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.information_loss import utility_matrix
from privacy.anonymity.searches.bottom_up_and_k_member import merge_within_clusters
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.sensitive_value_clustering import absolute_distances, constrained_clusters
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Codes, Table

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
CLUSTERS = 3


def column_weights(rows: Floats) -> Floats:
    """Returns the weight of each column of the utility matrix; they sum to 1."""
    return np.asarray(rows.sum(axis=0) / rows.sum())


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


def _clusters_of_records(table: Table, specification: Specification, least: int | None) -> Integers:
    codes = table.sensitive[0].codes
    occurring, indexes = np.unique(codes, return_inverse=True)
    rows = utility_matrix(table, specification)[occurring]
    clusters = (
        constrained_clusters(rows, least, absolute_distances) if least else k_means_clusters(rows, CLUSTERS)
    )
    return np.asarray(clusters[indexes.ravel()])


def kacluk(table: Table, specification: Specification, rng: np.random.Generator) -> Integers:
    """Returns the class of each record by KACLUK: within a cluster, classes of fewer than k merge in random pairs.

    It takes ceil(log2 k) rounds.
    """
    k, clusters = specification.criteria.k, _clusters_of_records(table, specification, None)
    labels, begun = np.empty(table.records, np.int64), 0
    for cluster in np.unique(clusters):
        records = np.flatnonzero(clusters == cluster)
        own = _merge_at_random(np.arange(len(records)), k, rng)
        labels[records] = begun + own
        begun += int(own.max()) + 1
    return labels


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


def ilp(table: Table, specification: Specification) -> Integers:
    """Returns the class of each record by ILP.

    Records are merged into classes of at least k, within clusters of at least l sensitive values.
    """
    diversity = specification.criteria.diversity
    clusters = _clusters_of_records(table, specification, diversity.least if diversity else 1)
    prepared = prepare_kernel_arrays(table, specification)
    rows = utility_matrix(table, specification)[np.unique(table.sensitive[0].codes)]
    weights = np.tile(column_weights(rows) * len(table.quasi), (table.records, 1))
    prepared = prepared._replace(records=prepared.records._replace(weights=weights))
    return merge_within_clusters(prepared, clusters)


def diversify_sensitive_values(
    table: Table, specification: Specification, labels: Integers, rng: np.random.Generator
) -> Codes:
    """Changes sensitive values so that each class has min(l, size) different ones, if possible; returns all values.

    A random record of the class gets a random other value of its value's cluster.
    """
    diversity = specification.criteria.diversity
    least = diversity.least if diversity else 1
    codes = table.sensitive[0].codes.copy()
    clusters = _clusters_of_records(table, specification, least)
    members = {int(cluster): np.unique(codes[clusters == cluster]) for cluster in np.unique(clusters)}
    order = np.argsort(labels, kind="stable")
    for records in np.split(order, np.cumsum(np.bincount(labels))[:-1]):
        target = min(
            least, len(records), len(np.unique(np.concatenate([members[c] for c in set(clusters[records])])))
        )
        while len(np.unique(codes[records])) < target:
            record = rng.choice(records)
            others = members[int(clusters[record])]
            codes[record] = rng.choice(others[others != codes[record]])
    return codes
