"""The anonymisation method *ilp*: merges records within clusters of sensitive values, may change values.

Reference (docs/references.md): 003. Where the paper leaves gaps, they are closed so (docs/mathematics.md,
Anonymised tables): values are assigned to clusters at least cost, with at least l in each; merging is that of
bottom-up; changing stops at min(l, class size).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_with_changed_values,
)
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.information_loss import utility_matrix
from privacy.anonymity.searches.bottom_up_and_k_member import (
    join_until_criteria_hold,
    merge_up_to_k,
    merge_within_clusters,
)
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.tables.specification import DiversityKind, Specification
from privacy.anonymity.tables.table import Codes, Table
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS

# --- constrained kmeans
# k-means whose clusters have at least n rows each (Bradley, Bennett and Demiriz, Constrained k-means, 2000).

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ENOUGH = 1e-12
"""Smallest saving of a step for which the clustering goes on."""


def squared_distances(rows: Floats, centres: Floats) -> Floats:
    """Returns the squared Euclidean distance between each row and each centre, row x centre."""
    return np.asarray(np.stack([((rows - centre) ** 2).sum(1) for centre in centres], axis=1))


def absolute_distances(rows: Floats, centres: Floats) -> Floats:
    """Returns the sum of absolute differences (L1 distance) of each row and each centre, row x centre."""
    return np.asarray(np.stack([np.abs(rows - centre).sum(1) for centre in centres], axis=1))


def constrained_clusters(
    rows: Floats, least: int, distances: Callable[[Floats, Floats], Floats] = squared_distances
) -> Integers:
    """Returns the cluster of each row: constrained k-means with len(rows) // least clusters of at least `least` rows
    each.

    Cubic in the rows. The first centre is the row farthest from the mean, each next one the row farthest from those
    that are centres.
    """
    count = len(rows) // least
    labels, cost = _assign_rows_to_centres(distances(rows, _first_centres(rows, count, distances)), least)
    while True:
        centres = np.stack([rows[labels == cluster].mean(0) for cluster in range(count)])
        better, less = _assign_rows_to_centres(distances(rows, centres), least)
        if less >= cost - ENOUGH:
            return labels
        labels, cost = better, less


def _first_centres(rows: Floats, count: int, distances: Callable[[Floats, Floats], Floats]) -> Floats:
    """Returns the first centres: the row farthest from the mean, then repeatedly the row farthest from all centres
    so far."""
    chosen = [int(distances(rows, rows.mean(0)[None]).argmax())]
    while len(chosen) < count:
        chosen.append(int(distances(rows, rows[chosen]).min(1).argmax()))
    return rows[chosen]


def _assign_rows_to_centres(costs: Floats, least: int) -> tuple[Integers, float]:
    """Assigns rows to centres at the least total cost, at least `least` rows to each centre.

    Returns the centre of each row, and the cost.
    """
    from scipy.optimize import linear_sum_assignment  # type: ignore[attr-defined]  # late for cost

    rows, centres = costs.shape
    seats = np.repeat(np.arange(centres), least)
    free = np.repeat(costs.min(1, keepdims=True), rows - len(seats), axis=1)
    _rows, taken = linear_sum_assignment(np.concatenate([costs[:, seats], free], axis=1))
    labels = np.concatenate([seats, np.full(rows - len(seats), -1)])[taken]
    labels = np.where(labels < 0, costs.argmin(1), labels)
    return labels, float(costs[np.arange(rows), labels].sum())


# --- ilp

MOST_VALUES = 1000
NONE = -1


@dataclass(frozen=True, slots=True)
class ValueClusters:
    """Clusters of the values of the first sensitive column.

    `cluster`: the cluster of each value, NONE if it does not occur. `costs`: cost of changing a value into
    another, the squared distance of their rows of the utility matrix.
    """

    cluster: Integers
    costs: Floats


def anonymize_by_value_clusters(table: Table, specification: Specification) -> AnonymisedTable:
    """Anonymises a table by the method *ilp*: merges records within clusters of sensitive values.

    Classes are then joined until each keeps the criteria or only one remains. Some sensitive values are changed, unless
    the changed table could not keep the criteria.
    """
    large = max(specification.criteria.k, _min_values_per_class(specification))
    begun_with = replace(specification, criteria=replace(specification.criteria, k=large))
    for share in dict.fromkeys((specification.falsification, 0)):
        begun = anonymize_by_published_ilp(table, replace(begun_with, falsification=share))
        changed = begun.table
        labels = join_until_criteria_hold(
            prepare_kernel_arrays(changed, specification), begun.partition.labels
        )
        if not any(violations(changed, specification, labels).values()):
            break
    return outcome_with_changed_values(table, labels, changed.sensitive)


def anonymize_by_published_ilp(table: Table, specification: Specification) -> AnonymisedTable:
    """Anonymises a table by the method *ilp* as its paper describes it: classes have at least k records.

    Other criteria are not checked, so the result is never published directly. For distinct l-diversity, at most the
    share `falsification` of the records get another value of the first sensitive column, first in the classes that lack
    fewest values.
    """
    least, diversity = _min_values_per_class(specification), specification.criteria.diversity
    if least < 2 or not diversity:
        prepared = prepare_kernel_arrays(table, specification)
        return outcome_from_labels(table, merge_up_to_k(prepared, np.arange(table.records)))
    clusters = cluster_values(table, specification, least)
    clusters_of_records = clusters.cluster[table.sensitive[0].codes]
    labels = merge_within_clusters(prepare_kernel_arrays(table, specification), clusters_of_records)
    if diversity.kind is not DiversityKind.DISTINCT or diversity.joint:
        return outcome_from_labels(table, labels)
    first, *others = table.sensitive
    most = specification.falsification * table.records // PARTS
    codes = change_values(first.codes, labels, clusters, least, most)
    return outcome_with_changed_values(table, labels, (replace(first, codes=codes), *others))


def _min_values_per_class(specification: Specification) -> int:
    diversity = specification.criteria.diversity
    return diversity.least if diversity else 1


def cluster_values(table: Table, specification: Specification, least: int) -> ValueClusters:
    """Clusters the values of the first sensitive column by the rows of the utility matrix (column weights).

    `least`: fewest values of a cluster. If all weights are 1, the utility matrix of the data is used instead.
    """
    column = table.sensitive[0]
    if len(column.texts) > MOST_VALUES:
        raise InputError(
            column.name,
            _("%(method)s takes at most %(most)s sensitive values: choose another method"),
            method="ilp",
            most=MOST_VALUES,
        )
    rows = utility_matrix(table, specification)
    occurring = np.unique(column.codes)
    cluster = np.full(len(column.texts), NONE)
    cluster[occurring] = constrained_clusters(rows[occurring], least)
    return ValueClusters(cluster, np.stack([((rows - row) ** 2).sum(1) for row in rows]))


def change_values(codes: Codes, labels: Integers, clusters: ValueClusters, least: int, most: int) -> Codes:
    """Changes at most `most` sensitive values, so that many classes have enough different values.

    Enough is min(`least`, class size). Returns the sensitive codes of all records.
    """
    changed, order = codes.copy(), np.argsort(labels, kind="stable")
    classes = np.split(order, np.cumsum(np.bincount(labels))[:-1])
    missing = np.array([min(least, len(places)) - len(np.unique(codes[places])) for places in classes])
    lacking = np.flatnonzero(missing > 0)
    lacking = lacking[np.argsort(missing[lacking], kind="stable")]
    for number in lacking[np.cumsum(missing[lacking]) <= most]:
        for _change in range(missing[number]):
            _change_cheapest_duplicate(changed, classes[number], clusters)
    return changed


def _change_cheapest_duplicate(codes: Codes, indexes: Integers, clusters: ValueClusters) -> None:
    """Changes one duplicate sensitive value of a class, in place, into a value that the class lacks.

    Takes the cheapest change inside a cluster of values. `indexes`: indexes of the records of the class.
    """
    counts = np.bincount(codes[indexes], minlength=len(clusters.cluster))
    twice, lacked = np.flatnonzero(counts > 1), np.flatnonzero(counts == 0)
    same_cluster = clusters.cluster[twice, None] == clusters.cluster[lacked]
    costs = np.where(same_cluster, clusters.costs[np.ix_(twice, lacked)], np.inf)
    old, new = np.unravel_index(costs.argmin(), costs.shape)
    codes[indexes[codes[indexes] == twice[old]][-1]] = lacked[new]
