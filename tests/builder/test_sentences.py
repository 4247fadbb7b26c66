"""The fold “In a sentence”: fields, proposals, refusals, the translations page; and the line of a question."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import TranslationPart
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests.builder.conftest import HTMX, SCRIPT, of_question, save, saved_draft
from tests.surveys.conftest import page_text, post
from tests.surveys.drafts import (
    bilingual_text,
    classes,
    crosswise,
    options,
    place,
    plain,
    put,
    question,
    sensitive,
)

pytestmark = pytest.mark.page
UNSEEN = dict.fromkeys(map(ord, "\u2068\u2069"))
ASKED = {"form": "yes-no", "choices": ["no", "yes"], "text": bilingual_text("Have you taken supplies home?")}


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
    return page_text(client, survey, "edit", open=key)


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
def test_sentence_texts_of_answers_are_saved_and_the_fingerprint_stays(
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


def test_number_sentence_text_is_saved_and_a_wrong_one_refused(client: Client, survey: Survey) -> None:
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


def line(page: str) -> str:
    """The line of the last question on the page, and of one that is shown alone."""
    return unescape(page.rpartition("data-report-line>")[2].partition("</span>")[0]).translate(UNSEEN)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (sensitive(question("theft") | ASKED), "Of all, 25 % have taken supplies home."),
        (
            sensitive(question("mood") | {"text": bilingual_text("How do you feel?")}),
            "Of all, 25 % answered “Mood: a”.",
        ),
        (sensitive(*options("use", "bus", "car")), "Of all, 25 % answered “Use: bus”."),
        (plain(question("sector", "public", "industry")), "Of all, 25 % answered “Sector: public”."),
        (classes("hours", 0, 10, 20, 40), "The median of “Hours” is at least 10 and below 20."),
        (crosswise("till"), "Of all, 25 % answered “Till: Yes”."),
        (sensitive(question("moon") | ASKED | {"known": "0.0000"}), "nothing on the first page"),
        (sensitive(question("q") | ASKED | {"text": {}}), ""),
    ],
)
def test_question_form_shows_what_a_report_would_say(
    client: Client, draft: Survey, section: dict[str, Any], said: str
) -> None:
    put(draft, section)
    assert line(page_text(client, draft, "edit")) == said


def test_undisguised_question_names_people_of_a_disguised_one(client: Client, survey: Survey) -> None:
    put(survey, sensitive(question("theft") | ASKED), plain(question("sick") | ASKED))
    assert line(page_text(client, survey, "edit")) == "Of people who have taken supplies home, 25 % …"


def test_example_sentence_follows_typing_without_storing(client: Client, survey: Survey) -> None:
    data = of_question(survey, "theft") | {"text": "Have you cried at work?"}
    answer = post(client, survey, "edit/save", SCRIPT, **data).json()
    assert answer["line"] == "Of all, 25 % have cried at work."
    assert texts(survey) == SentenceTexts()
    assert 'placeholder="have cried at work"' in opened_page(client, survey, "theft")
    assert "have cried" not in page_text(client, survey, "edit/translations", to="zh-hans")
    own = of_question(survey, "theft") | {"predicate-1": "wept at work"}
    assert post(client, survey, "edit/save", SCRIPT, **own).json()["line"] == "Of all, 25 % wept at work."


def test_sentence_texts_are_translated_side_by_side_and_never_missing(client: Client, survey: Survey) -> None:
    save(client, survey, "theft", **{"predicate-1": "took supplies home"})
    assert "took supplies home" in page_text(client, survey, "edit/translations", to="zh-hans")
    part = TranslationPart("theft", "en", "zh-hans")
    form = part.build_form(saved_draft(survey))
    assert not next(line for line, _field in form.text_rows if line.field == "predicate-1").is_missing
    data = {"part": "theft", "from": "en", "in": "zh-hans", "base": part_digest(part, saved_draft(survey))}
    data |= {field.name: field.value() or "" for field in form}
    for text, status in {"拿了：东西": 422, "拿了东西": 200}.items():
        answer = post(client, survey, "edit/translations/save", SCRIPT, **data | {"predicate-1": text})
        assert answer.status_code == status
    assert texts(survey).predicates == {"theft=yes": {"en": "took supplies home", "zh-hans": "拿了东西"}}
