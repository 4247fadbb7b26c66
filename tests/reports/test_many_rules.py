"""The list of a reviewer stays quick and small, however many rules there are."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from reports.pages import queue
from reports.pages.views import RULES
from reports.review import publishing
from runs.models import Run
from tests.cast import As
from tests.reports.made_many import many_rules
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
SCRIPT: Any = {"headers": {"HX-Request": "true"}}


def asked_of(client: Client, run: Run, page: str, **data: str) -> tuple[int, int]:
    """Queries and bytes of an answer."""
    address = f"/admin/reports/review/{run.pk}/{page}"
    client.get(address.replace("/judge", ""))  # what is read once and kept
    with CaptureQueriesContext(
        connection,
    ) as queries:
        answer = client.post(address, data, **SCRIPT) if data else client.get(address)
    assert answer.status_code == 200
    return len(queries), len(answer.content)


def test_a_thousand_rules_need_as_many_queries_and_bytes_as_one_page_of_them(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    few, many = many_rules(owner, 2 * RULES), many_rules(owner)
    publishing.add_finished_runs(NOW)
    client = signed_in_as(reviewer)
    (queries, size), (more_queries, more) = (asked_of(client, run, "rules") for run in (few, many))
    assert more_queries == queries
    assert more < min(1.1 * size, 100_000)
    queries, more_queries = (
        asked_of(client, run, "rules/1/judge", verdict="accept")[0] for run in (few, many)
    )
    assert more_queries == queries


def test_of_a_thousand_rules_all_need_a_decision_and_a_page_shows_the_first(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    run = many_rules(owner)
    publishing.add_finished_runs(NOW)
    assert queue.left(run) == 1000
    page = signed_in_as(reviewer).get(f"/admin/reports/review/{run.pk}/rules").content.decode()
    assert page.count('class="judged"') == RULES
    assert "1,000 rules left to decide" in page


def test_the_questions_in_full_stand_once_above_the_rules_and_no_rule_has_a_tooltip(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    run = many_rules(owner)
    publishing.add_finished_runs(NOW)
    page = signed_in_as(reviewer).get(f"/admin/reports/review/{run.pk}/rules").content.decode()
    assert page.count("The questions in full") == 1
    assert 'tabindex="0"' not in page[page.index('class="judged"') :]
