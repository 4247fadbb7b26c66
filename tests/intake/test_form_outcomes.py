"""What the page without JavaScript answers: the completion, one length for all outcomes, and failures."""

import secrets
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.limits import Limits
from intake.pages import form_page
from surveys.models import Survey
from tests.browser.questionnaires import PAIR, crosswise
from tests.intake.asked import written
from tests.intake.forms import FILLED, LANGUAGES, PLAIN, body, opened, send, shown

pytestmark = [pytest.mark.django_db, pytest.mark.page]
PAYING = written(PLAIN, crosswise(PAIR), panel={"en": "You get a code for your panel."}, **LANGUAGES)
CODE, ADDRESS = "THANKS-4711", "https://panel.example.org/complete/4711"


def test_the_form_promises_the_completion_and_does_not_hold_it() -> None:
    page = shown(opened(PAYING, completion=CODE))
    assert "You get a code for your panel." in page
    assert "It is the same for everybody" in page
    assert "others can learn that you took part" in page
    assert CODE not in page


def test_the_completion_comes_with_stored_and_with_already_stored() -> None:
    survey, key = opened(PAYING, completion=CODE), secrets.token_hex(16)
    for status in (201, 200):
        answer = send(survey, body("1", "1", key=key))
        assert answer.status_code == status
        assert f'<code dir="ltr">{CODE}</code>' in answer.content.decode()


def test_a_completion_that_is_an_address_is_a_link_that_says_where_it_leads() -> None:
    answer = send(opened(PAYING, completion=ADDRESS), body("1", "1")).content.decode()
    assert (
        f'href="{ADDRESS}" rel="noreferrer" referrerpolicy="no-referrer">Continue to panel.example.org<'
        in answer
    )


def test_a_rehearsal_shows_an_example_of_the_completion() -> None:
    asks = written(PLAIN, rehearsal=True, panel={"en": "You get a code."}, **LANGUAGES)
    answer = send(opened(asks), body("1")).content.decode()
    assert "This is a demonstration." in answer
    assert '<code dir="ltr">EXAMPLE-CODE</code>' in answer


def test_a_survey_without_one_shows_none() -> None:
    assert 'id="completion"' not in send(opened(), body(*FILLED)).content.decode()


@pytest.mark.parametrize(
    ("values", "what", "headers"),
    [
        ({}, "", {}),
        ({}, body("1", "9"), {}),
        ({}, body("1", "1") + "&more=1", {}),
        ({}, body("1", "1"), {"Sec-Fetch-Site": "cross-site"}),
        ({"paused": timezone.now()}, body("1", "1"), {}),
        ({"state": "finished"}, body("1", "1"), {}),
        ({"invited": True}, body("1", "1", token="d" * 32), {}),
    ],
    ids=["empty", "impossible", "too long", "another site", "paused", "closed", "uninvited"],
)
def test_whoever_is_refused_gets_no_completion_and_an_answer_as_long(
    values: dict[str, Any], what: str, headers: dict[str, str]
) -> None:
    refused = send(opened(PAYING, completion=CODE, **values), what, **headers)
    assert refused.status_code >= 400
    assert CODE not in f"{refused.headers}{refused.text}"
    arrived = send(opened(PAYING, completion=CODE), body("1", "1"))
    assert len(refused.content) == len(arrived.content)


def test_a_key_of_another_survey_gets_no_completion() -> None:
    sent = body("1", "1")
    send(opened(PAYING), sent)
    again = send(opened(PAYING, completion=CODE), sent)
    assert again.status_code == 200
    assert CODE not in again.text


@pytest.mark.parametrize("language", ["en", "zh-CN", "de", "ar"])
@pytest.mark.parametrize("thanks", ["", "谢谢您。\n\n" * 900, '"' * 3000])
def test_answers_are_as_long_whatever_became_of_the_form_and_in_every_language(
    language: str, thanks: str
) -> None:
    asks = written(PLAIN, crosswise(PAIR), thanks={"de": thanks}, languages=["de", "en", "zh-hans", "ar"])
    survey, sent = opened(asks), body("1", "1")
    answers = [send(survey, each, **{"Accept-Language": language}) for each in (sent, sent, "")]
    assert [answer.status_code for answer in answers] == [201, 200, 422]
    assert len({len(answer.content) for answer in answers}) == 1


# --- failures


def test_a_flood_stores_nothing_and_asks_the_database_nothing(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    survey = opened()
    monkeypatch.setattr(endpoint, "LIMITS", Limits(in_total=0))
    with django_assert_num_queries(0):
        answer = send(survey, body(*FILLED))
    assert answer.status_code == 429
    assert "reload this page" in answer.content.decode()


def test_where_nothing_can_be_stored_the_page_says_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = opened()

    def fail(*_values: object) -> None:
        raise OperationalError("disk full")

    monkeypatch.setattr(endpoint, "receive", fail)
    answer = send(survey, body(*FILLED))
    assert answer.status_code == 503
    assert "Your answers could not be stored yet" in answer.content.decode()
    monkeypatch.setattr(form_page, "survey_at", fail)
    unread = send(survey, body(*FILLED))
    assert unread.status_code == 503
    assert "Your answers could not be stored yet" in unread.content.decode()
    assert len(unread.content) == len(answer.content)


def test_the_length_of_an_answer_does_not_tell_what_became_of_the_form() -> None:
    survey, key = opened(), secrets.token_hex(16)
    sent = [body(*FILLED, key=key), body(*FILLED, key=key), "", body("1", "99", "0", "1", "1")]
    answers = [send(survey, each) for each in sent]
    assert [answer.status_code for answer in answers] == [201, 200, 422, 422]
    assert len({len(answer.content) for answer in answers}) == 1


def test_a_pause_keeps_the_answers_in_the_form() -> None:
    survey = opened()
    Survey.objects.filter(pk=survey.pk).update(paused="2026-01-01T00:00Z")
    answer = send(survey, body(*FILLED))
    assert answer.status_code == 503
    assert "reload this page" in answer.content.decode()
