"""Implements ILP as document 003 prints it (docs/references.md: 003, li-2008).

Sensitive values are clustered by their rows u_ij of the utility matrix, D_ik = SUM_j |u_ij - u_kj|, at least l in each
cluster, and records are merged within a cluster with the record that loses least, column j weighing SUM_i u_ij / SUM_ij
u_ij. The document's KACLUK and bottom-up are the product's.
"""

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


def column_weights(rows: Floats) -> Floats:
    """Returns the weight of each column of the utility matrix; they sum to 1."""
    return np.asarray(rows.sum(axis=0) / rows.sum())


def _clusters_of_records(table: Table, specification: Specification, least: int) -> Integers:
    codes = table.sensitive[0].codes
    occurring, indexes = np.unique(codes, return_inverse=True)
    rows = utility_matrix(table, specification)[occurring]
    return np.asarray(constrained_clusters(rows, least, absolute_distances)[indexes.ravel()])


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
