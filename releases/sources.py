"""Reads what a release is made of: an upload, or the records of a survey."""

import io
from datetime import datetime

from django.utils.translation import gettext as _

from intake.disclosure.canonical import DisguisedRecords
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Table, read_table
from releases import expiring, survey_tables
from releases.models import Source, Upload
from releases.profiling import ColumnProfile
from surveys.refused import Refused


def uploaded(source: Source, now: datetime) -> Upload:
    """The upload, unless it is gone or its days are over."""
    found = Upload.objects.filter(source=source).first()
    if found is not None and expiring.is_over(source, now):
        # The tick may be late: no worker may have been there.
        expiring.expire(source, now)
        found = None
    if found is None:
        raise Refused(_("The uploaded file has been deleted. Upload it again for another release."))
    return found


def profile(source: Source, now: datetime) -> tuple[ColumnProfile, ...]:
    """The columns of the source: of an upload with values and numbers of records, of a survey by its design alone."""
    if source.is_upload:
        return tuple(map(ColumnProfile.from_json, uploaded(source, now).columns))
    return survey_tables.profile_of(source)


def table_of(
    source: Source, records: DisguisedRecords | None, specification: Specification, now: datetime
) -> Table:
    """The table, of a survey in the canonical order of its records; a refusal names line and column."""
    if records is None:
        return read_table(io.BytesIO(uploaded(source, now).content), source.name, specification)
    assert source.through is not None
    places = records.canonical(source.through)
    rows = survey_tables.csv_of(records, places, source.with_sensitive)
    return read_table(io.BytesIO(rows), str(source), specification)
