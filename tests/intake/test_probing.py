"""Somebody who holds the invitations learns nothing of them that does not use one up."""

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
from intake.endpoint.rate_limits import RequestLimits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, Token
from privacy.records import Envelope, Record
from surveys.models import Survey
from tests.intake import asked
from tests.intake.asked import IMPOSSIBLE, STORED, UNINVITED, outcome
from tests.intake.conftest import LiveServer, LiveSurvey

ASKS, OTHER = asked.design(), asked.design(digits=5)
IMPOSSIBLE_RECORD = Record(ASKS.fingerprint, 1, "9" * ASKS.width)
SENT_BEFORE = "a" * 32
LATE = timedelta(minutes=61)
NEVER_MADE = "c" * 32
Probe = Callable[[Survey, str], Any]


def tokens(survey: Survey) -> dict[str, str]:
    """One of each kind; whoever probes does not know which is which."""
    unspent, spent, own = create_tokens(survey, 3)
    asked.post(survey, asked.envelope(ASKS, 1, token=spent))
    asked.post(survey, asked.envelope(ASKS, 2, key=SENT_BEFORE, token=own))
    (foreign,) = create_tokens(asked.survey(ASKS, invited=True), 1)
    return {"unspent": unspent, "spent": spent, "never made": NEVER_MADE, "another survey's": foreign}


def impossible_record_envelope(token: str, key: str = "") -> Envelope:
    return asked.send_as_page(IMPOSSIBLE_RECORD, key, token)


def post_valid_record(survey: Survey, token: str, **headers: str) -> Any:
    return asked.post(survey, asked.envelope(ASKS, token=token), **headers)


def to_a_survey(**values: Any) -> Probe:
    """A valid record, while the survey is in another state."""

    def probe(survey: Survey, token: str) -> Any:
        Survey.objects.filter(pk=survey.pk).update(**{"closed_at": timezone.now()} | values)
        return post_valid_record(survey, token)

    return probe


def replace_in_envelope(old: str, new: str) -> Probe:
    def probe(survey: Survey, token: str) -> Any:
        sent = asked.envelope(ASKS, token=token).json
        assert old in sent
        return asked.post(survey, sent.replace(old, new))

    return probe


State = Survey.State
PROBES: dict[str, tuple[int, Probe]] = {
    "an impossible record": (422, lambda s, t: asked.post(s, impossible_record_envelope(t))),
    "a record of another design": (422, lambda s, t: asked.post(s, asked.envelope(OTHER, token=t))),
    # A key that the prober has used up with an invitation of their own.
    "a known key": (200, lambda s, t: asked.post(s, asked.envelope(ASKS, key=SENT_BEFORE, token=t))),
    "an impossible record with a known key": (
        200,
        lambda s, t: asked.post(s, impossible_record_envelope(t, SENT_BEFORE)),
    ),
    "a malformed key": (422, replace_in_envelope('"key":"', '"key":"x')),
    "a malformed group": (422, replace_in_envelope('"group":1', '"group":7')),
    "too few answers": (422, replace_in_envelope('"answers":"', '"answers":"1')),
    "a member too many": (422, replace_in_envelope('"key"', '"more":1,"key"')),
    "broken JSON": (422, replace_in_envelope("}", "")),
    "too long": (413, replace_in_envelope('"key"', " " * 5000 + '"key"')),
    "another site's page": (403, lambda s, t: post_valid_record(s, t, **{"Sec-Fetch-Site": "cross-site"})),
    "another content type": (422, lambda s, t: post_valid_record(s, t, content_type="text/plain")),
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
def test_probe_gets_the_same_answer_whatever_the_state_of_an_invitation(kind: str) -> None:
    status, probe = PROBES[kind]
    answers = [
        probe_invitation(probe, name) for name in ("unspent", "spent", "never made", "another survey's")
    ]
    assert {answer[0] for answer in answers} == {status}
    if kind == "the page itself":  # it leads to its survey, which is another each time
        answers = [answer[3:] for answer in answers]
    assert [answer == answers[0] for answer in answers] == [True] * 4


def probe_invitation(probe: Probe, kind: str) -> tuple[Any, ...]:
    """All that comes back for an invitation of this kind, and how many statements that took."""
    survey = asked.survey(ASKS, invited=True)
    token = tokens(survey)[kind]
    endpoint._surveys.clear()
    before = stored_rows()
    with CaptureQueriesContext(connection) as queries:
        response = probe(survey, token)
    assert not [query for query in queries if "intake_token" in query["sql"]], "the invitation was looked at"
    assert stored_rows() == before
    Inbox.objects.all().delete()
    FreshKey.objects.all().delete()
    return response.status_code, response.content, dict(response.headers), len(queries)


def stored_rows() -> tuple[list[str], int]:
    unspent = sorted(bytes(row.hash).hex() for row in Token.objects.all())
    return unspent, Inbox.objects.filter(survey__invited=True).count()


@pytest.mark.django_db
@pytest.mark.page
def test_number_of_uses_of_an_invitation_reveals_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of the running minute is no way to learn that its owner has answered just now."""
    said = []
    for answered in (False, True):
        monkeypatch.setattr(endpoint, "LIMITS", RequestLimits(by_token=20, clock=lambda: 615.0))
        survey = asked.survey(ASKS, invited=True)
        token, own = create_tokens(survey, 2)
        if answered:
            assert post_valid_record(survey, token).status_code == 201
        asked.post(survey, asked.envelope(ASKS, key=SENT_BEFORE, token=own))
        probes = (impossible_record_envelope(token), asked.envelope(ASKS, key=SENT_BEFORE, token=token))
        said.append([asked.post(survey, probe).status_code for probe in probes for _ in range(25)])
    assert said[0] == said[1]


@pytest.mark.django_db
@pytest.mark.page
def test_state_of_an_invitation_is_learned_only_by_using_it() -> None:
    """The limit that the page states: a valid record says whether it was spent, and spends it; its owner then learns
    that somebody else has used it. An impossible one is refused before its missing invitation."""
    survey = asked.survey(ASKS, invited=True)
    held = tokens(survey)
    assert outcome(survey, Envelope("b" * 32, IMPOSSIBLE_RECORD, None)) == IMPOSSIBLE
    sent = [asked.envelope(ASKS, token=held[kind]) for kind in ("spent", "unspent", "unspent")]
    assert [outcome(survey, each) for each in sent] == [UNINVITED, STORED, UNINVITED]
    assert Inbox.objects.filter(survey=survey).count() == 3


# --- over real HTTP, on both databases


def answer(home: LiveSurvey, envelope: Envelope) -> tuple[int, bytes, list[tuple[str, str]]]:
    """All that comes back, but the time."""
    status, headers, body = home.ask(f"/a/{home.slug}/record", envelope.json)
    return status, body, [header for header in headers.items() if header[0].lower() != "date"]


@pytest.mark.server
@pytest.mark.parametrize("used", [1, 60], ids=["waiting", "sealed"])
def test_list_holder_learns_nothing_without_using_invitations(server: LiveServer, used: int) -> None:
    home = server.open_survey(ASKS, tokens=used + 20)
    spent, unspent = home.tokens[0], home.tokens[-1]
    sent = [home.envelope(number, token) for number, token in enumerate(home.tokens[:used])]
    assert set(home.post(sent)) == {201}
    home.send_tick()
    before = home.find()
    assert bool(before.sealed) is (used > 1)
    new, known = secrets.token_hex(16), sent[0].key
    for key, record, status in (
        (new, IMPOSSIBLE_RECORD, 422),
        (new, asked.number_record(OTHER, 1), 422),
        (known, asked.number_record(ASKS, 7), 200),
        (known, IMPOSSIBLE_RECORD, 200),
    ):
        probes = [Envelope(key, record, token) for token in (spent, unspent, NEVER_MADE) * 3]
        first, *others = [answer(home, probe) for probe in probes]
        assert first[0] == status
        assert [one == first for one in others] == [True] * 8, (key, record)
    assert home.find() == before
    # Only a valid record tells, and it spends what it asks about.
    statuses = [home.post([home.envelope(n, token)]) for n, token in enumerate((spent, unspent, unspent))]
    assert statuses == [[403], [201], [403]]
    assert len(home.find().tokens) == len(before.tokens) - 1
