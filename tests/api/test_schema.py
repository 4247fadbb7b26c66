"""Requests drawn from the OpenAPI document: no server error, and every response as the document says."""

import logging
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings, strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from accounts.models import Person
from api import tokens
from api.openapi_reference import openapi_document
from surveys.lifecycle import survey_creation
from tests.api.conftest import as_served, secret_of
from tests.reports import made
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
DRAWN: dict[str, Any] = {"deadline": None, "database": None, "derandomize": False}
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@pytest.mark.parametrize("examples", [2, pytest.param(30, marks=pytest.mark.night)])
def test_random_requests_by_the_schema_break_nothing(
    examples: int, owner: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    monkeypatch.setattr(tokens, "count_request", lambda *_args: tokens.Budget(True, 1, 1))
    header = {"Authorization": f"Bearer {secret_of(owner)}"}
    draft = drafts.normalize_draft(drafts.complete())
    survey = survey_creation.create_survey_from_draft(owner, draft, "surveys.created", NOW)
    run = made.run(made.survey(owner))
    known = [survey.pk, run.pk, run.survey_id, 999_999]
    schema: Any = schemathesis.openapi.from_wsgi("/api/1/openapi.json", as_served())
    statuses = set()

    def ask(operation: Any, mode: GenerationMode) -> None:
        @seed(20261125)
        @settings(max_examples=examples, suppress_health_check=list(HealthCheck), **DRAWN)
        @given(case=operation.as_strategy(generation_mode=mode), pk=st.sampled_from(known))
        def requests(case: Any, pk: int) -> None:
            if "pk" in case.path_parameters:
                case.path_parameters["pk"] = pk
            response = case.call_and_validate(headers=header, checks=CHECKS)
            statuses.add(response.status_code)

        requests()

    for result in schema.get_all_operations():
        for mode in MODES:
            ask(result.ok(), mode)
    assert len(openapi_document()["paths"]) == 20
    assert {200, 404, 409, 422} <= statuses
    assert not any(status >= 500 for status in statuses)


def test_version_for_a_change_is_a_required_header() -> None:
    parameters = openapi_document()["paths"]["/api/1/surveys/{pk}/draft"]["put"]["parameters"]
    assert {each["name"]: each["required"] for each in parameters} == {"pk": True, "If-Match": True}
