"""The page Languages sends texts to translators as files and takes them back, with every problem named."""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import translation

from accounts.models import History, Person
from builder.editing.save_edit import load_questionnaire
from importing import isolated_reader, isolated_reader_main
from importing.import_result import MOST_BYTES
from importing.translations import reading
from importing.translations.reading import TranslationFile
from surveys.models import Survey
from surveys.questionnaire.translatable_texts import set_texts
from surveys.signed_in_view import ROOM
from tests.builder.conftest import messages
from tests.cast import As
from tests.surveys.conftest import client
from tests.surveys.drafts import plain, question, sensitive, stored_draft

__all__ = ["client"]

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]


@pytest.fixture
def survey(draft: Survey) -> Survey:
    theft = question("theft", text={"en": "Theft?", "fr": "Vol ?"})
    draft.draft = stored_draft(plain(question("age")), sensitive(theft), languages=["en", "fr", "pt", "ar"])
    draft.save()
    return draft


def address(survey: Survey, end: str) -> str:
    return f"/app/surveys/{survey.pk}/edit/translations/{end}"


def download(client: Client, survey: Survey, to: str = "") -> bytes:
    answer = client.get(address(survey, "download"), {"to": to} if to else {})
    assert answer.status_code == 200
    return bytes(answer.content)


def upload(client: Client, survey: Survey, data: bytes, name: str = "back.xlf") -> Any:
    return client.post(address(survey, "import"), {"file": SimpleUploadedFile(name, data)})


def accept(client: Client, survey: Survey, shown: Any, **more: Any) -> Any:
    """Sends the form that was shown."""
    sent = {"ticket": shown.context["ticket"], "shown": shown.context["comparison"].digest}
    answer = client.post(address(survey, "accept"), sent | more)
    survey.refresh_from_db()
    return answer


def translate_units(data: bytes, **targets: str) -> bytes:
    """An exported XLIFF file as a tool writes it, with the translations of these units; `_` stands for a dot."""
    text = data.decode()
    for name, words in targets.items():
        key = re.escape(name.replace("_", "."))
        pattern = (
            f'(<unit id="{key}".*?)<segment state="[a-z]+">(<source>.*?</source>)(<target>.*?</target>)?'
        )
        text, count = re.subn(pattern, rf"\1<segment state='translated'>\2<target>{words}</target>", text)
        assert count == 1
    return text.encode()


# --- the page and its downloads


def test_page_offers_a_translation_file_for_each_language(client: Client, survey: Survey) -> None:
    page = client.get(address(survey, "").rstrip("/")).text
    assert "Send this file to a translator; they need no account." in page
    links = re.findall(r'href="[^"]*translations/download(?:\?to=([a-z-]+))?"', page)
    assert links == ["fr", "pt", "ar", ""]
    assert 'type="file"' in page
    survey.draft = {**survey.draft, "languages": ["en"]}
    survey.save()
    page = client.get(address(survey, "").rstrip("/")).text
    assert "Add a second language to send its texts to a translator, as a file." in page
    assert "translations/download" not in page


def test_translation_file_is_named_after_survey_and_languages(client: Client, survey: Survey) -> None:
    for sent, name, kind in (
        ({"to": "fr"}, "work-and-health-en-fr.xlf", "application/xliff+xml"),
        ({}, "work-and-health-translations.csv", "text/csv; charset=utf-8"),
    ):
        answer = client.get(address(survey, "download"), sent)
        assert name in answer["Content-Disposition"]
        assert answer["Content-Disposition"].startswith("attachment")
        assert answer["Content-Type"] == kind
    for to in ("en", "it", "../x"):
        assert "nothing to translate yet" in messages(client.get(address(survey, "download"), {"to": to})), to
    # A name in any script is kept.
    survey.draft["title"] = {"en": "工作与健康"}
    survey.save()
    disposition = client.get(address(survey, "download"), {"to": "ar"})["Content-Disposition"]
    assert "工作与健康-en-ar.xlf" in unquote(disposition)


# --- upload and acceptance


@pytest.mark.parametrize("kind", ["xliff", "csv"])
def test_translations_are_previewed_and_accepted_with_one_button(
    client: Client, survey: Survey, owner: Person, kind: str
) -> None:
    if kind == "xliff":
        data = translate_units(download(client, survey, "fr"), question_age_text="Âge ?")
    else:
        data = download(client, survey).replace(b",age?,", ",age?,Âge ?".encode())
    before = survey.draft
    shown = upload(client, survey, data, "anything.bin")
    page = shown.text
    survey.refresh_from_db()
    assert survey.draft == before
    assert "<dt>French</dt><dd>1 text changes</dd>" in page
    assert "Take over 1 translation<" in page
    # Sent twice it is one edit.
    answer, again = (accept(client, survey, shown) for _time in range(2))
    assert (answer.status_code, again.status_code) == (302, 302)
    assert answer["Location"].endswith("/edit/translations?to=fr")
    assert next(load_questionnaire(survey).all_questions).text == {"en": "age?", "fr": "Âge ?"}
    assert [entry.what for entry in History.objects.about(survey).filter(who=owner)] == ["surveys.edited"]
    # It is undone with one button.
    page = client.get(address(survey, "").rstrip("/"))
    assert "1 translation is taken over." in page.text
    client.post(address(survey, "act"), {"do": "undo", "removed": page.context["undo"]["removed"]})
    survey.refresh_from_db()
    assert survey.draft == before


def test_every_translation_problem_is_named_by_row(client: Client, survey: Survey) -> None:
    targets = {"start_title": "x" * 5001, "phrase_agree": "Concordo %(who)s"}
    targets |= {"question_age_text": "Idade?", "question_theft_text": "Roubo?"}
    data = translate_units(download(client, survey, "pt"), **targets).decode()
    data = re.sub(r'<unit id="start\.why".*\n', "", data)
    data = data.replace("<source>Theft?</source>", "<source>Stealing?</source>")
    unknown = '<unit id="question.gone.text"><segment><source>Gone?</source></segment></unit>'
    data = data.replace("</file>", f"{unknown}</file>")
    shown = upload(client, survey, data.encode())
    found = {(row.kind, row.id) for row in shown.context["rows"]}
    problems = {("faulty", "start.title"), ("faulty", "phrase.agree"), ("missing", "start.why")}
    problems |= {("source", "question.theft.text"), ("extra", "question.gone.text")}
    problems.add(("untranslated", "start.asker"))
    assert found >= problems
    page = shown.text
    for words in (
        "It has 5001 characters; at most 5000 fit.",
        *("The original has no such placeholders: %(who)s", '<dd lang="en" dir="auto">Stealing?</dd>'),
        *('<dd lang="en" dir="auto">Theft?</dd>', '<dd lang="pt" dir="ltr">Roubo?</dd>'),
        *("<code>question.gone.text</code>", "Take over 1 translation<"),
    ):
        assert words in page
    accept(client, survey, shown, tick=["pt/question.theft.text", "pt/start.title"])
    texts = [asked.text.get("pt") for asked in load_questionnaire(survey).all_questions]
    assert (texts, load_questionnaire(survey).title.get("pt")) == (["Idade?", "Roubo?"], None)


def test_preview_shows_text_in_its_direction_and_markup_as_text(client: Client, survey: Survey) -> None:
    data = translate_units(download(client, survey, "ar"), question_age_text="كم عمرك؟")
    assert '<td lang="ar" dir="rtl">كم عمرك؟</td>' in upload(client, survey, data).text
    data = translate_units(download(client, survey, "fr"), question_age_text="&lt;script&gt;x&lt;/script&gt;")
    shown = upload(client, survey, data)
    assert "<script>x" not in shown.text
    accept(client, survey, shown)
    assert "<script>x" not in client.get(address(survey, "").rstrip("/")).text


def test_other_language_of_a_file_is_reported_and_further_rows_counted(
    client: Client, survey: Survey
) -> None:
    data = translate_units(download(client, survey, "fr"), question_age_text="Età?")
    page = upload(client, survey, data.replace(b'trgLang="fr"', b'trgLang="it"')).text
    assert "The survey is not in Italian. Add the language on the page Languages" in page
    assert "The file changes nothing in the draft." in page
    table = "id,en,fr\n" + "".join(f"question.q{number}.text,a,b\n" for number in range(1001))
    shown = upload(client, survey, table.encode(), "t.csv")
    assert len(shown.context["rows"]) == 1000
    assert "more rows" in shown.text


# --- refusals


def test_unreadable_translation_file_is_refused_on_the_same_page(
    client: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    for data, reason in (
        (b"<!DOCTYPE a><xliff/>", "defines a document type"),
        (b"PK\x03\x04", "save it as CSV UTF-8"),
        (b"hello", "its first column must be named id"),
        (b"", "The submitted file is empty."),
    ):
        answer = upload(client, survey, data)
        page = answer.text
        assert answer.status_code == 422
        assert reason in page
        assert "Languages of the questions" in page
    # Busy readers ask for patience; one that is too large is refused unread.
    data = download(client, survey, "fr")
    for busy_reason, seconds in ((isolated_reader.ReadersBusy, "10"), (isolated_reader.MachineBusy, "30")):

        def raise_busy(
            _data: bytes, _person: int, busy_reason: type[Exception] = busy_reason
        ) -> TranslationFile:
            raise busy_reason

        with monkeypatch.context() as patch:
            patch.setattr(isolated_reader, "read_translations", raise_busy)
            answer = upload(client, survey, data)
        assert (answer.status_code, answer["Retry-After"]) == (503, seconds)
    answer = upload(client, survey, bytes(MOST_BYTES + ROOM + 1))
    assert answer.status_code == 413
    assert "at most 5 megabytes" in answer.text


def test_previewed_translations_belong_to_one_person_and_survey_and_need_a_token(
    client: Client, survey: Survey, editor: Person, owner: Person, signed_in_as: As
) -> None:
    before = survey.draft
    shown = upload(client, survey, translate_units(download(client, survey, "fr"), start_title="Titre"))
    assert "no longer valid" in messages(accept(signed_in_as(editor), survey, shown))
    other = Survey.objects.create(owner=owner, draft=survey.draft)
    assert "no longer valid" in messages(accept(client, other, shown))
    assert "no longer valid" in messages(accept(client, survey, shown, ticket="forged"))
    assert survey.draft == other.draft == before
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    assert upload(strict, survey, download(strict, survey, "fr")).status_code == 403
    assert strict.post(address(survey, "accept"), {}).status_code == 403


# --- conflicts


def test_text_changed_meanwhile_is_a_conflict_and_other_edits_are_not(client: Client, survey: Survey) -> None:
    shown = upload(client, survey, translate_units(download(client, survey, "fr"), question_age_text="Âge ?"))
    theirs = set_texts(load_questionnaire(survey), "age", "fr", {"text": "Quel âge ?"})
    Survey.objects.filter(pk=survey.pk).update(draft=theirs.as_json())
    again = accept(client, survey, shown)
    assert again.status_code == 409
    assert "The draft was changed meanwhile" in again.text
    assert "Quel âge ?" in again.text
    assert load_questionnaire(survey) == theirs
    accept(client, survey, again)
    assert next(load_questionnaire(survey).all_questions).text["fr"] == "Âge ?"
    # Other edits meanwhile are no conflict and stay.
    shown = upload(
        client, survey, translate_units(download(client, survey, "fr"), question_age_text="Ton âge ?")
    )
    theirs = replace(load_questionnaire(survey), minutes=9)
    theirs = set_texts(theirs, "theft", "fr", {"text": "Autre ?"})
    Survey.objects.filter(pk=survey.pk).update(draft=theirs.as_json())
    accept(client, survey, shown)
    after = load_questionnaire(survey)
    texts = [asked.text["fr"] for asked in after.all_questions]
    assert (after.minutes, texts) == (9, ["Ton âge ?", "Autre ?"])


# --- the process that reads


def test_isolated_translation_file_reads_as_in_process_and_refusals_are_translated(
    client: Client, survey: Survey
) -> None:
    for data in (download(client, survey, "fr"), download(client, survey)):
        answer = isolated_reader_main.read_or_faults(data, isolated_reader_main.TRANSLATIONS)
        assert answer["read"]["units"][0]["texts"]["en"] == "Work and health"
        assert isolated_reader.read_translations(data, 1) == reading.read(data)
    with translation.override("zh-hans"):
        refused = isolated_reader_main.read_or_faults(b"<a/>", isolated_reader_main.TRANSLATIONS)
    ((_place, reason),) = refused["faults"]
    assert not reason.isascii()
