"""The end of uploads: with the decision on their release, or after seven days."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.history import log_activity
from intake.batches.sweeping import schedule
from jobs.message import Message
from jobs.models import Job
from releases.models import Attack, Register, Release, Source, Upload, problem_of

DAYS = timedelta(days=7)
"""How long an upload is kept."""


def is_over(source: Source, now: datetime) -> bool:
    return source.created + DAYS <= now


def delete_upload(source: Source, now: datetime) -> bool:
    """Delete the bytes, in the transaction of what ends their use; False where they are gone already."""
    n_deleted = Source.objects.filter(pk=source.pk, survey=None, deleted=None).update(deleted=now)
    Upload.objects.filter(source=source).delete()
    Attack.objects.filter(release__source=source, of_source=True).delete()
    if n_deleted:
        schedule(Upload, Attack, Job, Register)
        log_activity(
            None, "releases.upload-deleted", Release.objects.get(source=source), note=source.name, when=now
        )
    return bool(n_deleted)


def delete_old(now: datetime) -> None:
    """Delete the uploads whose days are over, and those that a restored backup does not hold."""
    kept = Source.objects.filter(survey=None, deleted=None)
    old = kept.filter(created__lte=now - DAYS) | kept.filter(upload=None)
    for source in old.order_by("pk"):
        expire(source, now)


def expire(source: Source, now: datetime) -> None:
    with transaction.atomic():
        if Release.objects.lock(source.release.pk):
            delete_upload(source, now)
            end_drafts(source, now)


def end_drafts(source: Source, now: datetime) -> None:
    """A release that is not made yet cannot be made any more."""
    words = Message(gettext_noop("The uploaded file has been deleted. Upload it again for another release."))
    states = (Release.State.DRAFT, Release.State.RUNNING)
    Release.objects.filter(source=source, state__in=states).update(
        state=Release.State.REFUSED, since=now, by=None, problem=problem_of([words])
    )
