"""Checks a release together with everything disclosed of its survey before, and joins classes with earlier
releases.

A release that keeps the classes of earlier releases whole reveals no more than these releases.
"""

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from intake.disclosure import ledger
from intake.disclosure.canonical_order import DisguisedRecords, read_disguised, unpack_classes
from intake.disclosure.models import Disclosure, DisclosureKind
from jobs.progress_messages import Message
from mining.disclosure.plain_table_counts import LEAST
from mining.table_file_anonymisation import Stopped, anonymize_table
from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    join_classes_with_equal_cells,
    outcome_from_labels,
)
from privacy.anonymity.criteria_check import (
    ABSENT,
    has_small_joint_class,
    joint_violations,
)
from privacy.anonymity.table_anonymisation import refuse_violations
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from releases import survey_tables
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
"""Messages of a refusal that no single earlier disclosure explains."""
LOST = [
    Message(
        gettext_noop(
            "Something was told of this survey after the backup that was restored. Nobody knows what any more, so no "
            "table of it can be held beside that."
        )
    )
]
SAME_UPLOAD = [
    Message(
        gettext_noop(
            "This table was released before. Both releases together would break the criteria or show too few people."
        )
    ),
    Message(SAME_CLASSES),
]


def earlier_disclosures(release: Release) -> list[Disclosure]:
    """Returns the earlier disclosures of the survey, without the release itself.

    Record files do not count: people who have one learn nothing from a coarser table of the same rows, and
    all others are protected by k.
    """
    if release.survey is None:
        return []
    told = ledger.list_disclosures(
        release.survey, DisclosureKind.REPORT, DisclosureKind.MODEL, DisclosureKind.RELEASE
    )
    return [disclosure for disclosure in told if disclosure.key != ledger_key(release)]


def ledger_key(release: Release) -> str:
    """Returns the key of a release in the disclosure ledger."""
    return f"release {release.pk}"


def read_release_records(release: Release, before: Sequence[Disclosure]) -> DisguisedRecords | None:
    """Returns the disguised records of the release and of everything disclosed before; None for an upload."""
    source = release.source
    if source.survey is None or source.through is None:
        return None
    batches = [source.through, *(disclosure.last_batch for disclosure in before)]
    return read_disguised(source.survey, max(batches))


def earlier_classes(
    records: DisguisedRecords, before: Sequence[Disclosure]
) -> list[tuple[Disclosure, Labels]]:
    """Returns each earlier release with the class of every record in it; reports have no classes, so they are left
    out."""
    return [
        (
            disclosure,
            records.classes_in_stored_order(disclosure.last_batch, unpack_classes(disclosure.classes)),
        )
        for disclosure in before
        if disclosure.classes
    ]


def find_conflicts(
    release: Release,
    records: DisguisedRecords,
    labels: Labels,
    specification: Specification,
    before: Sequence[Disclosure],
) -> list[Disclosure]:
    """Returns the earlier disclosures that together with this release break its criteria.

    `labels`: classes of the release in canonical order. Each earlier release is joined with this one; if none
    of these joins breaks a criterion, all releases are joined at once. Of reports, each table is joined.
    Absence from a release counts as a class.
    """
    assert release.source.through is not None
    own = records.classes_in_stored_order(release.source.through, labels)
    broken = {
        disclosure.key: any(
            has_small_joint_class(own, cells, LEAST)
            for _questions, cells in records.disclosed_cells(disclosure)
        )
        for disclosure in before
        if not disclosure.classes
    }
    if earlier := earlier_classes(records, before):
        # All records that were read, as they lie.
        everything = survey_tables.records_as_csv(
            records, np.arange(records.n), release.source.with_sensitive
        )
        table = read_table(io.BytesIO(everything), str(release.source), specification)

        def violates_criteria(*partitions: Labels) -> bool:
            return any(joint_violations(table, specification, [own, *partitions]).values())

        alone = {disclosure.key: violates_criteria(classes) for disclosure, classes in earlier}
        broken |= alone
        if len(earlier) > 1 and not any(alone.values()):
            broken[earlier[-1][0].key] = violates_criteria(*(classes for _disclosure, classes in earlier))
    return [disclosure for disclosure in before if broken[disclosure.key]]


def refusal_messages(conflicts: Sequence[Disclosure]) -> list[Message]:
    """Returns the reasons why the release is refused, then what to do.

    They name no number, since it would reveal the size of a class.
    """
    words = gettext_noop(
        "Beside %(what)s (%(when)s) this table would break its criteria or show fewer than ten people."
    )
    why = [
        Message(words, {"what": conflict.title, "when": timezone.localdate(conflict.when).isoformat()})
        for conflict in conflicts
    ]
    ways_out = dict.fromkeys(SAME_CLASSES if conflict.classes else FEWER_QUESTIONS for conflict in conflicts)
    return [*why, *map(Message, ways_out)]


def anonymize_keeping_classes(
    table: Table, specification: Specification, location: str, stopped: Stopped, kept_classes: Labels | None
) -> tuple[AnonymisedTable, float]:
    """Anonymises a table so that classes of earlier releases stay together; returns the outcome, and the seconds of the
    search.

    `kept_classes`: the class of each record, see `EarlierReleases.merged_classes`; None anonymises the whole table as
    specified. Otherwise the records in no class are partitioned by the method *tree*, with nothing suppressed or
    falsified; refused if a class breaks a criterion.
    """
    if kept_classes is None:
        return anonymize_table(table, specification, location, stopped)
    new = np.flatnonzero(kept_classes == ABSENT)
    classes, seconds = kept_classes.copy(), 0.0
    if len(new):
        # Nobody is left out: the classes of the others could not be told from a table with gaps.
        complete = replace(specification, suppression=0, falsification=0, cell_suppression=0, method="tree")
        outcome, seconds = anonymize_table(table.take_records(new), complete, location, stopped)
        classes[new] = outcome.partition.labels + kept_classes.max() + 1
    _names, classes = np.unique(classes, return_inverse=True)
    words = gettext_noop("the classes of the earlier releases do not keep %(criterion)s")
    refuse_violations(table, specification, classes, location, words)
    return join_classes_with_equal_cells(outcome_from_labels(table, classes)), seconds
