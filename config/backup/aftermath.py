"""After a restore: destroys again, brings deletion dates forward, requeues jobs and ends links."""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils import timezone, translation

from accounts.history import log_activity
from accounts.models import Person
from config.backup import remembering, since
from config.backup.archive import Json
from config.backup.models import Backup, Remembered
from config.backup.since import Since
from intake.batches import sweeping
from intake.models import Inbox
from jobs import transitions
from jobs.models import Job, State as JobState
from surveys.lifecycle import scheduled
from surveys.models import Survey

Void = dict[int, set[bytes]]
"""By survey, digests of invitations that are not in the restored tables because nobody knows whether they were used."""


def after_restore(known: Since, void: Void, head: Json, now: datetime) -> Json:
    """Called in the restoring transaction, once all rows are loaded; returns what was done, for the operator."""
    with translation.override(settings.LANGUAGE_CODE):
        _remember(known, void, head["id"] in known.backups)
        bring_forward(known)
        destroyed = destroy(known, now)
        stop_work(now)
        links = end_links(now)
        backup = Backup(pk=UUID(head["id"]), made=datetime.fromisoformat(head["made"]))
        Backup.objects.filter(pk=backup.pk).update(completed=True)  # in it, it was not yet
        log_activity(None, "backup.restored", backup, when=now)
    # All of the database that was replaced lies in the write-ahead file.
    sweeping.schedule(Inbox)
    return {"destroyed": destroyed, "links_ended": links}


def _remember(known: Since, void: Void, complete: bool) -> None:
    """All that was known goes on being known, so that the next restore does not undo it either."""
    if not complete:
        # Nothing is complete for this backup, nor for those before it.
        Backup.objects.exclude(pk__in=list(map(UUID, known.backups))).delete()
    rows = [Backup(pk=UUID(pk), made=made) for pk, made in known.backups.items()]
    Backup.objects.bulk_create(rows, ignore_conflicts=True)
    slugs = dict(Survey.objects.values_list("pk", "slug"))
    there = set(map(since.survey_name, slugs.values()))
    for named in known.spent.keys() - known.destroyed:
        remembering.add_spent(named, known.spent[named])
    for pk, digests in void.items():
        remembering.add_spent(since.survey_name(slugs[pk]), frozenset(digests))
    for named in known.destroyed - there:
        Remembered.objects.update_or_create(slug=named, defaults={"destroyed": True, "spent": b""})
    for named in known.until.keys() - there:
        Remembered.objects.update_or_create(slug=named, defaults={"until": known.until[named]})


def bring_forward(known: Since) -> None:
    """A deletion date is a promise: once it was brought forward, it stays there."""
    # A draft has no such date yet; what it had promised when it was opened later is gone with the answers to it.
    opened = Survey.objects.filter(design__isnull=False).exclude(state=Survey.State.DESTROYED)
    for survey in opened.only("slug", "destroy_on"):
        day = known.until.get(since.survey_name(survey.slug))
        if day is not None and (survey.destroy_on is None or day < survey.destroy_on):
            Survey.objects.filter(pk=survey.pk).update(destroy_on=day)


def destroy(known: Since, now: datetime) -> list[int]:
    """Destroy again what was destroyed since the backup, and what is due by now; return the surveys' ids."""
    today, destroyed = timezone.localdate(now), []
    for survey in Survey.objects.exclude(state=Survey.State.DESTROYED).order_by("pk"):
        passed = survey.destroy_on is not None and survey.destroy_on <= today
        if passed or since.survey_name(survey.slug) in known.destroyed:
            scheduled.destroy(survey, now)
            destroyed.append(survey.pk)
    return destroyed


def stop_work(now: datetime) -> None:
    """Jobs that ran when the backup was made wait for a worker again, at no cost of an attempt."""
    running = Job.objects.filter(state=JobState.RUNNING)
    for worker in set(running.exclude(worker="").values_list("worker", flat=True)):
        transitions.requeue_all_of_worker(worker)
    # Suspended for other rows, which wait now: it waits for these, and its heart has not stopped.
    running.update(heartbeat=now)


def end_links(now: datetime) -> int:
    """Links to set a password end with a new password or a sign-in. Those have been undone; the links end here."""
    people = list(Person.objects.filter(is_active=True))
    for person in people:
        if not person.has_usable_password():
            person.set_unusable_password()
        person.last_login = now
    Person.objects.bulk_update(people, ["password", "last_login"], batch_size=500)
    return len(people)
