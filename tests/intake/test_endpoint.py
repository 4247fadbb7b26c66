"""What a respondent's page is told, and in which order."""

import itertools
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.test import Client
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.accept_record import GRACE
from intake.endpoint.epochs import epoch_at
from intake.endpoint.keyed_hashes_of_secrets import get_or_create_survey_secret
from intake.endpoint.last_store_failure import UNSTORED
from intake.endpoint.rate_limits import RequestLimits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, SeenKeys, Token
from privacy.designs import Design, parse_design
from privacy.records import Envelope, Record
from surveys.models import Survey
from tests.intake import asked
from tests.intake.asked import CLOSED, IMPOSSIBLE, KNOWN, MALFORMED, STORED, UNINVITED, outcome, outcome_of

pytestmark = pytest.mark.django_db
ASKS = asked.design()
IMPOSSIBLE_RECORD = Record(ASKS.fingerprint, 1, "99" * (ASKS.width // 2))
LATE = timedelta(minutes=61)


@pytest.fixture
def open_survey() -> Survey:
    return asked.survey(ASKS)


@pytest.fixture
def invitation_survey() -> Survey:
    return asked.survey(ASKS, invited=True)


def make_closed_survey(**values: object) -> Survey:
    return asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=timezone.now() - LATE, **values)


def nothing_is_kept() -> bool:
    return not any(table.objects.exists() for table in (Inbox, FreshKey, SeenKeys))


# --- one record, exactly once


def test_repeated_request_stores_nothing_more(open_survey: Survey) -> None:
    sent = asked.envelope(ASKS, 0o1234)
    assert [outcome(open_survey, sent) for _time in range(2)] == [STORED, KNOWN]
    assert [bytes(row.record) for row in Inbox.objects.all()] == [b"1001234"]


def test_first_of_two_records_with_one_key_stands(open_survey: Survey) -> None:
    asked.post(open_survey, asked.envelope(ASKS, 1, key="a" * 32))
    assert outcome(open_survey, asked.envelope(ASKS, 2, key="a" * 32)) == KNOWN
    assert bytes(Inbox.objects.get().record) == b"1000001"


@pytest.mark.parametrize("is_invited", [False, True])
def test_sealed_key_is_still_known(is_invited: bool) -> None:
    """With an invitation before its spent token is not."""
    survey = asked.survey(ASKS, invited=is_invited)
    tokens = create_tokens(survey, 50) if is_invited else [None] * 50
    sent = [asked.envelope(ASKS, token=token) for token in tokens]
    assert {outcome(survey, each) for each in sent} == {STORED}
    assert len(asked.seen_hashes(survey=survey)) == 50
    assert not FreshKey.objects.exists()
    assert {outcome(survey, each) for each in sent} == {KNOWN}
    assert 20 <= Inbox.objects.count() <= 30


def test_first_record_spends_the_token(invitation_survey: Survey) -> None:
    token, other = create_tokens(invitation_survey, 2)
    sent = [asked.envelope(ASKS, token=each) for each in (token, token, other)]
    assert [outcome(invitation_survey, each) for each in sent] == [STORED, UNINVITED, STORED]
    assert Inbox.objects.count() == 2
    assert not Token.objects.exists()


def test_unneeded_invitation_does_not_block_the_answer(open_survey: Survey) -> None:
    assert {outcome(open_survey, asked.envelope(ASKS, token="c" * 32)) for _time in range(30)} == {STORED}


# --- the order: each step, with everything after it wrong too


def impossible_envelope(key: str = "b" * 32, token: str | None = "c" * 32) -> Envelope:
    """A good envelope around a record that cannot be, with a token that was never made."""
    return asked.send_as_page(IMPOSSIBLE_RECORD, key, token)


def test_the_order_of_refusals_up_to_a_closed_survey() -> None:
    response = Client().post("/a/nothing-here/record", "x" * 5000, content_type="text/plain")
    assert outcome_of(response) == (404, "no such survey")
    draft = asked.survey(ASKS, state=Survey.State.DRAFT, design=None)
    assert outcome(draft, impossible_envelope())[0] == 404, "it has no address yet"
    survey = make_closed_survey(invited=True)
    assert outcome(survey, "{" * 5000) == asked.TOO_LONG
    hash_ = asked.hash_of_key(survey, asked.envelope(ASKS, key="b" * 32))
    FreshKey.objects.create(survey=survey, hash=hash_, epoch=epoch_at(timezone.now()))
    assert outcome(survey, impossible_envelope().json[:-1]) == MALFORMED, "even with a known key"
    assert outcome(survey, impossible_envelope()) == KNOWN, "whatever else has changed"
    assert outcome(survey, impossible_envelope("d" * 32)) == CLOSED


def test_unknown_or_missing_token_is_refused_after_an_impossible_record(invitation_survey: Survey) -> None:
    """After a record that no device sends; only then a record is stored."""
    (token,) = create_tokens(invitation_survey, 1)
    for shown in (token, "c" * 32, None):
        assert outcome(invitation_survey, impossible_envelope(token=shown)) == IMPOSSIBLE
    assert Token.objects.count() == 1
    for shown in ("c" * 32, None):
        assert outcome(invitation_survey, asked.envelope(ASKS, token=shown)) == UNINVITED
    assert outcome(invitation_survey, asked.envelope(ASKS, token=token)) == STORED


def test_refused_record_leaves_its_key_usable(open_survey: Survey, invitation_survey: Survey) -> None:
    sent = asked.envelope(ASKS)
    refused: list[tuple[Survey, Any, tuple[int, str]]] = [
        (open_survey, "{}", MALFORMED),
        (make_closed_survey(), sent, CLOSED),
        (invitation_survey, asked.envelope(ASKS, token="d" * 32), UNINVITED),
        (open_survey, impossible_envelope(token=None), IMPOSSIBLE),
        # Neither within the hour.
        *((asked.survey(ASKS, state=state), sent, CLOSED) for state in ("finished", "destroyed")),
    ]
    for survey, what, why in refused:
        assert outcome(survey, what) == why
        assert nothing_is_kept(), why
    almost = timezone.now() - GRACE + timedelta(seconds=30)
    begun = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=almost)
    assert outcome(begun, sent) == STORED, "whoever had begun may send for an hour after closing"


# --- what stands in for a cookie


def test_requests_of_other_sites_or_plain_forms_are_refused(open_survey: Survey) -> None:
    sent = asked.envelope(ASKS)
    for site in ("cross-site", "same-site", "none"):
        assert outcome(open_survey, sent, **{"Sec-Fetch-Site": site}) == (403, "not sent by our page"), site
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert outcome(open_survey, sent, content_type=kind)[0] == 422, kind
    for method in ("get", "put", "delete", "options", "head"):
        assert getattr(Client(), method)(f"/a/{open_survey.slug}/record").status_code == 405, method
    assert nothing_is_kept()
    # A browser that does not name the site is believed.
    browser = Client(enforce_csrf_checks=True)
    answer = browser.post(f"/a/{open_survey.slug}/record", sent.json, content_type="application/json")
    assert outcome_of(answer) == STORED


def test_record_request_ignores_session_account_and_lockout_cookies(
    open_survey: Survey, django_assert_max_num_queries: Any
) -> None:
    get_or_create_survey_secret(open_survey.pk)
    browser = Client()
    browser.cookies["candor-session"] = "s" * 32
    # The survey; how many came, for the rate; the key, if it was never seen, how many wait, and the record, in a
    # savepoint; what waits, counted. All but the first record of a second ask neither of the other two counts; where a
    # second ends meanwhile, one is asked again.
    address, sent = f"/a/{open_survey.slug}/record", asked.envelope(ASKS).json
    with django_assert_max_num_queries(9) as queries:
        assert browser.post(address, sent, content_type="application/json").status_code == 201
    tables = [query["sql"] for query in queries.captured_queries]
    assert not [sql for sql in tables if "accounts" in sql or "session" in sql]


# --- when nothing can be stored


def failing_statements(at: str, error: Exception) -> Any:
    """The database fails at statements that hold these words."""

    def raise_at_statement(execute: Any, sql: str, *rest: Any) -> Any:
        if at in sql:
            raise error
        return execute(sql, *rest)

    return connection.execute_wrapper(raise_at_statement)


def test_unstorable_record_is_temporarily_refused_and_not_logged(
    open_survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    statements = ("surveys_survey", "intake_freshkey", "INSERT INTO intake_inbox")
    for at, kind in itertools.product(statements, (OperationalError, InterfaceError, DatabaseError)):
        caplog.clear()
        endpoint._surveys.clear()
        sent = asked.envelope(ASKS, 0o1234)
        with failing_statements(at, kind("database or disk is full: 1001234")):
            response = asked.post(open_survey, sent)
        assert outcome_of(response) == (503, "cannot be stored now"), (at, kind)
        # At least ten, and over half a minute, so that not all come back at once.
        assert 10 <= int(response["Retry-After"]) < 40
        assert response["Content-Type"] == "application/json"
        assert "1001234" not in caplog.text
        assert f"a record could not be stored: {kind.__name__}" in caplog.text
        assert UNSTORED.failed_recently()
        assert outcome(open_survey, sent) == STORED
        assert not UNSTORED.failed_recently()
        with failing_statements("INSERT", kind("full")):
            assert outcome(open_survey, sent) == KNOWN, "where nothing can be written too"


# --- what goes over the network


def test_endpoint_answers_set_no_cookie_are_uncached_and_name_no_page(open_survey: Survey) -> None:
    for answer in (asked.post(open_survey, what) for what in (asked.envelope(ASKS), "{}")):
        assert not answer.cookies
        assert (answer["Cache-Control"], answer["Referrer-Policy"]) == ("no-store", "no-referrer")
        assert "Cookie" not in answer.get("Vary", "")


def test_flood_and_spent_invitation_are_refused_with_a_retry_time(
    open_survey: Survey, invitation_survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "LIMITS", RequestLimits(in_total=2, clock=lambda: 615.0))
    answers = [asked.post(open_survey, asked.envelope(ASKS)) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    # 615 seconds: 45 are left of the eleventh minute.
    assert answers[-1]["Retry-After"] == "45"
    monkeypatch.setattr(endpoint, "LIMITS", RequestLimits(by_token=2, clock=lambda: 615.0))
    statuses = [
        asked.post(invitation_survey, asked.envelope(ASKS, token="c" * 32)).status_code for _ in range(4)
    ]
    assert statuses == [403, 403, 429, 429]


# --- What a page sends that was opened before an upgrade: its bytes stand here as pages wrote them before 1.0.0, in
# November 2026, and every later version takes them. `./run bench upgrade` replaces whole instances meanwhile.

SAID = {"format": "candor-design/1", "languages": ["en"], "least": 20, "title": {"en": "Work and health"}}
AGE = {"name": "age", "form": "one", "choices": [{"name": "young"}, {"name": "old"}]}
THEFT = {"name": "theft", "form": "yes-no", "choices": [{"name": "no"}, {"name": "yes"}]}
PLAIN: dict[str, Any] = {"kind": "plain", "questions": [AGE]}
NOISY = THEFT | {"noise": ["0.5000", "0.5000"]}
SENSITIVE: dict[str, Any] = {"kind": "unrelated-question", "keep": "0.7000", "questions": [NOISY]}
KEY = "0123456789abcdef0123456789abcdef"
RECORD = f'{{"key":"{KEY}","epoch":%d,"record":{{"design":"DESIGN","group":1,"answers":"01"}}}}'
FORM = f"key={KEY}&epoch=%04d&answer-0=1"


@pytest.mark.page
def test_record_and_form_of_a_page_opened_earlier_are_stored_once() -> None:
    def open_with_sections(*sections: dict[str, Any]) -> tuple[Survey, Design]:
        design = parse_design(json.dumps({**SAID, "sections": sections}))
        return asked.survey(design), design

    survey, design = open_with_sections(PLAIN, SENSITIVE)
    body = RECORD.replace("DESIGN", design.fingerprint) % epoch_at(timezone.now())
    assert [outcome(survey, body) for _time in range(2)] == [STORED, KNOWN]
    assert bytes(Inbox.objects.get().record) == b"101"
    Inbox.objects.all().delete()
    survey, _design = open_with_sections(PLAIN)
    body = FORM % epoch_at(timezone.now())
    kind = "application/x-www-form-urlencoded"
    assert Client().post(f"{survey.address}/form", body, content_type=kind).status_code < 400
    assert bytes(Inbox.objects.get().record) == b"11"
