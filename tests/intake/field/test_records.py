"""A field device's sealed record: opened, accepted once for each token, and nothing of it where it does not belong."""

import itertools
import json
import secrets
from collections import Counter
from dataclasses import replace
from datetime import timedelta
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
    count_from_devices,
    count_from_open_link,
    find_public_survey,
    receive_record,
)
from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.rate_limits import Limits, Rate
from intake.field_devices import devices, requests
from intake.field_devices.models import FieldLot
from intake.models import FreshKey, Inbox, KeySecret
from privacy.blind_signatures.protocol import base64url_bytes, read_public_key
from privacy.designs import Design
from privacy.records import Envelope
from surveys.field_record_encryption import seal
from surveys.models import FieldKeys, Survey
from tests.intake import asked, exchanges
from tests.intake.field import simulated
from tests.intake.field.conftest import ASKS
from tests.intake.field.simulated import Device, envelope, said, sealed, token

pytestmark = pytest.mark.django_db


def send(to: Survey, sent: Envelope, asks: Design = ASKS) -> Any:
    return simulated.post(to, "record", sealed(asks, sent))


def test_a_sealed_record_is_stored_once_and_the_same_again_is_known(opened: Survey) -> None:
    sent = envelope(ASKS, token())
    assert len(sent.json) == ASKS.width + FIELD_ENVELOPE
    answer = send(opened, sent)
    assert said(answer) == (201, "stored")
    # The answer is that of a record, as long as any other.
    online = asked.post(opened, asked.envelope(ASKS))
    assert said(online) == (201, "stored")
    assert len(answer.content) == len(online.content)
    assert said(send(opened, sent)) == (200, "already stored")
    assert Inbox.objects.count() == 2


def test_a_token_counts_once_and_a_twin_of_a_record_is_the_same_record(opened: Survey) -> None:
    spent = token()
    sent = envelope(ASKS, spent)
    assert said(send(opened, sent)) == (201, "stored")
    assert said(send(opened, replace(sent, key=secrets.token_hex(16)))) == (403, "unknown or spent token")
    # A copied profile with the same key and another token: known, and its token stays unspent.
    assert said(send(opened, replace(sent, token=token()))) == (200, "already stored")
    assert Inbox.objects.count() == 1


@pytest.mark.parametrize("invited", [False, True])
def test_without_a_token_of_the_token_key_nothing_comes_in_by_the_door_of_devices(invited: bool) -> None:
    exchanged = exchanges.key(2).public.text if invited else ""
    asks = simulated.design(invitation_key=exchanged)
    opened = simulated.survey(asks, invited=invited)
    another = [token(1), "A" * 384, token(2)]
    for wrong in another:
        assert said(send(opened, envelope(asks, wrong), asks)) == (403, "unknown or spent token")
    without = replace(envelope(asks, None), token=None)
    assert said(send(opened, without, asks)) == (422, "not a record of this design")
    assert said(send(opened, envelope(asks, token()), asks)) == (201, "stored")


@pytest.mark.parametrize("invitation_key", ["", "exchanged"])
def test_a_stolen_token_opens_nothing_at_the_ordinary_address_of_an_invited_survey(
    invitation_key: str,
) -> None:
    asks = simulated.design(invitation_key=exchanges.key(2).public.text if invitation_key else "")
    opened, stolen = simulated.survey(asks, invited=True), token()
    # Where records have no signed token, one is even too long.
    refused = (403, "unknown or spent token") if invitation_key else (413, "too long")
    assert said(asked.post(opened, envelope(asks, stolen))) == refused
    assert said(send(opened, envelope(asks, stolen), asks)) == (201, "stored")
    if invitation_key:
        # And the token of an invitation none at the door of devices, but still its own.
        own = exchanges.token(2)
        assert said(send(opened, envelope(asks, own), asks))[0] == 403
        assert said(asked.post(opened, asked.envelope(asks, token=own))) == (201, "stored")


def test_at_an_open_link_a_stolen_token_gives_nothing_and_without_one_nobody_sends_as_a_device(
    opened: Survey,
) -> None:
    stolen = token()
    assert said(asked.post(opened, asked.envelope(ASKS, token=stolen))) == (413, "too long")
    # Without the month of a page nobody escapes its end.
    assert said(asked.post(opened, replace(envelope(ASKS, None), token=None))) == (410, "too old")
    # Nothing of the token was spent.
    assert said(send(opened, envelope(ASKS, stolen))) == (201, "stored")


def test_the_rate_of_the_open_link_and_that_of_devices_do_not_count_each_other(opened: Survey) -> None:
    for number in range(7):
        assert send(opened, envelope(ASKS, token(), number)).status_code == 201
    for number in range(3):
        assert asked.post(opened, asked.envelope(ASKS, number)).status_code == 201
    assert (count_from_devices(opened.pk), count_from_open_link(opened.pk)) == (7, 3)
    seen_keys.move_fresh_keys(opened.pk)
    assert not FreshKey.objects.exists()
    assert send(opened, envelope(ASKS, token())).status_code == 201
    assert (count_from_devices(opened.pk), count_from_open_link(opened.pk)) == (8, 3)


def test_ten_devices_with_two_hundred_each_are_not_refused() -> None:
    counted = {"n": 0}
    rate = Rate(6000, lambda _survey: counted["n"], clock=lambda: 0.0)
    for _record in range(2000):
        assert rate.try_acquire(1)
        counted["n"] += 1


def test_a_full_open_link_refuses_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    few, received = simulated.survey(ASKS, at_once=60), itertools.count(0, 60)
    full = Rate(60, lambda _survey: next(received), clock=lambda: 0.0)
    while full.try_acquire(few.pk, few.slug, 60):
        pass
    monkeypatch.setattr(endpoint, "OPEN_LINK_RATE", full)
    assert said(asked.post(few, asked.envelope(ASKS))) == (503, "too many at once")
    assert said(send(few, envelope(ASKS, token()))) == (201, "stored")


def test_a_flood_of_one_device_meets_a_rate_of_its_own(
    opened: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "FIELD_RATE", Rate(1, count_from_devices, clock=lambda: 0.0))
    spent = token()
    assert said(send(opened, envelope(ASKS, token()))) == (201, "stored")
    refused = send(opened, envelope(ASKS, spent))
    assert said(refused) == (503, "too many at once")
    assert int(refused["Retry-After"]) >= 5
    monkeypatch.undo()
    assert said(send(opened, envelope(ASKS, spent))) == (201, "stored")


def test_what_was_changed_or_sealed_for_another_is_no_record_of_this_design(opened: Survey) -> None:
    sent = envelope(ASKS, token())
    text = sealed(ASKS, sent)["sealed"]
    for at in (0, 1, 40, 89, 200, len(text) - 2):
        flipped = text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]
        assert said(simulated.post(opened, "record", {"sealed": flipped})) == (
            422,
            "not a record of this design",
        )
    other = simulated.design(1)
    foreign = [
        seal(other.sealing_key, ASKS.fingerprint, sent.json.encode()),
        seal(ASKS.sealing_key, other.fingerprint, sent.json.encode()),
        sealed(ASKS, envelope(other, sent.token))["sealed"],
    ]
    for each in foreign:
        assert said(simulated.post(opened, "record", {"sealed": each})) == (
            422,
            "not a record of this design",
        )
    assert said(simulated.post(opened, "record", {"sealed": text})) == (201, "stored")


@pytest.mark.parametrize("more", [-1, 1])
def test_another_length_is_refused_before_and_after_opening(opened: Survey, more: int) -> None:
    text = sealed(ASKS, envelope(ASKS, token()))["sealed"]
    wrong = text + "A" if more > 0 else text[:-1]
    assert said(simulated.post(opened, "record", {"sealed": wrong})) == (422, "not a record of this design")
    # Rounding of base64url lets no other length through.
    content = envelope(ASKS, token()).json.encode()
    content = content + b" " if more > 0 else content[:-1]
    for body in (content, b""):
        longer = {"sealed": seal(ASKS.sealing_key, ASKS.fingerprint, body)}
        assert said(simulated.post(opened, "record", longer)) == (422, "not a record of this design")


def test_what_is_not_an_envelope_is_malformed_and_one_with_a_month_has_another_length(opened: Survey) -> None:
    inside = b"x" * (ASKS.width + FIELD_ENVELOPE)
    body = {"sealed": seal(ASKS.sealing_key, ASKS.fingerprint, inside)}
    assert said(simulated.post(opened, "record", body)) == (422, "malformed")
    assert said(send(opened, asked.envelope(ASKS, token=token()))) == (422, "not a record of this design")


def test_a_request_may_be_as_long_as_a_record_and_little_longer(opened: Survey) -> None:
    body = json.dumps(sealed(ASKS, envelope(ASKS, token())), separators=(",", ":"))
    public = find_public_survey(opened.slug)
    assert public is not None
    for_devices = public.for_field_devices()
    assert len(body) == for_devices.sealed_length + 13
    assert said(simulated.post(opened, "record", body + " " * 51)) == (201, "stored")
    assert said(simulated.post(opened, "record", body + " " * 52)) == (413, "too long")
    # The ordinary address is as it was.
    assert public.max_request_bytes == ASKS.width + 512


def test_after_closing_devices_have_a_week_and_online_pages_their_hour(settings: Any, opened: Survey) -> None:
    now = timezone.now()

    def closed_for(time: timedelta) -> None:
        Survey.objects.filter(pk=opened.pk).update(state="closed", closed_at=now - time)

    closed_for(timedelta(days=7) - timedelta(minutes=1))
    assert said(send(opened, envelope(ASKS, token()))) == (201, "stored")
    assert said(asked.post(opened, asked.envelope(ASKS))) == (410, "closed")
    sent = envelope(ASKS, token())
    closed_for(timedelta(days=7, minutes=1))
    assert said(send(opened, sent)) == (410, "closed")
    settings.FIELD_GRACE_DAYS = 8
    assert said(send(opened, sent)) == (201, "stored")
    settings.FIELD_GRACE_DAYS = 0
    assert said(send(opened, sent)) == (200, "already stored")
    closed_for(GRACE - timedelta(minutes=1))
    assert said(send(opened, envelope(ASKS, token()))) == (201, "stored")
    closed_for(GRACE + timedelta(minutes=1))
    assert said(send(opened, envelope(ASKS, token()))) == (410, "closed")


def test_a_finished_survey_has_no_key_and_opens_nothing(opened: Survey) -> None:
    FieldKeys.objects.all().delete()
    Survey.objects.filter(pk=opened.pk).update(state="finished")
    assert said(send(opened, envelope(ASKS, token()))) == (410, "closed")


def test_a_paused_survey_asks_to_wait_and_one_at_its_cap_is_closed(opened: Survey) -> None:
    now = timezone.now()
    Survey.objects.filter(pk=opened.pk).update(paused=now)
    sent = envelope(ASKS, token())
    assert said(send(opened, sent)) == (503, "paused")
    Survey.objects.filter(pk=opened.pk).update(paused=None)
    assert said(send(opened, sent)) == (201, "stored")
    Survey.objects.filter(pk=opened.pk).update(state="closed", closed_at=now, cap=1)
    assert said(send(opened, envelope(ASKS, token()))) == (410, "closed")
    assert said(send(opened, sent)) == (200, "already stored")


def test_records_of_devices_fill_the_cap_as_others_do() -> None:
    asks = simulated.design(least=20)
    full = simulated.survey(asks, cap=20)
    for number in range(20):
        assert send(full, envelope(asks, token(), number), asks).status_code == 201
    full.refresh_from_db()
    assert full.state == "closed"


def test_keys_and_tokens_of_devices_stay_when_those_of_old_months_go(opened: Survey) -> None:
    sent = envelope(ASKS, token())
    send(opened, sent)
    online = asked.envelope(ASKS)
    asked.post(opened, online)
    seen_keys.move_fresh_keys(opened.pk)
    later = timezone.now() + timedelta(days=200)
    assert seen_keys.surveys_with_old_epochs(later) == [opened.pk]
    seen_keys.drop_old_epochs(opened.pk, later)
    assert seen_keys.surveys_with_old_epochs(later) == []
    assert KeySecret.objects.get(survey=opened).dropped_before > NO_EPOCH
    assert len(asked.seen_hashes()) == 2
    assert said(send(opened, sent)) == (200, "already stored")
    assert said(send(opened, replace(sent, key=secrets.token_hex(16))))[0] == 403


def test_nothing_of_device_or_record_is_logged(
    opened: Survey, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(0)
    device = Device(opened, ASKS, devices.make_device(opened, opened.owner, "Tablet 3", 1, timezone.now()))
    device.set_up()
    device.fetch(1)
    device.report(5, waiting=True)
    sent = envelope(ASKS, device.tokens[0])
    send(opened, sent)
    send(opened, envelope(ASKS, "A" * 384))

    def fails(*_args: Any) -> None:
        raise Error("disk full")

    monkeypatch.setattr(requests, "private_sealing_key", fails)
    assert said(send(opened, sent)) == (503, "cannot be stored now")
    assert "a record could not be stored" in caplog.text
    for secret in (device.secret, device.ticket, device.tokens[0], sent.key, "Tablet 3"):
        assert secret not in caplog.text


@pytest.mark.parametrize(
    ("records", "times"), [(20, 4), pytest.param(50, 20, marks=pytest.mark.night)], ids=["small", "large"]
)
def test_many_uploads_of_the_same_records_count_each_once(records: int, times: int) -> None:
    asks = simulated.design(least=20)
    opened, limits = simulated.survey(asks), Limits(by_token=10**6)
    public = find_public_survey(opened.slug)
    assert public is not None
    public = public.for_field_devices()
    bodies = [json.dumps(sealed(asks, envelope(asks, token(), number))).encode() for number in range(records)]
    outcomes: Counter[Outcome] = Counter()
    for _time in range(times):
        for body in bodies:
            opened_body = requests.unseal_record(public, body)
            assert isinstance(opened_body, bytes)
            outcomes[receive_record(public, opened_body, timezone.now(), limits)] += 1
    assert outcomes == {Outcome.STORED: records, Outcome.KNOWN: records * (times - 1)}
    # A second device with the same profile: the same tokens under other keys.
    again: Counter[Outcome] = Counter()
    for _time in range(times):
        for body in bodies:
            content = requests.unseal_record(public, body)
            assert isinstance(content, bytes)
            other = content.replace(content[8:40], secrets.token_hex(16).encode())
            again[receive_record(public, other, timezone.now(), limits)] += 1
    assert again == {Outcome.UNINVITED: records * times}
    assert Inbox.objects.count() == records


def test_every_signed_message_of_a_field_device_fits_every_token(opened: Survey) -> None:
    """For whoever has the private key and all that was sent: any lot's message could have become any record's token."""
    device = Device(opened, ASKS, devices.make_device(opened, opened.owner, "Tablet 3", 2, timezone.now()))
    device.set_up()
    messages = device.blind(2)
    signatures = device.lot(0, messages).json()["signatures"]
    tokens = [m.token(s) for m, s in zip(messages, signatures, strict=True)]
    key, n = read_public_key(ASKS.token_key), exchanges.key().public.n
    for message, signature in zip(messages, signatures, strict=True):
        for each in tokens:
            s, blind_s = (
                int.from_bytes(part, "big")
                for part in (base64url_bytes(each)[32:], base64url_bytes(signature))
            )
            # The random factor that would have blinded this token's message to what the device sent.
            r = blind_s * pow(s, -1, n) % n
            assert pow(s, key.e, n) * pow(r, key.e, n) % n == int.from_bytes(
                base64url_bytes(message.blinded), "big"
            )


def test_signed_messages_and_spent_tokens_share_nothing(opened: Survey) -> None:
    device = Device(opened, ASKS, devices.make_device(opened, opened.owner, "Tablet 3", 2, timezone.now()))
    device.set_up()
    messages = device.blind(2)
    signatures = device.lot(0, messages).json()["signatures"]
    tokens = [m.token(s) for m, s in zip(messages, signatures, strict=True)]
    for sent in tokens:
        assert said(send(opened, envelope(ASKS, sent))) == (201, "stored")
    pieces = {
        text[at : at + 16] for text in (*signatures, *(m.blinded for m in messages)) for at in range(300)
    }
    assert not any(piece in sent for piece in pieces for sent in tokens)
    # Two transactions that share no value: the lot's hash is none of those that records left.
    stored = asked.fresh_hashes()
    assert len(stored) == 4
    assert not {bytes(lot.hash) for lot in FieldLot.objects.all()} & stored
