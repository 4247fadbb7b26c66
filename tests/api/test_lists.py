"""Lists: pages that end, and filters."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from api.endpoints import operation_base
from surveys.lifecycle import opening, survey_creation
from surveys.models import Survey
from tests.api.conftest import program
from tests.reports import made
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import NOW
from tests.surveys.drafts import bilingual_text

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SURVEYS = "/api/1/surveys"


def create(owner: Person, title: str, **more: Any) -> int:
    draft = drafts.normalize_draft(drafts.complete(title=bilingual_text(title), **more))
    return survey_creation.create_survey_from_draft(owner, draft, "surveys.created", timezone.now()).pk


def listed_ids(client: Client, address: str) -> list[int]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


def test_next_and_previous_links_lead_through_all_pages(
    client: Client, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operation_base, "ROWS", 2)
    made = [create(owner, "Work") for _number in range(5)]
    seen, address, pages = list[int](), f"{SURVEYS}?text=work", list[Any]()
    while address:
        page = client.get(address).json()
        seen += [item["id"] for item in page["items"]]
        pages.append((page["page"], page["pages"], page["previous"]))
        address = page["next"]
    assert seen == sorted(made, reverse=True)
    before = [None, *(f"{SURVEYS}?text=work&page={number}" for number in (1, 2))]
    assert pages == [(number, 3, previous) for number, previous in enumerate(before, 1)]
    for number, status in ((4, 404), (999, 404), (0, 422)):
        assert client.get(f"{SURVEYS}?page={number}").status_code == status, number
    assert client.get("/api/1/reports").json()["next"] is None


def test_surveys_are_listed_by_state_kind_text_and_day(client: Client, owner: Person) -> None:
    work = create(owner, "Work")
    # Long ago: the activity log has nothing of it.
    old = drafts.complete(title=bilingual_text("Über Gesundheit"))
    health = Survey.objects.create(owner=owner, draft=old).pk
    rehearsal = create(owner, "Work", rehearsal=True)
    opening.open_survey_now(Survey.objects.get(pk=work), owner, NOW)
    assert listed_ids(client, f"{SURVEYS}?state=open") == [work]
    assert listed_ids(client, f"{SURVEYS}?kind=rehearsal") == [rehearsal]
    assert listed_ids(client, f"{SURVEYS}?kind=survey&state=draft") == [health]
    assert listed_ids(client, f"{SURVEYS}?text=%C3%9CBER") == [health]
    today = timezone.localdate()
    assert listed_ids(client, f"{SURVEYS}?since={today}") == [rehearsal, work]
    assert listed_ids(client, f"{SURVEYS}?since={today + timedelta(days=1)}") == []
    for wrong in ("state=gone", "kind=x", "since=1999-12-31", "since=never"):
        assert client.get(f"{SURVEYS}?{wrong}").status_code == 422


def test_runs_are_listed_by_state_and_day(client: Client, owner: Person) -> None:
    runs = f"{SURVEYS}/{sealed.survey(owner, sealed.small_design(), [300]).pk}/runs"
    run = client.post(runs, "{}", content_type="application/json").json()["id"]
    today = timezone.localdate()
    assert listed_ids(client, f"{runs}?state=queued&since={today}") == [run]
    assert (
        listed_ids(client, f"{runs}?state=done")
        == listed_ids(client, f"{runs}?since={today + timedelta(1)}")
        == []
    )


def test_reports_are_listed_by_survey_text_and_day(owner: Person, reviewer: Person) -> None:
    survey = made.survey(owner)
    review = made.waiting_review(made.run(survey))
    made.publish(review, reviewer, ["age"], 1)
    client, reports, title = program(owner), "/api/1/reports", survey.title_with_fallback("en")
    for wanted, some in [
        (f"survey={survey.pk}", True),
        (f"survey={survey.pk + 1}", False),
        (f"text={title[:4].upper()}", True),
        ("text=zebra", False),
        (f"survey={2**63 - 1}", False),
        (f"since={NOW.date()}", True),
        (f"since={NOW.date() + timedelta(days=1)}", False),
    ]:
        assert listed_ids(client, f"{reports}?{wanted}") == ([review.pk] if some else []), wanted
    assert client.get(f"{reports}?survey={2**63}").status_code == 422
