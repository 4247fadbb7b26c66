"""Reads what a release is made of: an upload, or the records of a survey."""

import io
from datetime import datetime

from django.utils.translation import gettext as _

from intake.disclosure.canonical import DisguisedRecords
from mining.document.codec import load
from privacy.anonymity.methods import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.records.csv_rows import PLAIN, Lines, csv_rows
from privacy.records.layouts import Layout
from releases import expiring, survey_tables
from releases.models import Release, Source, Upload
from releases.specification.profiling import ColumnProfile
from surveys.questionnaire.problems import NotAllowed


def uploaded(source: Source, now: datetime) -> Upload:
    """The upload, unless it is gone or its days are over."""
    upload = Upload.objects.filter(source=source).first()
    # The tick deletes it, and may be late: no worker may have been there.
    if upload is None or expiring.is_over(source, now):
        raise NotAllowed(_("The uploaded file has been deleted. Upload it again for another release."))
    return upload


def profile(source: Source, now: datetime) -> tuple[ColumnProfile, ...]:
    """The columns of the source: of an upload with values and numbers of records, of a survey by its design alone."""
    if source.is_upload:
        return tuple(load(ColumnProfile, column) for column in uploaded(source, now).columns)
    return survey_tables.profile_of(source)


def layout_of(release: Release) -> Layout:
    """How the table of an upload is read, by the specification of its release."""
    said = read_specification(release.specification, "specification", frozenset(METHODS))
    return said.layout or PLAIN


def rows_of(source: Source, now: datetime) -> Lines:
    """The rows of an upload, its header included."""
    content = bytes(uploaded(source, now).content)
    return csv_rows(io.BytesIO(content), source.name, layout=layout_of(source.release))


def content_of(source: Source, records: DisguisedRecords | None, now: datetime) -> bytes:
    """The table as a file; of a survey in the canonical order of its records."""
    if records is None:
        return bytes(uploaded(source, now).content)
    assert source.through is not None
    return survey_tables.csv_of(records, records.canonical(source.through), source.with_sensitive)


def table_of(
    source: Source, records: DisguisedRecords | None, specification: Specification, now: datetime
) -> Table:
    """The table; a refusal names line and column."""
    return read_table(io.BytesIO(content_of(source, records, now)), str(source), specification)
