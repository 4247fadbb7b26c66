"""The completion: one code or link for everybody, which nobody gets before a record of theirs is stored."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.accept_record import Outcome
from intake.endpoint.rate_limits import Limits
from intake.invitations.tokens import create_tokens
from surveys.lifecycle.completion_code import LONGEST
from surveys.models import Survey
from tests.intake import asked

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ASKS = asked.design(panel={"en": "You get a code for your panel."})
CODE = "THANKS-4711"
ADDRESS = "https://panel.example.org/complete/4711"


def paying(completion: str = CODE, **values: Any) -> Survey:
    return asked.survey(ASKS, completion=completion, **values)


@pytest.mark.parametrize("completion", [CODE, ADDRESS])
def test_the_completion_comes_with_stored_and_with_already_stored(completion: str) -> None:
    survey, sent = paying(completion), asked.envelope(ASKS)
    for word in ("stored", "already stored"):
        assert asked.post(survey, sent).json() == {"outcome": word, "completion": completion}


def test_everybody_gets_the_same() -> None:
    survey = paying()
    assert {asked.post(survey, asked.envelope(ASKS)).json()["completion"] for _ in range(5)} == {CODE}


def test_a_sealed_key_still_gets_it() -> None:
    survey = paying()
    sent = [asked.envelope(ASKS) for _ in range(50)]
    for each in sent:
        asked.post(survey, each)
    assert {asked.post(survey, each).json()["completion"] for each in sent} == {CODE}


def test_a_survey_without_one_gives_an_empty_one() -> None:
    answer = asked.post(asked.survey(asked.design()), asked.envelope(asked.design())).json()
    assert answer == {"outcome": "stored", "completion": ""}


# --- attacks: somebody wants the code without having answered -------------------------------------


def impossible() -> str:
    return asked.envelope_of(ASKS, "99" * (ASKS.width // 2)).json


REFUSED: dict[str, Callable[[], Any]] = {
    "an empty body": lambda: asked.post(paying(), ""),
    "no envelope": lambda: asked.post(paying(), "{}"),
    "no record of the design": lambda: asked.post(paying(), impossible()),
    "too long": lambda: asked.post(paying(), "x" * 5000),
    "another site's page": lambda: asked.post(
        paying(), asked.envelope(ASKS), **{"Sec-Fetch-Site": "cross-site"}
    ),
    "no invitation": lambda: asked.post(paying(invited=True), asked.envelope(ASKS)),
    "an unknown invitation": lambda: asked.post(paying(invited=True), asked.envelope(ASKS, token="d" * 32)),
    "closed": lambda: asked.post(paying(state=Survey.State.FINISHED), asked.envelope(ASKS)),
    "paused": lambda: asked.post(paying(paused=timezone.now()), asked.envelope(ASKS)),
    "the wrong method": lambda: Client().get(f"/a/{paying().slug}/record"),
}


@pytest.mark.parametrize("attack", REFUSED)
def test_whoever_is_refused_does_not_get_it(attack: str) -> None:
    response = REFUSED[attack]()
    assert response.status_code >= 400
    assert CODE not in f"{response.headers}{response.text}"


def test_a_spent_invitation_does_not_get_it_with_another_key() -> None:
    survey = paying(invited=True)
    (token,) = create_tokens(survey, 1)
    assert asked.post(survey, asked.envelope(ASKS, token=token)).json()["completion"] == CODE
    assert CODE not in asked.post(survey, asked.envelope(ASKS, token=token)).text


def test_a_key_of_another_survey_does_not_get_it() -> None:
    """Neither a fresh one nor a sealed one is known here."""
    other, survey = asked.survey(ASKS), paying(state=Survey.State.FINISHED)
    sent = [asked.envelope(ASKS) for _ in range(51)]
    for each in sent:
        asked.post(other, each)
    answers = [asked.post(survey, each).json() for each in sent]
    assert answers == [{"outcome": "closed", "completion": ""}] * 51


def test_a_flood_does_not_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LIMITS", Limits(in_total=0))
    response = asked.post(paying(), asked.envelope(ASKS))
    assert (response.status_code, CODE in response.text) == (429, False)


@pytest.mark.parametrize("state", [Survey.State.OPEN, Survey.State.CLOSED, Survey.State.FINISHED])
def test_no_page_holds_it(state: Survey.State) -> None:
    survey, client = paying(state=state), Client()
    for path in (survey.address, f"{survey.address}?completion=1", "/a/receipt"):
        response = client.get(path, follow=True, headers={"Accept-Encoding": "identity"})
        assert CODE not in f"{response.headers}{response.text}"


def test_it_is_no_part_of_the_design() -> None:
    survey = paying()
    assert survey.design is not None
    assert CODE not in survey.design.json


def test_all_answers_of_the_endpoint_have_one_length_with_and_without_it() -> None:
    longest = "https://example.org/".ljust(LONGEST, "x")
    said = [
        endpoint._padded_response(outcome, given)
        for outcome in Outcome
        for given in ("", CODE, ADDRESS, longest)
    ]
    received = [
        asked.post(paying(completion), asked.envelope(ASKS)) for completion in (CODE, ADDRESS, longest)
    ]
    received += [attack() for name, attack in REFUSED.items() if name != "the wrong method"]
    received.append(asked.post(asked.survey(ASKS), asked.envelope(ASKS)))
    assert len({len(response.content) for response in [*said, *received]}) == 1


# --- the start page ------------------------------------------------------------------------------


def test_the_start_page_promises_it_in_the_researchers_words() -> None:
    page = Client().get(paying().address).text
    assert "You get a code for your panel." in page
    assert "It is the same for everybody" in page
    assert "others can learn that you took part" in page


def test_without_a_promise_the_page_says_nothing_of_it() -> None:
    page = Client().get(asked.survey(asked.design()).address).text
    assert "completion" not in page.replace('"completion":', "")
    assert "After you have sent your answers" not in page
