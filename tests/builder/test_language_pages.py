"""The languages of a questionnaire and its words side by side."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from builder.editing import questions_and_sections, undo
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest, part_from_key
from builder.editing.translation import TranslationPart
from surveys.models import Survey
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.translatable_texts import add_language, count_missing_texts
from tests.builder.conftest import SCRIPT
from tests.builder.written import draft as written, options, plain, question, sensitive, stored

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = stored(plain(question("age"), *options("use", "bus")), sensitive(question("theft")))
    draft.save()
    return draft


def act(client: Client, survey: Survey, **sent: str) -> Any:
    answer = client.post(f"/app/surveys/{survey.pk}/edit/translations/act", sent)
    survey.refresh_from_db()
    return answer


def translate(
    client: Client, survey: Survey, key: str, base: str = "", headers: Any = None, **words: str
) -> Any:
    base = base or part_digest(TranslationPart(key, "en", "fr"), load_questionnaire(survey))
    data = {"part": key, "from": "en", "in": "fr", "base": base, **words}
    answer = client.post(f"/app/surveys/{survey.pk}/edit/translations/save", data, headers=headers)
    survey.refresh_from_db()
    return answer


def said(answer: Any) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def test_a_language_is_added_by_name_or_by_code(client: Client, survey: Survey) -> None:
    answer = act(client, survey, do="language-add", code="fr")
    assert answer["Location"].endswith("translations?to=fr")
    act(client, survey, do="language-add", code="fr", other="Tlh")
    assert list(load_questionnaire(survey).languages) == ["en", "fr", "tlh"]


@pytest.mark.parametrize(
    ("code", "reason"), [("e n", "no code of a language"), ("en", "in this language already")]
)
def test_a_language_that_is_none_or_there_is_refused(
    client: Client, survey: Survey, code: str, reason: str
) -> None:
    assert reason in said(act(client, survey, do="language-add", other=code))
    assert list(load_questionnaire(survey).languages) == ["en"]


def test_both_languages_stand_side_by_side_and_what_is_missing_is_marked(
    client: Client, survey: Survey
) -> None:
    act(client, survey, do="language-add", code="fr")
    translate(client, survey, "age", text="Âge ?")
    page = client.get(f"/app/surveys/{survey.pk}/edit/translations?to=fr").content.decode()
    assert '<p lang="en" dir="auto">age?</p>' in page
    assert "Âge ?</textarea>" in page
    # Start: title, asker, why, consent. age: two answers. use: text, one option. theft: text, two answers.
    assert page.count("data-pair>") - page.count('class="pair" data-pair>') == 4 + 2 + 2 + 3
    assert "11 texts are missing" in page
    assert count_missing_texts(load_questionnaire(survey), "fr") == 11


def test_words_are_saved_in_their_language_only(client: Client, survey: Survey) -> None:
    act(client, survey, do="language-add", code="fr")
    answer = translate(client, survey, "of=use", text="Quoi ?", **{"label-0": "le bus"})
    assert "translations?to=fr#block-" in answer["Location"]
    use = load_questionnaire(survey).sections[0].questions[1]
    assert use.text == {"en": "use?", "fr": "Quoi ?"}
    assert use.choices[1].label == {"en": "bus", "fr": "le bus"}


def test_writing_the_first_language_does_not_stop_whoever_translates(client: Client, survey: Survey) -> None:
    act(client, survey, do="language-add", code="fr")
    base = part_digest(TranslationPart("age", "en", "fr"), load_questionnaire(survey))
    survey.draft["sections"][0]["questions"][0]["text"]["en"] = "How old?"
    survey.save()
    assert translate(client, survey, "age", base, SCRIPT, text="Âge ?").status_code == 200
    assert load_questionnaire(survey).sections[0].questions[0].text == {"en": "How old?", "fr": "Âge ?"}


def test_of_two_who_translate_the_same_the_later_one_sees_both(client: Client, survey: Survey) -> None:
    act(client, survey, do="language-add", code="fr")
    base = part_digest(TranslationPart("age", "en", "fr"), load_questionnaire(survey))
    translate(client, survey, "age", base, text="La leur")
    answer = translate(client, survey, "age", base, SCRIPT, text="La mienne")
    assert answer.status_code == 409
    assert "<dd>La leur</dd>" in answer.content.decode()
    assert ">\nLa mienne</textarea>" in answer.content.decode()


def test_a_language_is_taken_away_and_brought_back_exactly(client: Client, survey: Survey) -> None:
    act(client, survey, do="language-add", code="fr")
    translate(client, survey, "age", text="Âge ?")
    before = load_questionnaire(survey)
    act(client, survey, do="language-remove", code="fr")
    assert load_questionnaire(survey).sections[0].questions[0].text == {"en": "age?"}
    removed = client.get(f"/app/surveys/{survey.pk}/edit/translations").context["undo"]["removed"]
    act(client, survey, do="undo", removed=removed)
    assert load_questionnaire(survey) == before


def test_words_in_a_language_that_was_taken_away_since_do_not_come_back() -> None:
    given = translatable_texts.set_texts(
        add_language(written(plain(question("age"))), "fr"), "age", "fr", {"text": "Âge ?"}
    )
    without, removed = questions_and_sections.remove_block(given, "age")
    restored, _key = undo.restore_removed(translatable_texts.remove_language(without, "fr"), removed)
    assert restored.sections[0].questions[0].text == {"en": "age?"}


def test_the_last_language_stays(client: Client, survey: Survey) -> None:
    assert "needs one language" in said(act(client, survey, do="language-remove", code="en"))
    assert "not in this language" in said(act(client, survey, do="language-remove", code="fr"))


def test_another_language_is_put_first(client: Client, survey: Survey) -> None:
    act(client, survey, do="language-add", code="fr")
    act(client, survey, do="language-first", code="fr")
    assert list(load_questionnaire(survey).languages) == ["fr", "en"]
    page = client.get(f"/app/surveys/{survey.pk}/edit/translations").content.decode()
    assert '<p lang="fr" dir="auto">' in page


def test_what_candor_knows_is_filled_in() -> None:
    given = written(
        plain(question("mood", *("Never", "Rarely", "Sometimes", "Often", "Always", "Mostly"), form="scale")),
        sensitive(question("theft", "no", "yes", "prefer-not-to-say")),
    )
    given = translatable_texts.set_texts(given, "theft", "en", {"label-2": "Prefer not to say"})
    after = add_language(given, "zh-hans")
    labels = [choice.label for choice in after.sections[0].questions[0].choices]
    assert labels[0] == {"en": "Never", "zh-hans": "从不"}
    assert labels[5] == {"en": "Mostly"}
    assert "zh-hans" in after.sections[1].questions[0].choices[2].label


def with_a_battery(survey: Survey) -> list[str]:
    """Three statements on one scale; their keys."""
    draft, first = questions_and_sections.add_battery(
        load_questionnaire(survey), 0, ["One.", "Two.", "Three."], "agreement-5", "en"
    )
    Survey.objects.filter(pk=survey.pk).update(draft=replace(draft, languages=("en", "fr")).as_json())
    survey.refresh_from_db()
    [questions] = [
        [question.name for question in section.questions if question.is_line_of_battery]
        for section in draft.sections
        if any(question.name == first for question in section.questions)
    ]
    return questions


def test_the_shared_texts_of_a_battery_are_translated_once_and_stop_nobody(
    client: Client, survey: Survey
) -> None:
    """Saving the answers of the first line made the second a conflict that nobody had caused."""
    one, two, three = with_a_battery(survey)
    draft = load_questionnaire(survey)
    fields = {
        key: [pair.field for pair in translatable_texts.texts_to_translate(draft, key, "en", "fr")]
        for key in (one, two)
    }
    assert "label-0" in fields[one]
    assert "help" in fields[one]
    assert not [field for field in fields[two] if field.startswith("label-") or field == "help"]
    bases = {key: part_digest(TranslationPart(key, "en", "fr"), draft) for key in (one, two, three)}
    words = {field: f"{field} en français" for field in fields[one]}
    json = {"Accept": "application/json"}
    assert translate(client, survey, one, bases[one], json, **words).status_code == 200
    assert translate(client, survey, two, bases[two], json, text="Deux.").status_code == 200
    stored = load_questionnaire(survey)
    labels = [
        [choice.label.get("fr") for choice in question.choices]
        for section in stored.sections
        for question in section.questions
        if question.is_line_of_battery
    ]
    assert labels[0][0] == "label-0 en français"
    assert labels[0] == labels[1] == labels[2]


def test_a_save_tells_which_other_parts_it_changed(client: Client, survey: Survey) -> None:
    """In the builder every line shows the answers that it shares, so the others' forms are brought up to date."""
    one, two, _three = with_a_battery(survey)
    draft = load_questionnaire(survey)
    parts = {key: part_from_key(key, "en") for key in (one, two)}
    form = parts[one].build_form(draft)
    data = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    data |= {"label-0": "Not at all", "part": one, "in": "en", "base": part_digest(parts[one], draft)}
    answer = client.post(
        f"/app/surveys/{survey.pk}/edit/save", data, headers={"Accept": "application/json"}
    ).json()
    other = answer["others"][parts[two].dom_id]
    survey.refresh_from_db()
    assert other["was"] == part_digest(parts[two], draft)
    assert other["base"] == part_digest(parts[two], load_questionnaire(survey))
    assert other["fields"]["label-0"] == "Not at all"
