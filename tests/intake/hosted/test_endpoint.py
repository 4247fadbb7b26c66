"""Records that the page of another host sends: to this survey's address alone, readable by that host alone."""

import secrets
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from intake.endpoint import endpoint
from intake.endpoint.rate_limits import RequestLimits
from intake.models import FreshKey, Inbox
from privacy.records import Envelope
from surveys.models import Survey
from tests.intake import asked
from tests.intake.asked import KNOWN, STORED, outcome, outcome_of

pytestmark = pytest.mark.django_db
HOST = {"host": "https://ethics.example.edu", "record": "https://research.example.org/a/abc/record"}
HOSTED, HERE = asked.design(asked_at=HOST), asked.design()
INSIDE = asked.design(asked_at={"inside": ["https://tool.example.com"]})
CROSS = {"Sec-Fetch-Site": "cross-site", "Origin": "https://ethics.example.edu"}
ALLOW = "Access-Control-Allow-Origin"


@pytest.fixture
def hosted() -> Survey:
    return asked.survey(HOSTED)


def preflight(survey: Survey, place: str = "record", **headers: str) -> Any:
    return Client().options(f"/a/{survey.slug}/{place}", headers={**CROSS, **headers})


def without_month(number: int = 1) -> Envelope:
    return Envelope(secrets.token_hex(16), asked.number_record(HOSTED, number), None, None)


def test_a_record_of_the_host_is_stored_once_without_a_month(hosted: Survey) -> None:
    sent = without_month()
    assert [outcome(hosted, sent, **CROSS) for _time in range(2)] == [STORED, KNOWN]
    assert (Inbox.objects.count(), FreshKey.objects.get().epoch) == (1, 0)


def test_a_month_that_somebody_adds_does_not_make_a_second_record(hosted: Survey) -> None:
    sent = without_month()
    dated = Envelope(sent.key, sent.record, None, 600)
    assert [outcome(hosted, each, **CROSS) for each in (sent, dated)] == [STORED, KNOWN]


def test_every_answer_names_the_designs_host_whoever_asks(hosted: Survey) -> None:
    for origin in (
        "https://ethics.example.edu",
        "https://evil.example",
        "https://ethics.example.edu.evil.example",
    ):
        response = asked.post(hosted, without_month(), **{**CROSS, "Origin": origin})
        assert response[ALLOW] == "https://ethics.example.edu"
        assert response["Access-Control-Expose-Headers"] == "Retry-After"
        assert "Origin" not in response.get("Vary", "")
        assert preflight(hosted, Origin=origin)[ALLOW] == "https://ethics.example.edu"


def test_a_preflight_allows_what_the_page_sends(hosted: Survey) -> None:
    response = preflight(hosted)
    assert (response.status_code, response.content) == (204, b"")
    assert response["Access-Control-Allow-Methods"] == "POST"
    assert response["Access-Control-Allow-Headers"] == "Content-Type, Candor-Again"
    assert response["Access-Control-Max-Age"] == "7200"
    assert "Access-Control-Allow-Credentials" not in response


def test_no_other_address_of_the_survey_and_no_other_survey_answers_a_preflight(hosted: Survey) -> None:
    here = asked.survey(HERE)
    for survey, place in [(here, "record"), *((hosted, name) for name in endpoint.POSTS if name != "record")]:
        response = preflight(survey, place)
        assert (response.status_code, ALLOW in response) == (405, False), place
    assert preflight(Survey(slug="nobody")).status_code == 405


def test_a_survey_of_this_site_still_takes_no_record_from_another(hosted: Survey) -> None:
    response = asked.post(asked.survey(HERE), asked.envelope(HERE), **CROSS)
    assert (outcome_of(response), ALLOW in response) == ((403, "not sent by our page"), False)


def test_refusals_are_readable_at_the_host_too(hosted: Survey) -> None:
    longest = "x" * 10_000
    for body, status in (("{}", 422), (longest, 413)):
        response = asked.post(hosted, body, **CROSS)
        assert (response.status_code, response[ALLOW]) == (status, HOST["host"])
    Survey.objects.filter(pk=hosted.pk).update(paused="2026-12-01T09:00Z")
    response = asked.post(hosted, without_month(), **CROSS)
    assert (outcome_of(response)[1], response[ALLOW]) == ("paused", HOST["host"])


def test_a_flood_is_refused_readably_once_the_survey_is_known_and_preflights_count(
    hosted: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "LIMITS", RequestLimits(in_total=1))
    assert preflight(hosted).status_code == 204
    for response in (preflight(hosted), asked.post(hosted, without_month(), **CROSS)):
        assert (response.status_code, response[ALLOW]) == (429, HOST["host"])
        assert int(response["Retry-After"]) <= 60
    unknown = asked.post(Survey(slug="nobody"), "{}", **CROSS)
    assert (unknown.status_code, ALLOW in unknown) == (429, False)


def test_a_preflight_while_the_database_is_away_says_later(
    hosted: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_slug: str) -> None:
        raise OperationalError

    assert preflight(hosted).status_code == 204
    monkeypatch.setattr(endpoint, "find_public_survey", away)
    response = preflight(hosted)
    assert (response.status_code, response[ALLOW]) == (503, HOST["host"])


def test_all_answers_have_one_length(hosted: Survey) -> None:
    sent = without_month()
    bodies = (sent, sent, "{}", "x" * 10_000, Envelope(sent.key[::-1], sent.record, None, None))
    assert len({len(asked.post(hosted, body, **CROSS).content) for body in bodies}) == 1


def test_the_records_of_a_page_inside_a_tool_are_not_taken() -> None:
    survey = asked.survey(INSIDE)
    sent = Envelope(secrets.token_hex(16), asked.number_record(INSIDE, 1), None, None)
    for headers in (CROSS, {}):
        response = asked.post(survey, sent, **headers)
        assert (outcome_of(response), ALLOW in response) == ((403, "not sent by our page"), False)
    assert asked.post_form(survey, "").status_code in (403, 404)
    assert preflight(survey).status_code == 405
    assert not Inbox.objects.exists()


def test_a_form_without_scripts_is_not_taken_where_another_host_serves_the_page(hosted: Survey) -> None:
    assert asked.post_form(hosted, "").status_code == 404
