"""The outbox of webhook events: written in the transaction of the change that they report, delivered by a job
at least once.

A try is claimed by one conditional UPDATE, so two workers never make the same try. The claim of a worker that
died expires, and the delivery is due again; the receiver recognises it by its id. Signed by Standard Webhooks
(standardwebhooks.com).
"""

import hmac
import json
import logging
import secrets
from base64 import b64decode, b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Min, Q
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import site_address
from accounts.activity_log import log_activity
from accounts.permission import get_permitted
from accounts.second_factor import factors
from api.models import Delivery, DeliveryProblem, DeliveryQuerySet, Dispatch, Event, EventKind, Webhook
from api.webhooks.webhook_http import DeliveryOutcome, parse_target, post_to_webhook, resolve_target
from jobs import database, job_queue
from jobs.models import FINISHED, Write
from jobs.progress_messages import Progress
from releases.models import Release
from reports.models import Review
from runs.models import Run
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

logger = logging.getLogger(__name__)
State = Delivery.State
LIMIT = 10  # webhooks of one person
# After each failed try but the last.
WAITS = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 840, 1440)]
JITTER = 0.2  # of each wait, so that not all come back at once
CLAIM = timedelta(minutes=5)  # longer than a try takes, a slow answer of the name server included
AT_ONCE = 8
KEPT_FOR = timedelta(days=30)
USER_AGENT = "Candor-Webhooks/1"


class EventContent(NamedTuple):
    """What an event says to its receiver: ids and the address of a page, without counts and names."""

    id: int
    survey: int | None
    path: str


def on_report_published(review: Review, now: datetime, **kwargs: Any) -> None:
    record_event(EventKind.REPORT_PUBLISHED, review.pk, now)


def on_release_approved(release: Release, now: datetime, **kwargs: Any) -> None:
    record_event(EventKind.RELEASE_APPROVED, release.pk, now)


def on_survey_closed(survey: Survey, **kwargs: Any) -> None:
    if survey.closed_at:
        record_event(EventKind.SURVEY_CLOSED, survey.pk, survey.closed_at)


def on_run_finished(run: Run, **kwargs: Any) -> None:
    record_event(EventKind.RUN_FINISHED, run.pk, database.now())


def record_event(kind: EventKind, thing: int, now: datetime) -> Event:
    return Event.objects.create(kind=kind, thing=thing, happened=now)


def event_content_for(person: "Person", event: Event) -> EventContent | None:
    """Returns what the event says to this person; None if they may not see the event's object now, or it is deleted."""
    if not person.is_active or (factors.must_have_factor(person) and not factors.has_factor(person)):
        return None
    try:
        match EventKind(event.kind):
            case EventKind.REPORT_PUBLISHED:
                thing: Any = get_permitted(Review.objects.with_surveys(), person, event.thing, "read")
                survey = thing.survey.pk
            case EventKind.RELEASE_APPROVED:
                approved = Release.objects.with_permissions().filter(state=Release.State.APPROVED)
                thing = get_permitted(approved, person, event.thing, "download")
                survey = thing.source.survey_id
            case EventKind.SURVEY_CLOSED:
                thing = get_permitted(Survey.objects, person, event.thing)
                survey = thing.pk
            case EventKind.RUN_FINISHED:
                thing = get_permitted(Run.objects, person, event.thing)
                survey = thing.survey_id
            case EventKind.TEST:
                thing, survey = get_permitted(Webhook.objects, person, event.thing), None
    except (Http404, PermissionDenied):
        return None
    return EventContent(thing.pk, survey, thing.get_absolute_url())


def create_deliveries(now: datetime) -> None:
    """Stores the deliveries of new events: one for each webhook that wants the event and whose person may see its
    object."""
    for event in Event.objects.filter(expanded=None).order_by("pk"):
        try:
            webhooks = [
                webhook
                for webhook in Webhook.objects.select_related("person").order_by("pk")
                if event.kind in webhook.events and event_content_for(webhook.person, event)
            ]
            with transaction.atomic():
                if Event.objects.filter(pk=event.pk, expanded=None).update(expanded=now):
                    Delivery.objects.bulk_create(new_delivery(event, webhook, now) for webhook in webhooks)
        except Exception:
            logger.exception("event %s could not be expanded; it is tried again", event.pk)


def new_delivery(event: Event, webhook: Webhook, now: datetime) -> Delivery:
    return Delivery(event=event, webhook=webhook, message=f"msg_{secrets.token_hex(16)}", next_try=now)


def new_webhook_secret() -> str:
    return "whsec_" + b64encode(secrets.token_bytes(32)).decode()


def signed_headers(secret: str, message: str, body: bytes, now: datetime) -> dict[str, str]:
    """Returns headers with an HMAC-SHA256 over id, time of the try and body, so that replays and
    changes are detected."""
    timestamp = str(int(now.timestamp()))
    key = b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{message}.{timestamp}.".encode() + body, "sha256")
    signature = f"v1,{b64encode(digest).decode()}"
    return {"webhook-id": message, "webhook-timestamp": timestamp, "webhook-signature": signature}


def add_webhook(person: "Person", address: str, events: Sequence[EventKind], now: datetime) -> Webhook:
    """Adds a webhook; raises NotAllowed if its address is unusable or in a refused network."""
    resolve_target(parse_target(address))
    with transaction.atomic():
        if Webhook.objects.filter(person=person).count() >= LIMIT:
            raise NotAllowed(_("You have %(limit)s webhooks. End one of them first.") % {"limit": LIMIT})
        kinds = [event.value for event in events]
        webhook = Webhook.objects.create(
            person=person, address=address, secret=new_webhook_secret(), events=kinds, created=now
        )
        log_activity(person, "api.webhook-added", webhook, note=", ".join(kinds), when=now)
    return webhook


def on_credentials_ended(person: "Person", **kwargs: Any) -> None:
    """Ends the person's webhooks when their credentials are revoked, since an intruder may have added them."""
    for webhook in Webhook.objects.filter(person=person):
        delete_webhook(webhook, None, database.now())


@transaction.atomic
def delete_webhook(webhook: Webhook, person: "Person | None", now: datetime) -> None:
    """Deletes a webhook with its secret and its deliveries.

    `person`: the person who ends it, None for Candor itself.
    """
    log_activity(person, "api.webhook-ended", webhook, when=now)
    webhook.delete()


@transaction.atomic
def enqueue_test_event(webhook: Webhook, now: datetime) -> None:
    if webhook.deliveries.filter(event__kind=EventKind.TEST, state=State.WAITING).exists():
        raise NotAllowed(_("A test event waits to be sent already."))
    event = Event.objects.create(kind=EventKind.TEST, thing=webhook.pk, happened=now, expanded=now)
    new_delivery(event, webhook, now).save()
    enqueue_dispatch_if_due(now)


@transaction.atomic
def make_delivery_due(delivery: Delivery, now: datetime) -> None:
    """Makes a delivery due now, whatever the results of earlier tries."""
    rows = Delivery.objects.filter(unclaimed_condition(now), pk=delivery.pk)
    if not rows.update(state=State.WAITING, next_try=now):
        raise NotAllowed(_("It is being sent at this moment."))
    enqueue_dispatch_if_due(now)


def on_tick(now: datetime) -> None:
    create_deliveries(now)
    enqueue_dispatch_if_due(now)


def enqueue_dispatch_if_due(now: datetime) -> None:
    """Enqueues the job that sends deliveries, if a delivery is due and no such job waits or runs."""
    if due_deliveries(now).exists() and not Dispatch.objects.exclude(state__in=FINISHED).exists():
        job_queue.enqueue(Dispatch())


def delete_old_events(now: datetime) -> None:
    """Deletes events with their deliveries after 30 days, and the jobs that sent them a day after their end."""
    Event.objects.filter(happened__lt=now - KEPT_FOR).delete()
    Event.objects.exclude(expanded=None).filter(deliveries=None).delete()
    Dispatch.objects.filter(finished__lt=now - timedelta(days=1)).delete()


def due_deliveries(now: datetime) -> DeliveryQuerySet:
    """Returns the deliveries to try now.

    A due time too far ahead was stored before the clock was set back, and counts as due.
    """
    is_time = Q(next_try__lte=now) | Q(next_try__gt=now + 2 * WAITS[-1])
    return Delivery.objects.filter(is_time, unclaimed_condition(now), state=State.WAITING)


def unclaimed_condition(now: datetime) -> Q:
    """Returns the query condition that no worker is trying a delivery: it is not claimed, or the claim has expired."""
    return Q(claimed=None) | Q(claimed__lte=now - CLAIM) | Q(claimed__gt=database.latest_plausible_time(now))


def perform(job: Dispatch, progress: Progress) -> Write:
    """Sends deliveries until none is due. This thread alone uses the database; other threads wait for responses."""
    progress(None)
    while deliveries := claim_due_deliveries(database.now()):
        requests = [request for row in deliveries if (request := build_request_or_drop(row, database.now()))]
        with ThreadPoolExecutor(AT_ONCE) as threads:
            outcomes = list(threads.map(lambda request: _post(*request), requests))
        for (delivery, _headers, _body), outcome in zip(requests, outcomes, strict=True):
            store_outcome_if_claim_holds(delivery, outcome, database.now(), SystemRandom())
        progress(None)
    return lambda: None


def claim_due_deliveries(now: datetime) -> list[Delivery]:
    """Claims due deliveries for this worker and returns them: the oldest one of each of at most eight webhooks.

    So a slow webhook delays no other for long.
    """
    oldest = due_deliveries(now).order_by().values("webhook").annotate(oldest=Min("pk")).values("oldest")
    rows = Delivery.objects.filter(pk__in=oldest).select_related("webhook__person", "event")
    return [
        delivery for delivery in rows.order_by("next_try", "pk")[:AT_ONCE] if claim_delivery(delivery, now)
    ]


def claim_delivery(delivery: Delivery, now: datetime) -> bool:
    """Claims the next try of this delivery; False if another worker has it."""
    rows = due_deliveries(now).filter(pk=delivery.pk, tries=delivery.tries)
    if not rows.update(claimed=now, last_try=now, tries=F("tries") + 1):
        return False
    delivery.tries += 1
    return True


def build_request_or_drop(delivery: Delivery, now: datetime) -> tuple[Delivery, dict[str, str], bytes] | None:
    """Returns the delivery with headers and body to send.

    Drops it and returns None if its person may not see the event's object any more.
    """
    webhook, event = delivery.webhook, delivery.event
    subject = event_content_for(webhook.person, event)
    if subject is None:
        _end_try(delivery, state=State.DROPPED, next_try=None)
        return None
    data = {"id": subject.id, "survey": subject.survey, "page": site_address.site_url(subject.path)}
    timestamp = event.happened.isoformat(timespec="seconds")
    if event.kind == EventKind.SURVEY_CLOSED:
        # The second would stay in a receiver's log, beside the times of the last records there.
        timestamp = timezone.localdate(event.happened).isoformat()
    body = json.dumps({"type": event.kind, "timestamp": timestamp, "data": data}).encode()
    headers = signed_headers(webhook.secret, delivery.message, body, now)
    return delivery, {**headers, "Content-Type": "application/json", "User-Agent": USER_AGENT}, body


def _post(delivery: Delivery, headers: dict[str, str], body: bytes) -> DeliveryOutcome:
    try:
        return post_to_webhook(parse_target(delivery.webhook.address), headers, body)
    except NotAllowed:
        return DeliveryOutcome(problem=DeliveryProblem.REFUSED)


def store_outcome_if_claim_holds(
    delivery: Delivery, outcome: DeliveryOutcome, now: datetime, random: Random
) -> None:
    """Stores the result of a try, unless the claim has expired and another try has begun.

    `random` spreads the time of the next try.
    """
    state, next_try = State.WAITING, None
    if outcome.status and 200 <= outcome.status < 300:
        state = State.DELIVERED
    elif delivery.tries > len(WAITS):
        state = State.FAILED
    else:
        next_try = now + WAITS[delivery.tries - 1] * random.uniform(1 - JITTER, 1 + JITTER)
    _end_try(delivery, state=state, next_try=next_try, status=outcome.status, problem=outcome.problem)


def _end_try(delivery: Delivery, **values: object) -> None:
    Delivery.objects.filter(pk=delivery.pk, tries=delivery.tries).update(claimed=None, **values)
