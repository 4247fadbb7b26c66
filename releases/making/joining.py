"""Joins a release with the earlier ones: their classes stay together, so that all of them tell no more than one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from intake.disclosure.canonical import DisguisedRecords, unpacked
from intake.disclosure.models import Disclosure
from privacy.anonymity.anonymised import AnonymisedTable, of_labels
from privacy.anonymity.criteria import ABSENT
from privacy.anonymity.methods import refuse_violations
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import marked as _
from releases.making import kernel_cache
from releases.making.anonymizing import Stopped, anonymized
from releases.models import Release

Labels = NDArray[np.int64]


def labels(release: Release, records: DisguisedRecords, before: Sequence[Disclosure]) -> Labels | None:
    """The classes that the records of a release have in the earlier ones, by canonical place; ABSENT: in none.

    Classes of several releases that share a record are one. None: there was no release.
    """
    assert release.source.through is not None
    own = records.canonical(release.source.through)
    told = [records.classes(one.last_batch, unpacked(one.classes))[own] for one in before if one.classes]
    return together(told) if told else None


def together(told: Sequence[Labels]) -> Labels:
    """The connected components of the classes of several partitions; ABSENT where a record is in none."""
    joined = told[0].copy()
    for one in told[1:]:
        joined = _two_together(joined, one)
    return joined


def _two_together(first: Labels, second: Labels) -> Labels:
    from scipy.sparse import csr_array  # late for cost
    from scipy.sparse.csgraph import connected_components  # late for cost

    # Classes are nodes, first those of the first partition; a record in two classes is an edge.
    start = int(first.max()) + 1
    total = start + int(second.max()) + 1
    both = (first != ABSENT) & (second != ABSENT)
    edges = (np.ones(int(both.sum()), bool), (first[both], start + second[both]))
    graph = csr_array(edges, shape=(total, total))  # type: ignore[no-untyped-call]
    _number, component = connected_components(graph, directed=False)
    nodes = np.where(first != ABSENT, first, start + second)
    nowhere = (first == ABSENT) & (second == ABSENT)
    return np.where(nowhere, ABSENT, component[np.where(nowhere, 0, nodes)]).astype(np.int64)


def anonymized_beside(
    table: Table, specification: Specification, where: str, stopped: Stopped, told: Labels | None
) -> tuple[AnonymisedTable, float]:
    """The table and the seconds of the search.

    `told`: classes that stay as they are. The others are partitioned as asked.
    """
    if told is None:
        return anonymized(table, specification, kernel_cache.folder(), where, stopped)
    new = np.flatnonzero(told == ABSENT)
    classes, seconds = told.copy(), 0.0
    if len(new):
        # Nobody is left out: the classes of the others could not be told from a table with gaps.
        alone = replace(specification, suppression=0, falsification=0, cell_suppression=0, method="tree")
        outcome, seconds = anonymized(table.at(new), alone, kernel_cache.folder(), where, stopped)
        classes[new] = outcome.partition.labels + told.max() + 1
    _names, classes = np.unique(classes, return_inverse=True)
    result = of_labels(table, classes)
    joined = _("the classes of the earlier releases do not keep %(criterion)s")
    refuse_violations(table, specification, result.partition.labels, where, joined)
    return result, seconds
