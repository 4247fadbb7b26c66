"""Uploads: stored in the database alone, read by their owner alone, deleted with the decision or after seven days."""

import io
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from jobs.message import Message
from people.history import record
from privacy.grammar.refusal import Refusal
from releases import proposing
from releases.models import Release, Source, Upload, problem_of
from releases.profiling import profile_csv
from releases.sources import DAYS
from surveys.intake.sweeping import schedule
from surveys.problems import reason_of
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

MOST_BYTES = 50_000_000
MOST_AT_ONCE = 5
"""Uploads of one person that wait at a time."""


def store_upload(person: "Person", name: str, content: bytes, now: datetime) -> Release:
    """A draft of a release of this CSV file, with a proposed specification; refused with file and line."""
    name = name.strip()[:200] or _("table.csv")
    if len(content) > MOST_BYTES:
        raise Refused(
            _("The file has more than 50 MB. Leave out columns or records that the release does not need.")
        )
    try:
        table = profile_csv(io.BytesIO(content), name)
    except Refusal as refusal:
        raise Refused(f"{refusal.path}: {reason_of(refusal)}") from None
    with transaction.atomic():
        if Upload.objects.filter(source__owner=person).count() >= MOST_AT_ONCE:
            raise Refused(
                _(
                    "You have %(most)s uploaded files here already. Finish or discard one of their releases first."
                )
                % {"most": MOST_AT_ONCE}
            )
        source = Source.objects.create(owner=person, name=name, created=now)
        columns = [column.as_json() for column in table.columns]
        Upload.objects.create(source=source, content=content, columns=columns)
        text = proposing.of_upload(table)
        release = Release.objects.create(source=source, specification=text, since=now, by=person)
        record(person, "releases.uploaded", release, note=name, when=now)
    return release


def delete_upload(source: Source, now: datetime) -> bool:
    """Delete the bytes, in the transaction of what ends their use; False where they are gone already."""
    found = Source.objects.filter(pk=source.pk, survey=None, deleted=None).update(deleted=now)
    Upload.objects.filter(source=source).delete()
    if found:
        schedule(Upload)
        record(
            None, "releases.upload-deleted", Release.objects.get(source=source), note=source.name, when=now
        )
    return bool(found)


def delete_old(now: datetime) -> None:
    """Delete the uploads whose days are over, and those that a restored backup does not hold."""
    kept = Source.objects.filter(survey=None, deleted=None)
    old = kept.filter(created__lte=now - DAYS) | kept.filter(upload=None)
    for source in old.order_by("pk"):
        with transaction.atomic():
            if Release.objects.lock(source.release.pk):
                delete_upload(source, now)
                end_drafts(source, now)


def end_drafts(source: Source, now: datetime) -> None:
    """A release that is not made yet cannot be made any more."""
    words = Message(
        gettext_noop("The uploaded file was deleted after seven days. Upload it again for another release.")
    )
    states = (Release.State.DRAFT, Release.State.RUNNING)
    Release.objects.filter(source=source, state__in=states).update(
        state=Release.State.REFUSED, since=now, by=None, problem=problem_of([words])
    )
