"""A survey for the builder, what the forms of its pages send, and what is stored then."""

import re
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from builder.editing.commands import order_digest
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import DraftPart, QuestionPart, StartPagePart, part_digest
from builder.editing.translation import TranslationPart
from surveys.models import Survey
from surveys.questionnaire.protection import section_laws
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.translatable_texts import START
from tests.cast import cast, db, owner, reviewer, signed_in_as, stranger, superuser
from tests.surveys.conftest import (
    answers,
    client,
    closed,
    destroyed,
    draft,
    editor,
    finished,
    move_to_state,
    opened,
    post,
    reload,
    viewer,
    weak,
)
from tests.surveys.drafts import options, place, plain, put, question, sensitive

__all__ = ["cast", "client", "db", "owner", "reviewer", "signed_in_as", "stranger", "superuser"]
__all__ += ["answers", "closed", "destroyed", "draft", "editor", "finished", "opened", "viewer", "weak"]

HTMX = {"HX-Request": "true"}
SCRIPT = {"HX-Request": "true", "Accept": "application/json"}
PLAIN = plain(
    question("age", "young", "old", role="quasi"),
    question("work", "employed", "none"),
    *options("use", "bus", "car"),
)
SENSITIVE = sensitive(question("theft", show_if={"work": ["employed"]}), question("debt"))


@pytest.fixture
def survey(draft: Survey) -> Survey:
    """Two plain questions, of which one decides about a sensitive one; one of several of many; in two languages."""
    return move_to_state(
        draft, "questionnaire", lambda: put(draft, PLAIN, SENSITIVE, languages=["en", "zh-hans"])
    )


def saved_draft(survey: Survey) -> Questionnaire:
    """As it is stored."""
    return load_questionnaire(reload(survey))


def section(survey: Survey, number: int) -> Any:
    """Its JSON."""
    return saved_draft(survey).as_json()["sections"][number]


def stored_question(survey: Survey, section_number: int = 1, number: int = 0) -> Any:
    """The JSON of a question."""
    return section(survey, section_number)["questions"][number]


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


def save(client: Client, survey: Survey, key: str, do: str = "", headers: Any = None, **sent: Any) -> Any:
    """The form of a question, as a script sends it, or by a button of it."""
    fields = {**of_question(reload(survey), key), "do": do, **sent}
    return post(client, survey, "edit/save", headers if do else SCRIPT, **fields)


def post_act(client: Client, survey: Survey, do: str, headers: Any = None, **sent: object) -> Any:
    """A button of the questionnaire as it stands on the page now; without HTMX no page is rendered."""
    seen = {"order": order_digest(saved_draft(survey))}
    return post(client, survey, "edit/act", headers, **{"do": do, "in": "en", **seen, **sent})


def translate(client: Client, survey: Survey, key: str, to: str, headers: Any = SCRIPT, **words: str) -> Any:
    """The words of a question in a language, beside those in English."""
    base = part_digest(TranslationPart(key, "en", to), saved_draft(survey))
    sent = {"part": key, "from": "en", "in": to, "base": base, **words}
    return post(client, survey, "edit/translations/save", headers, **sent)


def save_study(client: Client, survey: Survey, part: DraftPart, name: str, /, **sent: Any) -> Any:
    """A part of the page Study."""
    given = {"base": part_digest(part, saved_draft(survey))} | sent
    return post(client, survey, "edit/study/save", part=name, **given)


def gamma(given: Questionnaire) -> Fraction:
    """Of a person: that of all sections together."""
    return prod((law.gamma for _number, law in section_laws(given)), start=Fraction(1))


def refusal(answer: Any, status: int = 422) -> str:
    """What a refused form is told: a script by a sentence, else the page."""
    assert answer.status_code == status
    return str(answer.json()["said"] if "json" in answer["Content-Type"] else answer.text)


def removed_in(page: Any) -> str:
    """What the page of an answer sends to undo a deletion."""
    found = re.search(r'name="removed" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def messages(answer: Any) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def drawn_regions(survey: Survey) -> dict[str, list[str]]:
    """Of a place in the second section."""
    return {each["name"]: each["cells"] for each in stored_question(survey)["regions"]}


def asking_for_a_place(survey: Survey) -> Survey:
    """A plain question, the place `home` and a sensitive question, in two languages."""
    sections = plain(question("work", "employed", "none")), place("home"), sensitive(question("theft"))
    return put(survey, *sections, languages=["en", "zh-hans"], expected=5000)


def choose_cells(client: Client, survey: Survey, source: str, **sent: object) -> Any:
    return client.post(f"/app/surveys/{survey.pk}/edit/cells?key=home", {"source": source, **sent})
