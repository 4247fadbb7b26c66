"""Rehearsals and invitations by the API."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from intake.models import Token
from intake.rehearsal.models import Simulation
from surveys.lifecycle import opening, survey_creation
from surveys.models import Survey
from tests.api.conftest import program
from tests.jobs.conftest import attempt
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SURVEYS = "/api/1/surveys"


@pytest.fixture
def draft(owner: Person) -> Survey:
    complete = drafts.normalize_draft(drafts.complete(expected=300))
    return survey_creation.create_survey_from_draft(owner, complete, "surveys.created", timezone.now())


@pytest.fixture
def invitation_survey(owner: Person) -> Survey:
    survey = Survey.objects.create(owner=owner, draft=drafts.complete(), invited=True)
    opening.open_survey_now(survey, owner, NOW)
    return survey


def test_a_rehearsal_is_started_and_read_until_its_first_run(client: Client, draft: Survey) -> None:
    started = client.post(f"{SURVEYS}/{draft.pk}/rehearsals")
    rehearsal = Survey.objects.get(draft__rehearsal=True)
    assert (started.status_code, started["Location"]) == (201, f"{SURVEYS}/{rehearsal.pk}/rehearsal")
    told = {"survey": rehearsal.pk, "until": 300}
    assert started.json() == told | {"state": "queued", "people": 0, "run": None}
    assert attempt(Simulation.objects.get())
    run = rehearsal.runs.get()
    assert client.get(started["Location"]).json() == told | {"state": "done", "people": 300, "run": run.pk}
    assert client.get(f"/api/1/runs/{run.pk}").json()["survey"] == rehearsal.pk
    assert client.get(f"{SURVEYS}?kind=rehearsal").json()["items"][0]["id"] == rehearsal.pk
    # A survey of people has no simulated ones.
    assert client.get(f"{SURVEYS}/{draft.pk}/rehearsal").status_code == 404


def test_missing_facts_for_a_rehearsal_are_named_and_nothing_is_made(owner: Person) -> None:
    unready = Survey.objects.create(owner=owner, draft=drafts.complete(asker={}))
    refused = program(owner).post(f"{SURVEYS}/{unready.pk}/rehearsals")
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (409, "asker.en")
    assert Survey.objects.count() == 1


def make(client: Client, survey: Survey, n: object = 100, key: str = "k") -> Any:
    address, sent = f"{SURVEYS}/{survey.pk}/invitations", json.dumps({"n": n})
    return client.post(address, sent, content_type="application/json", headers={"Idempotency-Key": key})


def test_invitation_links_are_made_and_shown_once_and_counted(
    client: Client, invitation_survey: Survey
) -> None:
    made = make(client, invitation_survey)
    links = made.json()["links"]
    assert (made.status_code, made.json()["made"], len(set(links))) == (201, 100, 100)
    assert all(link.startswith(f"http://testserver{invitation_survey.address}#") for link in links)
    assert Token.objects.filter(survey=invitation_survey).count() == 100
    # The reply is given again without what was shown once.
    again = make(client, invitation_survey)
    assert (again.status_code, again.json()) == (201, {"made": 100, "links": None})
    assert Token.objects.filter(survey=invitation_survey).count() == 100
    assert client.get(f"{SURVEYS}/{invitation_survey.pk}/invitations").json() == {"made": 100, "sent": 0}
    assert History.objects.get(what="intake.invitations-made").note == "100"


def test_invitation_links_cannot_be_read_again(client: Client, invitation_survey: Survey) -> None:
    token = make(client, invitation_survey).json()["links"][0].partition("#")[2]
    for path in ("", "/invitations", "/draft", "/counts"):
        assert token not in client.get(f"{SURVEYS}/{invitation_survey.pk}{path}").text


def test_too_few_invitations_or_an_open_link_survey_are_refused(
    client: Client, owner: Person, invitation_survey: Survey, draft: Survey
) -> None:
    for n, status in ((99, 409), (100_001, 422), ("many", 422)):
        assert make(client, invitation_survey, n).status_code == status, n
    opening.open_survey_now(draft, owner, NOW)
    assert make(client, draft, 100).status_code == 409
    assert not Token.objects.exists()
