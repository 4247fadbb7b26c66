"""Every error under /api/ is problem details (RFC 9457), and every answer to a token says what is left."""

import re

import pytest
from django.test import Client

from accounts.models import Person
from api import tokens
from api.models import Scope
from api.openapi_reference import openapi_document
from surveys.models import DesignChanged
from tests.api.conftest import problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SURVEYS = "/api/1/surveys"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/", 404),
        ("GET", "/api/2/surveys", 404),
        ("GET", "/api/1/nowhere", 404),
        ("GET", "/api/1//surveys", 404),
        ("GET", "/api/1/surveys/x", 404),
        ("GET", "/api/1/%C3%BC", 404),
        ("GET", SURVEYS, 401),
        ("PATCH", SURVEYS, 405),
        ("POST", "/api/1/", 405),
        ("GET", f"{SURVEYS}?text=%00", 400),
    ],
)
def test_every_api_error_is_problem_details(method: str, path: str, status: int) -> None:
    content = problem(Client().generic(method, path), status)
    assert content["instance"] == path.partition("?")[0]


def test_errors_of_token_requests_are_problem_details(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    client = program(owner)
    problem(client.get(f"{SURVEYS}/0"), 404)
    problem(client.get(f"{SURVEYS}?page=0"), 422)
    problem(client.post(SURVEYS, "a=1", content_type="application/x-www-form-urlencoded"), 415)
    problem(client.post(SURVEYS, "x", content_type="text/plain"), 415)
    deep = '{"a":' * 101 + "1" + "}" * 101
    problem(client.post(f"{SURVEYS}/0/invitations", deep, content_type="application/json"), 400)
    problem(client.post(f"{SURVEYS}/0/invitations", deep[5:-1], content_type="application/json"), 422)
    problem(program(owner, [Scope.RUN]).get(SURVEYS), 403)
    monkeypatch.setattr("api.endpoints.surveys.list_page", lambda *_args: 1 / 0)
    failure = client.get(SURVEYS)
    assert problem(failure, 500)["request"]
    assert "division" not in failure.text, "which is for the log alone"

    def raise_design_changed(*_args: object) -> None:
        raise DesignChanged("abcdef0123456789")

    monkeypatch.setattr("api.endpoints.surveys.list_page", raise_design_changed)
    answer = problem(client.get(SURVEYS), 500)
    assert "no longer matches its fingerprint abcdef012345" in answer["detail"]
    assert answer["request"]


def test_api_answers_state_the_remaining_budget(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "PER_MINUTE", 3)
    answers = [client.get(path) for path in (SURVEYS, f"{SURVEYS}/0", SURVEYS, SURVEYS)]
    assert [answer.status_code for answer in answers] == [200, 404, 200, 429]
    assert {answer["RateLimit-Policy"] for answer in answers} == {'"minute";q=3;w=60'}
    said = [re.fullmatch(r'"minute";r=(\d+);t=(\d+)', answer["RateLimit"]) for answer in answers]
    assert [int(each[1]) for each in said if each] == [2, 1, 0, 0]
    assert all(0 < int(each[2]) <= 60 for each in said if each)
    assert "RateLimit" not in Client().get(SURVEYS)


def test_api_operations_have_names_usable_in_programs() -> None:
    document = openapi_document()
    ids = [details["operationId"] for methods in document["paths"].values() for details in methods.values()]
    verb = r"(list|read|create|change|delete|check|open|close|import|start|make|count|download)[A-Z][A-Za-z]+"
    assert [name for name in ids if not re.fullmatch(verb, name)] == []
    assert len(set(ids)) == len(ids)
    assert document["servers"] == [{"url": "http://testserver"}]


def test_api_posts_take_a_key_and_document_their_refusals() -> None:
    for path, methods in openapi_document()["paths"].items():
        for method, details in methods.items():
            names = [parameter["name"] for parameter in details["parameters"]]
            assert ("Idempotency-Key" in names) == (method == "post"), path
            assert ("415" in details["responses"]) == ("requestBody" in details), path
