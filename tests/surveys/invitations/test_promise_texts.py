"""What posters and letters promise is what the design keeps."""

from typing import Any

import pytest

from people.models import Person
from privacy.designs import Design
from surveys.invitations import posters, sending as inviting
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.surveys.invitations.test_pages import shown

PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
HIDDEN = {
    "kind": "unrelated-question",
    "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}],
}
DISGUISED = "Sensitive answers are disguised on your own device before anything is sent"
OPENLY = ", unless you choose to answer without disguise."


def design(*sections: dict[str, Any], **more: Any) -> Design:
    return asked.written(*sections, title={"en": "Work"}, asker={"en": "The council"}, **more)


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
        assert ("This is a rehearsal. The survey is being tried out." in words) is rehearsal


def test_a_poster_promises_in_each_language_of_the_survey(owner: Person) -> None:
    survey = asked.survey(design(HIDDEN, languages=["en", "zh-hans"]), owner=owner)
    english, chinese = (part.disguised for sheet in posters.sheets(survey) for part in sheet)
    assert english == f"{DISGUISED}."
    assert chinese != english
