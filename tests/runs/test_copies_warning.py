"""Who sees what of forged records outside a report: that there are some, never how many."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from intake.models import Batch
from runs.copied_record_detection import examine_waiting_batches
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Collaborator, Survey
from tests.cast import As, somebody
from tests.runs.test_copies import flooded
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def forged(owner: Person) -> Survey:
    survey = flooded(owner, honest=1, flooded=1)
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN, closed_at=None)
    examine_waiting_batches(NOW)
    survey.refresh_from_db()
    return survey


def page(client: Client, path: str) -> str:
    """Without what differs from one reading to the next."""
    return re.sub(r"\s+", " ", re.sub(r'value="\w{64}"', "", client.get(path).text))


def test_its_owner_is_warned_and_can_pause_it(forged: Survey, owner: Person, reading: Client) -> None:
    client, path = reading, f"/app/surveys/{forged.pk}"
    text = page(client, f"{path}/")
    assert "Some answers look forged" in text
    warning = text[text.index("Some answers look forged") :]
    assert f'href="{path}/pause"' in warning[: warning.index("<h2>")]
    assert "looks forged" in page(client, "/app/surveys/")
    lifecycle.pause_survey(forged, owner, NOW)
    text = page(client, f"{path}/")
    assert "Some answers look forged" in text
    assert f'href="{path}/pause"' not in text


@pytest.mark.parametrize("may_edit", [True, False])
def test_others_who_work_on_it_are_warned_and_cannot_pause_it(
    forged: Survey, signed_in_as: As, may_edit: bool
) -> None:
    colleague = somebody("colleague")
    Collaborator.objects.create(survey=forged, person=colleague, may_edit=may_edit)
    text = page(signed_in_as(colleague), f"/app/surveys/{forged.pk}/")
    assert "Some answers look forged" in text
    assert "/pause" not in text


def test_no_number_stands_there(forged: Survey, reading: Client) -> None:
    before = {path: page(reading, path) for path in ("/app/surveys/", f"/app/surveys/{forged.pk}/")}
    Batch.objects.filter(copies__gt=0).update(copies=7)
    assert {path: page(reading, path) for path in before} == before


def test_nobody_is_warned_where_nothing_looks_forged(owner: Person, reading: Client) -> None:
    survey = flooded(owner, honest=2)
    examine_waiting_batches(NOW)
    for path in ("/app/surveys/", f"/app/surveys/{survey.pk}/"):
        assert "forged" not in page(reading, path)


def test_the_list_asks_once_for_all_surveys(forged: Survey, owner: Person, reading: Client) -> None:
    for _ in range(3):
        flooded(owner, flooded=1)
    with CaptureQueriesContext(connection) as asked:
        reading.get("/app/surveys/")
    assert sum('"copies" >' in query["sql"] for query in asked.captured_queries) == 1


def test_those_who_run_the_instance_see_how_many_surveys_it_is(
    forged: Survey, owner: Person, signed_in_as: As
) -> None:
    flooded(owner, honest=1)
    examine_waiting_batches(NOW)
    staff = somebody("operator", is_staff=True)
    text = re.sub(r"<[^>]+>", " ", page(signed_in_as(staff), "/app/jobs/"))
    assert re.search(r"Surveys in which answers look forged\s+1\b", text)
