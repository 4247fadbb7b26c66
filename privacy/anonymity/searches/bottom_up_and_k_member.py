"""The anonymisation methods *bottom-up* and *k-member*.

*bottom-up* (docs/references.md: 003, xu-2006): every record begins as a class; classes below k are merged in
pairs. Where the paper leaves gaps, they are closed so (docs/mathematics.md, Anonymised tables): partners only
among the classes below k, each merged once per round, by the loss per record of both together; an unpaired
class, and a class that violates another criterion, joins the class to which it adds the least loss.

*k-member* (Byun, Kamra, Bertino and Li, 2007; docs/references.md: byun-2007): clusters of at least k
records. A class begins with the record farthest from the first one of the class before, and takes the
records that add the least loss; the last records, and classes that violate another criterion, join the class
to which they add the least.
"""

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels.class_lists_and_merging import Classes, allocate_classes
from privacy.anonymity.kernels.compiled_kernels import MergingKernels, clustering_kernels, merging_kernels
from privacy.anonymity.searches.kernel_arrays import KernelArrays

Integers = NDArray[np.int64]


def cluster_bottom_up(prepared: KernelArrays) -> Integers:
    """Returns the class of each record by the method *bottom-up*.

    Every record begins as a class; classes of fewer than k records are merged. Time is quadratic in the records.
    """
    singles = np.arange(len(prepared.records.codes))
    return join_until_criteria_hold(prepared, merge_up_to_k(prepared, singles))


def merge_up_to_k(prepared: KernelArrays, labels: Integers) -> Integers:
    """Merges the classes `labels` until each has k records or only one remains; returns the new labels."""
    kernels = merging_kernels()
    classes, count = _classes_from_labels(prepared, labels, kernels)
    while kernels.merge_small_classes_in_pairs(classes, count, prepared.shapes, prepared.rules):
        pass
    return _class_labels(classes, count, kernels)


def merge_within_clusters(prepared: KernelArrays, clusters: Integers) -> Integers:
    """Merges records into classes of at least k inside each cluster; returns the class of each record.

    Classes in clusters of fewer than k records then join the nearest class of any cluster.
    """
    labels, begun = np.empty(len(clusters), np.int64), 0
    for cluster in np.unique(clusters):
        places = np.flatnonzero(clusters == cluster)
        labels[places] = begun + merge_up_to_k(prepared.take_records(places), np.arange(len(places)))
        begun = int(labels[places].max()) + 1
    return merge_up_to_k(prepared, labels)


def join_until_criteria_hold(prepared: KernelArrays, labels: Integers) -> Integers:
    """Joins each class that violates a criterion with its nearest class; returns the class of each record.

    Ends when every class keeps the criteria, or only one class remains.
    """
    records, shapes, rules, cells = prepared
    kernels = merging_kernels()
    classes, count = _classes_from_labels(prepared, labels, kernels)
    histogram = np.zeros(cells, np.int64)
    while kernels.merge_violating_classes(records, classes, count, shapes, rules, histogram):
        pass
    return _class_labels(classes, count, kernels)


def _classes_from_labels(
    prepared: KernelArrays, labels: Integers, kernels: MergingKernels
) -> tuple[Classes, int]:
    """Returns the classes `labels` as linked lists for the compiled search, and their number."""
    size, columns = prepared.records.codes.shape
    count = int(labels.max()) + 1
    classes = allocate_classes(size, count, columns)
    kernels.fill_classes(classes, labels, count, prepared.records, prepared.shapes)
    return classes, count


def _class_labels(classes: Classes, count: int, kernels: MergingKernels) -> Integers:
    """Returns the class of each record, from the linked lists of the compiled search."""
    labels = np.empty(len(classes.following), np.int64)
    kernels.write_labels(classes, count, labels)
    return np.unique(labels, return_inverse=True)[1].ravel()


def cluster_by_size_alone(prepared: KernelArrays) -> Integers:
    """Clusters records into groups of at least k records; returns the cluster of each record.

    Other criteria are ignored. Time is quadratic in the records.
    """
    labels = np.zeros(len(prepared.records.codes), np.int64)
    clustering_kernels().fill_clusters(prepared.records, prepared.shapes, prepared.rules, labels)
    return labels


def cluster_k_member(prepared: KernelArrays) -> Integers:
    """Returns the class of each record by the method *k-member*.

    Every class keeps the criteria, or there is only one class.
    """
    return join_until_criteria_hold(prepared, cluster_by_size_alone(prepared))
