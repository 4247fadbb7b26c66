"""A link that names a person is answered without the name, and nothing of it is kept."""

import logging
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.test import Client

from surveys.models import Survey
from tests.intake import asked
from tests.intake.conftest import Shared

pytestmark = pytest.mark.page
ASKS = asked.design()
PERSONAL = "PROLIFIC_PID=5f3c9e2b1a&STUDY_ID=7"


@pytest.mark.django_db
@pytest.mark.parametrize("state", [Survey.State.OPEN, Survey.State.CLOSED, Survey.State.FINISHED])
def test_an_address_with_parameters_is_redirected_to_the_one_without(state: Survey.State) -> None:
    survey = asked.survey(ASKS, state=state)
    response = Client().get(f"{survey.address}?{PERSONAL}")
    assert (response.status_code, response["Location"]) == (302, survey.address)
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert not response.cookies
    assert "5f3c9e2b1a" not in f"{response.headers}{response.text}"


@pytest.mark.django_db
def test_the_form_without_javascript_does_so_too(caplog: pytest.LogCaptureFixture) -> None:
    address = f"{asked.survey(ASKS).address}/form"
    response = Client().get(f"{address}?{PERSONAL}")
    assert (response.status_code, response["Location"]) == (302, address)
    assert response["Referrer-Policy"] == "no-referrer"
    with caplog.at_level(logging.DEBUG):
        answers = [Client().get(f"{address}?{PERSONAL}", follow=True), Client().post(f"{address}?{PERSONAL}")]
    for answer in answers:
        assert "5f3c9e2b1a" not in f"{answer.headers}{answer.text}"
    assert "5f3c9e2b1a" not in caplog.text


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/a/receipt", "/a/nothing-here"])
def test_every_page_of_respondents_does_so(path: str) -> None:
    assert Client().get(f"{path}?{PERSONAL}")["Location"] == path


@pytest.mark.django_db
def test_a_draft_does_so_too() -> None:
    draft = asked.survey(ASKS, state=Survey.State.DRAFT, design=None)
    assert Client().get(f"{draft.address}?{PERSONAL}")["Location"] == draft.address


@pytest.mark.django_db
def test_nothing_of_it_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    survey = asked.survey(ASKS)
    with caplog.at_level(logging.DEBUG):
        Client().get(f"{survey.address}?{PERSONAL}", follow=True)
        Client().get(f"/a/nothing-here?{PERSONAL}", follow=True)
    assert "5f3c9e2b1a" not in caplog.text


def test_the_products_own_server_keeps_nothing_of_it(shared: Shared) -> None:
    server = shared("sqlite")
    survey = server.open(ASKS)
    for address in (f"/a/{survey.slug}", f"/a/{survey.slug}/form", "/a/nothing-here"):
        with closing(HTTPConnection("127.0.0.1", server.port)) as line:
            line.request("GET", f"{address}?{PERSONAL}")
            assert line.getresponse().headers["Location"] == address
    files = [each for each in Path(server.env["VAR"]).rglob("*") if each.is_file()]
    assert files
    assert not [each for each in files if b"5f3c9e2b1a" in each.read_bytes()]
