"""The page between upload and draft: what it says, what accepting does, and who may accept."""

from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import translation

from accounts.models import History, Person
from importing import candor_format, signed_import_ticket
from importing.import_result import ImportResult
from surveys.models import Survey
from tests.importing.flow.made_files import answers, form, group, lime_table, question
from tests.surveys import drafts

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
ROWS = [
    ["start", "start"],
    ["begin_group", "g", "About **you**"],
    ["select_one ages", "age", "How old are you?"],
    ["end_group"],
    ["select_one yes_no", "theft", "Have you stolen?", "yes", "${age} = 'old'"],
    ["text", "why", "Why < not?"],
]
ACCEPT = "/app/surveys/import/accept"


def upload(client: Client, data: bytes) -> Any:
    return client.post("/app/surveys/import", {"file": SimpleUploadedFile("form.xlsx", data)})


def ticket_of(person: Person) -> str:
    return signed_import_ticket.issue_ticket(
        person, ImportResult(candor_format.read(candor_format.write(drafts.bilingual())))
    )


def kinds(survey: Survey) -> list[str]:
    return [section["kind"] for section in survey.draft["sections"]]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["came in", "changed", "left out", "Nothing is stored yet", "Accept: make the draft"]),
        ("zh-hans", []),
    ],
)
def test_every_row_is_shown_in_both_languages(language: str, expected: list[str], reading: Client) -> None:
    reading.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    before, entries = dict(reading.session.items()), History.objects.count()
    with translation.override(language):
        page = upload(reading, form(*ROWS))
    said = page.text
    assert page.status_code == 200
    assert [words for words in expected if words not in said] == []
    for words in ("start", "About you", "How old are you?", "Have you stolen?", "Why &lt; not?"):
        assert words in said
    outcomes = ["left", "changed", "came", "came", "left"]
    assert [row.line.outcome for row in page.context["rows"]] == outcomes
    # A row names the rules that an empty tick costs.
    ticks = [(row.tick, row.lost_rules) for row in page.context["rows"] if row.tick is not None]
    assert ticks == [(0, "theft"), (1, "")]
    assert ("Rules of theft look at it" in said) == (language == "en")
    # Nothing is stored before acceptance.
    assert dict(reading.session.items()) == before
    assert (Survey.objects.count(), History.objects.count()) == (0, entries)


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        ({}, ["unrelated-question", "unrelated-question"]),
        ({"plain": ["0"]}, ["plain", "unrelated-question"]),
        ({"plain": ["0", "1"]}, ["plain", "plain"]),
        ({"all": "yes"}, ["plain", "plain"]),
        ({"plain": ["7", "-1", "x", "0 "]}, ["unrelated-question", "unrelated-question"]),
    ],
)
def test_only_ticked_questions_are_plain(ticks: dict[str, Any], expected: list[str], reading: Client) -> None:
    page = upload(reading, form(*ROWS))
    answer = reading.post(ACCEPT, {"ticket": page.context["ticket"], **ticks})
    survey = Survey.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/app/surveys/{survey.pk}/edit")
    assert kinds(survey) == expected
    assert [entry.what for entry in History.objects.about(survey)] == ["surveys.imported"]


def test_limesurvey_file_is_imported_the_same_way(reading: Client) -> None:
    data = lime_table(group("Work"), question("Q1", "L", "How old?"), *answers("Young", "Old"))
    page = upload(reading, data)
    reading.post(ACCEPT, {"ticket": page.context["ticket"]})
    assert kinds(Survey.objects.get()) == ["unrelated-question"]
    # Our own file asks for no tick.
    page = upload(reading, candor_format.write(drafts.bilingual()))
    assert page.context["ticks"] == 0
    assert "Which questions need no disguise?" not in page.text
    assert page.context["counts"] == {"came": page.context["questions"], "changed": 0, "left": 0}


# --- the ticket


def check_ticket_is_refused(client: Client, ticket: str) -> None:
    answer = client.post(ACCEPT, {"ticket": ticket})
    assert (answer.status_code, answer["Location"]) == (302, "/app/surveys/import")
    assert "Upload the file again" in client.get("/app/surveys/import").text
    assert not Survey.objects.exists()


def test_changed_old_or_foreign_import_ticket_is_refused(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    ticket = ticket_of(owner)
    middle = len(ticket) // 2
    other = "A" if ticket[middle] != "A" else "B"
    changed = ticket[:middle] + other + ticket[middle + 1 :]
    for wrong in ("", "x", "a:b:c", "é" * 9, changed, ticket_of(stranger)):
        check_ticket_is_refused(reading, wrong)
    with monkeypatch.context() as patch:
        patch.setattr(signed_import_ticket, "SALT", "another")
        ticket_for_another_purpose = ticket_of(owner)
    check_ticket_is_refused(reading, ticket_for_another_purpose)
    monkeypatch.setattr(signed_import_ticket, "SECONDS", -1)
    check_ticket_is_refused(reading, ticket)


def test_accepting_an_import_needs_the_right_and_a_token(
    owner: Person, reviewer: Person, judging: Client, reading: Client
) -> None:
    assert Client().post(ACCEPT, {"ticket": ticket_of(reviewer)}).status_code == 302
    assert judging.post(ACCEPT, {"ticket": ticket_of(reviewer)}).status_code == 403
    assert reading.get(ACCEPT).status_code == 405
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(ACCEPT, {"ticket": ticket_of(owner)}).status_code == 403
    assert not Survey.objects.exists()


def test_too_long_imported_draft_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    monkeypatch.setattr(signed_import_ticket, "MOST_CHARACTERS", 100)
    answer = upload(reading, candor_format.write(drafts.bilingual()))
    assert answer.status_code == 422
    assert "holds more text than can be read through" in answer.text
