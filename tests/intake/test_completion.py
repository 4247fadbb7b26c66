"""The completion: one code or link for everybody, which nobody gets before a record of theirs is stored."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.accept_record import Outcome
from intake.endpoint.rate_limits import RequestLimits
from intake.invitations.tokens import create_tokens
from surveys.lifecycle.completion_code import LONGEST
from surveys.models import Survey
from tests.intake import asked

pytestmark = [pytest.mark.django_db, pytest.mark.page]
ASKS = asked.design(panel={"en": "You get a code for your panel."})
CODE = "THANKS-4711"
ADDRESS = "https://panel.example.org/complete/4711"
PANEL_LINK = "https://panel.example.org/done?cc=C1&id={panel}"


def paying(completion: str = CODE, **values: Any) -> Survey:
    return asked.survey(ASKS, completion=completion, **values)


def post_record(survey: Survey, **headers: str) -> Any:
    return asked.post(survey, asked.envelope(ASKS), **headers)


@pytest.mark.parametrize("completion", [CODE, ADDRESS, PANEL_LINK, ""])
def test_completion_is_the_same_for_everybody(completion: str) -> None:
    """With stored and with already stored, also once the key was sealed; a link as it was set; without one nothing."""
    survey = paying(completion)
    sent = [asked.envelope(ASKS) for _ in range(50)]
    for word in ("stored", "already stored"):
        answers = [asked.post(survey, each).json() for each in sent]
        assert answers == [{"outcome": word, "completion": completion}] * 50


# --- attacks: somebody wants the code without having answered

REFUSED: dict[str, Callable[[], Any]] = {
    "an empty body": lambda: asked.post(paying(), ""),
    "no envelope": lambda: asked.post(paying(), "{}"),
    "no record of the design": lambda: asked.post(paying(), asked.envelope_of(ASKS, "9" * ASKS.width)),
    "too long": lambda: asked.post(paying(), "x" * 5000),
    "another site's page": lambda: post_record(paying(), **{"Sec-Fetch-Site": "cross-site"}),
    "no invitation": lambda: post_record(paying(invited=True)),
    "an unknown invitation": lambda: asked.post(paying(invited=True), asked.envelope(ASKS, token="d" * 32)),
    "closed": lambda: post_record(paying(state=Survey.State.FINISHED)),
    "paused": lambda: post_record(paying(paused=timezone.now())),
    "the wrong method": lambda: Client().get(f"/a/{paying().slug}/record"),
}


def test_refused_record_gets_no_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, attack in REFUSED.items():
        response = attack()
        assert response.status_code >= 400, name
        assert CODE not in f"{response.headers}{response.text}", name
    # Nor does a spent invitation with another key.
    survey = paying(invited=True)
    (token,) = create_tokens(survey, 1)
    assert asked.post(survey, asked.envelope(ASKS, token=token)).json()["completion"] == CODE
    assert CODE not in asked.post(survey, asked.envelope(ASKS, token=token)).text
    # Nor a flood.
    monkeypatch.setattr(endpoint, "LIMITS", RequestLimits(in_total=0))
    response = post_record(paying())
    assert (response.status_code, CODE in response.text) == (429, False)


def test_key_of_another_survey_gets_no_completion() -> None:
    """Neither a fresh one nor a sealed one is known here."""
    other, survey = asked.survey(ASKS), paying(state=Survey.State.FINISHED)
    sent = [asked.envelope(ASKS) for _ in range(51)]
    for each in sent:
        asked.post(other, each)
    answers = [asked.post(survey, each).json() for each in sent]
    assert answers == [{"outcome": "closed", "completion": ""}] * 51


def test_no_page_holds_the_completion() -> None:
    """Nor the design; the start page promises it in the researcher's words."""
    client = Client()
    for state in (Survey.State.OPEN, Survey.State.CLOSED, Survey.State.FINISHED):
        survey = paying(state=state)
        for path in (survey.address, f"{survey.address}?completion=1", "/a/receipt"):
            response = client.get(path, follow=True, headers={"Accept-Encoding": "identity"})
            assert CODE not in f"{response.headers}{response.text}", (state, path)
        assert survey.design is not None
        assert CODE not in survey.design.json
    page = client.get(paying().address).text
    promise = "You get a code for your panel.", "the same for everybody", "learn that you took part"
    assert asked.missing_parts(page, *promise) == []
    page = client.get(asked.survey(asked.design()).address).text
    assert "completion" not in page.replace('"completion":', "")
    assert "After you have sent your answers" not in page


def test_endpoint_answers_have_one_length_with_and_without_completion() -> None:
    given = ("", CODE, ADDRESS, "https://example.org/".ljust(LONGEST, "x"))
    record = endpoint.POSTS["record"]
    answers = [endpoint._response(record, outcome, each) for outcome in Outcome for each in given]
    answers += [post_record(paying(each)) for each in given]
    answers += [attack() for name, attack in REFUSED.items() if name != "the wrong method"]
    assert len({len(answer.content) for answer in answers}) == 1


# --- a panel's own parameter


def test_start_page_says_whether_the_panel_learns_its_id() -> None:
    passed = Client().get(paying(PANEL_LINK).address).text
    assert "by which your panel knows you, so that your panel learns that you took part" in passed
    assert "It is the same for everybody" not in passed.split('id="page"')[0]
    assert '"passes_panel":true' in passed
    assert "panel.example.org" not in passed
    fixed = Client().get(paying(ADDRESS).address).text
    assert "It is the same for everybody" in fixed
    assert "passes_panel" not in fixed


def test_form_without_javascript_omits_the_panel_id_and_says_so() -> None:
    survey = paying(PANEL_LINK)
    form = Client().get(f"{survey.address}/form").text
    key = form.split('name="key" value="')[1][:32]
    epoch = form.split('name="epoch" value="')[1][:4]
    body = "&".join([f"key={key}", f"epoch={epoch}", *(f"answer-{place}=0" for place in range(6))])
    page = asked.post_form(survey, body).text
    assert 'href="https://panel.example.org/done?cc=C1"' in page
    assert "cannot pass on the ID by which your panel knows you" in page
    assert "Everybody gets this link" not in page
