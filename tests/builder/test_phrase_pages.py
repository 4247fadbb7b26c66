"""The fixed sentences in the language editor: listed, saved one by one, and needed before opening."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.editing.translation import (
    PhrasePart,
    draft_with_phrase_translation,
    phrase_for_editing,
    phrase_from_edited,
)
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import phrases_to_translate
from surveys.models import Survey
from surveys.phrases.all_phrases import PHRASES
from tests.builder.conftest import SCRIPT
from tests.builder.written import question, sensitive, stored
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = {**stored(sensitive(question("theft"))), "languages": ["en", "pt", "de"]}
    draft.save()
    return draft


def page(client: Client, survey: Survey, to: str = "pt", more: str = "") -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit/translations?to={to}{more}").content.decode()


def send(client: Client, survey: Survey, key: str, words: str, headers: Any = None, **more: str) -> Any:
    part = PhrasePart(key, more.get("in", "pt"))
    data = {
        "part": key,
        "in": "pt",
        "base": part_digest(part, load_questionnaire(survey)),
        "words": words,
        **more,
    }
    answer = client.post(f"/app/surveys/{survey.pk}/edit/translations/phrase", data, headers=headers)
    survey.refresh_from_db()
    return answer


def test_the_sentences_that_state_the_protection_come_first_and_are_missing_until_they_are_translated(
    client: Client, survey: Survey
) -> None:
    shown, needed = page(client, survey), phrases_to_translate(survey.draft)
    keys = re.findall(r'id="phrase-(\w+)" data-part', shown)
    assert sorted(keys) == sorted(needed)
    flags = [PHRASES[key].protects for key in keys]
    assert flags == sorted(flags, reverse=True)
    assert "decide_once" in keys
    assert "number_range" not in keys
    assert f"0 of {len(needed)} translated" in shown
    assert 'id="phrases-pt"' in shown
    assert "fixed sentences are missing</a>" in shown
    # A language is found by its own name, its English name and its code.
    assert '<option value="fr" lang="fr">français · French (fr)</option>' in shown
    assert "data-searched" in shown
    # Before the survey opens it says what is missing and where.
    opening = client.get(f"/app/surveys/{survey.pk}/open").content.decode()
    assert f'href="/app/surveys/{survey.pk}/edit/translations?to=pt#phrases-pt"' in opening
    assert "sentences that state the protection are missing in Portuguese" in opening


def test_another_shipped_language_can_stand_beside(client: Client, survey: Survey) -> None:
    shown = page(client, survey, more="&original=zh-hans")
    assert '<p id="phrase-yes-original" lang="zh-hans" dir="auto">是</p>' in shown
    assert 'lang="en" dir="auto">Yes</p>' in page(client, survey, more="&original=nonsense")


def test_a_sentence_is_stored_in_the_draft_and_taken_away_again(client: Client, survey: Survey) -> None:
    assert send(client, survey, "leave", "Sair", SCRIPT).json()["base"]
    assert f"1 of {len(phrases_to_translate(survey.draft))} translated" in page(client, survey)
    send(client, survey, "minutes", "Cerca de {minutes} min", SCRIPT)
    assert survey.draft["phrases"] == {"leave": {"pt": "Sair"}, "minutes": {"pt": "Cerca de %(minutes)s min"}}
    send(client, survey, "leave", " ", SCRIPT)
    assert survey.draft["phrases"].keys() == {"minutes"}


def test_a_mark_cannot_be_dropped_or_made_up(client: Client, survey: Survey) -> None:
    for key, words, reason in [
        ("minutes", "Cinco", "{minutes} is missing. Put it where the page shall show that number or word."),
        ("leave", "Sair {n}", "The original has no {n}. Delete it."),
        ("leave", "**Sair**", "Only what is bold in the original can be bold"),
    ]:
        answer = send(client, survey, key, words, SCRIPT)
        assert (answer.status_code, "phrases" in survey.draft) == (422, False), words
        assert reason in answer.json()["said"]
    # Without a script the page says so beside what was typed.
    again = send(client, survey, key, words)
    assert (again.status_code, "phrases" in survey.draft) == (422, False)
    assert reason in again.content.decode()
    assert words in again.content.decode()


def test_marks_and_bold_words_need_no_markup() -> None:
    text = "<strong>%(odds)s times</strong> (%(share)s)."
    assert phrase_for_editing(text) == "**{odds} times** ({share})."
    assert phrase_from_edited(phrase_for_editing(text)) == text
    assert all(
        phrase_from_edited(phrase_for_editing(phrase.original_english)) == phrase.original_english
        for phrase in PHRASES.values()
    )


def test_a_sentence_that_somebody_else_has_changed_is_not_overwritten(client: Client, survey: Survey) -> None:
    base = part_digest(PhrasePart("leave", "pt"), load_questionnaire(survey))
    send(client, survey, "leave", "Sair")
    answer = send(client, survey, "leave", "Partir", SCRIPT, base=base)
    assert answer.status_code == 409
    assert "This was changed elsewhere meanwhile" in answer.content.decode()
    assert survey.draft["phrases"]["leave"]["pt"] == "Sair"
    assert (
        send(
            client,
            survey,
            "agree",
            "Aceito",
            SCRIPT,
            base=part_digest(PhrasePart("agree", "pt"), read_questionnaire({})),
        ).status_code
        == 200
    )


def test_what_candor_says_itself_is_not_translated(client: Client, survey: Survey) -> None:
    shown = page(client, survey, "de")
    assert "phrase-leave" not in shown
    assert "Candor says the fixed sentences of its pages in German itself." in shown
    for key in ("nonsense", "leave"):
        send(client, survey, key, "Weg", SCRIPT, **{"in": "de"})
        assert "phrases" not in survey.draft, key


def test_the_first_language_may_be_one_that_candor_does_not_speak(client: Client, survey: Survey) -> None:
    survey.draft = {**survey.draft, "languages": ["pt"]}
    survey.save()
    assert "phrase-leave" in page(client, survey)
    send(client, survey, "leave", "Sair")
    assert survey.draft["phrases"] == {"leave": {"pt": "Sair"}}


def test_other_sentences_are_warned_of_and_do_not_hinder(client: Client, survey: Survey) -> None:
    draft = load_questionnaire(survey)
    for key, phrase in phrases_to_translate(survey.draft).items():
        draft = (
            draft_with_phrase_translation(draft, key, "pt", phrase.original_english)
            if phrase.protects
            else draft
        )
    survey.draft = draft.as_json()
    survey.save()
    shown = client.get(f"/app/surveys/{survey.pk}/open").content.decode()
    assert "state the protection are missing" not in shown
    assert "will be in English" in shown
    assert f'href="/app/surveys/{survey.pk}/edit/translations?to=pt#phrases-others"' in shown


def test_a_reader_may_not_translate(survey: Survey, signed_in_as: As, stranger: Person) -> None:
    client = signed_in_as(stranger)
    address = f"/app/surveys/{survey.pk}/edit/translations/phrase"
    assert client.get(address).status_code in (403, 404, 405)
    assert client.post(address, {"part": "leave", "in": "pt", "words": "Sair"}).status_code == 404
