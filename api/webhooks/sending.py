"""Sends what is due, at least once: a job claims a try, makes it, and stores what came of it.

A try is claimed by one conditional UPDATE, so two workers never make the same one. The claim of a worker that died
expires, and the delivery is due again; its receiver knows it by its id.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random, SystemRandom

from django.db.models import F, Min, Q

from api.models import Delivery, DeliveryQuerySet, Dispatch, Event, Problem
from api.webhooks import events
from api.webhooks.posting import Outcome, post
from api.webhooks.signature import signed_headers
from api.webhooks.targets import read_target
from jobs import database, wake
from jobs.message import Progress
from jobs.models import FINISHED, Write
from surveys.not_allowed import NotAllowed

State = Delivery.State
WAITS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=14),
    timedelta(hours=24),
)
"""After each failed try but the last: eight tries over two days."""
JITTER = 0.2
"""Each wait is longer or shorter by at most this share, so that not all come back at once."""
CLAIM = timedelta(minutes=5)
"""Longer than a try takes, a slow answer of the name server included."""
AT_ONCE = 8
KEPT = timedelta(days=30)
USER_AGENT = "Candor-Webhooks/1"


def tick(now: datetime) -> None:
    events.expand(now)
    start(now)


def start(now: datetime) -> None:
    """Start a job where a delivery is due and none is under way."""
    if due(now).exists() and not Dispatch.objects.exclude(state__in=FINISHED).exists():
        wake.enqueue(Dispatch())


def forget(now: datetime) -> None:
    """Delete events, with their deliveries, after 30 days, and jobs of yesterday."""
    Event.objects.filter(happened__lt=now - KEPT).delete()
    Event.objects.exclude(expanded=None).filter(deliveries=None).delete()
    Dispatch.objects.filter(finished__lt=now - timedelta(days=1)).delete()


def due(now: datetime) -> DeliveryQuerySet:
    """Those to try now. A time that is too far ahead was written before the clock was set back."""
    is_time = Q(next_try__lte=now) | Q(next_try__gt=now + 2 * WAITS[-1])
    return Delivery.objects.filter(is_time, is_free(now), state=State.WAITING)


def is_free(now: datetime) -> Q:
    """Nobody makes a try: none is claimed, or the claim has expired."""
    return Q(claimed=None) | Q(claimed__lte=now - CLAIM) | Q(claimed__gt=database.ahead(now))


@dataclass(frozen=True)
class Letter:
    """A claimed try, with all that a thread without a database needs."""

    delivery: Delivery
    body: bytes
    headers: dict[str, str]


def perform(job: Dispatch, progress: Progress) -> Write:
    """Send until nothing is due. This thread alone reads and writes rows; others wait for answers."""
    progress(None)
    while deliveries := claim_due(database.now()):
        send(deliveries)
        progress(None)
    return lambda: None


def claim_due(now: datetime) -> list[Delivery]:
    """The oldest due delivery of each webhook, of at most eight: one that is slow holds up no other for long."""
    oldest = due(now).order_by().values("webhook").annotate(oldest=Min("pk")).values("oldest")
    rows = Delivery.objects.filter(pk__in=oldest).select_related("webhook__person", "event")
    return [delivery for delivery in rows.order_by("next_try", "pk")[:AT_ONCE] if claim(delivery, now)]


def claim(delivery: Delivery, now: datetime) -> bool:
    """Whether the next try of this delivery is ours."""
    rows = due(now).filter(pk=delivery.pk, tries=delivery.tries)
    if not rows.update(claimed=now, last_try=now, tries=F("tries") + 1):
        return False
    delivery.tries += 1
    return True


def send(deliveries: Sequence[Delivery]) -> None:
    letters = [letter for delivery in deliveries if (letter := letter_of(delivery, database.now()))]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        outcomes = list(threads.map(_post, letters))
    for letter, outcome in zip(letters, outcomes, strict=True):
        store(letter.delivery, outcome, database.now(), SystemRandom())


def letter_of(delivery: Delivery, now: datetime) -> Letter | None:
    """What to send; None, and the delivery is dropped, where its person may not see the thing now."""
    webhook, event = delivery.webhook, delivery.event
    subject = events.subject_for(webhook.person, event)
    if subject is None:
        _end_try(delivery, state=State.DROPPED, next_try=None)
        return None
    body = json.dumps(events.payload(event, subject)).encode()
    headers = signed_headers(webhook.secret, delivery.message, body, now)
    return Letter(delivery, body, {**headers, "Content-Type": "application/json", "User-Agent": USER_AGENT})


def _post(letter: Letter) -> Outcome:
    try:
        target = read_target(letter.delivery.webhook.address)
    except NotAllowed:
        return Outcome(problem=Problem.REFUSED)
    return post(target, letter.headers, letter.body)


def store(delivery: Delivery, outcome: Outcome, now: datetime, random: Random) -> None:
    """The result of a try, unless the claim has expired and another try has begun."""
    state, next_try = State.WAITING, None
    if outcome.is_accepted:
        state = State.DELIVERED
    elif delivery.tries > len(WAITS):
        state = State.FAILED
    else:
        next_try = now + WAITS[delivery.tries - 1] * random.uniform(1 - JITTER, 1 + JITTER)
    _end_try(delivery, state=state, next_try=next_try, status=outcome.status, problem=outcome.problem)


def _end_try(delivery: Delivery, **values: object) -> None:
    Delivery.objects.filter(pk=delivery.pk, tries=delivery.tries).update(claimed=None, **values)
