"""The joint check: what left of a survey before, and a release, held beside each other."""

import io
from collections.abc import Sequence

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from intake.recordfiles.canonical import SurveyRecords, few_together, read_records
from jobs.message import Message
from privacy.anonymity.joint import ABSENT, joint_violations
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Table, read_table
from releases import survey_tables
from releases.models import Release
from surveys.departures import Departure, departures

Labels = NDArray[np.int64]


def earlier(release: Release) -> list[Departure]:
    """All that left of the survey but the release itself."""
    if release.survey is None:
        return []
    return [one for one in departures(release.survey) if one.key != key_of(release)]


def key_of(release: Release) -> str:
    return f"release {release.pk}"


def read_for(release: Release, before: Sequence[Departure]) -> SurveyRecords | None:
    """The records of the release and of all that left before; None for an upload."""
    source = release.source
    if source.survey is None or source.through is None:
        return None
    return read_records(source.survey, max([source.through, *(one.through for one in before)]))


def conflicts(
    release: Release,
    records: SurveyRecords,
    labels: Labels,
    specification: Specification,
    before: Sequence[Departure],
) -> list[Departure]:
    """The departures that break the criteria; `labels`: the classes of the release by canonical place.

    Microdata are held beside the release one by one, and, where each alone breaks nothing, all at once.
    """
    own = np.full(records.n, ABSENT, np.int64)
    own[places_of(release, records)] = labels
    told = {one.key: records.labels(one) for one in before}
    microdata = [one for one in before if one.classes or one.by_record]
    broken = {one.key: few_together(own, told[one.key]) for one in before if one not in microdata}
    if microdata:
        table = _whole(release, records, specification)
        alone = {one.key: _broken(table, specification, [own, told[one.key]]) for one in microdata}
        broken |= alone
        if len(microdata) > 1 and not any(alone.values()):
            together = [own, *(told[one.key] for one in microdata)]
            broken[microdata[-1].key] = _broken(table, specification, together)
    return [one for one in before if broken[one.key]]


def places_of(release: Release, records: SurveyRecords) -> Labels:
    assert release.source.through is not None
    return records.canonical(release.source.through, release.source.disguised_only)


def _whole(release: Release, records: SurveyRecords, specification: Specification) -> Table:
    """All records that were read, as they lie."""
    everything = survey_tables.csv_of(records, np.arange(records.n), release.source.disguised_only)
    return read_table(io.BytesIO(everything), str(release.source), specification)


def _broken(table: Table, specification: Specification, labels: Sequence[Labels]) -> bool:
    """Whether a joint class breaks a criterion. Absent from one of them is a class of its own."""
    return any(joint_violations(table, specification, labels).values())


def reasons(found: Sequence[Departure]) -> list[Message]:
    """Why the release cannot leave, then the way out. No number: it would tell how many people a class has."""
    told = [
        Message(
            gettext_noop(
                "Beside %(what)s (%(when)s) this table would break its criteria or show fewer than ten people."
            ),
            {
                "what": conflict.what,
                "when": timezone.localdate(conflict.when).isoformat(),
            },
        )
        for conflict in found
    ]
    return [*told, *(Message(text) for text in dict.fromkeys(_way_out(one) for one in found))]


def _way_out(departure: Departure) -> str:
    if departure.classes:
        return gettext_noop(
            "Make a new release in which the classes of earlier releases stay together, or one with the specification "
            "of the earlier one."
        )
    if departure.by_record:
        return gettext_noop(
            "The record file holds exact answers that are not disguised. So Candor can publish "
            "only a release whose classes show next to nothing. People who have the file need no "
            "release."
        )
    return gettext_noop("Make a new release without the questions by whose answers the table is divided.")
