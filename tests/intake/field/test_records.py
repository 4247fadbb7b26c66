"""A field device's sealed record: opened, accepted once for each token, and nothing of it where it does not belong."""

import itertools
import json
import secrets
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import Error
from django.utils import timezone

from intake.batches import seen_keys
from intake.endpoint import endpoint
from intake.endpoint.accept_record import (
    FIELD_ENVELOPE,
    GRACE,
    Outcome,
    count_device_records,
    count_open_link_records,
    find_public_survey,
    receive_record,
)
from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.rate_limits import RecordRateLimit, RequestLimits
from intake.field_devices import device_requests
from intake.field_devices.models import FieldLot
from intake.models import FreshKey, Inbox, KeySecret
from privacy.blind_signatures.protocol import base64url_bytes, read_public_key
from privacy.designs import Design
from privacy.records import Envelope
from surveys.models import FieldKeys, Survey
from tests.intake import asked
from tests.intake.asked import (
    CLOSED,
    IMPOSSIBLE,
    KNOWN,
    STORED,
    TOO_LONG,
    UNINVITED,
    encrypt_field_record,
    field_envelope as envelope,
    outcome,
    outcome_of,
    sealed_body,
    token,
)
from tests.intake.field.test_set_up import ASKS, device_that_is_set_up, each_lot_is_due, open_field_survey
from tests.privacy.conftest import TokenExchange as Blinding

pytestmark = pytest.mark.django_db
__all__ = ["each_lot_is_due", "open_field_survey"]
FULL = (503, "too many at once")


def send(to: Survey, sent: Envelope, asks: Design = ASKS) -> tuple[int, str]:
    return outcome_of(post(to, sealed_body(asks, sent)))


def post(to: Survey, body: dict[str, str] | str) -> Any:
    return asked.post_field(to, "record", body)


def test_sealed_record_is_stored_once_and_a_repetition_known(open_field_survey: Survey) -> None:
    sent = envelope(ASKS, token())
    assert len(sent.json) == ASKS.width + FIELD_ENVELOPE
    answer = post(open_field_survey, sealed_body(ASKS, sent))
    assert outcome_of(answer) == STORED
    # The answer is that of a record, as long as any other.
    online = asked.post(open_field_survey, asked.envelope(ASKS))
    assert outcome_of(online) == STORED
    assert len(answer.content) == len(online.content)
    assert send(open_field_survey, sent) == KNOWN
    assert Inbox.objects.count() == 2


def test_token_counts_once_and_a_resealed_record_is_the_same(open_field_survey: Survey) -> None:
    spent = token()
    sent = envelope(ASKS, spent)
    assert send(open_field_survey, sent) == STORED
    assert send(open_field_survey, replace(sent, key=secrets.token_hex(16))) == UNINVITED
    # A copied profile with the same key and another token: known, and its token stays unspent.
    assert send(open_field_survey, replace(sent, token=token())) == KNOWN
    assert Inbox.objects.count() == 1


@pytest.mark.parametrize(("invited", "exchanged"), [(False, False), (True, False), (True, True)])
def test_tokens_open_only_their_own_endpoint(invited: bool, exchanged: bool) -> None:
    """Of devices, of exchanged invitations, of invitations and of an open link."""
    asks = asked.field_design(invitation_key=asked.signing_key(2).public.text if exchanged else "")
    opened, stolen = asked.field_survey(asks, invited=invited), token()
    for wrong in (token(1), "A" * 384, token(2)):
        assert send(opened, envelope(asks, wrong), asks) == UNINVITED
    assert send(opened, replace(envelope(asks, None), token=None), asks) == IMPOSSIBLE
    # At the ordinary address; where records have no signed token, one is even too long.
    refused = UNINVITED if exchanged else TOO_LONG
    assert outcome(opened, asked.envelope(asks, token=stolen)) == refused
    assert outcome(opened, envelope(asks, stolen)) == refused
    if not invited:
        # Without the month of a page nobody escapes its end.
        assert outcome(opened, replace(envelope(asks, None), token=None)) == (410, "too old")
    # Nothing of the token was spent.
    assert send(opened, envelope(asks, stolen), asks) == STORED
    if exchanged:
        # And the token of an invitation opens none at the door of devices, but still its own.
        own = token(2)
        assert send(opened, envelope(asks, own), asks) == UNINVITED
        assert outcome(opened, asked.envelope(asks, token=own)) == STORED


def test_open_links_and_devices_are_counted_apart(open_field_survey: Survey) -> None:
    for number in range(7):
        assert send(open_field_survey, envelope(ASKS, token(), number)) == STORED
    for number in range(3):
        assert outcome(open_field_survey, asked.envelope(ASKS, number)) == STORED
    assert (count_device_records(open_field_survey.pk), count_open_link_records(open_field_survey.pk)) == (
        7,
        3,
    )
    seen_keys.move_fresh_keys(open_field_survey.pk)
    assert not FreshKey.objects.exists()
    assert send(open_field_survey, envelope(ASKS, token())) == STORED
    assert (count_device_records(open_field_survey.pk), count_open_link_records(open_field_survey.pk)) == (
        8,
        3,
    )


def test_open_links_and_devices_have_separate_rates(
    open_field_survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten devices with two hundred records each are not refused.
    stored = 0
    rate = RecordRateLimit(6000, lambda _survey: stored, clock=lambda: 0.0)
    for _record in range(2000):
        assert rate.try_acquire(1)
        stored += 1
    few, received_of_few = asked.field_survey(ASKS, at_once=60), itertools.count(0, 60)
    full = RecordRateLimit(60, lambda _survey: next(received_of_few), clock=lambda: 0.0)
    while full.try_acquire(few.pk, few.slug, 60):
        pass
    monkeypatch.setattr(endpoint, "OPEN_LINK_RATE", full)
    assert outcome(few, asked.envelope(ASKS)) == FULL
    assert send(few, envelope(ASKS, token())) == STORED

    monkeypatch.setattr(endpoint, "FIELD_RATE", RecordRateLimit(1, count_device_records, clock=lambda: 0.0))
    sent = envelope(ASKS, token())
    assert send(open_field_survey, envelope(ASKS, token())) == STORED
    refused = post(open_field_survey, sealed_body(ASKS, sent))
    assert outcome_of(refused) == FULL
    assert int(refused["Retry-After"]) >= 5
    monkeypatch.undo()
    assert send(open_field_survey, sent) == STORED


def test_changed_or_foreign_sealed_record_is_refused(open_field_survey: Survey) -> None:
    sent, other = envelope(ASKS, token()), asked.field_design(1)
    text, content = sealed_body(ASKS, sent)["sealed"], sent.json.encode()
    seal = partial(encrypt_field_record, ASKS.sealing_key, ASKS.fingerprint)
    flips = (0, 1, 40, 89, 200, len(text) - 2)
    wrong = [text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :] for at in flips]
    wrong += [
        encrypt_field_record(other.sealing_key, ASKS.fingerprint, content),
        encrypt_field_record(ASKS.sealing_key, other.fingerprint, content),
        sealed_body(ASKS, envelope(other, sent.token))["sealed"],
    ]
    # Another length, before and after opening; rounding of base64url lets none through.
    wrong += [text + "A", text[:-1], *map(seal, (content + b" ", content[:-1], b""))]
    # An envelope with a month has another length too.
    wrong += [sealed_body(ASKS, asked.envelope(ASKS, token=token()))["sealed"]]
    for number, each in enumerate(wrong):
        assert outcome_of(post(open_field_survey, {"sealed": each})) == IMPOSSIBLE, number
    inside = seal(b"x" * (ASKS.width + FIELD_ENVELOPE))
    assert outcome_of(post(open_field_survey, {"sealed": inside})) == asked.MALFORMED
    assert outcome_of(post(open_field_survey, {"sealed": text})) == STORED


def test_request_may_be_slightly_longer_than_a_record(open_field_survey: Survey) -> None:
    body = json.dumps(sealed_body(ASKS, envelope(ASKS, token())), separators=(",", ":"))
    public = find_public_survey(open_field_survey.slug)
    assert public is not None
    assert len(body) == public.for_field_devices().sealed_record_length + 13
    assert outcome_of(post(open_field_survey, body + " " * 51)) == STORED
    assert outcome_of(post(open_field_survey, body + " " * 52)) == TOO_LONG
    # The ordinary address is as it was.
    assert public.max_request_bytes == ASKS.width + 512


def test_devices_may_send_a_week_after_closing_and_online_pages_an_hour(
    settings: Any, open_field_survey: Survey
) -> None:
    now = timezone.now()

    def closed_for(time: timedelta) -> None:
        Survey.objects.filter(pk=open_field_survey.pk).update(state="closed", closed_at=now - time)

    closed_for(timedelta(days=7) - timedelta(minutes=1))
    assert send(open_field_survey, envelope(ASKS, token())) == STORED
    assert outcome(open_field_survey, asked.envelope(ASKS)) == CLOSED
    sent = envelope(ASKS, token())
    closed_for(timedelta(days=7, minutes=1))
    assert send(open_field_survey, sent) == CLOSED
    settings.FIELD_GRACE_DAYS = 8
    assert send(open_field_survey, sent) == STORED
    settings.FIELD_GRACE_DAYS = 0
    assert send(open_field_survey, sent) == KNOWN
    closed_for(GRACE - timedelta(minutes=1))
    assert send(open_field_survey, envelope(ASKS, token())) == STORED
    closed_for(GRACE + timedelta(minutes=1))
    assert send(open_field_survey, envelope(ASKS, token())) == CLOSED


def test_paused_survey_asks_to_wait_and_a_full_or_finished_one_is_closed(open_field_survey: Survey) -> None:
    now, row = timezone.now(), Survey.objects.filter(pk=open_field_survey.pk)
    row.update(paused=now)
    sent = envelope(ASKS, token())
    assert send(open_field_survey, sent) == (503, "paused")
    row.update(paused=None)
    assert send(open_field_survey, sent) == STORED
    row.update(state="closed", closed_at=now, cap=1)
    assert send(open_field_survey, envelope(ASKS, token())) == CLOSED
    assert send(open_field_survey, sent) == KNOWN
    # A finished survey has no key and opens nothing.
    FieldKeys.objects.all().delete()
    row.update(state="finished")
    assert send(open_field_survey, envelope(ASKS, token())) == CLOSED


def test_device_records_count_towards_the_cap() -> None:
    asks = asked.field_design(least=20)
    full = asked.field_survey(asks, cap=20)
    assert {send(full, envelope(asks, token(), number), asks) for number in range(20)} == {STORED}
    full.refresh_from_db()
    assert full.state == "closed"


def test_device_keys_and_tokens_outlive_old_epochs(open_field_survey: Survey) -> None:
    sent = envelope(ASKS, token())
    send(open_field_survey, sent)
    asked.post(open_field_survey, asked.envelope(ASKS))
    seen_keys.move_fresh_keys(open_field_survey.pk)
    later = timezone.now() + timedelta(days=200)
    assert seen_keys.surveys_with_old_epochs(later) == [open_field_survey.pk]
    seen_keys.delete_keys_of_old_epochs(open_field_survey.pk, later)
    assert seen_keys.surveys_with_old_epochs(later) == []
    assert KeySecret.objects.get(survey=open_field_survey).dropped_before > NO_EPOCH
    assert len(asked.seen_hashes()) == 2
    assert send(open_field_survey, sent) == KNOWN
    assert send(open_field_survey, replace(sent, key=secrets.token_hex(16))) == UNINVITED


def test_nothing_of_a_device_or_record_is_logged(
    open_field_survey: Survey, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(0)
    device = device_that_is_set_up(open_field_survey, 1)
    device.fetch(1)
    device.report(5, waiting=True)
    sent = envelope(ASKS, device.tokens[0])
    send(open_field_survey, sent)
    send(open_field_survey, envelope(ASKS, "A" * 384))

    def raise_database_error(*_args: Any) -> None:
        raise Error("disk full")

    monkeypatch.setattr(device_requests, "private_sealing_key", raise_database_error)
    assert send(open_field_survey, sent) == (503, "cannot be stored now")
    assert "a record could not be stored" in caplog.text
    for secret in (device.secret, device.ticket, device.tokens[0], sent.key, "Tablet 3"):
        assert secret not in caplog.text


@pytest.mark.page
@pytest.mark.parametrize(
    ("records", "times"), [(20, 4), pytest.param(50, 20, marks=pytest.mark.night)], ids=["small", "large"]
)
def test_repeated_uploads_count_each_record_once(records: int, times: int) -> None:
    asks = asked.field_design(least=20)
    opened, limits = asked.field_survey(asks), RequestLimits(by_token=10**6)
    public = find_public_survey(opened.slug)
    assert public is not None
    public = public.for_field_devices()
    bodies = [
        json.dumps(sealed_body(asks, envelope(asks, token(), number))).encode() for number in range(records)
    ]
    first, second = Counter[Outcome](), Counter[Outcome]()
    for told, has_other_keys in ((first, False), (second, True)):
        for body in bodies * times:
            content = device_requests.unseal_record(public, body)
            assert isinstance(content, bytes)
            if has_other_keys:
                content = content.replace(content[8:40], secrets.token_hex(16).encode())
            told[receive_record(public, content, timezone.now(), limits)] += 1
    assert first == {Outcome.STORED: records, Outcome.KNOWN: records * (times - 1)}
    # A second device with the same profile: the same tokens under other keys.
    assert second == {Outcome.UNINVITED: records * times}
    assert Inbox.objects.count() == records


Lot = tuple[list[Blinding], list[str], list[str]]


@pytest.fixture
def signed_lot(open_field_survey: Survey) -> Lot:
    """The messages of two people that a device has blinded, their signatures, and its tokens."""
    device = device_that_is_set_up(open_field_survey, 2)
    messages = device.blind_tokens(2)
    signatures = device.fetch_signatures(0, messages).json()["signatures"]
    return messages, signatures, [m.token(s) for m, s in zip(messages, signatures, strict=True)]


def test_any_signed_message_can_belong_to_any_token(signed_lot: Lot) -> None:
    """For whoever has the private key and all that was sent: any lot's message could have become any record's token."""
    messages, signatures, tokens = signed_lot
    key, n = read_public_key(ASKS.token_key), asked.signing_key().public.n
    for (message, signature), each in itertools.product(zip(messages, signatures, strict=True), tokens):
        parts = base64url_bytes(each)[32:], base64url_bytes(signature), base64url_bytes(message.blinded)
        s, blind_s, blinded = (int.from_bytes(part, "big") for part in parts)
        # The random factor that would have blinded this token's message to what the device sent.
        r = blind_s * pow(s, -1, n) % n
        assert pow(s, key.e, n) * pow(r, key.e, n) % n == blinded


def test_signed_messages_and_spent_tokens_share_nothing(open_field_survey: Survey, signed_lot: Lot) -> None:
    messages, signatures, tokens = signed_lot
    for sent in tokens:
        assert send(open_field_survey, envelope(ASKS, sent)) == STORED
    told = [*signatures, *(message.blinded for message in messages)]
    pieces = {text[at : at + 16] for text in told for at in range(300)}
    assert not any(piece in sent for piece in pieces for sent in tokens)
    # Two transactions that share no value: the lot's hash is none of those that records left.
    stored = asked.fresh_hashes()
    assert len(stored) == 4
    assert not {bytes(lot.hash) for lot in FieldLot.objects.all()} & stored
