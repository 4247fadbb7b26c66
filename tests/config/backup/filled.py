"""An instance with something in every room, and values that are easily bent on the way."""

import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from accounts import role_assignment
from accounts.activity_log import log_activity
from accounts.models import RESEARCHERS, REVIEWERS, Lockout, Person
from api import tokens
from api.models import Event, EventKind, Scope, Webhook
from api.webhooks.outbox import new_delivery, new_webhook_secret
from intake.batches import merging
from intake.field_devices.models import FieldDevice, FieldLot
from intake.invitations import tokens as invitations
from intake.rehearsal.models import Truth
from jobs.models import Lease, Trial, Worker
from mining.parameters import Parameters
from releases import uploads
from reports.models import Review
from reports.review import report_state_changes, rule_decisions
from runs import run_start
from runs.copied_record_detection import find_copies_in_new_batches
from runs.models import Histogram, Rule
from surveys.lifecycle import field_device_keys, state_changes as lifecycle
from surveys.models import Collaborator, Survey
from tests.intake import asked
from tests.runs import sealed
from tests.surveys import drafts

ASKS = asked.design(least=20)
ODD = "tab\t line\nreturn\r backslash\\ \\N \\. quote\"' 汉字 \U0001f980 \u2028 end"
WHEN = datetime(2026, 11, 20, 1, 2, 3, 999_999, tzinfo=UTC)


def person(username: str, role: str = "", **more: object) -> Person:
    made = Person.objects.create_user(username, f"{username}@example.org", "a-long-password", **more)
    if role:
        role_assignment.give_role(made, role, by=None)
    return made


def fill() -> dict[str, int]:
    """The numbers of: a survey that people answer by invitation, a closed one with a published run, a draft."""
    owner = person("olga", RESEARCHERS, name=ODD)
    reviewer = person("ruth", REVIEWERS)
    person("closed", is_active=False)
    draft = Survey.objects.create(owner=owner, draft=drafts.complete() | {"contact": ODD})
    Collaborator.objects.create(survey=draft, person=reviewer, may_edit=True)
    field_device_keys.add_field_keys_to_draft(draft, draft.draft)
    device = FieldDevice.objects.create(
        survey=draft, label=ODD[:60], people=60, ticket=b"\0" * 16, secret=b"\\" * 16
    )
    FieldLot.objects.create(device=device, number=1, hash=b"\xff" * 16)
    # A number that was given and is free again.
    # Not through save(), which would remember its owner for good.
    Survey.objects.bulk_create([Survey(owner=owner, draft={})])[0].delete()
    answered = asked.survey(ASKS, invited=True, owner=owner, destroy_on=date(2031, 1, 1))
    for number, token in enumerate(invitations.create_tokens(answered, 60)[:45]):
        asked.post(answered, asked.envelope(ASKS, number, token=token))
    closed = sealed.survey(owner, sealed.small(), [300] * 8, destroy_on=date(2030, 5, 1))
    find_copies_in_new_batches(timezone.now())
    merging.reduce_batches_by_merging(closed.pk)
    _publish(closed, owner, reviewer)
    uploads.store_upload(owner, "accounts.csv", b"age,town\n30,Aa\n", timezone.now())
    counts, disguised = bytes(range(256)), bytes(range(255, -1, -1))
    Truth.objects.create(survey=closed, n=3, size=1, counts=counts, disguised=2, disguised_counts=disguised)
    Histogram.objects.update_or_create(survey=closed, through=9, defaults={"data": b"\n\\\x00\t" * 99})
    log_activity(owner, "surveys.edited", draft, note=ODD, when=WHEN)
    LogEntry.objects.create(user=reviewer, object_id="1", object_repr=ODD, action_flag=CHANGE)
    trial = Trial(
        person=reviewer, created=WHEN, fraction=1 / 3, words={"odd": [ODD, 1e-300, None, True, 2**60]}
    )
    trial.save()
    _programs(owner)
    _passing(owner)
    Person.objects.create(username="gone").delete()
    return {"answered": answered.pk, "closed": closed.pk, "draft": draft.pk}


def _publish(survey: Survey, owner: Person, reviewer: Person) -> None:
    wanted = Parameters(min_support=0.1, min_confidence=0.3)
    run = sealed.work(run_start.start_mining_run(survey, owner, wanted, timezone.now()))
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    review = Review.objects.get(run=run)
    rules = Rule.objects.filter(run=run, place__lt=2)
    rule_decisions.decide_rules(review, reviewer, rules, rule_decisions.Verdict.ACCEPT, ODD, timezone.now())
    report_state_changes.publish(review, reviewer, [], "https://example.org", timezone.now())


def _passing(owner: Person) -> None:
    """What is of no use later, or would be of too much."""
    session = SessionStore()
    session["secret"] = "who is signed in"
    session.create()
    soon = timezone.now() + timedelta(hours=1)
    Lockout.objects.create(cache_key="failed", value="3", expires=soon)
    Lease.objects.create(name="tick", holder="w1", until=soon)
    Worker.objects.create(name="w1", heard=WHEN)


def _programs(owner: Person) -> None:
    """A token, and a webhook with an event that waits."""
    now = timezone.now()
    tokens.create_token(owner, ODD[:60], [Scope.OPEN], now + timedelta(days=1), now)
    about = {"address": "https://203.0.113.1/", "secret": new_webhook_secret(), "events": [], "created": now}
    webhook = Webhook.objects.create(person=owner, **about)
    event = Event.objects.create(kind=EventKind.TEST, thing=webhook.pk, happened=now, expanded=now)
    new_delivery(event, webhook, now).save()


# --- surveys whose records are texts that nothing else in a file can be ------------------------------------

# 30 digits in base 8 are 90 bits.
TELLTALE = asked.design(least=20, digits=30)


def answer(survey: Survey, n: int, tokens: Sequence[str | None] = ()) -> list[str]:
    """So many people answer; their records as they lie in the inbox."""
    sent = [asked.envelope(TELLTALE, secrets.randbelow(8**30), token=token) for token in tokens or [None] * n]
    assert {asked.post(survey, each).status_code for each in sent} == {201}
    return [f"1{each.record.answers}" for each in sent]


def destroy(survey: Survey) -> None:
    lifecycle.close_survey(survey, None, timezone.now())
    lifecycle.destroy_survey(survey, None, timezone.now())
