"""Loads the compiled search functions (kernels); numba compiles each once and caches the machine code."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from privacy.anonymity.kernels.best_segments_of_order import label_segments
from privacy.anonymity.kernels.class_lists_and_merging import (
    fill_classes,
    merge_small_classes_in_pairs,
    merge_violating_classes,
    write_labels,
    write_labels_and_loss,
)
from privacy.anonymity.kernels.k_member import fill_clusters
from privacy.anonymity.kernels.local_search import improve_partition, partition_points
from privacy.anonymity.kernels.point_moves import move_points
from privacy.numba_compilation import compile_cached

Kernel = Callable[..., Any]


class Kernels(NamedTuple):
    """The compiled functions of the anonymisation method *tree* (a partition tree with local search)."""

    partition_points: Kernel
    label_segments: Kernel
    fill_classes: Kernel
    write_labels_and_loss: Kernel
    move_points: Kernel
    improve_partition: Kernel


class MergingKernels(NamedTuple):
    """The compiled functions that merge equivalence classes.

    The method *bottom-up* uses them, and other methods until all classes keep the criteria.
    """

    fill_classes: Kernel
    merge_small_classes_in_pairs: Kernel
    merge_violating_classes: Kernel
    write_labels: Kernel


class ClusteringKernels(NamedTuple):
    """The compiled function of the anonymisation method *k-member*."""

    fill_clusters: Kernel


@cache
def tree_kernels() -> Kernels:
    """Loads the compiled functions of the anonymisation method *tree*; compiles them first if needed.

    Loading takes milliseconds, compiling about a minute.
    """
    return Kernels(
        *_compile_all(
            partition_points,
            label_segments,
            fill_classes,
            write_labels_and_loss,
            move_points,
            improve_partition,
        )
    )


@cache
def merging_kernels() -> MergingKernels:
    """Loads the compiled functions that merge equivalence classes, or compiles them first."""
    return MergingKernels(
        *_compile_all(fill_classes, merge_small_classes_in_pairs, merge_violating_classes, write_labels)
    )


@cache
def clustering_kernels() -> ClusteringKernels:
    """Loads the compiled function of the anonymisation method *k-member*, or compiles it first."""
    return ClusteringKernels(*_compile_all(fill_clusters))


def _compile_all(*functions: Any) -> list[Kernel]:
    return [compile_cached(function) for function in functions]
