"""The fold “In a sentence”: fields, proposals, refusals, the translations page, and the examples of the preview."""

import json
from typing import Any

import pytest
from django.test import Client

from builder.editing import commands
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import TranslationPart
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.question_blocks import find_block
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests.builder.conftest import HTMX, SCRIPT, of_question
from tests.builder.placed import place
from tests.builder.written import (
    classes,
    crosswise,
    draft as written,
    options,
    plain,
    question,
    sensitive,
    stored,
)
from tests.surveys.drafts import complete, said

pytestmark = pytest.mark.page
ASKED = {"form": "yes-no", "choices": ["no", "yes"], "text": said("Have you taken supplies home?")}


@pytest.fixture
def survey(draft: Survey) -> Survey:
    """A question of each kind that has an answer to say."""
    draft.draft = stored(
        plain(question("sector", "public", "industry", role="quasi")),
        sensitive(question("theft") | ASKED, *options("use", "bus", "car")),
        classes("hours", 0, 10, 20, 40),
        place("home"),
        crosswise("till"),
        languages=["en", "zh-hans"],
    )
    draft.save()
    return draft


def save(
    client: Client,
    survey: Survey,
    key: str,
    do: str = "",
    headers: Any = None,
    **sent: str,
) -> Any:
    data = {**of_question(survey, key), **sent, **({"do": do} if do else {})}
    answer = client.post(f"/app/surveys/{survey.pk}/edit/save", data, headers=headers if do else SCRIPT)
    survey.refresh_from_db()
    return answer


def texts(survey: Survey) -> SentenceTexts:
    return SentenceTexts.from_draft(survey.draft)


def opened_page(client: Client, survey: Survey, key: str) -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit", {"open": key}).content.decode()


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("key", "field", "item"),
    [
        ("sector", "predicate-0", "sector=public"),
        ("sector", "people-1", "sector=industry"),
        ("theft", "predicate-1", "theft=yes"),
        ("of=use", "predicate-0", "bus=yes"),
        ("home", "people-0", "home=north"),
        ("till", "predicate-1", "till=yes"),
    ],
)
def test_each_answer_is_saved_with_its_words_and_the_fingerprint_stays(
    client: Client, survey: Survey, key: str, field: str, item: str
) -> None:
    before = freeze_design(survey.draft).fingerprint
    assert f'name="{field}"' in opened_page(client, survey, key)
    assert save(client, survey, key, **{field: " took supplies home "}).status_code == 200
    found = texts(survey)
    kept = found.people if field.startswith("people") else found.predicates
    assert kept == {item: {"en": "took supplies home"}}
    assert freeze_design(survey.draft).fingerprint == before
    assert 'value="took supplies home"' in opened_page(client, survey, key)
    save(client, survey, key, **{field: ""})
    assert texts(survey) == SentenceTexts()


def test_a_number_is_saved_with_its_name_for_sentences(client: Client, survey: Survey) -> None:
    assert 'name="quantity"' in opened_page(client, survey, "hours")
    save(client, survey, "hours", quantity="their unpaid hours")
    assert texts(survey).quantities == {"hours": {"en": "their unpaid hours"}}


def test_a_text_that_cannot_stand_in_a_sentence_is_refused_and_the_fold_is_open(
    client: Client, survey: Survey
) -> None:
    for text, reason in {
        "took: all": "Leave out the colon",
        "took it.": "Leave out the full stop",
        "x" * 81: "at most 80 characters",
    }.items():
        data = {**of_question(survey, "theft"), "predicate-1": text}
        page = client.post(f"/app/surveys/{survey.pk}/edit/save", data, headers=HTMX).content.decode()
        survey.refresh_from_db()
        assert reason in page
        assert 'class="sentences" open>' in page
        assert texts(survey) == SentenceTexts()


def test_what_the_question_shows_is_proposed_and_filled_in_by_a_button(
    client: Client, survey: Survey
) -> None:
    page = opened_page(client, survey, "theft")
    assert 'placeholder="have taken supplies home"' in page
    assert 'value="sentences-use"' in page
    answer = save(client, survey, "theft", "sentences-use", **{"predicate-0": "took nothing"}, headers=HTMX)
    assert "The proposals are filled in" in answer["HX-Trigger-After-Settle"]
    assert texts(survey).predicates == {
        "theft=no": {"en": "took nothing"},
        "theft=yes": {"en": "have taken supplies home"},
    }
    assert 'value="sentences-use"' not in opened_page(client, survey, "theft")
    other = opened_page(client, survey, "sector")
    assert 'value="sentences-use"' not in other
    assert 'placeholder="people in public service"' in other


def test_the_command_writes_the_language_that_is_edited() -> None:
    made: Questionnaire = written(sensitive(question("theft") | ASKED), languages=["zh-hans", "en"])
    result = commands.use_proposed_sentences_command(made, {"key": "theft", "in": "en"})
    _position, [theft] = find_block(result.draft, "theft")
    assert [choice.predicate for choice in theft.choices] == [
        {"en": "have not taken supplies home"},
        {"en": "have taken supplies home"},
    ]
    assert commands.use_proposed_sentences_command(made, {"key": "theft", "in": "zh-hans"}).draft == made


def test_they_are_translated_side_by_side_and_never_missing(client: Client, survey: Survey) -> None:
    save(client, survey, "theft", **{"predicate-1": "took supplies home"})
    address = f"/app/surveys/{survey.pk}/edit/translations"
    page = client.get(address, {"to": "zh-hans"}).content.decode()
    assert "took supplies home" in page
    part = TranslationPart("theft", "en", "zh-hans")
    data = {
        "part": "theft",
        "from": "en",
        "in": "zh-hans",
        "base": part_digest(part, load_questionnaire(survey)),
    }
    form = part.build_form(load_questionnaire(survey))
    assert not next(line for line, _field in form.text_rows if line.field == "predicate-1").is_missing
    words = {field.name: field.value() or "" for field in form}
    statuses = [
        client.post(f"{address}/save", {**data, **words, "predicate-1": text}, headers=SCRIPT).status_code
        for text in ("拿了：东西", "拿了东西")
    ]
    assert statuses == [422, 200]
    survey.refresh_from_db()
    assert texts(survey).predicates == {"theft=yes": {"en": "took supplies home", "zh-hans": "拿了东西"}}


def test_the_preview_shows_examples_with_invented_figures(client: Client, draft: Survey) -> None:
    page = f"/app/surveys/{draft.pk}/preview"
    assert "The figures are invented" not in client.get(page).content.decode()
    made = complete()
    made["sections"][1]["questions"][0]["choices"][1]["predicate"] = {"en": "took supplies home"}
    draft.draft = made
    draft.save()
    shown = client.get(page).content.decode()
    assert "The figures are invented" in shown
    assert "took supplies home." in shown
    assert "took supplies home" not in client.get(f"{page}/page").content.decode()
    assert "took supplies home" not in json.dumps(freeze_design(made).as_json())
