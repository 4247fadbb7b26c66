"""How often a request reads the questionnaire of one draft: at most once, and never for what it has read before."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.test import Client

from builder.editing.save_edit import load_questionnaire
from surveys import draft_json
from surveys.kinds import read_draft
from surveys.models import Survey
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import HTMX, act, of_question

pytestmark = pytest.mark.page


@contextmanager
def readings() -> Iterator[list[object]]:
    """The drafts that are parsed meanwhile, by a process that has parsed none before."""
    read_draft._read_text.cache_clear()
    parsed: list[object] = []
    whole = read_draft.read_questionnaire

    def parse(draft: draft_json.Draft) -> Questionnaire:
        parsed.append(draft)
        return whole(draft)

    with patch.object(read_draft, "read_questionnaire", parse):
        yield parsed


def test_a_form_that_is_saved_reads_what_was_stored_and_what_is_and_the_page_after_it_nothing(
    client: Client, survey: Survey
) -> None:
    sent = of_question(survey, "age") | {"text": "Your age?"}
    edit = f"/app/surveys/{survey.pk}/edit"
    with readings() as parsed:
        assert client.post(f"{edit}/save", sent, headers=HTMX).status_code == 200
        assert len(parsed) == 2
        assert client.get(edit).status_code == 200
        assert client.get(f"{edit}/protection").status_code == 200
        assert len(parsed) == 2


def test_a_button_reads_what_was_stored_and_what_is(client: Client, survey: Survey) -> None:
    with readings() as parsed:
        act(client, survey, "down", key="age", idempotency_key="0" * 32)
        assert len(parsed) == 2


def test_what_is_kept_stays_as_it_was_read(client: Client, survey: Survey) -> None:
    act(client, survey, "down", key="age")
    client.get(f"/app/surveys/{survey.pk}/edit", {"open": ["age", "theft", "=start"]})
    survey.refresh_from_db()
    assert load_questionnaire(survey) is load_questionnaire(survey)
    assert load_questionnaire(survey) == read_draft.read_questionnaire(survey.draft)


def test_the_page_of_a_draft_numbers_its_questions_once_whatever_is_missing(
    client: Client, survey: Survey
) -> None:
    with patch.object(draft_json, "read_sections", wraps=draft_json.read_sections) as read:
        page = client.get(f"/app/surveys/{survey.pk}/").content.decode()
    assert page.count("#sections-") > 10
    assert read.call_count <= 12
