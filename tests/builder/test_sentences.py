"""The fold “In a sentence”: fields, proposals, refusals, the translations page, and the examples of the preview."""

import json

import pytest
from django.test import Client

from builder.editing import commands
from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import TranslationPart
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.question_block_editing import find_block
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests.builder.conftest import HTMX, SCRIPT, now, of_question, save
from tests.surveys.conftest import changed, post, shown
from tests.surveys.drafts import (
    classes,
    complete,
    crosswise,
    draft as written,
    options,
    place,
    plain,
    put,
    question,
    said,
    sensitive,
)

pytestmark = pytest.mark.page
ASKED = {"form": "yes-no", "choices": ["no", "yes"], "text": said("Have you taken supplies home?")}


@pytest.fixture
def survey(draft: Survey) -> Survey:
    """A question of each kind that has an answer to say."""
    return put(
        draft,
        plain(question("sector", "public", "industry", role="quasi")),
        sensitive(question("theft") | ASKED, *options("use", "bus", "car")),
        classes("hours", 0, 10, 20, 40),
        place("home"),
        crosswise("till"),
        languages=["en", "zh-hans"],
    )


def texts(survey: Survey) -> SentenceTexts:
    return SentenceTexts.from_draft(survey.draft)


def opened_page(client: Client, survey: Survey, key: str) -> str:
    return shown(client, survey, "edit", open=key)


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


def test_a_number_has_its_name_and_a_wrong_text_is_refused(client: Client, survey: Survey) -> None:
    """There the fold is open."""
    for text, reason in {
        "took: all": "Leave out the colon",
        "took it.": "Leave out the full stop",
        "x" * 81: "at most 80 characters",
    }.items():
        data = {**of_question(survey, "theft"), "predicate-1": text}
        page = post(client, survey, "edit/save", HTMX, **data).text
        assert reason in page
        assert 'class="sentences" open>' in page
        assert texts(survey) == SentenceTexts()
    assert 'name="quantity"' in opened_page(client, survey, "hours")
    save(client, survey, "hours", quantity="their unpaid hours")
    assert texts(survey).quantities == {"hours": {"en": "their unpaid hours"}}


def test_what_the_question_shows_is_proposed_and_filled_in(client: Client, survey: Survey) -> None:
    page = opened_page(client, survey, "theft")
    assert 'placeholder="have taken supplies home"' in page
    assert 'value="sentences-use"' in page
    answer = save(client, survey, "theft", "sentences-use", HTMX, **{"predicate-0": "took nothing"})
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
    assert "took supplies home" in shown(client, survey, "edit/translations", to="zh-hans")
    part = TranslationPart("theft", "en", "zh-hans")
    form = part.build_form(now(survey))
    assert not next(line for line, _field in form.text_rows if line.field == "predicate-1").is_missing
    data = {"part": "theft", "from": "en", "in": "zh-hans", "base": part_digest(part, now(survey))}
    data |= {field.name: field.value() or "" for field in form}
    for text, status in {"拿了：东西": 422, "拿了东西": 200}.items():
        answer = post(client, survey, "edit/translations/save", SCRIPT, **data | {"predicate-1": text})
        assert answer.status_code == status
    assert texts(survey).predicates == {"theft=yes": {"en": "took supplies home", "zh-hans": "拿了东西"}}


def test_the_preview_shows_examples_with_invented_figures(client: Client, draft: Survey) -> None:
    invented = "The figures are invented"
    assert invented not in shown(client, draft, "preview")
    made = complete()
    made["sections"][1]["questions"][0]["choices"][1]["predicate"] = {"en": "took supplies home"}
    page = shown(client, changed(draft, draft=made), "preview")
    assert invented in page
    assert "took supplies home." in page
    assert "took supplies home" not in shown(client, draft, "preview/page")
    assert "took supplies home" not in json.dumps(freeze_design(made).as_json())
