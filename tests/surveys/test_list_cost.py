"""What the list of surveys does for each of its rows."""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from surveys.draft_json import Draft
from surveys.lifecycle import freeze_draft
from surveys.models import Survey
from tests.surveys import drafts

pytestmark = pytest.mark.page


@pytest.fixture
def browser(owner: Person) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def add(owner: Person, count: int, draft: Callable[[], Draft] = drafts.complete) -> None:
    titles = ({"en": f"Survey {number}"} for number in range(count))
    Survey.objects.bulk_create(Survey(owner=owner, draft={**draft(), "title": title}) for title in titles)


def test_each_draft_of_the_list_is_frozen_once_and_never_again(owner: Person, browser: Client) -> None:
    add(owner, 3)
    freeze_draft._freeze_text.cache_clear()
    with patch.object(freeze_draft, "freeze_design", wraps=freeze_draft.freeze_design) as freeze:
        first, second = (browser.get("/app/surveys/").content.decode() for _time in range(2))
    assert freeze.call_count == 3
    assert first.count("Open survey") == second.count("Open survey") == 3


def test_a_list_of_many_surveys_asks_the_database_no_more_than_one_of_few(
    owner: Person, browser: Client
) -> None:
    asked = []
    for count in (2, 10):
        add(owner, count)
        add(owner, count, drafts.weak)
        with CaptureQueriesContext(connection) as queries:
            browser.get("/app/surveys/")
        asked.append(len(queries))
    assert asked[0] == asked[1]
