"""What posters and letters promise is what the design keeps."""

import json
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Person
from intake.invitations import posters, sending as inviting
from privacy.designs import Design
from surveys.kinds.phrases import phrases_for_design
from surveys.lifecycle import create
from surveys.lifecycle.freezing import untranslated_phrases
from surveys.models import Survey
from surveys.phrases.every import LETTERS, PHRASES
from surveys.phrases.of_design import completed
from tests.cast import As
from tests.intake import asked
from tests.intake.invitations.test_pages import shown

pytestmark = pytest.mark.page
PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
HIDDEN = {
    "kind": "unrelated-question",
    "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}],
}
DISGUISED = "Sensitive answers are disguised on your own device before anything is sent"
OPENLY = ", unless you choose to answer without disguise."


def design(*sections: dict[str, Any], **more: Any) -> Design:
    return asked.written(*sections, title="Work", asker="The council", **more)


def promised(survey: Survey, client: Any) -> list[str]:
    """The poster, and the proposed letters."""
    letters = [inviting.proposal(survey, reminder=reminder).message for reminder in (False, True)]
    return [shown(client, survey, "invitations/poster"), *letters]


@pytest.mark.parametrize(
    ("asks", "disguised", "openly"),
    [
        (design(PLAIN), False, False),
        (design(PLAIN, HIDDEN), True, False),
        (design(PLAIN, HIDDEN, open_answers=True), True, True),
        (design(PLAIN, open_answers=True), False, False),
    ],
    ids=["plain questions only", "disguised", "open answers allowed", "nothing to answer openly"],
)
def test_the_disguise_is_promised_where_there_is_one(
    asks: Design, disguised: bool, openly: bool, owner: Person, signed_in_as: As
) -> None:
    for words in promised(asked.survey(asks, owner=owner), signed_in_as(owner)):
        assert (DISGUISED in words, OPENLY in words) == (disguised, openly)
        assert "Nobody will learn" not in words


@pytest.mark.parametrize("rehearsal", [True, False])
def test_a_rehearsal_is_marked_and_nothing_else_is(rehearsal: bool, owner: Person, signed_in_as: As) -> None:
    survey = asked.survey(design(HIDDEN, rehearsal=rehearsal), owner=owner)
    for words in promised(survey, signed_in_as(owner)):
        assert ("This is a rehearsal. This survey is being tried out " in words) is rehearsal


def test_a_poster_promises_in_each_language_of_the_survey(owner: Person) -> None:
    survey = asked.survey(design(HIDDEN, languages=["en", "zh-hans"]), owner=owner)
    english, chinese = (part.disguised for sheet in posters.sheets(survey) for part in sheet)
    assert english == f"{DISGUISED}."
    assert chinese != english


SIX = ("en", "zh-hans", "de", "fr", "es", "ar")


@pytest.mark.parametrize("language", SIX)
def test_emails_and_posters_say_the_phrases_of_the_language(owner: Person, language: str) -> None:
    survey = asked.survey(design(HIDDEN, languages=[language], contact="council@example.org"), owner=owner)
    said = inviting.proposal(survey, reminder=False).message
    for key in ("invite_disguised", "invite_same_link"):
        assert PHRASES[key].shipped(language) in said
    ((part,),) = posters.sheets(survey)
    assert part.disguised == PHRASES["invite_disguised"].shipped(language)
    assert part.speaker.direction == ("rtl" if language == "ar" else "ltr")


PORTUGUESE = {
    "invite_hello": "%(asker)s convida você: %(title)s.",
    "invite_disguised": "As respostas são disfarçadas no seu aparelho.",
    "invite_same_link": "Responda uma só vez:",
    "poster_scan": "Leia o código.",
}


@pytest.mark.parametrize("is_open", [True, False])
def test_the_researchers_words_are_those_of_emails_and_posters(
    owner: Person, signed_in_as: As, is_open: bool
) -> None:
    own = {key: {"pt": text} for key, text in PORTUGUESE.items()}
    written = design(HIDDEN, languages=["pt"], phrases=own)
    asks = completed(written, phrases_for_design(written))
    survey = asked.survey(asks, owner=owner)
    if not is_open:
        survey = create.duplicate(survey, owner, timezone.now(), rehearsal=False)
    said = inviting.proposal(survey, reminder=False).message
    assert "The council convida você: Work." in said
    assert PORTUGUESE["invite_disguised"] in said
    page = signed_in_as(owner).get(f"/surveys/{survey.pk}/invitations/poster").content.decode()
    assert PORTUGUESE["poster_scan"] in page
    assert '<span lang="en" dir="ltr">The council asks you to take part.</span>' in page


def test_words_of_emails_are_no_weight_on_the_pages_of_languages_that_are_shipped() -> None:
    written = design(HIDDEN, languages=["en", "de"])
    asks = completed(written, phrases_for_design(written))
    assert not dict(asks.phrases).keys() & LETTERS.keys()


def test_the_disguise_in_emails_must_be_translated_before_opening() -> None:
    asks = design(HIDDEN, languages=["pt"])
    draft = json.loads(asks.canonical)
    missing = untranslated_phrases(draft)["pt"]
    assert "invite_disguised" in missing.protecting
    assert "invite_may_open" not in (*missing.protecting, *missing.others)
    assert {"invite_hello", "poster_scan"} <= set(missing.others)
