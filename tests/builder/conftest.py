from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.commands import order_digest
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import DraftPart, QuestionPart, StartPagePart, part_digest
from surveys.models import Survey
from surveys.questionnaire.translatable_texts import START
from tests.builder.written import options, plain, question, sensitive, stored
from tests.cast import As
from tests.kept_rows import cast, db, owner, reviewer, signed_in_as, stranger, superuser
from tests.surveys.conftest import (
    answers,
    closed,
    destroyed,
    draft,
    editor,
    finished,
    moved,
    opened,
    viewer,
    weak,
)

__all__ = ["cast", "db", "owner", "reviewer", "signed_in_as", "stranger", "superuser"]
__all__ += ["answers", "closed", "destroyed", "draft", "editor", "finished", "opened", "viewer", "weak"]

HTMX = {"HX-Request": "true"}
PLAIN = plain(
    question("age", "young", "old", role="quasi"),
    question("work", "employed", "none"),
    *options("use", "bus", "car"),
)
SENSITIVE = sensitive(question("theft", show_if={"work": ["employed"]}), question("debt"))
SCRIPT = {"HX-Request": "true", "Accept": "application/json"}


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    """The owner's browser."""
    return signed_in_as(owner)


@pytest.fixture
def survey(draft: Survey) -> Survey:
    """Two plain questions, of which one decides about a sensitive one; one of several of many; in two languages."""

    def make() -> None:
        draft.draft = stored(PLAIN, SENSITIVE, languages=["en", "zh-hans"])
        draft.save()

    return moved(draft, "questionnaire", make)


def fields_of(survey: Survey, part: DraftPart) -> dict[str, Any]:
    """What the part's form would send if nobody had typed anything."""
    stored_draft = load_questionnaire(survey)
    form = part.build_form(stored_draft)
    key = part.key if isinstance(part, QuestionPart) else START
    sent = {"part": key, "key": key, "in": "en", "base": part_digest(part, stored_draft)}
    values = {field.name: field.value() for field in form}
    return sent | {name: value for name, value in values.items() if value is not None}


def start(survey: Survey) -> dict[str, Any]:
    return fields_of(survey, StartPagePart("en"))


def of_question(survey: Survey, key: str) -> dict[str, Any]:
    return fields_of(survey, QuestionPart(key, "en"))


def act(client: Client, survey: Survey, do: str, headers: Any = None, **sent: object) -> Any:
    """A button of the questionnaire as it stands on the page now; without HTMX no page is rendered."""
    survey.refresh_from_db()
    seen = {"order": order_digest(load_questionnaire(survey))}
    data = {"do": do, "in": "en", **seen, **sent}
    return client.post(f"/app/surveys/{survey.pk}/edit/act", data, headers=headers)
