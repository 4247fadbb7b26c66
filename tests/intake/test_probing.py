"""Somebody who holds the invitations learns nothing of them that does not use one up."""

import http.client
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.rate_limits import Limits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, Token
from privacy.records import Envelope, Record
from surveys.models import Survey
from tests.intake import asked
from tests.intake.live_survey import LiveServer, LiveSurvey

ASKS, OTHER = asked.design(), asked.design(digits=5)
SENT_BEFORE = "a" * 32
LATE = timedelta(minutes=61)
Probe = Callable[[Survey, str], Any]


def tokens(survey: Survey) -> dict[str, str]:
    """One of each kind; whoever probes does not know which is which."""
    unspent, spent, own = create_tokens(survey, 3)
    asked.post(survey, asked.envelope(ASKS, 1, token=spent))
    asked.post(survey, asked.envelope(ASKS, 2, key=SENT_BEFORE, token=own))
    (foreign,) = create_tokens(asked.survey(ASKS, invited=True), 1)
    return {"unspent": unspent, "spent": spent, "never made": "c" * 32, "another survey's": foreign}


def impossible(token: str, key: str = "") -> Envelope:
    return asked.sent(Record(ASKS.fingerprint, 1, "9" * ASKS.width), key, token)


def of_another_design(survey: Survey, token: str) -> Any:
    return asked.post(survey, asked.envelope(OTHER, token=token))


def with_a_known_key(survey: Survey, token: str) -> Any:
    """A valid record under a key that the prober has used up with an invitation of their own."""
    return asked.post(survey, asked.envelope(ASKS, key=SENT_BEFORE, token=token))


def impossible_with_a_known_key(survey: Survey, token: str) -> Any:
    return asked.post(survey, impossible(token, SENT_BEFORE))


def valid(survey: Survey, token: str, **headers: str) -> Any:
    return asked.post(survey, asked.envelope(ASKS, token=token), **headers)


def to_a_survey(**values: Any) -> Probe:
    """A valid record, while the survey is in another state."""

    def probe(survey: Survey, token: str) -> Any:
        Survey.objects.filter(pk=survey.pk).update(**{"closed_at": timezone.now()} | values)
        return valid(survey, token)

    return probe


def mutated(old: str, new: str) -> Probe:
    def probe(survey: Survey, token: str) -> Any:
        return asked.post(survey, asked.envelope(ASKS, token=token).json.replace(old, new))

    return probe


State = Survey.State
PROBES: dict[str, tuple[int, Probe]] = {
    "an impossible record": (422, lambda s, t: asked.post(s, impossible(t))),
    "a record of another design": (422, of_another_design),
    "a known key": (200, with_a_known_key),
    "an impossible record with a known key": (200, impossible_with_a_known_key),
    "a malformed key": (422, mutated('"key":"', '"key":"x')),
    "a malformed group": (422, mutated('"group":1', '"group":7')),
    "too few answers": (422, mutated('"answers":"', '"answers":"1')),
    "a member too many": (422, mutated('"key"', '"more":1,"key"')),
    "broken JSON": (422, mutated("}", "")),
    "too long": (413, lambda s, t: asked.post(s, asked.envelope(ASKS, token=t).json + " " * 5000)),
    "another site's page": (403, lambda s, t: valid(s, t, **{"Sec-Fetch-Site": "cross-site"})),
    "another content type": (422, lambda s, t: valid(s, t, content_type="text/plain")),
    "a closed survey": (410, to_a_survey(state=State.CLOSED, closed_at=timezone.now() - LATE)),
    "a full survey": (410, to_a_survey(state=State.CLOSED, cap=1)),
    "a finished survey": (410, to_a_survey(state=State.FINISHED)),
    "a destroyed survey": (410, to_a_survey(state=State.DESTROYED)),
    "asked with GET": (405, lambda s, t: Client().get(f"/a/{s.slug}/record?token={t}")),
    "the page itself": (302, lambda s, t: Client().get(f"/a/{s.slug}?token={t}")),
}


@pytest.mark.at_push(6)
@pytest.mark.django_db
@pytest.mark.page
@pytest.mark.parametrize("kind", PROBES)
def test_a_probe_gets_the_same_answer_whatever_became_of_the_invitation(kind: str) -> None:
    status, probe = PROBES[kind]
    answers = [probed(probe, name) for name in ("unspent", "spent", "never made", "another survey's")]
    assert {answer[0] for answer in answers} == {status}
    if kind == "the page itself":  # it leads to its survey, which is another each time
        answers = [answer[3:] for answer in answers]
    assert [answer == answers[0] for answer in answers] == [True] * 4


def probed(probe: Probe, kind: str) -> tuple[Any, ...]:
    """All that comes back for an invitation of this kind, and how many statements that took."""
    survey = asked.survey(ASKS, invited=True)
    token = tokens(survey)[kind]
    endpoint._surveys.clear()
    before = kept()
    with CaptureQueriesContext(connection) as queries:
        response = probe(survey, token)
    assert not [query for query in queries if "intake_token" in query["sql"]], "the invitation was looked at"
    assert kept() == before
    Inbox.objects.all().delete()
    FreshKey.objects.all().delete()
    return response.status_code, response.content, dict(response.headers), len(queries)


def kept() -> tuple[list[str], int]:
    unspent = sorted(bytes(row.hash).hex() for row in Token.objects.all())
    return unspent, Inbox.objects.filter(survey__invited=True).count()


@pytest.mark.django_db
@pytest.mark.page
def test_how_often_an_invitation_was_shown_does_not_say_that_somebody_else_has_shown_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The count of the running minute is no way to learn that its owner has answered just now."""
    said = []
    for answered in (False, True):
        monkeypatch.setattr(endpoint, "LIMITS", Limits(by_token=20, clock=lambda: 615.0))
        survey = asked.survey(ASKS, invited=True)
        token, own = create_tokens(survey, 2)
        if answered:
            assert valid(survey, token).status_code == 201
        asked.post(survey, asked.envelope(ASKS, key=SENT_BEFORE, token=own))
        probes = (impossible(token), asked.envelope(ASKS, key=SENT_BEFORE, token=token))
        said.append([asked.post(survey, probe).status_code for probe in probes for _ in range(25)])
    assert said[0] == said[1]


@pytest.mark.django_db
@pytest.mark.page
def test_an_impossible_record_is_refused_before_its_missing_invitation() -> None:
    survey = asked.survey(ASKS, invited=True)
    record = Record(ASKS.fingerprint, 1, "9" * ASKS.width)
    assert asked.post(survey, Envelope("b" * 32, record, None)).status_code == 422


@pytest.mark.django_db
@pytest.mark.page
def test_whoever_holds_an_invitation_learns_its_state_only_by_using_it_up() -> None:
    """The limit that the page states: a valid record says whether it was spent, and spends it."""
    survey = asked.survey(ASKS, invited=True)
    held = tokens(survey)
    assert valid(survey, held["spent"]).status_code == 403
    assert valid(survey, held["unspent"]).status_code == 201
    # Its owner then learns that somebody else has used it.
    assert valid(survey, held["unspent"]).status_code == 403
    assert Inbox.objects.filter(survey=survey).count() == 3


# --- Probes of an invitation over real HTTP, on both databases

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


@pytest.mark.server
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


@pytest.mark.server
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
