"""A release beside what was told of its survey before: the joint check, and classes that stay together.

With the classes of the earlier releases, a release tells no more than they do.
"""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from intake.disclosure import ledger
from intake.disclosure.canonical_order import DisguisedRecords, read_disguised, unpack_classes
from intake.disclosure.models import Disclosure, Door
from jobs.message import Message
from mining.disclosure.plain_tables import LEAST
from privacy.anonymity.anonymised import AnonymisedTable, join_classes_shown_alike, outcome_from_labels
from privacy.anonymity.criteria import ABSENT, has_few, joint_labels, joint_sizes, joint_violations
from privacy.anonymity.methods import refuse_violations
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from releases import survey_tables
from releases.lifecycle import kernel_cache
from releases.lifecycle.anonymization import Stopped, anonymized
from releases.models import Release

Labels = NDArray[np.int64]
SAME_CLASSES = gettext_noop(
    "Make a new release in which the classes of earlier releases stay together, or one with the specification "
    "of the earlier one."
)
FEWER_QUESTIONS = gettext_noop("Make a new release without the questions whose answers the report counts.")
TOO_FEW_TOGETHER = [
    Message(gettext_noop("Beside all that was told before, this table would show fewer than ten people.")),
    Message(gettext_noop("Make a new release with fewer columns.")),
]
"""Where no single disclosure is the reason."""
SAME_UPLOAD = [
    Message(
        gettext_noop(
            "This table was released before. Both releases together would break the criteria or show too few people."
        )
    ),
    Message(SAME_CLASSES),
]


def earlier(release: Release) -> list[Disclosure]:
    """What readers were told of the survey but the release itself.

    Record files do not count: people who have one learn nothing from a coarser table of the same rows, and people who
    have none are protected by k.
    """
    if release.survey is None:
        return []
    told = ledger.list_disclosures(release.survey, Door.REPORT, Door.MODEL, Door.RELEASE)
    return [disclosure for disclosure in told if disclosure.key != key_of(release)]


def key_of(release: Release) -> str:
    """Under which the ledger of what was told has a release."""
    return f"release {release.pk}"


def read_records(release: Release, before: Sequence[Disclosure]) -> DisguisedRecords | None:
    """The records of the release and of all that was told before; None for an upload."""
    source = release.source
    if source.survey is None or source.through is None:
        return None
    batches = [source.through, *(disclosure.last_batch for disclosure in before)]
    return read_disguised(source.survey, max(batches))


def earlier_classes(
    records: DisguisedRecords, before: Sequence[Disclosure]
) -> list[tuple[Disclosure, Labels]]:
    """Each earlier release, with the class that every record which was read has in it; reports have none."""
    return [
        (disclosure, records.classes(disclosure.last_batch, unpack_classes(disclosure.classes)))
        for disclosure in before
        if disclosure.classes
    ]


def conflicts(
    release: Release,
    records: DisguisedRecords,
    labels: Labels,
    specification: Specification,
    before: Sequence[Disclosure],
) -> list[Disclosure]:
    """The disclosures that break the criteria; `labels`: the classes of the release by canonical place.

    Releases are held beside this one one by one, and, where each alone breaks nothing, all at once; of reports each
    table. Absent from one of two is a label of its own.
    """
    assert release.source.through is not None
    own = records.classes(release.source.through, labels)
    broken = {
        disclosure.key: any(
            has_few(own, cells, LEAST) for _questions, cells in records.disclosed_cells(disclosure)
        )
        for disclosure in before
        if not disclosure.classes
    }
    if earlier := earlier_classes(records, before):
        # All records that were read, as they lie.
        everything = survey_tables.csv_of(records, np.arange(records.n), release.source.with_sensitive)
        table = read_table(io.BytesIO(everything), str(release.source), specification)

        def breaks(*partitions: Labels) -> bool:
            return any(joint_violations(table, specification, [own, *partitions]).values())

        alone = {disclosure.key: breaks(classes) for disclosure, classes in earlier}
        broken |= alone
        if len(earlier) > 1 and not any(alone.values()):
            broken[earlier[-1][0].key] = breaks(*(classes for _disclosure, classes in earlier))
    return [disclosure for disclosure in before if broken[disclosure.key]]


def attacks_beside(
    release: Release, records: DisguisedRecords, labels: Labels, before: Sequence[Disclosure], k: int
) -> list[dict[str, Any]]:
    """Of each earlier release: the records of this one that are in joint classes of fewer than k with it."""
    assert release.source.through is not None
    own = records.classes(release.source.through, labels)
    return [
        small_classes(disclosure.title, own, classes, k)
        for disclosure, classes in earlier_classes(records, before)
    ]


def small_classes(title: str, own: Labels, earlier: Labels, k: int) -> dict[str, Any]:
    sizes = joint_sizes(joint_labels(own, earlier))[own != ABSENT]
    below = int(np.count_nonzero(sizes < k))
    return {"name": title, "below": {"records": below}, "alone": int(np.count_nonzero(sizes == 1))}


def reasons(conflicts: Sequence[Disclosure]) -> list[Message]:
    """Why the release cannot leave, then the way out. No number: it would tell how many people a class has."""
    words = gettext_noop(
        "Beside %(what)s (%(when)s) this table would break its criteria or show fewer than ten people."
    )
    why = [
        Message(words, {"what": conflict.title, "when": timezone.localdate(conflict.when).isoformat()})
        for conflict in conflicts
    ]
    ways_out = dict.fromkeys(SAME_CLASSES if conflict.classes else FEWER_QUESTIONS for conflict in conflicts)
    return [*why, *map(Message, ways_out)]


# --- classes that stay together -----------------------------------------------------------------------------


def joined_labels(release: Release, records: DisguisedRecords, before: Sequence[Disclosure]) -> Labels | None:
    """The classes that the records of a release have in the earlier ones, by canonical place; ABSENT: in none.

    Classes of several releases that share a record are one. None: there was no release.
    """
    assert release.source.through is not None
    own = records.canonical_positions(release.source.through)
    earlier = [classes[own] for _disclosure, classes in earlier_classes(records, before)]
    return joined(earlier) if earlier else None


def joined(partitions: Sequence[Labels]) -> Labels:
    """The connected components of the classes of several partitions; ABSENT where a record is in none."""
    from scipy.sparse import csr_array  # late for cost
    from scipy.sparse.csgraph import connected_components  # late for cost

    first = partitions[0].copy()
    for second in partitions[1:]:
        # Classes are nodes, first those of the first partition; a record in two classes is an edge.
        start = int(first.max()) + 1
        total = start + int(second.max()) + 1
        both = (first != ABSENT) & (second != ABSENT)
        edges = (np.ones(int(both.sum()), bool), (first[both], start + second[both]))
        graph = csr_array(edges, shape=(total, total))  # type: ignore[no-untyped-call]
        _number, component = connected_components(graph, directed=False)
        nodes = np.where(first != ABSENT, first, start + second)
        nowhere = (first == ABSENT) & (second == ABSENT)
        first = np.where(nowhere, ABSENT, component[np.where(nowhere, 0, nodes)]).astype(np.int64)
    return first


def anonymized_beside(
    table: Table, specification: Specification, where: str, stopped: Stopped, kept: Labels | None
) -> tuple[AnonymisedTable, float]:
    """The table and the seconds of the search.

    `kept`: classes that stay as they are. The others are partitioned as asked.
    """
    if kept is None:
        return anonymized(table, specification, kernel_cache.folder(), where, stopped)
    new = np.flatnonzero(kept == ABSENT)
    classes, seconds = kept.copy(), 0.0
    if len(new):
        # Nobody is left out: the classes of the others could not be told from a table with gaps.
        complete = replace(specification, suppression=0, falsification=0, cell_suppression=0, method="tree")
        outcome, seconds = anonymized(table.at(new), complete, kernel_cache.folder(), where, stopped)
        classes[new] = outcome.partition.labels + kept.max() + 1
    _names, classes = np.unique(classes, return_inverse=True)
    words = gettext_noop("the classes of the earlier releases do not keep %(criterion)s")
    refuse_violations(table, specification, classes, where, words)
    return join_classes_shown_alike(outcome_from_labels(table, classes)), seconds
