"""The languages of a questionnaire, its words side by side, and the fixed sentences: saved, missing, kept."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from builder.editing import questions_and_sections, undo
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest, part_from_key
from builder.editing.translation import (
    PhrasePart,
    TranslationPart,
    draft_with_phrase_translation,
    phrase_for_editing,
    phrase_from_edited,
)
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import phrases_to_translate
from surveys.models import Survey
from surveys.phrases.all_phrases import PHRASES
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.translatable_texts import add_language, count_missing_texts
from tests.builder.conftest import SCRIPT, messages as said, refusal, saved_draft, translate
from tests.surveys.conftest import address, page_text, post, update_row
from tests.surveys.drafts import draft as written, options, plain, put, question, sensitive

pytestmark = [pytest.mark.django_db, pytest.mark.page]
PAGE = "edit/translations"


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return put(draft, plain(question("age"), *options("use", "bus")), sensitive(question("theft")))


@pytest.fixture
def french(survey: Survey, client: Client) -> Survey:
    post_translation_act(client, survey, "language-add", code="fr")
    return survey


def post_translation_act(client: Client, survey: Survey, do: str, **sent: str) -> Any:
    return post(client, survey, f"{PAGE}/act", do=do, **sent)


def question_of_draft(survey: Survey, number: int = 0) -> Any:
    return saved_draft(survey).sections[0].questions[number]


def digest(survey: Survey, key: str) -> str:
    return part_digest(TranslationPart(key, "en", "fr"), saved_draft(survey))


def test_language_is_added_by_name_or_code_put_first_or_refused(client: Client, survey: Survey) -> None:
    answer = post_translation_act(client, survey, "language-add", code="fr")
    assert answer["Location"].endswith("translations?to=fr")
    post_translation_act(client, survey, "language-add", code="fr", other="Tlh")
    assert list(saved_draft(survey).languages) == ["en", "fr", "tlh"]
    for code, reason in {"e n": "no code of a language", "en": "in this language already"}.items():
        assert reason in said(post_translation_act(client, survey, "language-add", other=code))
    assert list(saved_draft(survey).languages) == ["en", "fr", "tlh"]
    post_translation_act(client, survey, "language-first", code="fr")
    assert list(saved_draft(survey).languages) == ["fr", "en", "tlh"]
    assert '<p lang="fr" dir="auto">' in page_text(client, survey, PAGE)


def test_two_languages_stand_side_by_side_with_what_is_missing(client: Client, french: Survey) -> None:
    translate(client, french, "age", "fr", text="Âge ?")
    page = page_text(client, french, PAGE, to="fr")
    assert '<p lang="en" dir="auto">age?</p>' in page
    assert "Âge ?</textarea>" in page
    # Start: title, asker, why, consent. age: two answers. use: text, one option. theft: text, two answers.
    assert page.count("data-pair>") - page.count('class="pair" data-pair>') == 4 + 2 + 2 + 3
    assert "11 texts are missing" in page
    assert count_missing_texts(saved_draft(french), "fr") == 11


def test_translations_are_saved_per_language_without_blocking_others(client: Client, french: Survey) -> None:
    answer = translate(client, french, "of=use", "fr", None, text="Quoi ?", **{"label-0": "le bus"})
    assert "translations?to=fr#block-" in answer["Location"]
    assert question_of_draft(french, 1).text == {"en": "use?", "fr": "Quoi ?"}
    assert question_of_draft(french, 1).choices[1].label == {"en": "bus", "fr": "le bus"}
    base = digest(french, "age")
    french.draft["sections"][0]["questions"][0]["text"]["en"] = "How old?"
    french.save()
    assert translate(client, french, "age", "fr", base=base, text="Âge ?").status_code == 200
    assert question_of_draft(french).text == {"en": "How old?", "fr": "Âge ?"}


def test_second_of_two_translators_sees_both_versions(client: Client, french: Survey) -> None:
    base = digest(french, "age")
    translate(client, french, "age", "fr", base=base, text="La leur")
    answer = translate(client, french, "age", "fr", base=base, text="La mienne")
    assert answer.status_code == 409
    assert "<dd>La leur</dd>" in answer.text
    assert ">\nLa mienne</textarea>" in answer.text


def test_language_is_removed_and_restored_but_not_the_last(client: Client, french: Survey) -> None:
    translate(client, french, "age", "fr", text="Âge ?")
    before = saved_draft(french)
    post_translation_act(client, french, "language-remove", code="fr")
    assert question_of_draft(french).text == {"en": "age?"}
    undone = client.get(address(french, PAGE)).context["undo"]
    assert "needs one language" in said(post_translation_act(client, french, "language-remove", code="en"))
    assert "not in this language" in said(post_translation_act(client, french, "language-remove", code="fr"))
    post_translation_act(client, french, "undo", removed=undone["removed"])
    assert saved_draft(french) == before


def test_texts_candor_translates_are_filled_in() -> None:
    mood = question("mood", *["Never", "Rarely", "Sometimes", "Often", "Always", "Mostly"], form="scale")
    given = written(plain(mood), sensitive(question("theft", "no", "yes", "prefer-not-to-say")))
    given = translatable_texts.set_texts(given, "theft", "en", {"label-2": "Prefer not to say"})
    after = add_language(given, "zh-hans")
    labels = [choice.label for choice in after.sections[0].questions[0].choices]
    assert labels[0] == {"en": "Never", "zh-hans": "从不"}
    assert labels[5] == {"en": "Mostly"}
    assert "zh-hans" in after.sections[1].questions[0].choices[2].label
    # Words in a language that was taken away since do not come back.
    two = add_language(written(plain(question("age"))), "fr")
    given = translatable_texts.set_texts(two, "age", "fr", {"text": "Âge ?"})
    without, removed = questions_and_sections.remove_block(given, "age")
    restored, _key = undo.apply_undo_data(translatable_texts.remove_language(without, "fr"), removed)
    assert restored.sections[0].questions[0].text == {"en": "age?"}


@pytest.fixture
def battery(survey: Survey) -> list[str]:
    """The keys of three statements on one scale."""
    statements = ["One.", "Two.", "Three."]
    draft, _key = questions_and_sections.add_battery(saved_draft(survey), 0, statements, "agreement-5", "en")
    update_row(survey, draft=replace(draft, languages=("en", "fr")).as_json())
    return [question.name for question in draft.all_questions if question.is_line_of_battery]


def test_shared_texts_are_translated_once(client: Client, survey: Survey, battery: list[str]) -> None:
    """Saving the answers of the first line made the second a conflict that nobody had caused."""
    one, two, _three = battery
    once = translatable_texts.texts_to_translate_once
    fields = {key: [pair.field for pair in once(saved_draft(survey), key, "en", "fr")] for key in (one, two)}
    assert {"label-0", "help"} <= set(fields[one])
    assert not [field for field in fields[two] if field.startswith("label-") or field == "help"]
    bases = {key: digest(survey, key) for key in (one, two)}
    words = {field: f"{field} en français" for field in fields[one]}
    assert translate(client, survey, one, "fr", base=bases[one], **words).status_code == 200
    assert translate(client, survey, two, "fr", base=bases[two], text="Deux.").status_code == 200
    lines = [question for question in saved_draft(survey).all_questions if question.is_line_of_battery]
    labels = [[choice.label.get("fr") for choice in question.choices] for question in lines]
    assert labels[0][0] == "label-0 en français"
    assert labels[0] == labels[1] == labels[2]


def test_translation_save_names_other_parts_changed(
    client: Client, survey: Survey, battery: list[str]
) -> None:
    """In the builder every line shows the answers that it shares, so the others' forms are brought up to date."""
    draft = load_questionnaire(survey)
    one, two = (part_from_key(key, "en") for key in battery[:2])
    form = one.build_form(draft)
    data = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    data |= {"label-0": "Not at all", "part": battery[0], "in": "en", "base": part_digest(one, draft)}
    other = post(client, survey, "edit/save", SCRIPT, **data).json()["others"][two.dom_id]
    assert other["was"] == part_digest(two, draft)
    assert other["base"] == part_digest(two, saved_draft(survey))
    assert other["fields"]["label-0"] == "Not at all"


# The fixed sentences: listed, saved one by one, and needed before opening.


@pytest.fixture
def trilingual_draft(draft: Survey) -> Survey:
    """Also in German, which Candor speaks, and in Portuguese, which it does not."""
    return put(draft, sensitive(question("theft")), languages=["en", "pt", "de"])


def send(client: Client, survey: Survey, key: str, words: str, headers: Any = SCRIPT, **more: str) -> Any:
    base = part_digest(PhrasePart(key, more.get("in", "pt")), saved_draft(survey))
    data = {"part": key, "in": "pt", "base": base, "words": words, **more}
    return post(client, survey, f"{PAGE}/phrase", headers, **data)


def test_protecting_sentences_come_first_until_translated(client: Client, trilingual_draft: Survey) -> None:
    page, needed = (
        page_text(client, trilingual_draft, PAGE, to="pt"),
        phrases_to_translate(trilingual_draft.draft),
    )
    keys = re.findall(r'id="phrase-(\w+)" data-part', page)
    assert sorted(keys) == sorted(needed)
    flags = [PHRASES[key].protects for key in keys]
    assert flags == sorted(flags, reverse=True)
    assert ("decide_once" in keys, "number_range" in keys) == (True, False)
    for words in (
        f"0 of {len(needed)} translated",
        'id="phrases-pt"',
        "fixed sentences are missing</a>",
        # A language is found by its own name, its English name and its code.
        '<option value="fr" lang="fr">français · French (fr)</option>',
        "data-searched",
    ):
        assert words in page
    # Before the survey opens it says what is missing and where.
    opening = page_text(client, trilingual_draft, "open")
    assert f'href="{address(trilingual_draft, PAGE)}?to=pt#phrases-pt"' in opening
    assert "sentences that state the protection are missing in Portuguese" in opening
    beside = page_text(client, trilingual_draft, PAGE, to="pt", original="zh-hans")
    assert '<p id="phrase-yes-original" lang="zh-hans" dir="auto">是</p>' in beside
    assert 'lang="en" dir="auto">Yes</p>' in page_text(
        client, trilingual_draft, PAGE, to="pt", original="nonsense"
    )


def test_translated_sentence_is_stored_and_removed(client: Client, trilingual_draft: Survey) -> None:
    assert send(client, trilingual_draft, "leave", "Sair").json()["base"]
    needed = len(phrases_to_translate(trilingual_draft.draft))
    assert f"1 of {needed} translated" in page_text(client, trilingual_draft, PAGE, to="pt")
    send(client, trilingual_draft, "minutes", "Cerca de {minutes} min")
    assert trilingual_draft.draft["phrases"] == {
        "leave": {"pt": "Sair"},
        "minutes": {"pt": "Cerca de %(minutes)s min"},
    }
    send(client, trilingual_draft, "leave", " ")
    assert trilingual_draft.draft["phrases"].keys() == {"minutes"}
    # The first language may be one that Candor does not speak.
    update_row(trilingual_draft, draft={**trilingual_draft.draft, "languages": ["pt"], "phrases": {}})
    assert "phrase-leave" in page_text(client, trilingual_draft, PAGE)
    send(client, trilingual_draft, "leave", "Sair", None)
    assert trilingual_draft.draft["phrases"] == {"leave": {"pt": "Sair"}}


def test_placeholder_can_be_neither_dropped_nor_invented(client: Client, trilingual_draft: Survey) -> None:
    for key, words, reason in (
        ("minutes", "Cinco", "{minutes} is missing. Put it where the page shall show that number or word."),
        ("leave", "Sair {n}", "The original has no {n}. Delete it."),
        ("leave", "**Sair**", "Only what is bold in the original can be bold"),
    ):
        answer = send(client, trilingual_draft, key, words)
        assert (answer.status_code, "phrases" in trilingual_draft.draft) == (422, False), words
        assert reason in answer.json()["said"]
    # Without a script the page says so beside what was typed.
    again = send(client, trilingual_draft, key, words, None)
    assert (again.status_code, "phrases" in trilingual_draft.draft) == (422, False)
    assert reason in again.text
    assert words in again.text


def test_placeholders_and_bold_words_need_no_markup() -> None:
    text = "<strong>%(odds)s times</strong> (%(share)s)."
    assert phrase_for_editing(text) == "**{odds} times** ({share})."
    for original in (text, *(phrase.original_english for phrase in PHRASES.values())):
        assert phrase_from_edited(phrase_for_editing(original)) == original


def test_sentence_changed_by_somebody_else_is_not_overwritten(
    client: Client, trilingual_draft: Survey
) -> None:
    base = part_digest(PhrasePart("leave", "pt"), saved_draft(trilingual_draft))
    send(client, trilingual_draft, "leave", "Sair")
    answer = send(client, trilingual_draft, "leave", "Partir", base=base)
    assert "This was changed elsewhere meanwhile" in refusal(answer, 409)
    assert trilingual_draft.draft["phrases"]["leave"]["pt"] == "Sair"
    unseen = part_digest(PhrasePart("agree", "pt"), read_questionnaire({}))
    assert send(client, trilingual_draft, "agree", "Aceito", base=unseen).status_code == 200


def test_shipped_sentences_are_not_translated(client: Client, trilingual_draft: Survey) -> None:
    page = page_text(client, trilingual_draft, PAGE, to="de")
    assert "phrase-leave" not in page
    assert "Candor says the fixed sentences of its pages in German itself." in page
    for key in ("nonsense", "leave"):
        send(client, trilingual_draft, key, "Weg", **{"in": "de"})
        assert "phrases" not in trilingual_draft.draft, key


def test_other_missing_sentences_warn_without_blocking(client: Client, trilingual_draft: Survey) -> None:
    draft = saved_draft(trilingual_draft)
    for key, phrase in phrases_to_translate(trilingual_draft.draft).items():
        if phrase.protects:
            draft = draft_with_phrase_translation(draft, key, "pt", phrase.original_english)
    page = page_text(client, update_row(trilingual_draft, draft=draft.as_json()), "open")
    assert "state the protection are missing" not in page
    assert "will be in English" in page
    assert f'href="{address(trilingual_draft, PAGE)}?to=pt#phrases-others"' in page
