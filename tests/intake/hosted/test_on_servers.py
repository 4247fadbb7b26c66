"""Records of a page that another host serves, on a real web server over SQLite and over PostgreSQL."""

import secrets
from contextlib import closing
from http.client import HTTPConnection
from itertools import chain

import pytest

from privacy.records import Envelope
from tests import servers
from tests.intake import asked
from tests.intake.conftest import LiveServer, LiveSurvey

pytestmark = pytest.mark.server
HOST = {"host": "https://ethics.example.edu", "record": "https://research.example.org/a/abc/record"}
CROSS = {
    "Origin": "https://ethics.example.edu",
    "Sec-Fetch-Site": "cross-site",
    "Content-Type": "application/json",
}
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,candor-again",
}


def send(home: LiveSurvey, method: str, body: str = "", **headers: str) -> tuple[int, str]:
    """The status of an answer, and the origin that may read it."""
    with closing(HTTPConnection("127.0.0.1", home.port, timeout=servers.PATIENCE)) as connection:
        connection.request(method, f"/a/{home.slug}/record", body or None, {**CROSS, **headers})
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers["Access-Control-Allow-Origin"]


def test_records_of_a_hosted_page_are_stored_once_and_sealed(server: LiveServer) -> None:
    home = server.open_survey(asked.design(asked_at=HOST))
    assert send(home, "OPTIONS", **PREFLIGHT) == (204, HOST["host"])
    sent = [
        Envelope(secrets.token_hex(16), asked.number_record(home.design, number), None, None)
        for number in range(60)
    ]
    for status in (201, 200):
        assert {send(home, "POST", envelope.json) for envelope in sent} == {(status, HOST["host"])}
    home.close()
    found = home.find()
    assert sorted(chain.from_iterable(found.sealed)) == sorted(envelope.record.answers for envelope in sent)
    assert found.waiting == []
    assert send(home, "POST", sent[0].json)[1] == HOST["host"]
