"""The joint check: what was told of a survey before, and a release, held beside each other."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from intake.disclosure import ledger
from intake.disclosure.canonical import DisguisedRecords, read_disguised, unpacked
from intake.disclosure.models import Disclosure, Door
from jobs.message import Message
from mining.disclosure.plain_tables import LEAST
from privacy.anonymity.criteria import ABSENT, has_few, joint_labels, joint_sizes, joint_violations
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from releases import survey_tables
from releases.models import Release

Labels = NDArray[np.int64]
SAME_CLASSES = gettext_noop(
    "Make a new release in which the classes of earlier releases stay together, or one with the specification "
    "of the earlier one."
)


def earlier(release: Release) -> list[Disclosure]:
    """What readers were told of the survey but the release itself.

    Record files do not count: people who have one learn nothing from a coarser table of the same rows, and people who
    have none are protected by k.
    """
    if release.survey is None:
        return []
    told = ledger.told(release.survey, Door.REPORT, Door.MODEL, Door.RELEASE)
    return [one for one in told if one.key != key_of(release)]


def key_of(release: Release) -> str:
    return f"release {release.pk}"


def read_records(release: Release, before: Sequence[Disclosure]) -> DisguisedRecords | None:
    """The records of the release and of all that was told before; None for an upload."""
    source = release.source
    if source.survey is None or source.through is None:
        return None
    return read_disguised(source.survey, max([source.through, *(one.last_batch for one in before)]))


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
    told = {one.key: records.classes(one.last_batch, unpacked(one.classes)) for one in before if one.classes}
    broken = {
        one.key: any(has_few(own, cells, LEAST) for _questions, cells in records.cells(one))
        for one in before
        if not one.classes
    }
    if told:
        table = _whole(release, records, specification)
        alone = {
            key: _broken(table, specification, [own, other_labels]) for key, other_labels in told.items()
        }
        broken |= alone
        if len(told) > 1 and not any(alone.values()):
            broken[list(told)[-1]] = _broken(table, specification, [own, *told.values()])
    return [one for one in before if broken[one.key]]


def attacks_beside(
    release: Release, records: DisguisedRecords, labels: Labels, before: Sequence[Disclosure], k: int
) -> list[dict[str, Any]]:
    """Of each earlier release: the records of this one that are in joint classes of fewer than k with it."""
    assert release.source.through is not None
    own = records.classes(release.source.through, labels)
    told = [
        (one.title, records.classes(one.last_batch, unpacked(one.classes))) for one in before if one.classes
    ]
    return [small_classes(title, own, other_labels, k) for title, other_labels in told]


def small_classes(title: str, own: Labels, earlier: Labels, k: int) -> dict[str, Any]:
    sizes = joint_sizes(joint_labels(own, earlier))[own != ABSENT]
    below = int(np.count_nonzero(sizes < k))
    return {"name": title, "below": {"records": below}, "alone": int(np.count_nonzero(sizes == 1))}


def _whole(release: Release, records: DisguisedRecords, specification: Specification) -> Table:
    """All records that were read, as they lie."""
    everything = survey_tables.csv_of(records, np.arange(records.n), release.source.with_sensitive)
    return read_table(io.BytesIO(everything), str(release.source), specification)


def _broken(table: Table, specification: Specification, labels: Sequence[Labels]) -> bool:
    """Whether a joint class breaks a criterion. Absent from one of them is a class of its own."""
    return any(joint_violations(table, specification, labels).values())


def reasons(conflicts: Sequence[Disclosure]) -> list[Message]:
    """Why the release cannot leave, then the way out. No number: it would tell how many people a class has."""
    told = [
        Message(
            gettext_noop(
                "Beside %(what)s (%(when)s) this table would break its criteria or show fewer than ten people."
            ),
            {"what": conflict.title, "when": timezone.localdate(conflict.when).isoformat()},
        )
        for conflict in conflicts
    ]
    return [*told, *(Message(text) for text in dict.fromkeys(_way_out(one) for one in conflicts))]


def reasons_of_all() -> list[Message]:
    """Where no single disclosure is the reason."""
    return [
        Message(
            gettext_noop("Beside all that was told before, this table would show fewer than ten people.")
        ),
        Message(gettext_noop("Make a new release with fewer columns.")),
    ]


def reasons_of_uploads() -> list[Message]:
    return [
        Message(
            gettext_noop(
                "This table was released before. Both releases together would break the criteria or show too few "
                "people."
            )
        ),
        Message(SAME_CLASSES),
    ]


def _way_out(disclosure: Disclosure) -> str:
    if disclosure.classes:
        return SAME_CLASSES
    return gettext_noop("Make a new release without the questions whose answers the report counts.")
