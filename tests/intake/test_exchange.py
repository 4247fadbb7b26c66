"""An invitation is exchanged for a token that nobody can tie to it: in process, and over HTTP on both databases."""

import http.client
import json
import os
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from intake.batches import automatic_sealing, sealing
from intake.endpoint.accept_record import Outcome, find_public_survey, receive_record
from intake.endpoint.invitation_exchange import exchange_invitation
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.endpoint.rate_limits import RequestLimits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, SpentToken, Sweep, Token
from privacy.blind_signatures.protocol import base64url_bytes, base64url_text, blind_sign, read_public_key
from privacy.blind_signatures.tokens import is_token_signed
from privacy.designs import Design
from surveys.lifecycle import state_changes, token_signing_key
from surveys.models import InvitationKey, Survey
from tests.intake import asked
from tests.intake.asked import CLOSED, IMPOSSIBLE, KNOWN, MALFORMED, STORED, UNINVITED, outcome, outcome_of
from tests.intake.conftest import LiveServer, LiveSurvey
from tests.intake.test_on_servers import web_processes
from tests.privacy.conftest import TokenExchange

ASKS = asked.exchange_design()
SIGNED = (200, "signed")


@pytest.fixture
def exchange_survey(db: None) -> Survey:
    return asked.exchange_survey(ASKS)


@pytest.fixture
def invitation(exchange_survey: Survey) -> str:
    return create_tokens(exchange_survey, 1)[0]


def blind_token() -> TokenExchange:
    return asked.blinding(ASKS.invitation_key)


def request(invitation: str, asks: Design = ASKS) -> str:
    """An exchange of a device that nobody keeps."""
    key = asks.invitation_key or ASKS.invitation_key
    return asked.exchange_body(asks, invitation, asked.blinding(key).blinded)


def post(to: Survey, body: str | bytes, **headers: Any) -> Any:
    return asked.post_to(to, "exchange", body, **headers)


def exchange_by_device(
    opened: Survey, invitation: str, device: TokenExchange | None = None
) -> tuple[str, str]:
    """The signature and the token of a device that exchanges this invitation."""
    device = device or blind_token()
    response = post(opened, asked.exchange_body(ASKS, invitation, device.blinded))
    assert outcome_of(response) == SIGNED
    signature = response.json()["signature"]
    return signature, device.token(signature)


def row_counts() -> list[int]:
    counts = [table.objects.count() for table in (Token, SpentToken, FreshKey, Inbox)]
    return [*counts[:3], len(asked.seen_hashes()), counts[3]]


NOTHING_SPENT = [1, 0, 0, 0, 0]


# --- exchange and use


def test_record_with_an_exchanged_token_is_stored_once(exchange_survey: Survey, invitation: str) -> None:
    # The invitation itself lets no record in and is not spent by trying.
    for shown in (invitation, None):
        assert outcome(exchange_survey, asked.envelope(ASKS, token=shown)) == UNINVITED
    assert row_counts() == NOTHING_SPENT
    _signature, token = exchange_by_device(exchange_survey, invitation)
    assert row_counts() == [0, 1, 1, 0, 0]
    first = asked.envelope(ASKS, token=token)
    assert [outcome(exchange_survey, first) for _time in range(2)] == [STORED, KNOWN]
    assert row_counts() == [0, 1, 3, 0, 1]
    # A refused token leaves its key free.
    assert outcome(exchange_survey, asked.envelope(ASKS, 2, "a" * 32, token)) == UNINVITED
    assert outcome(exchange_survey, asked.envelope(ASKS, 2, "a" * 32, asked.token())) == STORED


def test_record_that_waits_a_day_on_its_device_is_taken_and_sealed_after_closing(db: None) -> None:
    asks = asked.exchange_design(least=20)
    opened, now = asked.exchange_survey(asks), timezone.now()
    state_changes.close_survey(opened, None, now - timedelta(hours=24))
    for _person in range(20):
        assert outcome(opened, asked.envelope(asks, token=asked.token())) == STORED
    for later, waiting in ((0, 20), (2, 0)):
        automatic_sealing.on_tick(now + timedelta(hours=later))
        assert Inbox.objects.count() == waiting, "others may still wait for 25 hours"
    Survey.objects.filter(pk=opened.pk).update(closed_at=now - timedelta(hours=26))
    assert outcome(opened, asked.envelope(asks, token=asked.token())) == CLOSED


def test_pages_of_pausing_and_closing_give_waiting_records_a_day(exchange_survey: Survey) -> None:
    client, now = Client(), timezone.now()
    client.force_login(exchange_survey.owner)
    Survey.objects.update(closes=now + timedelta(days=9))
    assert "again within a day" in client.get(f"/app/surveys/{exchange_survey.pk}/pause").text
    state_changes.pause_survey(exchange_survey, None, now)
    assert "again within a day" in client.get(f"/app/surveys/{exchange_survey.pk}/close").text


@pytest.mark.night
@pytest.mark.django_db
@pytest.mark.page
def test_thousand_repeated_uses_are_refused_before_and_after_sealing() -> None:
    asks = asked.exchange_design(least=20)
    opened = asked.exchange_survey(asks)
    tokens = [asked.token() for _person in range(50)]
    limits = RequestLimits(by_token=10**6)
    public = find_public_survey(opened.slug)
    assert public is not None

    def send(token: str) -> Outcome:
        body = asked.envelope(asks, token=token).json.encode()
        return receive_record(public, body, timezone.now(), limits)

    assert {send(token) for token in tokens} == {Outcome.STORED}
    assert {send(tokens[number % 50]) for number in range(500)} == {Outcome.UNINVITED}
    assert (n := sealing.seal_records(opened.pk)) >= 20
    assert {send(tokens[number % 50]) for number in range(500)} == {Outcome.UNINVITED}
    assert (Inbox.objects.count(), len(asked.seen_hashes()), FreshKey.objects.count()) == (50 - n, 100, 0)


# --- a lost answer


@pytest.mark.page
def test_repeated_blinded_message_gets_the_same_signature(exchange_survey: Survey, invitation: str) -> None:
    """Also after a sealing in between. Another message is refused like that of an invitation that was never made."""
    device = blind_token()
    first, *again = [exchange_by_device(exchange_survey, invitation, device)[0] for _time in range(3)]
    assert again == [first] * 2
    assert row_counts() == [0, 1, 1, 0, 0]
    replies = [post(exchange_survey, request(each)) for each in (invitation, "f" * 32)]
    assert [outcome_of(reply) for reply in replies] == [UNINVITED] * 2
    assert replies[0].content == replies[1].content
    assert row_counts() == [0, 1, 1, 0, 0]
    for _person in range(50):
        asked.post(exchange_survey, asked.envelope(ASKS, token=asked.token()))
    assert SpentToken.objects.count() == 0
    assert exchange_by_device(exchange_survey, invitation, device)[0] == first


# --- unlinkable by construction


def test_server_data_is_unchanged_if_two_people_swap_tokens(exchange_survey: Survey) -> None:
    """The transcript of two exchanges and two records fits both ways: for each there is exactly one blinding.

    So whoever has all of it, the private key included, finds either as likely: who invited whom, and what is stored.
    """
    devices = [blind_token(), blind_token()]
    made = [
        exchange_by_device(exchange_survey, *pair)
        for pair in zip(create_tokens(exchange_survey, 2), devices, strict=True)
    ]
    key, n = read_public_key(ASKS.invitation_key), asked.signing_key().public.n
    others = [token for _signature, token in reversed(made)]
    for device, (signature, _own), token in zip(devices, made, others, strict=True):
        parts = base64url_bytes(token)[32:], base64url_bytes(signature)
        s, blind_s = (int.from_bytes(part, "big") for part in parts)
        r = blind_s * pow(s, -1, n) % n
        swapped = TokenExchange(ASKS.invitation_key, os.urandom)
        swapped._message, swapped._inverse = base64url_bytes(token)[:32], pow(r, -1, n).to_bytes(256, "big")
        # The other person's message, blinded by this r, is what this device sent, and leads to the other's token.
        encoded = pow(s, key.e, n)
        assert base64url_text((encoded * pow(r, key.e, n) % n).to_bytes(256, "big")) == device.blinded
        assert swapped.token(signature) == token
    stored = asked.fresh_hashes() | {bytes(row.hash) for row in SpentToken.objects.all()}
    hashes = {asked.hash_of(exchange_survey, kind, token) for token in others for kind in HashedTextKind}
    assert hashes.isdisjoint(stored)


def test_rows_of_an_exchange_and_its_record_share_nothing(exchange_survey: Survey, invitation: str) -> None:
    """What an exchange writes can be worked out from the invitation and the blinded message, what a record writes from
    its envelope; and from neither the other's."""
    device = blind_token()
    _signature, token = exchange_by_device(exchange_survey, invitation, device)
    of_exchange = asked.fresh_hashes()
    assert of_exchange == {
        asked.hash_of(exchange_survey, HashedTextKind.EXCHANGE, f"{invitation} {device.blinded}")
    }
    envelope = asked.envelope(ASKS, token=token)
    asked.post(exchange_survey, envelope)
    of_key, of_token = (
        asked.hash_of_key(exchange_survey, envelope),
        asked.hash_of(exchange_survey, HashedTextKind.TOKEN, token),
    )
    assert asked.fresh_hashes() - of_exchange == {of_key, of_token}
    assert SpentToken.objects.get().hash == asked.hash_of(exchange_survey, HashedTextKind.LINK, invitation)
    assert bytes(Inbox.objects.get().record).decode() == f"1{envelope.record.answers}"
    # After a sealing these hashes alone are left, which the holder of the list cannot make again: the database does
    # not tell which invitation was exchanged and which never made.
    SpentToken.objects.all().delete()
    assert row_counts()[:2] == [0, 0]
    left = {*asked.fresh_hashes(), *asked.seen_hashes()}
    assert left.isdisjoint({asked.hash_of(exchange_survey, kind, invitation) for kind in HashedTextKind})


# --- bad input: refused, and nothing spent


def test_malformed_exchanges_are_refused_and_spend_nothing(exchange_survey: Survey, invitation: str) -> None:
    """All answers have one length and are kept nowhere."""
    good = json.loads(request(invitation))
    blinded = good["blinded"]
    wrongs: tuple[Any, ...] = ("", None, 7, [], "x" * 400, "é" * 40)
    bad: list[str | bytes] = [
        *(b"", b"\xff", b"[]", b"null", b'{"design":'),
        *(json.dumps({key: value for key, value in good.items() if key != left}) for left in good),
        json.dumps(good | {"more": 1}),
        *(json.dumps(good | {name: wrong}) for name in good for wrong in wrongs),
        json.dumps(good | {"invitation": invitation.upper()}),
        *(json.dumps(good | {"blinded": each}) for each in (blinded[:-1], blinded[:-1] + "=", "_" * 342)),
        # Zero, and the same message with the bits that its last character has left over.
        json.dumps(good | {"blinded": "A" * 342}),
        json.dumps(good | {"blinded": blinded[:-1] + chr(ord(blinded[-1]) + 1)}),
    ]
    replies = [post(exchange_survey, body) for body in bad]
    assert [body for body, reply in zip(bad, replies, strict=True) if outcome_of(reply) != MALFORMED] == []
    assert row_counts() == NOTHING_SPENT
    body = json.dumps(good)
    replies += [post(exchange_survey, body.ljust(1025)), post(exchange_survey, body.ljust(1024))]
    assert [outcome_of(reply) for reply in replies[-2:]] == [asked.TOO_LONG, SIGNED]
    assert len({len(reply.content) for reply in replies}) == 1
    assert {reply["Cache-Control"] for reply in replies} == {"no-store"}
    assert not any(reply.cookies for reply in replies)


def test_foreign_request_is_refused_and_spends_nothing(exchange_survey: Survey, invitation: str) -> None:
    """Another survey's key or invitation, one that exchanges nothing, another site, type and method."""
    body = request(invitation)
    assert outcome_of(post(exchange_survey, request(invitation, asked.exchange_design(1)))) == IMPOSSIBLE
    assert outcome_of(post(Survey(slug="nothing"), body)) == (404, "no such survey")
    foreign = post(exchange_survey, body, **{"Sec-Fetch-Site": "cross-site"})
    assert outcome_of(foreign) == (403, "not sent by our page")
    assert outcome_of(post(exchange_survey, body, content_type="text/plain")) == MALFORMED
    assert asked.CLIENT.get(f"/a/{exchange_survey.slug}/exchange").status_code == 405
    # A key that is not the design's signs nothing.
    InvitationKey.objects.update(primes=asked.primes(1))
    assert post(exchange_survey, body).status_code == 422
    InvitationKey.objects.update(primes=asked.primes())
    assert row_counts() == NOTHING_SPENT
    asks = asked.design(digits=5)
    plain = asked.survey(asks, invited=True)
    [theirs] = create_tokens(plain, 1)
    assert outcome_of(post(exchange_survey, request(theirs))) == UNINVITED
    assert outcome_of(post(plain, request(theirs, asks))) == IMPOSSIBLE
    assert Token.objects.filter(survey=plain).count() == 1


def test_token_signed_by_another_surveys_key_is_refused(exchange_survey: Survey) -> None:
    """Nor one of which a bit was changed, nor the signature of a blinded message."""
    signed = blind_sign(asked.signing_key(), base64url_bytes(blind_token().blinded), os.urandom)
    tokens = [asked.token(1), base64url_text(bytes(32) + signed)]
    for at in (0, 31, 32, 287):
        content = bytearray(base64url_bytes(asked.token()))
        content[at] ^= 1
        tokens.append(base64url_text(bytes(content)))
    assert [outcome(exchange_survey, asked.envelope(ASKS, token=token)) for token in tokens] == [
        UNINVITED
    ] * 6
    assert row_counts() == [0, 0, 0, 0, 0]


def test_closed_or_paused_survey_signs_and_spends_nothing(exchange_survey: Survey, invitation: str) -> None:
    body, row = request(invitation), Survey.objects.filter(pk=exchange_survey.pk)
    row.update(paused=timezone.now())
    paused = post(exchange_survey, body)
    assert outcome_of(paused) == (503, "paused")
    assert int(paused["Retry-After"]) >= 45
    # Who has begun may still send after the closing, and nobody begins.
    row.update(state="closed", closed_at=timezone.now(), paused=None)
    assert outcome_of(post(exchange_survey, body)) == CLOSED
    assert outcome(exchange_survey, asked.envelope(ASKS, token=asked.token())) == STORED
    assert Token.objects.count() == 1


def test_invitation_refused_too_often_waits_a_minute(exchange_survey: Survey) -> None:
    public = find_public_survey(exchange_survey.slug)
    assert public is not None
    now = [0.0]
    limits = RequestLimits(by_token=3, clock=lambda: now[0])
    body = request("f" * 32).encode()
    outcomes = [exchange_invitation(public, body, limits)[0] for _time in range(5)]
    assert outcomes == [Outcome.UNINVITED] * 3 + [Outcome.TOO_OFTEN] * 2
    now[0] = 61.0
    assert exchange_invitation(public, body, limits)[0] is Outcome.UNINVITED


def test_unstorable_exchange_spends_nothing(exchange_survey: Survey, invitation: str) -> None:
    def fail_on_key_insert(execute: Any, sql: str, *rest: Any) -> Any:
        if "INSERT INTO intake_freshkey" in sql:
            raise OperationalError("disk full")
        return execute(sql, *rest)

    body = request(invitation)
    with connection.execute_wrapper(fail_on_key_insert):
        assert outcome_of(post(exchange_survey, body)) == (503, "cannot be stored now")
    assert row_counts() == NOTHING_SPENT
    assert outcome_of(post(exchange_survey, body)) == SIGNED


# --- the key


def test_signing_key_is_destroyed_when_the_survey_finishes(exchange_survey: Survey) -> None:
    """And when it is deleted."""
    now, deleted = timezone.now(), asked.exchange_survey(ASKS)
    for survey in (exchange_survey, deleted):
        state_changes.close_survey(survey, None, now)
        assert token_signing_key.private_invitation_key(survey.pk) is not None
    state_changes.finish_survey(exchange_survey, None, now + timedelta(hours=2))
    assert token_signing_key.private_invitation_key(exchange_survey.pk) is None
    assert "surveys_invitationkey" in {row.table for row in Sweep.objects.all()}
    state_changes.destroy_survey(deleted, None, now)
    assert not InvitationKey.objects.exists()


def test_signature_does_not_depend_on_the_blinding_randomness() -> None:
    blinded = base64url_bytes(blind_token().blinded)
    signed = {blind_sign(asked.signing_key(), blinded, os.urandom) for _time in range(5)}
    assert signed == {blind_sign(asked.signing_key(), blinded, lambda n: (7).to_bytes(n, "big"))}


# --- Exchanges over real HTTP, many at once and while processes die, on both databases

ASKS_OF_MANY = asked.exchange_design(least=100)
MANY = 100


@pytest.fixture
def home(server: LiveServer) -> LiveSurvey:
    home = server.open_survey(ASKS_OF_MANY, tokens=MANY)
    home.shell(asked.STORE_KEY.format(survey=home.survey, primes=asked.primes()))
    return home


def exchange_over_http(home: LiveSurvey, body: str) -> tuple[int, str]:
    """The status and the signature; 0 where nobody answered."""
    try:
        status, _headers, said = home.ask(f"/a/{home.slug}/exchange", body)
        return status, json.loads(said)["signature"]
    except (OSError, http.client.HTTPException, ValueError):
        return 0, ""


def exchange_at_once(home: LiveSurvey, bodies: list[str]) -> list[tuple[int, str]]:
    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(lambda body: exchange_over_http(home, body), bodies))


@pytest.mark.server
def test_one_of_a_hundred_simultaneous_blinded_messages_is_signed(home: LiveSurvey) -> None:
    """And of a hundred times the same message each gets the one signature."""
    first, second = home.tokens[:2]
    replies = exchange_at_once(home, [request(first, ASKS_OF_MANY) for _time in range(MANY)])
    assert Counter(status for status, _signature in replies) == {200: 1, 403: MANY - 1}
    found = home.find()
    assert (len(found.tokens), len(found.keys), found.all_records) == (MANY - 1, 1, [])
    device = asked.blinding(ASKS_OF_MANY.invitation_key)
    replies = exchange_at_once(home, [asked.exchange_body(ASKS_OF_MANY, second, device.blinded)] * MANY)
    ((status, signature),) = set(replies)
    assert status == 200
    assert is_token_signed(ASKS_OF_MANY.invitation_key, device.token(signature))
    assert len(home.find().keys) == 2


@pytest.mark.server
def test_one_of_a_hundred_simultaneous_records_with_one_token_is_stored(home: LiveSurvey) -> None:
    token = asked.token()
    sent = [home.envelope(number, token) for number in range(MANY)]
    assert Counter(home.post(sent)) == {201: 1, 403: MANY - 1}
    found = home.find()
    assert (len(found.all_records), len(found.keys), len(found.tokens)) == (1, 2, MANY)
    # And again, for whoever got no answer: the one key that was stored is known, all others are free.
    assert Counter(home.post(sent)) == {200: 1, 403: MANY - 1}
    # Neither another survey's token nor the invitation itself spends anything.
    assert home.post([home.envelope(1, each) for each in (asked.token(1), home.tokens[0])]) == [403, 403]
    assert home.find() == found


@pytest.mark.server
def test_hundred_exchanges_survive_killing_both_web_processes(home: LiveSurvey) -> None:
    """Whoever got no answer repeats the same exchange, and each invitation makes one token."""
    devices = [asked.blinding(ASKS_OF_MANY.invitation_key) for _person in home.tokens]
    pairs = [*zip(home.tokens, devices, strict=True)]
    bodies = [asked.exchange_body(ASKS_OF_MANY, token, device.blinded) for token, device in pairs]
    with ThreadPoolExecutor(MANY) as pool:
        first = [pool.submit(exchange_over_http, home, body) for body in bodies]
        for process in web_processes(home):
            os.kill(process, signal.SIGKILL)
    replies = dict(enumerate(reply.result() for reply in first))
    for _turn in range(50):
        rest = [number for number, (status, _signature) in replies.items() if status != 200]
        replies |= dict(zip(rest, exchange_at_once(home, [bodies[number] for number in rest]), strict=True))
        assert {status for status, _signature in replies.values()} <= {0, 200}
    tokens = [device.token(replies[number][1]) for number, device in enumerate(devices)]
    assert len(set(tokens)) == MANY
    found = home.find()
    assert found.tokens == []
    exchanges = (f"{token} {device.blinded}" for token, device in pairs)
    assert set(found.keys) == {found.hash_of(HashedTextKind.EXCHANGE, exchange) for exchange in exchanges}
    assert set(home.post([home.envelope(number, token) for number, token in enumerate(tokens)])) == {201}
