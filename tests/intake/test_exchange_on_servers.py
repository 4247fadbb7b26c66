"""Exchanges over real HTTP, many at once and while processes die, on both databases."""

import http.client
import json
import os
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from intake.endpoint.accept import hashed
from privacy.blind_signatures.tokens import is_valid
from tests.intake import exchanges
from tests.intake.live_survey import LiveServer, LiveSurvey
from tests.intake.test_killed import web_processes

pytestmark = pytest.mark.server
ASKS = exchanges.design(least=100)
MANY = 100


def opened(server: LiveServer) -> LiveSurvey:
    home = server.open(ASKS, tokens=MANY)
    home.shell(exchanges.STORE_KEY.format(survey=home.survey, primes=exchanges.primes()))
    return home


def exchange(home: LiveSurvey, body: str) -> tuple[int, str]:
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
        return list(pool.map(lambda body: exchange(home, body), bodies))


def test_of_a_hundred_blinded_messages_for_one_invitation_at_once_one_is_signed(server: LiveServer) -> None:
    home = opened(server)
    bodies = [exchanges.body(ASKS, home.tokens[0], exchanges.device(ASKS).blinded) for _time in range(MANY)]
    assert Counter(status for status, _signature in at_once(home, bodies)) == {200: 1, 403: MANY - 1}
    found = home.find()
    assert (len(found.tokens), len(found.keys), found.all) == (MANY - 1, 1, [])


def test_a_hundred_times_the_same_exchange_at_once_gets_one_signature(server: LiveServer) -> None:
    home = opened(server)
    device = exchanges.device(ASKS)
    replies = at_once(home, [exchanges.body(ASKS, home.tokens[0], device.blinded)] * MANY)
    ((status, signature),) = set(replies)
    assert status == 200
    assert is_valid(ASKS.invitation_key, device.token(signature))
    assert len(home.find().keys) == 1


def test_of_a_hundred_records_with_one_token_at_once_one_is_stored(server: LiveServer) -> None:
    home = opened(server)
    token = exchanges.token()
    sent = [home.envelope(number, token) for number in range(MANY)]
    assert Counter(home.post(sent)) == {201: 1, 403: MANY - 1}
    found = home.find()
    assert (len(found.all), len(found.keys), len(found.tokens)) == (1, 2, MANY)
    # And again, for whoever got no answer: the one key that was stored is known, all others are free.
    assert Counter(home.post(sent)) == {200: 1, 403: MANY - 1}


def test_what_is_refused_over_http_spends_nothing(server: LiveServer) -> None:
    home = opened(server)
    before = home.find()
    blinded = exchanges.device(ASKS).blinded
    good = exchanges.body(ASKS, home.tokens[0], blinded)
    bad = [
        "",
        "{}",
        good[:-1],
        good.ljust(2000),
        exchanges.body(ASKS, "f" * 32, blinded),
        good.replace(blinded, "_" * 342),
    ]
    assert {status for status, _signature in at_once(home, bad * 5)} == {422, 413, 403}
    assert set(home.post([home.envelope(1, token) for token in (exchanges.token(1), home.tokens[0])])) == {
        403
    }
    assert home.find() == before


def test_a_hundred_exchanges_while_both_web_processes_are_killed(server: LiveServer) -> None:
    """Whoever got no answer repeats the same exchange, and each invitation makes one token."""
    home = opened(server)
    devices = [exchanges.device(ASKS) for _person in home.tokens]
    bodies = [
        exchanges.body(ASKS, token, device.blinded)
        for token, device in zip(home.tokens, devices, strict=True)
    ]
    with ThreadPoolExecutor(MANY) as pool:
        first = [pool.submit(exchange, home, body) for body in bodies]
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
        hashed(f"exchange {token} {device.blinded}")
        for token, device in zip(home.tokens, devices, strict=True)
    }
    assert set(home.post([home.envelope(number, token) for number, token in enumerate(tokens)])) == {201}
