"""Probes of an invitation over real HTTP, on both databases: each takes records by statements of its own."""

import http.client
import secrets
from typing import Any

import pytest

from privacy.records import Envelope, Record
from tests.intake import asked
from tests.intake.live_survey import LiveServer, LiveSurvey

pytestmark = pytest.mark.server
ASKS, OTHER = asked.design(), asked.design(digits=5)
AGAIN = 3


def answer(home: LiveSurvey, envelope: Envelope) -> tuple[int, bytes, list[tuple[str, str]]]:
    """All that comes back, but the time."""
    connection = http.client.HTTPConnection("127.0.0.1", home.port, timeout=60)
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    connection.request("POST", f"/a/{home.slug}/record", envelope.json, headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body, [header for header in response.getheaders() if header[0].lower() != "date"]


def probes(known: str, token: str) -> dict[str, tuple[int, Envelope]]:
    """The status that each gets whatever became of the invitation; `known`: a key that was taken before."""
    impossible = Record(ASKS.fingerprint, 1, "9" * ASKS.width)
    new = secrets.token_hex(16)
    return {
        "an impossible record": (422, Envelope(new, impossible, token)),
        "a record of another design": (422, Envelope(new, asked.numbered(OTHER, 1), token)),
        "a known key": (200, Envelope(known, asked.numbered(ASKS, 7), token)),
        "an impossible record with a known key": (200, Envelope(known, impossible, token)),
    }


def test_whoever_holds_the_list_learns_nothing_that_uses_no_invitation_up(server: LiveServer) -> None:
    home = server.open(ASKS, tokens=20)
    spent, unspent = home.tokens[:2]
    first = home.envelope(1, spent)
    assert home.post([first]) == [201]
    before = home.find()
    said: dict[str, list[Any]] = {}
    for token in (spent, unspent, "c" * 32):
        for kind, (status, envelope) in probes(first.key, token).items():
            for _time in range(AGAIN):
                said.setdefault(kind, []).append(found := answer(home, envelope))
                assert found[0] == status, kind
    assert {kind: len(answers) for kind, answers in said.items()} == dict.fromkeys(said, 3 * AGAIN)
    assert [kind for kind, answers in said.items() if any(one != answers[0] for one in answers)] == []
    assert home.find() == before
    # Only a valid record tells, and it spends what it asks about.
    statuses = [home.post([home.envelope(n, token)]) for n, token in enumerate((spent, unspent, unspent))]
    assert statuses == [[403], [201], [403]]
    assert len(home.find().tokens) == len(before.tokens) - 1


def test_nor_after_the_records_were_sealed(server: LiveServer) -> None:
    home = server.open(ASKS, tokens=80)
    sent = [home.envelope(number, token) for number, token in enumerate(home.tokens[:60])]
    assert set(home.post(sent)) == {201}
    home.tick()
    before = home.find()
    assert before.sealed
    for kind in probes("", ""):
        asked_of = [probes(sent[0].key, token)[kind] for token in (home.tokens[0], home.tokens[-1])]
        answers = [answer(home, envelope) for _status, envelope in asked_of]
        assert answers[0] == answers[1], kind
        assert answers[0][0] == asked_of[0][0], kind
    assert home.find() == before
