"""Uploads: read by a process of their own, profiled and stored, in the database alone (releases/expiring.py deletes
them)."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.history import log_activity
from importing.faults import FileRefused
from mining.document.codec import dump
from privacy.records.layouts import Layout
from releases import sources
from releases.models import Release, Source, Upload
from releases.reading import isolated
from releases.reading.isolated import ReadTable
from releases.reading.process import MOST_BYTES
from releases.specification import proposing
from surveys.questionnaire.problems import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

MOST_AT_ONCE = 5
"""Uploads of one person that wait at a time."""


def store_upload(
    person: "Person", name: str, content: bytes, now: datetime, before: str = Source.Before.UNKNOWN
) -> Release:
    """A draft of a release of this table, with a proposed specification; refused with file and line.

    `ReadersBusy` where other files are being read.
    """
    name = name.strip()[:200] or _("table.csv")
    if len(content) > MOST_BYTES:
        raise NotAllowed(
            _("The file has more than 50 MB. Leave out columns or records that the release does not need.")
        )
    _refuse_more(person)
    table = _read(content, name)
    with transaction.atomic():
        _refuse_more(person)
        source = Source.objects.create(owner=person, name=name, created=now, before=before)
        Upload.objects.create(source=source, content=table.content, **dump(table.profile))
        text = proposing.of_upload(table.profile, table.layout)
        release = Release.objects.create(source=source, specification=text, since=now, by=person)
        log_activity(person, "releases.uploaded", release, note=name, when=now)
    return release


def _refuse_more(person: "Person") -> None:
    if Upload.objects.filter(source__owner=person).count() >= MOST_AT_ONCE:
        raise NotAllowed(
            _("You have %(most)s uploaded files here already. Finish or discard one of their releases first.")
            % {"most": MOST_AT_ONCE}
        )


def read_again(release: Release, layout: Layout, now: datetime) -> None:
    """Read the upload of a draft by another layout: its columns and what is proposed for them follow anew."""
    upload = sources.uploaded(release.source, now)
    table = _read(bytes(upload.content), release.source.name, layout)
    with transaction.atomic():
        text = proposing.of_upload(table.profile, layout)
        draft = Release.objects.filter(pk=release.pk, state=Release.State.DRAFT)
        if not draft.update(specification=text, problem={}, reason=""):
            raise NotAllowed(_("This release is no draft any more, so its specification stays as it is."))
        Upload.objects.filter(source=release.source).update(**dump(table.profile))
    release.refresh_from_db()


def _read(content: bytes, name: str, layout: Layout | None = None) -> ReadTable:
    try:
        return isolated.read(content, name, layout)
    except FileRefused as refused:
        faults = [
            _("%(place)s: %(reason)s") % {"place": fault.location, "reason": fault.reason}
            for fault in refused.faults
        ]
        raise NotAllowed(" ".join(faults)) from None
