"""What was told before of the records of a release: the same facts of a survey, by the ledger, and of an upload, by its
digest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from intake.disclosure.canonical_order import DisguisedRecords, unpack_classes
from intake.disclosure.models import Disclosure
from privacy.anonymity.criteria_check import ABSENT, joint_class_size_by_record, joint_labels
from releases.lifecycle.release_disclosure_check import Labels, earlier_classes
from releases.lifecycle.upload_digests import TableDigest, earlier_similar_tables, last_released_upload
from releases.models import Release


@dataclass(frozen=True)
class EarlierReleases:
    """What was told before of the records of a release.

    `told`: the title of each disclosure. `classes`: the title of each earlier release, and in it the class of each
    record, in the order of the new table. `facts`: what else the report says of earlier releases.
    """

    told: Sequence[str]
    classes: Sequence[tuple[str, Labels]]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def partitions(self) -> list[Labels]:
        return [classes for _title, classes in self.classes]

    def merged_classes(self) -> Labels | None:
        """Merges the classes of earlier releases wherever they share a record; returns the merged class of each
        record, ABSENT for one in no earlier release. None if there is no earlier release."""
        return connected_components_of_partitions(self.partitions) if self.classes else None

    def count_small_class_records(self, labels: Labels, k: int) -> list[dict[str, Any]]:
        """Counts, for each earlier release joined with these classes, the records in classes smaller than k, and those
        alone in a class."""
        counts = []
        for title, classes in self.classes:
            sizes = joint_class_size_by_record(joint_labels(labels, classes))[labels != ABSENT]
            below, alone = int(np.count_nonzero(sizes < k)), int(np.count_nonzero(sizes == 1))
            counts.append({"name": title, "below": {"records": below}, "alone": alone})
        return counts


def earlier_releases_of_survey(
    release: Release, records: DisguisedRecords, before: Sequence[Disclosure]
) -> EarlierReleases:
    """Returns what the survey's earlier disclosures, `before`, told of the records, in canonical order."""
    assert release.source.through is not None
    own = records.canonical_order_through_batch(release.source.through)
    classes = [(disclosure.title, labels[own]) for disclosure, labels in earlier_classes(records, before)]
    return EarlierReleases([disclosure.title for disclosure in before], classes)


def earlier_releases_of_upload(release: Release, own: TableDigest) -> EarlierReleases:
    """Returns what earlier releases of the same table told; `own`: the digest of the upload."""
    until, owner = last_released_upload(), release.source.owner_id
    classes, partly = [], []
    for digest, columns, is_same in earlier_similar_tables(own, release):
        title = str(digest.release)
        if is_same:
            # Another owner's table is named to reviewers alone, on their page.
            title = title if digest.release.source.owner_id == owner else ""
            classes.append((title, own.classes(unpack_classes(digest.classes))))
        else:
            # Tables with some of the same columns, for the reviewer.
            partly.append({"columns": columns, "when": digest.when.date().isoformat(), "release": title})
    return EarlierReleases(
        [title for title, _classes in classes], classes, {"until": until, "partly": partly}
    )


def connected_components_of_partitions(partitions: Sequence[Labels]) -> Labels:
    """Returns, for each record, its connected component among the classes of several partitions; ABSENT for a record in
    no class."""
    from scipy.sparse import csr_array  # late for cost
    from scipy.sparse.csgraph import connected_components  # late for cost

    first = partitions[0].copy()
    for second in partitions[1:]:
        # Classes are nodes, first those of the first partition; a record in two classes is an edge.
        start = int(first.max()) + 1
        total = start + int(second.max()) + 1
        both = (first != ABSENT) & (second != ABSENT)
        edges = (np.ones(int(both.sum()), bool), (first[both], start + second[both]))
        graph = csr_array(edges, shape=(total, total))
        _number, component = connected_components(graph, directed=False)
        nodes = np.where(first != ABSENT, first, start + second)
        nowhere = (first == ABSENT) & (second == ABSENT)
        first = np.where(nowhere, ABSENT, component[np.where(nowhere, 0, nodes)]).astype(np.int64)
    return first
