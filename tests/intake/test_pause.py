"""What respondents meet while a survey is paused: they are asked to wait, and nothing is lost or stored."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.accept import GRACE, Outcome
from intake.invitations.making import generate
from intake.models import FreshKey, Inbox, Token
from intake.rehearsal import simulating
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from tests.intake import asked

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ASKS = asked.design()


@pytest.fixture
def paused() -> Survey:
    return asked.survey(ASKS, paused=timezone.now())


def said(response: Any) -> tuple[int, str]:
    word: str = response.json()["outcome"]
    return response.status_code, word


def test_a_record_is_asked_to_come_again_and_stored_once_the_survey_goes_on(paused: Survey) -> None:
    sent = asked.envelope(ASKS)
    response = asked.post(paused, sent)
    assert said(response) == (503, "paused")
    assert endpoint.LATER[Outcome.PAUSED] <= int(response["Retry-After"]) <= 120
    assert not Inbox.objects.exists()
    assert not FreshKey.objects.exists()
    lifecycle.resume(paused, None, timezone.now())
    assert said(asked.post(paused, sent)) == (201, "stored")
    assert Inbox.objects.count() == 1


def test_an_acknowledgement_that_was_lost_is_given_even_now() -> None:
    survey, sent = asked.survey(ASKS), asked.envelope(ASKS)
    asked.post(survey, sent)
    lifecycle.pause(survey, None, timezone.now())
    assert said(asked.post(survey, sent)) == (200, "already stored")


def test_no_invitation_is_spent_meanwhile() -> None:
    survey = asked.survey(ASKS, invited=True)
    (token,) = generate(survey, 1)
    lifecycle.pause(survey, None, timezone.now())
    assert said(asked.post(survey, asked.envelope(ASKS, token=token)))[0] == 503
    assert Token.objects.count() == 1
    assert said(asked.post(survey, asked.envelope(ASKS, token="c" * 32)))[0] == 503


def test_one_that_closes_meanwhile_lets_nobody_in_and_keeps_those_who_wait_for_an_hour(
    paused: Survey,
) -> None:
    sent, now = asked.envelope(ASKS), timezone.now()
    lifecycle.close(paused, None, now)
    assert said(asked.post(paused, sent)) == (503, "paused")
    lifecycle.reopen(paused, None, now)
    assert said(asked.post(paused, sent)) == (201, "stored")
    lifecycle.pause(paused, None, now)
    lifecycle.close(paused, None, now)
    Survey.objects.filter(pk=paused.pk).update(closed_at=now - GRACE - timedelta(seconds=1))
    assert said(asked.post(paused, asked.envelope(ASKS))) == (410, "closed")


def test_the_page_says_that_it_is_paused_and_offers_to_try_again(paused: Survey) -> None:
    response = Client().get(paused.address)
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert response["Cache-Control"] == "no-store"
    assert "This survey is paused" in response.text
    assert "data-agree" not in response.text
    # What is on its way in this tab is sent from this page.
    found = re.search(r'id="page">(.*?)</script>', response.text)
    assert found
    page = json.loads(found[1])
    assert (page["mode"], page["record"]) == ("paused", f"{paused.address}/record")


def test_the_page_is_back_when_the_survey_goes_on(paused: Survey) -> None:
    lifecycle.resume(paused, None, timezone.now())
    response = Client().get(paused.address)
    assert response.status_code == 200
    assert "data-agree" in response.text
    assert "Retry-After" not in response


def test_simulated_respondents_wait_too() -> None:
    rehearsal = asked.survey(asked.design(rehearsal=True), paused=timezone.now())
    with pytest.raises(NotAllowed, match="paused"):
        simulating.simulate(rehearsal, 10)


def test_simulated_respondents_stop_at_a_pause() -> None:
    rehearsal = asked.survey(asked.design(rehearsal=True))

    def pause(stored: int, n: int) -> None:
        lifecycle.pause(rehearsal, None, timezone.now())

    assert simulating.simulate(rehearsal, 1_500, progress=pause) == simulating.CHUNK
