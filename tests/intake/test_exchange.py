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
from django.utils import timezone

from intake.batches import sealing
from intake.endpoint.accept_record import Outcome, find_public_survey, receive_record
from intake.endpoint.invitation_exchange import exchange_invitation
from intake.endpoint.key_hashes import Kind
from intake.endpoint.rate_limits import Limits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, SpentToken, Sweep, Token
from privacy.blind_signatures.protocol import base64url_bytes, base64url_text, blind_sign, read_public_key
from privacy.blind_signatures.tokens import Device, is_valid
from surveys.lifecycle import invitation_keys, state_changes
from surveys.models import InvitationKey, Survey
from tests.intake import asked, exchanges
from tests.intake.live_survey import LiveServer, LiveSurvey
from tests.intake.test_on_servers import web_processes

ASKS = exchanges.design()


@pytest.fixture
def opened() -> Survey:
    return exchanges.survey(ASKS)


@pytest.fixture
def invitation(opened: Survey) -> str:
    return create_tokens(opened, 1)[0]


def said(response: Any) -> tuple[int, str]:
    word: str = response.json()["outcome"]
    return response.status_code, word


def exchanged(opened: Survey, invitation: str) -> str:
    """The token of a device that exchanges this invitation."""
    device = exchanges.device(ASKS)
    response = exchanges.post(opened, exchanges.body(ASKS, invitation, device.blinded))
    assert said(response) == (200, "signed")
    return device.token(response.json()["signature"])


def rows() -> list[int]:
    counts = [table.objects.count() for table in (Token, SpentToken, FreshKey, Inbox)]
    return [*counts[:3], len(asked.seen_hashes()), counts[3]]


# --- exchange and use -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_record_with_the_token_of_an_exchanged_invitation_is_stored(
    opened: Survey, invitation: str
) -> None:
    token = exchanged(opened, invitation)
    assert rows() == [0, 1, 1, 0, 0]
    assert said(asked.post(opened, asked.envelope(ASKS, token=token))) == (201, "stored")
    assert rows() == [0, 1, 3, 0, 1]


@pytest.mark.django_db
def test_the_invitation_itself_lets_no_record_in_and_is_not_spent_by_trying(
    opened: Survey, invitation: str
) -> None:
    for token in (invitation, None):
        sent = asked.envelope(ASKS, token=token)
        assert said(asked.post(opened, sent)) == (403, "unknown or spent token")
    assert rows() == [1, 0, 0, 0, 0]
    exchanged(opened, invitation)


@pytest.mark.django_db
def test_a_token_counts_once_and_the_same_request_again_is_known(opened: Survey, invitation: str) -> None:
    token = exchanged(opened, invitation)
    first = asked.envelope(ASKS, token=token)
    assert said(asked.post(opened, first)) == (201, "stored")
    assert said(asked.post(opened, first)) == (200, "already stored")
    assert said(asked.post(opened, asked.envelope(ASKS, token=token)))[0] == 403
    assert Inbox.objects.count() == 1


@pytest.mark.night
@pytest.mark.django_db
@pytest.mark.page
def test_a_thousand_double_uses_are_refused_before_and_after_the_sealing() -> None:
    asks = exchanges.design(least=20)
    opened = exchanges.survey(asks)
    tokens = [exchanges.token() for _person in range(50)]
    limits = Limits(by_token=10**6)
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


@pytest.mark.django_db
def test_a_refused_token_leaves_its_key_free(opened: Survey, invitation: str) -> None:
    token = exchanged(opened, invitation)
    asked.post(opened, asked.envelope(ASKS, 1, token=token))
    envelope = asked.envelope(ASKS, 2, key="a" * 32, token=token)
    assert said(asked.post(opened, envelope))[0] == 403
    other = exchanges.token()
    assert said(asked.post(opened, asked.envelope(ASKS, 2, key="a" * 32, token=other))) == (201, "stored")


# --- a lost answer ----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_after_a_lost_answer_the_same_blinded_message_gets_the_same_signature(
    opened: Survey, invitation: str
) -> None:
    device = exchanges.device(ASKS)
    body = exchanges.body(ASKS, invitation, device.blinded)
    answers = [exchanges.post(opened, body) for _time in range(3)]
    assert [said(answer) for answer in answers] == [(200, "signed")] * 3
    assert len({answer.json()["signature"] for answer in answers}) == 1
    assert rows() == [0, 1, 1, 0, 0]
    device.token(answers[2].json()["signature"])


@pytest.mark.django_db
@pytest.mark.page
def test_also_after_a_sealing_in_between() -> None:
    asks = exchanges.design(least=20)
    opened = exchanges.survey(asks)
    [invitation] = create_tokens(opened, 1)
    body = exchanges.body(asks, invitation, exchanges.device(asks).blinded)
    first = exchanges.post(opened, body).json()["signature"]
    for _person in range(50):
        asked.post(opened, asked.envelope(asks, token=exchanges.token()))
    assert SpentToken.objects.count() == 0
    again = exchanges.post(opened, body)
    assert (said(again), again.json()["signature"]) == ((200, "signed"), first)


@pytest.mark.django_db
def test_another_blinded_message_for_the_same_invitation_is_refused_like_one_never_made(
    opened: Survey, invitation: str
) -> None:
    exchanged(opened, invitation)
    before = rows()
    replies = [
        exchanges.post(opened, exchanges.body(ASKS, token, exchanges.device(ASKS).blinded))
        for token in (invitation, "f" * 32)
    ]
    assert [said(reply) for reply in replies] == [(403, "unknown or spent token")] * 2
    assert replies[0].content == replies[1].content
    assert rows() == before


# --- unlinkable by construction ---------------------------------------------------------------------------


@pytest.mark.django_db
def test_what_the_server_gets_and_stores_is_the_same_when_two_people_swap_their_tokens() -> None:
    """The transcript of two exchanges and two records fits both ways: for each there is exactly one blinding.

    So whoever has all of it, the private key included, finds either as likely: who invited whom, and what is stored.
    """
    opened = exchanges.survey(ASKS)
    invitations = create_tokens(opened, 2)
    devices = [exchanges.device(ASKS) for _person in invitations]
    signatures = []
    for invitation, device in zip(invitations, devices, strict=True):
        reply = exchanges.post(opened, exchanges.body(ASKS, invitation, device.blinded))
        signatures.append(reply.json()["signature"])
    tokens = [device.token(signature) for device, signature in zip(devices, signatures, strict=True)]
    key, n = read_public_key(ASKS.invitation_key), exchanges.key().public.n
    for device, signature, token in zip(devices, signatures, reversed(tokens), strict=True):
        s, blind_s = (
            int.from_bytes(part, "big") for part in (base64url_bytes(token)[32:], base64url_bytes(signature))
        )
        r = blind_s * pow(s, -1, n) % n
        swapped = Device(ASKS.invitation_key, os.urandom)
        swapped._message, swapped._inverse = base64url_bytes(token)[:32], pow(r, -1, n).to_bytes(256, "big")
        # The other person's message, blinded by this r, is what this device sent, and leads to the other's token.
        encoded = pow(s, key.e, n)
        assert base64url_text((encoded * pow(r, key.e, n) % n).to_bytes(256, "big")) == device.blinded
        assert swapped.token(signature) == token
    stored = {
        *FreshKey.objects.values_list("hash", flat=True),
        *SpentToken.objects.values_list("hash", flat=True),
    }
    assert stored.isdisjoint({asked.hash_of(opened, kind, token) for token in tokens for kind in Kind})


@pytest.mark.django_db
def test_the_rows_of_an_exchange_and_of_its_record_share_nothing(opened: Survey) -> None:
    """What an exchange writes can be worked out from the invitation and the blinded message, what a record writes from
    its envelope; and from neither the other's."""
    invitation = create_tokens(opened, 1)[0]
    device = exchanges.device(ASKS)
    body = exchanges.body(ASKS, invitation, device.blinded)
    token = device.token(exchanges.post(opened, body).json()["signature"])
    of_exchange = set(FreshKey.objects.values_list("hash", flat=True))
    assert of_exchange == {asked.hash_of(opened, Kind.EXCHANGE, f"{invitation} {device.blinded}")}
    envelope = asked.envelope(ASKS, token=token)
    asked.post(opened, envelope)
    of_record = set(FreshKey.objects.values_list("hash", flat=True)) - of_exchange
    assert of_record == {asked.hash_of_key(opened, envelope), asked.hash_of(opened, Kind.TOKEN, token)}
    assert [row.hash for row in SpentToken.objects.all()] == [asked.hash_of(opened, Kind.LINK, invitation)]
    assert bytes(Inbox.objects.get().record).decode() == f"1{envelope.record.answers}"


@pytest.mark.django_db
def test_the_database_does_not_tell_which_invitation_was_exchanged_and_which_never_made(
    opened: Survey,
) -> None:
    """After the sealing the hash of an exchange alone is left, which the holder of the list cannot make again."""
    invitation = create_tokens(opened, 1)[0]
    exchanged(opened, invitation)
    SpentToken.objects.all().delete()
    assert rows()[:2] == [0, 0]
    columns = {*asked.fresh_hashes(), *asked.seen_hashes()}
    assert columns.isdisjoint({asked.hash_of(opened, kind, invitation) for kind in Kind})


# --- bad input: refused, and nothing spent ----------------------------------------------------------------


@pytest.mark.django_db
def test_malformed_exchanges_are_refused_and_spend_nothing(opened: Survey, invitation: str) -> None:
    blinded = exchanges.device(ASKS).blinded
    good = json.loads(exchanges.body(ASKS, invitation, blinded))
    wrongs: tuple[Any, ...] = ("", None, 7, [], "x" * 400, "é" * 40)
    bad: list[str | bytes] = [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b'{"design":',
        *(json.dumps({key: value for key, value in good.items() if key != left}) for left in good),
        json.dumps(good | {"more": 1}),
        *(json.dumps(good | {name: wrong}) for name in good for wrong in wrongs),
        json.dumps(good | {"invitation": invitation.upper()}),
        json.dumps(good | {"blinded": blinded[:-1]}),
        json.dumps(good | {"blinded": blinded[:-1] + "="}),
        json.dumps(good | {"blinded": "_" * 342}),
    ]
    for body in bad:
        assert said(exchanges.post(opened, body)) == (422, "malformed"), body
    assert rows() == [1, 0, 0, 0, 0]
    exchanged(opened, invitation)


@pytest.mark.django_db
def test_an_oversized_exchange_is_refused_by_its_length(opened: Survey, invitation: str) -> None:
    body = exchanges.body(ASKS, invitation, exchanges.device(ASKS).blinded)
    assert said(exchanges.post(opened, body.ljust(1025))) == (413, "too long")
    assert said(exchanges.post(opened, body.ljust(1024))) == (200, "signed")


@pytest.mark.django_db
def test_an_exchange_for_another_surveys_key_is_refused_and_spends_nothing(
    opened: Survey, invitation: str
) -> None:
    other = exchanges.design(1)
    device = exchanges.device(other)
    assert said(exchanges.post(opened, exchanges.body(other, invitation, device.blinded))) == (
        422,
        "not a record of this design",
    )
    assert rows() == [1, 0, 0, 0, 0]


@pytest.mark.django_db
def test_a_token_of_another_surveys_key_lets_no_record_in_and_spends_nothing(opened: Survey) -> None:
    foreign = exchanges.token(1)
    assert said(asked.post(opened, asked.envelope(ASKS, token=foreign))) == (403, "unknown or spent token")
    assert rows() == [0, 0, 0, 0, 0]


@pytest.mark.django_db
@pytest.mark.parametrize("at", [0, 31, 32, 287])
def test_a_token_with_one_bit_changed_lets_no_record_in(opened: Survey, at: int) -> None:
    content = bytearray(base64url_bytes(exchanges.token()))
    content[at] ^= 1
    assert said(asked.post(opened, asked.envelope(ASKS, token=base64url_text(bytes(content)))))[0] == 403


@pytest.mark.django_db
def test_a_signature_of_the_blinded_message_is_no_token(opened: Survey, invitation: str) -> None:
    device = exchanges.device(ASKS)
    signed = exchanges.post(opened, exchanges.body(ASKS, invitation, device.blinded)).json()["signature"]
    token = base64url_text(bytes(32) + base64url_bytes(signed))
    assert said(asked.post(opened, asked.envelope(ASKS, token=token)))[0] == 403


@pytest.mark.django_db
def test_an_invitation_of_another_survey_is_refused_and_not_spent(opened: Survey) -> None:
    other = asked.survey(asked.design(digits=5), invited=True)
    [theirs] = create_tokens(other, 1)
    blinded = exchanges.device(ASKS).blinded
    assert said(exchanges.post(opened, exchanges.body(ASKS, theirs, blinded)))[0] == 403
    assert Token.objects.filter(survey=other).count() == 1


@pytest.mark.django_db
def test_a_survey_that_exchanges_nothing_signs_nothing() -> None:
    asks = asked.design()
    plain = asked.survey(asks, invited=True)
    [invitation] = create_tokens(plain, 1)
    blinded = exchanges.device(ASKS).blinded
    assert said(exchanges.post(plain, exchanges.body(asks, invitation, blinded)))[0] == 422
    assert Token.objects.count() == 1


@pytest.mark.django_db
def test_no_survey_another_site_another_type_and_another_method_are_refused(
    opened: Survey, invitation: str
) -> None:
    body = exchanges.body(ASKS, invitation, exchanges.device(ASKS).blinded)
    assert said(exchanges.post(Survey(slug="nothing"), body)) == (404, "no such survey")
    assert said(exchanges.post(opened, body, **{"Sec-Fetch-Site": "cross-site"})) == (
        403,
        "not sent by our page",
    )
    assert said(exchanges.post(opened, body, content_type="text/plain")) == (422, "malformed")
    assert asked.CLIENT.get(f"/a/{opened.slug}/exchange").status_code == 405
    assert rows() == [1, 0, 0, 0, 0]


@pytest.mark.django_db
def test_a_closed_and_a_paused_survey_sign_nothing_and_spend_nothing(opened: Survey, invitation: str) -> None:
    body = exchanges.body(ASKS, invitation, exchanges.device(ASKS).blinded)
    Survey.objects.filter(pk=opened.pk).update(paused=timezone.now())
    paused = exchanges.post(opened, body)
    assert said(paused) == (503, "paused")
    assert int(paused["Retry-After"]) >= 45
    # Who has begun may still send after the closing, and nobody begins.
    Survey.objects.filter(pk=opened.pk).update(state="closed", closed_at=timezone.now(), paused=None)
    assert said(exchanges.post(opened, body)) == (410, "closed")
    assert said(asked.post(opened, asked.envelope(ASKS, token=exchanges.token()))) == (201, "stored")
    assert Token.objects.count() == 1


@pytest.mark.django_db
def test_an_invitation_that_is_refused_three_hundred_times_a_minute_waits_for_the_next(
    opened: Survey,
) -> None:
    public = find_public_survey(opened.slug)
    assert public is not None
    now = [0.0]
    limits = Limits(by_token=3, clock=lambda: now[0])
    body = exchanges.body(ASKS, "f" * 32, exchanges.device(ASKS).blinded).encode()
    outcomes = [exchange_invitation(public, body, limits)[0] for _time in range(5)]
    assert outcomes == [Outcome.UNINVITED] * 3 + [Outcome.TOO_OFTEN] * 2
    now[0] = 61.0
    assert exchange_invitation(public, body, limits)[0] is Outcome.UNINVITED


@pytest.mark.django_db
def test_all_answers_have_one_length_and_are_kept_nowhere(opened: Survey, invitation: str) -> None:
    good = exchanges.body(ASKS, invitation, exchanges.device(ASKS).blinded)
    replies = [exchanges.post(opened, body) for body in ("", good, good.ljust(1025))]
    assert len({len(reply.content) for reply in replies}) == 1
    assert {reply["Cache-Control"] for reply in replies} == {"no-store"}
    assert not any(reply.cookies for reply in replies)


@pytest.mark.django_db
def test_an_exchange_that_cannot_be_stored_spends_nothing_and_is_asked_to_come_again(
    opened: Survey, invitation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(execute: Any, sql: str, *rest: Any) -> Any:
        if "INSERT INTO intake_freshkey" in sql:
            raise OperationalError("disk full")
        return execute(sql, *rest)

    body = exchanges.body(ASKS, invitation, exchanges.device(ASKS).blinded)
    with connection.execute_wrapper(fails):
        assert said(exchanges.post(opened, body)) == (503, "cannot be stored now")
    assert rows() == [1, 0, 0, 0, 0]
    assert said(exchanges.post(opened, body)) == (200, "signed")


# --- the key ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_key_that_is_not_the_designs_signs_nothing(opened: Survey, invitation: str) -> None:
    InvitationKey.objects.update(primes=exchanges.primes(1))
    blinded = exchanges.device(ASKS).blinded
    assert said(exchanges.post(opened, exchanges.body(ASKS, invitation, blinded)))[0] == 422
    assert Token.objects.count() == 1


@pytest.mark.django_db
def test_the_key_is_destroyed_when_the_survey_is_finished(opened: Survey, invitation: str) -> None:
    now = timezone.now()
    state_changes.close_survey(opened, None, now)
    assert invitation_keys.private_invitation_key(opened.pk) is not None
    state_changes.finish_survey(opened, None, now + timedelta(hours=2))
    assert invitation_keys.private_invitation_key(opened.pk) is None
    assert "surveys_invitationkey" in {row.table for row in Sweep.objects.all()}


@pytest.mark.django_db
def test_and_when_it_is_deleted(opened: Survey) -> None:
    now = timezone.now()
    state_changes.close_survey(opened, None, now)
    state_changes.destroy_survey(opened, None, now)
    assert not InvitationKey.objects.exists()


@pytest.mark.django_db
def test_the_signature_does_not_depend_on_what_hides_the_private_operation() -> None:
    blinded = base64url_bytes(exchanges.device(ASKS).blinded)
    signed = {blind_sign(exchanges.key(), blinded, os.urandom) for _time in range(5)}
    assert signed == {blind_sign(exchanges.key(), blinded, lambda n: (7).to_bytes(n, "big"))}


# --- Exchanges over real HTTP, many at once and while processes die, on both databases

ASKS_OF_MANY = exchanges.design(least=100)
MANY = 100


def opened_on(server: LiveServer) -> LiveSurvey:
    home = server.open(ASKS_OF_MANY, tokens=MANY)
    home.shell(exchanges.STORE_KEY.format(survey=home.survey, primes=exchanges.primes()))
    return home


def exchange_over_http(home: LiveSurvey, body: str) -> tuple[int, str]:
    """The status and the signature; 0 where nobody answered."""
    connection = http.client.HTTPConnection("127.0.0.1", home.port, timeout=60)
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    try:
        connection.request("POST", f"/a/{home.slug}/exchange", body, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())["signature"]
    except (OSError, http.client.HTTPException, ValueError):
        return 0, ""
    finally:
        connection.close()


def at_once(home: LiveSurvey, bodies: list[str]) -> list[tuple[int, str]]:
    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(lambda body: exchange_over_http(home, body), bodies))


@pytest.mark.server
def test_of_a_hundred_blinded_messages_for_one_invitation_at_once_one_is_signed(server: LiveServer) -> None:
    home = opened_on(server)
    bodies = [
        exchanges.body(ASKS_OF_MANY, home.tokens[0], exchanges.device(ASKS_OF_MANY).blinded)
        for _time in range(MANY)
    ]
    assert Counter(status for status, _signature in at_once(home, bodies)) == {200: 1, 403: MANY - 1}
    found = home.find()
    assert (len(found.tokens), len(found.keys), found.all) == (MANY - 1, 1, [])


@pytest.mark.server
def test_a_hundred_times_the_same_exchange_at_once_gets_one_signature(server: LiveServer) -> None:
    home = opened_on(server)
    device = exchanges.device(ASKS_OF_MANY)
    replies = at_once(home, [exchanges.body(ASKS_OF_MANY, home.tokens[0], device.blinded)] * MANY)
    ((status, signature),) = set(replies)
    assert status == 200
    assert is_valid(ASKS_OF_MANY.invitation_key, device.token(signature))
    assert len(home.find().keys) == 1


@pytest.mark.server
def test_of_a_hundred_records_with_one_token_at_once_one_is_stored(server: LiveServer) -> None:
    home = opened_on(server)
    token = exchanges.token()
    sent = [home.envelope(number, token) for number in range(MANY)]
    assert Counter(home.post(sent)) == {201: 1, 403: MANY - 1}
    found = home.find()
    assert (len(found.all), len(found.keys), len(found.tokens)) == (1, 2, MANY)
    # And again, for whoever got no answer: the one key that was stored is known, all others are free.
    assert Counter(home.post(sent)) == {200: 1, 403: MANY - 1}


@pytest.mark.server
def test_what_is_refused_over_http_spends_nothing(server: LiveServer) -> None:
    home = opened_on(server)
    before = home.find()
    blinded = exchanges.device(ASKS_OF_MANY).blinded
    good = exchanges.body(ASKS_OF_MANY, home.tokens[0], blinded)
    bad = [
        "",
        "{}",
        good[:-1],
        good.ljust(2000),
        exchanges.body(ASKS_OF_MANY, "f" * 32, blinded),
        good.replace(blinded, "_" * 342),
    ]
    assert {status for status, _signature in at_once(home, bad * 5)} == {422, 413, 403}
    assert set(home.post([home.envelope(1, token) for token in (exchanges.token(1), home.tokens[0])])) == {
        403
    }
    assert home.find() == before


@pytest.mark.server
def test_a_hundred_exchanges_while_both_web_processes_are_killed(server: LiveServer) -> None:
    """Whoever got no answer repeats the same exchange, and each invitation makes one token."""
    home = opened_on(server)
    devices = [exchanges.device(ASKS_OF_MANY) for _person in home.tokens]
    bodies = [
        exchanges.body(ASKS_OF_MANY, token, device.blinded)
        for token, device in zip(home.tokens, devices, strict=True)
    ]
    with ThreadPoolExecutor(MANY) as pool:
        first = [pool.submit(exchange_over_http, home, body) for body in bodies]
        for process in web_processes(home):
            os.kill(process, signal.SIGKILL)
        heard = {number for number, reply in enumerate(first) if reply.result()[0] == 200}
    signatures = {number: first[number].result()[1] for number in heard}
    for _turn in range(50):
        rest = [number for number in range(MANY) if number not in signatures]
        replies = at_once(home, [bodies[number] for number in rest])
        assert {status for status, _signature in replies} <= {0, 200}
        signatures |= {
            number: signature
            for number, (status, signature) in zip(rest, replies, strict=True)
            if status == 200
        }
    tokens = [device.token(signatures[number]) for number, device in enumerate(devices)]
    assert len(set(tokens)) == MANY
    found = home.find()
    assert found.tokens == []
    assert set(found.keys) == {
        found.hash_of(Kind.EXCHANGE, f"{token} {device.blinded}")
        for token, device in zip(home.tokens, devices, strict=True)
    }
    assert set(home.post([home.envelope(number, token) for number, token in enumerate(tokens)])) == {201}
