"""Words about the protection that are not Candor's: by each way in, and who is told of them."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from importing.translations.comparison import Comparison
from importing.translations.draft_texts import texts_of_draft
from importing.translations.reading import FileUnit, TranslationFile
from intake.invitations.researcher_views import EmailForm
from intake.invitations.texts import poster_sheet_texts, proposed_email
from privacy.designs import parse_design
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, ready_made_questionnaires
from surveys.lifecycle.completion_code import completion_problems
from surveys.lifecycle.design_from_draft import freeze_design, phrases_to_translate
from surveys.models import Logo, Survey
from surveys.phrases.all_phrases import PHRASES
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.api.conftest import program
from tests.cast import As
from tests.importing.conftest import read_here
from tests.surveys import drafts
from tests.surveys.conftest import NOW, decide, page_text, update_row

__all__ = ["read_here"]
pytestmark = [pytest.mark.page, pytest.mark.django_db]
LIE = "Disguised: a random draw may change it before it is sent"


def draft_in_language(language: str, **phrases: str) -> dict[str, Any]:
    draft = drafts.complete()
    draft["sections"][1]["questions"][0]["choices"] = [
        {"name": "no", "label": {"en": "Hapana"}},
        {"name": "yes", "label": {"en": "Ndiyo"}},
    ]
    draft = json.loads(json.dumps(draft).replace('"en"', f'"{language}"'))
    return {**draft, "phrases": {key: {language: text} for key, text in phrases.items()}}


@pytest.fixture
def swahili_survey(owner: Person) -> Survey:
    """A finished draft with every phrase that it has to translate."""
    own = {
        key: f"Kwa Kiswahili: {phrase.original_english}"
        for key, phrase in phrases_to_translate(draft_in_language("sw")).items()
    }
    return Survey.objects.create(owner=owner, draft=draft_in_language("sw", **own))


def opened_before(owner: Person) -> Survey:
    """A survey in British English that was opened when its researcher could word all of its phrases."""
    design = json.loads(freeze_design(draft_in_language("en-gb")).canonical)
    design["phrases"]["sent_as_answered"] = {"en-gb": LIE}
    row = opening.store_design(parse_design(json.dumps(design)))
    return Survey.objects.create(owner=owner, draft={}, design=row, state="open")


def test_a_reviewer_sees_each_sentence_beside_candors_and_what_an_approval_means(
    swahili_survey: Survey, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    with pytest.raises(NotAllowed):
        opening.open_survey_now(swahili_survey, owner, NOW)
    page = page_text(signed_in_as(reviewer), swahili_survey, "review")
    said = PHRASES["decide_final"].original_english
    for text in (
        f'lang="sw" dir="auto">Kwa Kiswahili: {said.replace("<", "&lt;").replace(">", "&gt;")}</td>',
        f'lang="en" dir="auto">{said.replace("<", "&lt;").replace(">", "&gt;")}</td>',
        "You approve that each stands beside the right sentence of Candor’s and has its placeholders.",
        "You do not approve what it means",
    ):
        assert text in page, text
    decide(swahili_survey, reviewer, allow=True)
    opening.open_survey_now(swahili_survey, owner, NOW)
    assert swahili_survey.state == "open"


def test_an_approval_does_not_outlive_a_changed_sentence(
    swahili_survey: Survey, owner: Person, reviewer: Person
) -> None:
    decide(swahili_survey, reviewer, allow=True)
    phrases = {**swahili_survey.draft["phrases"], "decide_once": {"sw": "Jibu mara nyingi."}}
    with pytest.raises(NotAllowed):
        opening.open_survey_now(
            update_row(swahili_survey, draft={**swahili_survey.draft, "phrases": phrases}), owner, NOW
        )


def test_a_survey_that_was_opened_before_stays_and_its_owner_is_told(owner: Person, client: Client) -> None:
    survey = opened_before(owner)
    assert f'"sent_as_answered":{{"en-gb":"{LIE}"}}' in Client().get(survey.address).text
    page = page_text(client, survey)
    assert "What its pages say of the protection is not all Candor’s" in page
    assert "1 sentence that states the protection is in the survey’s own words in British English" in page


def test_a_survey_in_candors_words_has_no_such_notice(opened: Survey, client: Client) -> None:
    assert "not all Candor’s" not in page_text(client, opened)


def test_the_study_sheet_shows_each_own_sentence_beside_candors(owner: Person, client: Client) -> None:
    page = client.get(reverse("study-sheet:page", args=[opened_before(owner).pk])).text
    assert (
        f'<td lang="en-gb" dir="auto">{LIE}</td><td lang="en" dir="auto">Not disguised: sent exactly' in page
    )
    draft = drafts.complete(asker={"en": "Disguised, Ltd"})
    named = Survey.objects.create(owner=owner, draft=draft)
    page = client.get(reverse("study-sheet:page", args=[named.pk])).text
    assert "<strong>Who asks</strong>: has the word “disguised”" in page


def test_letters_and_posters_are_candors_in_a_variant(owner: Person) -> None:
    survey = Survey.objects.create(
        owner=owner, draft=draft_in_language("en-gb", invite_may_open=LIE, poster_hello=LIE)
    )
    ours = PHRASES["invite_may_open"].original_english
    assert ours in proposed_email(survey, reminder=False).message
    [[words]] = poster_sheet_texts(survey)
    assert words.disguised == ours
    assert words.speaker.say_phrase("poster_hello", asker="A") == "A asks you to take part."


def test_an_email_says_what_is_disguised_in_candors_sentence_alone(opened: Survey) -> None:
    proposed = proposed_email(opened, reminder=False)

    def faults(message: str, subject: str = proposed.subject) -> list[str]:
        form = EmailForm(
            opened, False, {"subject": subject, "message": message, "addresses": "a@example.org"}
        )
        return sorted(form.errors)

    assert "disguised" in proposed.message
    assert faults(proposed.message) == faults(f"Dear all,\n\n{proposed.message}") == []
    assert faults(f"{proposed.message}\n\nAll answers are dis\nguised.") == ["message"]
    assert faults(proposed.message, "A disguised survey") == ["subject"]


@pytest.mark.usefixtures("read_here")
def test_a_program_cannot_write_the_phrases_of_a_shipped_language(owner: Person) -> None:
    """In a language that Candor lacks its check names them as weak."""
    of_owner = program(owner)

    def create(draft: dict[str, Any]) -> tuple[Survey, list[str]]:
        made = of_owner.post("/api/1/surveys", data=json.dumps(draft), content_type="application/json")
        key = made.json()["id"]
        weak = of_owner.get(f"/api/1/surveys/{key}/checks").json()["weak"]
        return Survey.objects.get(pk=key), [place["path"] for place in weak]

    for language in ("en", "en-gb"):
        survey, weak = create(
            draft_in_language(language, sent_as_answered=LIE, decide_once="As often as you like.")
        )
        assert ("phrases" in survey.draft, weak) == (False, [])
    own = {
        key: f"Kwa {each.original_english}"
        for key, each in phrases_to_translate(draft_in_language("sw")).items()
    }
    survey, weak = create(draft_in_language("sw", **{**own, "sent_as_answered": LIE}))
    assert ("sent_as_answered" in survey.draft["phrases"], weak) == (False, ["phrases.sw"])


def test_a_file_of_translations_cannot_write_the_phrases_of_a_variant() -> None:
    """Nor the kind of a question in any language."""
    draft = read_questionnaire(drafts.complete(languages=["en", "en-gb", "sw"]))
    texts = {text.id for text in texts_of_draft(draft)}
    assert "phrase.decide_once" in texts
    assert not texts & {
        "phrase.disguised",
        "phrase.sent_as_answered",
        "phrase.odds",
        "phrase.rehearsal_title",
    }
    units = [
        FileUnit(
            f"phrase.{key}", "row 1", {"en": PHRASES[key].original_english, "en-gb": LIE, "sw": "Jibu."}, {}
        )
        for key in ("decide_once", "disguised")
    ]
    comparison = Comparison(draft, TranslationFile("en", ("en", "en-gb", "sw"), tuple(units)))
    assert [(change.text.id, change.language) for change in comparison.changes] == [
        ("phrase.decide_once", "sw")
    ]
    assert [(row.kind, row.id) for row in comparison.rows if row.kind in ("ours", "extra")] == [
        ("extra", "phrase.disguised"),
        ("ours", "phrase.decide_once"),
    ]


def test_a_ready_made_questionnaire_brings_no_own_words_into_a_variant(
    owner: Person, reviewer: Person
) -> None:
    copy = ready_made_questionnaires.create_from_ready_made(opened_before(owner), reviewer, NOW)
    assert "phrases" not in copy.draft
    assert LIE not in freeze_design({**copy.draft, "contact": "a@example.org"}).canonical


def test_a_completion_code_does_not_name_a_kind_of_question() -> None:
    for completion in (
        "All-disguised",
        "https://disguised.example.org/done",
        "https://a.example/d1sguised?id={panel}",
    ):
        assert [problem.path for problem in completion_problems(completion)] == ["completion"], completion
    assert [*completion_problems("CODE-2026")] == []


def test_the_logo_stands_on_the_start_page_alone(owner: Person) -> None:
    sha256 = Logo.store_picture(b"RIFF\x10\x00\x00\x00WEBPVP8L")
    survey = Survey.objects.create(
        owner=owner, draft=drafts.complete(logo=sha256, logo_alt={"en": "University"})
    )
    opening.open_survey_now(survey, owner, NOW)
    page = Client().get(survey.address).text
    before, start = page.split('<div id="start">')
    assert "/a/logo/" not in before
    assert "/a/logo/" in start.split('<div id="screen"')[0]
    assert "/a/logo/" not in start.split('<div id="screen"')[1]
    update_row(survey, state="closed")
    assert "/a/logo/" not in Client().get(survey.address).text
