"""A draft whose page another host serves, or that stands in a tool: its address of records, and refusals."""

import json
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from accounts.models import Person
from surveys.forms import EndSettingsForm
from surveys.lifecycle import opening, survey_creation
from surveys.models import Survey
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
HOST = "https://ethics.example.edu"
INSIDE = {"inside": ["https://tool.example.com"]}


@pytest.fixture(autouse=True)
def public_site(settings: Settings) -> None:
    settings.SITE_URL = "https://research.example.org"


def make_survey(person: Person, asked_at: dict[str, Any], **more: Any) -> Survey:
    draft = drafts.complete(open_answers=False, panel={}, asked_at=asked_at, **more)
    return survey_creation.create_survey_from_draft(person, draft, "surveys.created", NOW)


def reasons(survey: Survey) -> list[str]:
    return [
        problem.reason
        for problem in opening.opening_checklist(survey, NOW).problems
        if problem.path.startswith("asked_at")
    ]


def test_a_survey_gets_the_address_of_its_own_records_from_a_file_and_in_a_copy(owner: Person) -> None:
    foreign = {"host": HOST, "record": "https://research.example.org/a/other/record"}
    survey = make_survey(owner, foreign)
    copy = survey_creation.duplicate_survey(survey, owner, NOW)
    for each in (survey, copy):
        record = f"https://research.example.org/a/{each.slug}/record"
        assert each.draft["asked_at"] == {"host": HOST, "record": record}
        assert reasons(each) == []


def test_settings_inside_a_tool_ask_for_no_number_of_answers(owner: Person) -> None:
    assert not EndSettingsForm(make_survey(owner, {"host": HOST}))["cap"].is_hidden
    assert all(EndSettingsForm(make_survey(owner, INSIDE))[name].is_hidden for name in ("cap", "at_once"))


def test_a_rehearsal_is_asked_on_this_site(owner: Person) -> None:
    for asked_at in ({"host": HOST}, INSIDE):
        rehearsal = survey_creation.duplicate_survey(make_survey(owner, asked_at), owner, NOW, rehearsal=True)
        assert "asked_at" not in rehearsal.draft


def test_a_survey_that_moved_is_refused_until_its_host_is_chosen_again(
    owner: Person, settings: Settings
) -> None:
    survey = make_survey(owner, {"host": HOST})
    settings.SITE_URL = "https://moved.example.org"
    assert reasons(survey) == [
        "has another address of records than this survey: choose the host again on the page Study"
    ]


def test_a_host_on_the_own_machine_is_for_trying_only(owner: Person, settings: Settings) -> None:
    survey = make_survey(owner, {"host": "http://localhost:8001"})
    assert reasons(survey) == []
    settings.PRODUCTION = True
    assert reasons(survey) == [
        "is a place on one machine, which nobody else can reach: name its public address"
    ]


def test_a_host_shows_the_page_to_invited_people_too(owner: Person) -> None:
    survey = make_survey(owner, {"host": HOST})
    survey.invited = True
    assert reasons(survey) == []


def test_a_refusal_of_the_design_is_a_problem_of_the_draft(owner: Person) -> None:
    survey = make_survey(owner, {"host": "https://*.example.edu"})
    assert reasons(survey) == ["must be one site without *: name it in full"]
    assert json.loads(json.dumps(survey.draft))["asked_at"]["host"] == "https://*.example.edu"
