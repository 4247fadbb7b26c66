"""The outbox. An event is written in the transaction of what it reports; the scheduler makes its deliveries."""

import logging
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404

from api.models import Delivery, Event, EventKind, Webhook
from people import site
from people.permission import guard
from people.second_factor import factors
from releases.models import Release
from reports.models import Review
from surveys.models import Survey

if TYPE_CHECKING:
    from people.models import Person

logger = logging.getLogger(__name__)


def on_report_published(review: Review, now: datetime, **kwargs: Any) -> None:
    note(EventKind.REPORT_PUBLISHED, review.pk, now)


def on_release_approved(release: Release, now: datetime, **kwargs: Any) -> None:
    note(EventKind.RELEASE_APPROVED, release.pk, now)


def on_survey_closed(survey: Survey, **kwargs: Any) -> None:
    if survey.closed_at:
        note(EventKind.SURVEY_CLOSED, survey.pk, survey.closed_at)


def note(kind: EventKind, thing: int, now: datetime) -> None:
    Event.objects.create(kind=kind, thing=thing, happened=now)


@dataclass(frozen=True)
class Subject:
    """What an event is about, as its receiver is told: numbers and the address of a page. No count, no name."""

    id: int
    survey: int | None
    path: str


def subject_for(person: "Person", event: Event) -> Subject | None:
    """The subject of the event as this person may see it now; None where they may not, or it is gone."""
    if not person.is_active or (factors.must_have_factor(person) and not factors.has_factor(person)):
        return None
    try:
        return _seen_by(person, EventKind(event.kind), event.thing)
    except (Http404, PermissionDenied):
        return None


def _seen_by(person: "Person", kind: EventKind, pk: int) -> Subject:
    """Http404 or PermissionDenied as on the page of the thing."""
    match kind:
        case EventKind.REPORT_PUBLISHED:
            review = guard(Review.objects.with_surveys(), person, pk, "read")
            return Subject(review.pk, review.survey.pk, review.get_absolute_url())
        case EventKind.RELEASE_APPROVED:
            approved = Release.objects.listed().filter(state=Release.State.APPROVED)
            release = guard(approved, person, pk, "download")
            return Subject(release.pk, release.source.survey_id, release.get_absolute_url())
        case EventKind.SURVEY_CLOSED:
            survey = guard(Survey.objects, person, pk)
            return Subject(survey.pk, survey.pk, survey.get_absolute_url())
        case EventKind.TEST:
            webhook = guard(Webhook.objects, person, pk)
            return Subject(webhook.pk, None, webhook.get_absolute_url())


def payload(event: Event, subject: Subject) -> dict[str, Any]:
    data = {"id": subject.id, "survey": subject.survey, "page": site.address(subject.path)}
    return {"type": event.kind, "timestamp": event.happened.isoformat(timespec="seconds"), "data": data}


def expand(now: datetime) -> None:
    """Write the deliveries of new events; one event that fails does not stop the others."""
    for event in Event.objects.filter(expanded=None).order_by("pk"):
        try:
            _expand(event, now)
        except Exception:
            logger.exception("event %s could not be expanded; it is tried again", event.pk)


def _expand(event: Event, now: datetime) -> None:
    """A delivery for each webhook of somebody who may see what the event is about."""
    webhooks = [
        webhook
        for webhook in Webhook.objects.select_related("person").order_by("pk")
        if event.kind in webhook.events and subject_for(webhook.person, event)
    ]
    with transaction.atomic():
        if Event.objects.filter(pk=event.pk, expanded=None).update(expanded=now):
            Delivery.objects.bulk_create(delivery_of(event, webhook, now) for webhook in webhooks)


def delivery_of(event: Event, webhook: Webhook, now: datetime) -> Delivery:
    message = f"msg_{secrets.token_hex(16)}"
    return Delivery(event=event, webhook=webhook, message=message, next_try=now)
