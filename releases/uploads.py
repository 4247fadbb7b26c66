"""Uploaded tables: read in a child process, stored in the database alone, deleted after the decision or seven days."""

import json
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.activity_log import log_activity
from importing import isolated_reader
from importing.faults import FileRefused
from intake.batches.overwrite_deleted import schedule_overwriting
from jobs.models import Job
from jobs.progress_messages import Message
from mining.json_codec import node_from_json, node_to_json
from privacy.records.csv_dialect_detection import Layout
from releases.models import Attack, Comparison, Register, Release, ReleasedTable, Source, Upload, problem_json
from releases.specification import specification_proposal
from releases.specification.column_role_editing import remove_cell_values
from releases.specification.table_profile import TableProfile
from releases.table_reader_main import MOST_BYTES
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MOST_AT_ONCE = 5
"""Largest number of uploads that one person may have at a time."""
DAYS = timedelta(days=7)
"""Time after which an upload is deleted."""
ENTRY = (sys.executable, "-m", "releases.table_reader_main")
DELETED = gettext_noop("The uploaded file has been deleted. Upload it again for another release.")
State = Release.State


def store_upload(
    person: "Person", name: str, content: bytes, now: datetime, before: str = Source.Before.UNKNOWN
) -> Release:
    """Stores an uploaded table and creates a draft release of it with a proposed specification.

    Raises `NotAllowed` with file and line if the table cannot be read, and `ReadersBusy` if all readers are busy.
    """
    name = name.strip()[:200] or _("table.csv")
    if len(content) > MOST_BYTES:
        raise NotAllowed(
            _("The file has more than 50 MB. Leave out columns or records that the release does not need.")
        )
    _check_upload_limit(person)
    table = _read_table_or_refuse(content, name, person.pk)
    with transaction.atomic():
        _check_upload_limit(person)
        source = Source.objects.create(owner=person, name=name, created=now, before=before)
        Upload.objects.create(source=source, content=table.content, **node_to_json(table.profile))
        text = specification_proposal.propose_specification(table.profile, table.layout)
        release = Release.objects.create(source=source, specification=text, since=now, by=person)
        log_activity(person, "releases.uploaded", release, note=name, when=now)
    return release


def _check_upload_limit(person: "Person") -> None:
    if Upload.objects.filter(source__owner=person).count() >= MOST_AT_ONCE:
        raise NotAllowed(
            _("You have %(most)s uploaded files here already. Finish or discard one of their releases first.")
            % {"most": MOST_AT_ONCE}
        )


def reread_upload(release: Release, layout: Layout, now: datetime) -> None:
    """Reads the upload of a draft with another layout; renews its columns and its proposed specification."""
    upload = get_upload(release.source, now)
    table = _read_table_or_refuse(bytes(upload.content), release.source.name, release.source.owner_id, layout)
    with transaction.atomic():
        text = specification_proposal.propose_specification(table.profile, layout)
        draft = Release.objects.filter(pk=release.pk, state=State.DRAFT)
        if not draft.update(specification=text, problem={}, reason=""):
            raise NotAllowed(_("This release is no draft any more, so its specification stays as it is."))
        Upload.objects.filter(source=release.source).update(**node_to_json(table.profile))
        delete_comparisons(release)
        release.refresh_from_db()


def delete_comparisons(release: Release) -> None:
    """Deletes the comparisons of methods of a release whose table or specification changes, in the same transaction."""
    release.comparisons.all().delete()
    schedule_overwriting(Comparison)


@dataclass(frozen=True)
class ParsedUpload:
    """A table as it was read.

    `content`: the table as text in this layout; for a text file its own bytes.
    """

    profile: TableProfile
    layout: Layout
    content: bytes


def read_table(data: bytes, name: str, person: int, layout: Layout | None = None) -> ParsedUpload:
    """Reads a table in a child process, with this layout or the detected one, so that no file harms the site.

    Raises `FileRefused` with the faults in this thread's language, and `ReadersBusy` at once instead of waiting.
    """
    answer, text = isolated_reader.read_in_child_process(
        data, person, ENTRY, name=name, layout=node_to_json(layout) if layout else None
    )
    return ParsedUpload(
        node_from_json(TableProfile, answer), node_from_json(Layout, answer["layout"]), text or data
    )


def _read_table_or_refuse(
    content: bytes, name: str, person: int, layout: Layout | None = None
) -> ParsedUpload:
    try:
        return read_table(content, name, person, layout)
    except FileRefused as refused:
        raise NotAllowed(refused.in_words()) from None


def get_upload(source: Source, now: datetime) -> Upload:
    """Returns the upload; raises `NotAllowed` if it is deleted or older than `DAYS`."""
    upload = Upload.objects.filter(source=source).first()
    # The tick deletes it, and may be late: no worker may have been there.
    if upload is None or _is_past_its_day(source, now):
        raise NotAllowed(_(DELETED))
    return upload


def delete_uploaded_bytes(source: Source, now: datetime) -> None:
    """Deletes the bytes of an upload, in the transaction that ends their use.

    What was measured of it goes too. For a release that is not approved, also removes the values that its specification
    quotes.
    """
    n_deleted = Source.objects.filter(pk=source.pk, survey=None, deleted=None).update(deleted=now)
    Upload.objects.filter(source=source).delete()
    Attack.objects.filter(release__source=source, of_source=True).delete()
    if n_deleted:
        schedule_overwriting(Upload, Attack, Job, Register)
        release = Release.objects.get(source=source)
        delete_comparisons(release)
        if release.state != State.APPROVED:
            text = json.dumps(remove_cell_values(json.loads(release.specification)))
            Release.objects.filter(pk=release.pk).update(specification=text)
            schedule_overwriting(Release)
        log_activity(None, "releases.upload-deleted", release, note=source.name, when=now)


def delete_expired_uploads(now: datetime) -> None:
    """Deletes uploads older than `DAYS`, and marks uploads as deleted if a restored backup lacks their bytes.

    Their releases, if nobody has decided on them, become refused, and lose the tables made of the uploads.
    """
    kept = Source.objects.filter(survey=None, deleted=None)
    # An upload from before the clock was set back is kept for DAYS from now, not from then.
    kept.filter(created__gt=now).update(created=now)
    old = kept.filter(created__lte=now - DAYS) | kept.filter(upload=None)
    for source in old.order_by("pk"):
        with transaction.atomic():
            if Release.objects.lock(source.release.pk):
                delete_uploaded_bytes(source, now)
                undecided = Release.objects.filter(
                    source=source, state__in=(State.DRAFT, State.RUNNING, State.CHECKED)
                )
                if undecided.filter(state=State.CHECKED).exists():
                    delete_made_table(source.release)
                problem = problem_json([Message(DELETED)])
                undecided.update(state=State.REFUSED, since=now, by=None, problem=problem)


def delete_made_table(release: Release) -> None:
    """Deletes the table that was made for a release, and the attacks on it, in the transaction that ends their use."""
    release.makings.all().delete()
    release.attacks.all().delete()
    schedule_overwriting(ReleasedTable, Attack, Register)


def is_undecided_after_its_day(release: Release, now: datetime) -> bool:
    """Returns True if nobody has decided on a release of an upload until its day; no worker may have been there since,
    to delete it."""
    is_undecided = release.state == State.CHECKED and release.source.is_upload
    return is_undecided and _is_past_its_day(release.source, now)


def _is_past_its_day(source: Source, now: datetime) -> bool:
    return source.created + DAYS <= now
