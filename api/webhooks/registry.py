"""Adds webhooks, ends them, sends a test event, and sends a delivery again."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from api.models import Delivery, Event, EventKind, Webhook
from api.webhooks import sending, signature
from api.webhooks.events import delivery_of
from api.webhooks.targets import read_target, resolve
from people.history import log_activity
from surveys.not_allowed import NotAllowed

if TYPE_CHECKING:
    from people.models import Person

LIMIT = 10
"""Webhooks of one person."""


def add(person: "Person", address: str, events: Sequence[EventKind], now: datetime) -> Webhook:
    """NotAllowed where the address cannot be one, or is in a network that is refused."""
    resolve(read_target(address))
    with transaction.atomic():
        if Webhook.objects.filter(person=person).count() >= LIMIT:
            raise NotAllowed(_("You have %(limit)s webhooks. End one of them first.") % {"limit": LIMIT})
        webhook = Webhook.objects.create(
            person=person,
            address=address,
            secret=signature.new_secret(),
            events=[event.value for event in events],
            created=now,
        )
        log_activity(person, "api.webhook-added", webhook, note=", ".join(webhook.events), when=now)
    return webhook


def end(webhook: Webhook, person: "Person", now: datetime) -> None:
    """Nothing is sent from now on; its secret and its deliveries are deleted with it."""
    with transaction.atomic():
        log_activity(person, "api.webhook-ended", webhook, when=now)
        webhook.delete()


def send_test(webhook: Webhook, now: datetime) -> None:
    waiting = webhook.deliveries.filter(event__kind=EventKind.TEST, state=Delivery.State.WAITING)
    with transaction.atomic():
        if waiting.exists():
            raise NotAllowed(_("A test event waits to be sent already."))
        event = Event.objects.create(kind=EventKind.TEST, thing=webhook.pk, happened=now, expanded=now)
        delivery_of(event, webhook, now).save()
        sending.start(now)


def send_again(delivery: Delivery, now: datetime) -> None:
    """One more try now, whatever became of the ones before."""
    with transaction.atomic():
        rows = Delivery.objects.filter(sending.is_free(now), pk=delivery.pk)
        if not rows.update(state=Delivery.State.WAITING, next_try=now):
            raise NotAllowed(_("It is being sent at this moment."))
        sending.start(now)
