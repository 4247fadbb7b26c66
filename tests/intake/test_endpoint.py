"""What a respondent's page is told, and in which order."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.test import Client
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.accept_record import GRACE, Outcome
from intake.endpoint.epochs import epoch_at
from intake.endpoint.key_hashes import survey_secret
from intake.endpoint.last_store_failure import UNSTORED
from intake.endpoint.rate_limits import Limits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, SeenKeys, Token
from privacy.records import Envelope, Record
from surveys.models import Survey
from tests.intake import asked

pytestmark = pytest.mark.django_db
ASKS = asked.design()
IMPOSSIBLE = Record(ASKS.fingerprint, 1, "99" * (ASKS.width // 2))
LATE = timedelta(minutes=61)


@pytest.fixture
def opened() -> Survey:
    return asked.survey(ASKS)


@pytest.fixture
def invited() -> Survey:
    return asked.survey(ASKS, invited=True)


def closed(**values: object) -> Survey:
    return asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=timezone.now() - LATE, **values)


def said(response: Any) -> tuple[int, str]:
    word: str = response.json()["outcome"]
    return response.status_code, word


def nothing_is_kept() -> bool:
    return not (Inbox.objects.exists() or FreshKey.objects.exists() or SeenKeys.objects.exists())


# --- one record, exactly once ---------------------------------------------------------------------


def test_a_record_is_stored_as_it_was_sent(opened: Survey) -> None:
    assert said(asked.post(opened, asked.envelope(ASKS, 0o1234))) == (201, "stored")
    assert [bytes(row.record) for row in Inbox.objects.all()] == [b"1001234"]


def test_the_same_request_again_stores_nothing_more(opened: Survey) -> None:
    sent = asked.envelope(ASKS)
    asked.post(opened, sent)
    assert said(asked.post(opened, sent)) == (200, "already stored")
    assert Inbox.objects.count() == 1


def test_of_two_records_with_one_key_the_first_stands(opened: Survey) -> None:
    asked.post(opened, asked.envelope(ASKS, 1, key="a" * 32))
    assert said(asked.post(opened, asked.envelope(ASKS, 2, key="a" * 32)))[0] == 200
    assert bytes(Inbox.objects.get().record) == b"1000001"


def test_a_key_that_was_sealed_is_still_known(opened: Survey) -> None:
    sent = [asked.envelope(ASKS) for _ in range(50)]
    for each in sent:
        asked.post(opened, each)
    assert len(asked.seen_hashes(survey=opened)) == 50
    assert {said(asked.post(opened, each))[0] for each in sent} == {200}
    assert 20 <= Inbox.objects.count() <= 30


def test_a_token_is_spent_by_the_first_record(invited: Survey) -> None:
    token, other = create_tokens(invited, 2)
    assert said(asked.post(invited, asked.envelope(ASKS, token=token)))[0] == 201
    assert said(asked.post(invited, asked.envelope(ASKS, token=token))) == (403, "unknown or spent token")
    assert said(asked.post(invited, asked.envelope(ASKS, token=other)))[0] == 201
    assert Inbox.objects.count() == 2
    assert not Token.objects.exists()


def test_an_invitation_that_nobody_asks_for_costs_nobody_their_answer(opened: Survey) -> None:
    for _ in range(30):
        assert said(asked.post(opened, asked.envelope(ASKS, token="c" * 32)))[0] == 201


def test_a_key_that_was_sealed_is_known_before_its_spent_token_is_not(invited: Survey) -> None:
    sent = [asked.envelope(ASKS, token=token) for token in create_tokens(invited, 50)]
    for each in sent:
        asked.post(invited, each)
    assert not FreshKey.objects.exists()
    assert {said(asked.post(invited, each))[0] for each in sent} == {200}


# --- the order: one test for each step, with everything after it wrong too ------------------------


def wrong(key: str = "b" * 32, token: str | None = "c" * 32) -> Envelope:
    """A good envelope around a record that cannot be, with a token that was never made."""
    return asked.sent(IMPOSSIBLE, key, token)


def test_first_an_unknown_address() -> None:
    response = Client().post("/a/nothing-here/record", "x" * 5000, content_type="text/plain")
    assert said(response) == (404, "no such survey")


def test_a_draft_has_no_address_yet() -> None:
    draft = asked.survey(ASKS, state=Survey.State.DRAFT, design=None)
    assert said(asked.post(draft, wrong()))[0] == 404


def test_second_a_body_that_is_too_long() -> None:
    assert said(asked.post(closed(invited=True), "{" * 5000)) == (413, "too long")


def test_third_a_malformed_envelope_even_with_a_known_key() -> None:
    survey = closed(invited=True)
    known(survey, "b" * 32)
    assert said(asked.post(survey, wrong().json[:-1])) == (422, "malformed")


def test_fourth_a_known_key_whatever_else_has_changed() -> None:
    survey = closed(invited=True)
    known(survey, "b" * 32)
    assert said(asked.post(survey, wrong())) == (200, "already stored")


def test_fifth_a_closed_survey() -> None:
    assert said(asked.post(closed(invited=True), wrong())) == (410, "closed")


def test_sixth_a_record_that_no_device_sends(invited: Survey) -> None:
    (token,) = create_tokens(invited, 1)
    for shown in (token, "c" * 32, None):
        assert said(asked.post(invited, wrong(token=shown))) == (422, "not a record of this design")
    assert Token.objects.count() == 1


def test_seventh_a_token_that_is_unknown_or_missing(invited: Survey) -> None:
    for shown in ("c" * 32, None):
        refused = asked.post(invited, asked.envelope(ASKS, token=shown))
        assert said(refused) == (403, "unknown or spent token")


def test_only_then_it_is_stored(invited: Survey) -> None:
    (token,) = create_tokens(invited, 1)
    assert said(asked.post(invited, asked.envelope(ASKS, token=token))) == (201, "stored")


def known(survey: Survey, key: str) -> None:
    hash_ = asked.hash_of_key(survey, asked.envelope(ASKS, key=key))
    FreshKey.objects.create(survey=survey, hash=hash_, epoch=epoch_at(timezone.now()))


REFUSED: dict[str, Callable[[], Any]] = {
    "malformed": lambda: asked.post(asked.survey(ASKS), "{}"),
    "closed": lambda: asked.post(closed(), asked.envelope(ASKS)),
    "uninvited": lambda: asked.post(asked.survey(ASKS, invited=True), asked.envelope(ASKS, token="d" * 32)),
    "impossible": lambda: asked.post(asked.survey(ASKS), wrong(token=None)),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_refusal_keeps_nothing_so_that_the_key_can_be_used_again(why: str) -> None:
    assert REFUSED[why]().status_code >= 400
    assert nothing_is_kept()


# --- closing ----------------------------------------------------------------------------------------


def test_whoever_had_begun_may_send_for_an_hour_after_closing() -> None:
    almost = timezone.now() - GRACE + timedelta(seconds=30)
    survey = asked.survey(ASKS, state=Survey.State.CLOSED, closed_at=almost)
    assert said(asked.post(survey, asked.envelope(ASKS)))[0] == 201


@pytest.mark.parametrize("state", [Survey.State.FINISHED, Survey.State.DESTROYED])
def test_a_finished_or_destroyed_survey_takes_nothing_even_within_the_hour(state: Survey.State) -> None:
    survey = asked.survey(ASKS, state=state, closed_at=timezone.now())
    assert said(asked.post(survey, asked.envelope(ASKS)))[0] == 410


# --- what stands in for a cookie ----------------------------------------------------------------------


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_another_sites_page_is_refused(opened: Survey, site: str) -> None:
    response = asked.post(opened, asked.envelope(ASKS), **{"Sec-Fetch-Site": site})
    assert said(response) == (403, "not sent by our page")
    assert nothing_is_kept()


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_what_a_form_could_send_is_refused(opened: Survey, kind: str) -> None:
    assert said(asked.post(opened, asked.envelope(ASKS).json, content_type=kind))[0] == 422
    assert nothing_is_kept()


def test_a_browser_that_does_not_name_the_site_is_believed(opened: Survey) -> None:
    sent = asked.envelope(ASKS).json
    response = Client(enforce_csrf_checks=True).post(
        f"/a/{opened.slug}/record", sent, content_type="application/json"
    )
    assert said(response)[0] == 201


@pytest.mark.parametrize("method", ["get", "put", "delete", "options", "head"])
def test_only_post_is_answered(opened: Survey, method: str) -> None:
    assert getattr(Client(), method)(f"/a/{opened.slug}/record").status_code == 405


def test_a_record_meets_no_session_account_or_lockout_even_with_their_cookies(
    opened: Survey, django_assert_max_num_queries: Any
) -> None:
    survey_secret(opened.pk)
    browser = Client()
    browser.cookies["candor-session"] = "s" * 32
    # The survey; how many came, for the rate; the key, if it was never seen, how many wait, and the record, in a
    # savepoint; what waits, counted. All but the first record of a second ask neither of the other two counts; where a
    # second ends meanwhile, one is asked again.
    with django_assert_max_num_queries(9) as queries:
        response = browser.post(
            f"/a/{opened.slug}/record", asked.envelope(ASKS).json, content_type="application/json"
        )
    assert response.status_code == 201
    assert not [query for query in queries.captured_queries if "accounts" in query["sql"]]
    assert not [query for query in queries.captured_queries if "session" in query["sql"]]


# --- when nothing can be stored -----------------------------------------------------------------------


def refusing(at: str, error: Exception) -> Any:
    """The database fails at statements that hold these words."""

    def wrapper(execute: Any, sql: str, *rest: Any) -> Any:
        if at in sql:
            raise error
        return execute(sql, *rest)

    return connection.execute_wrapper(wrapper)


@pytest.mark.parametrize("at", ["surveys_survey", "intake_freshkey", "INSERT INTO intake_inbox"])
@pytest.mark.parametrize(
    "error",
    [
        OperationalError("database or disk is full: 1001234"),
        InterfaceError("closed: 1001234"),
        DatabaseError("1001234"),
    ],
)
def test_a_record_that_cannot_be_stored_is_refused_for_now_and_nothing_of_it_is_logged(
    opened: Survey, at: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    sent = asked.envelope(ASKS, 0o1234)
    with refusing(at, error):
        response = asked.post(opened, sent)
    assert said(response) == (503, "cannot be stored now")
    # At least ten, and over half a minute, so that not all come back at once.
    assert 10 <= int(response["Retry-After"]) < 40
    assert response["Content-Type"] == "application/json"
    assert "1001234" not in caplog.text
    assert f"a record could not be stored: {type(error).__name__}" in caplog.text
    assert UNSTORED.failed_recently()
    assert said(asked.post(opened, sent)) == (201, "stored")
    assert not UNSTORED.failed_recently()


def test_a_record_that_had_arrived_is_known_where_nothing_can_be_written(opened: Survey) -> None:
    sent = asked.envelope(ASKS)
    asked.post(opened, sent)
    with refusing("INSERT", OperationalError("full")):
        assert said(asked.post(opened, sent)) == (200, "already stored")


# --- what goes over the network -----------------------------------------------------------------------


def test_no_answer_sets_a_cookie_or_is_stored_or_names_a_page(opened: Survey) -> None:
    for response in (asked.post(opened, asked.envelope(ASKS)), asked.post(opened, "{}")):
        assert not response.cookies
        assert response["Cache-Control"] == "no-store"
        assert response["Referrer-Policy"] == "no-referrer"
        assert "Cookie" not in response.get("Vary", "")


def test_every_answer_has_the_same_number_of_bytes(opened: Survey) -> None:
    lengths = {len(endpoint._padded_response(outcome).content) for outcome in Outcome}
    assert len(lengths) == 1
    assert lengths == {len(asked.post(opened, asked.envelope(ASKS)).content)}


def test_two_requests_of_one_design_have_the_same_number_of_bytes() -> None:
    assert len({len(asked.envelope(ASKS, number).json) for number in (0, 7, 8**6 - 1)}) == 1


@pytest.mark.night
@pytest.mark.page
def test_five_hundred_people_behind_one_address_are_all_let_in(opened: Survey) -> None:
    statuses = {asked.post(opened, asked.envelope(ASKS)).status_code for _ in range(500)}
    assert statuses == {201}


def test_a_flood_is_turned_away_with_the_time_to_come_back(
    opened: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "LIMITS", Limits(in_total=2, clock=lambda: 615.0))
    statuses = [asked.post(opened, asked.envelope(ASKS)) for _ in range(3)]
    assert [response.status_code for response in statuses] == [201, 201, 429]
    # 615 seconds: 45 are left of the eleventh minute.
    assert statuses[-1]["Retry-After"] == "45"


def test_one_spent_invitation_keeps_no_process_busy(invited: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LIMITS", Limits(by_token=2, clock=lambda: 615.0))
    spent = "c" * 32
    statuses = [asked.post(invited, asked.envelope(ASKS, token=spent)).status_code for _ in range(4)]
    assert statuses == [403, 403, 429, 429]
