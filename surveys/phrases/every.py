"""All phrases by their id, and which of them the pages of a survey need."""

from collections.abc import Iterable, Mapping

from surveys.phrases.answering import (
    ANSWERING,
    CHECKING,
    CHOICES,
    PREVIEW,
    RECORDED_SETS,
    SETS,
    SHARED,
    TRIES,
)
from surveys.phrases.chances import (
    DISGUISE,
    GROUPED_CHANCES,
    NOTHING_DISGUISED,
    NUMBER_CHANCES,
    PLACE_CHANCES,
    SET_CHANCES,
)
from surveys.phrases.completing import COMPLETING
from surveys.phrases.how_it_works import HOW_IT_WORKS, NEAR_HEADS, TOY
from surveys.phrases.inviting import INVITING, INVITING_DISGUISED, INVITING_OPEN
from surveys.phrases.numbers_and_places import NUMBERS, PLACES, RECORDED_NUMBERS
from surveys.phrases.phrase import Phrases
from surveys.phrases.receipts import VERIFYING
from surveys.phrases.sending import INVITED, SENDING
from surveys.phrases.start_page import (
    BY_INVITATION,
    NOT_YET,
    OPEN_ANSWERS,
    PREVIEW_PAGE,
    PROOF,
    REHEARSAL,
    START,
    STATES,
)
from surveys.phrases.studies import ARMS, CROSSWISE, CROSSWISE_RECORDS, CROSSWISE_SCREEN, FOLLOWING, FORM
from surveys.without_script import KINDS as WITHOUT_SCRIPT

ANSWER_PAGE: Phrases = {**SHARED, **ANSWERING, **CHECKING, **SENDING}
"""What the scripts of every survey say."""
RECEIPT_PAGE: Phrases = {**SHARED, **VERIFYING, **RECORDED_NUMBERS, **CROSSWISE_RECORDS, **RECORDED_SETS}
BY_KIND: Mapping[str, Phrases] = {
    "unrelated-question": {**TOY, **TRIES, **CHOICES},
    "number": {**TOY, **TRIES, **NUMBERS},
    "place": {**TOY, **PLACES},
    "crosswise": CROSSWISE_SCREEN,
    "subset": {**TOY, **SETS},
}
"""What they say of one kind of section only."""

EVERY_SURVEY: Phrases = {**START, **STATES, **PROOF, **DISGUISE, **ANSWER_PAGE, **BY_INVITATION, **INVITED}
"""Invitations can be made for every survey."""
SENSITIVE_KINDS: Mapping[str, Phrases] = {
    "unrelated-question": {**HOW_IT_WORKS, **TOY, **TRIES, **CHOICES, **GROUPED_CHANCES},
    "number": {**HOW_IT_WORKS, **TOY, **TRIES, **NEAR_HEADS, **NUMBER_CHANCES, **NUMBERS},
    "place": {**HOW_IT_WORKS, **TOY, **NEAR_HEADS, **PLACE_CHANCES, **PLACES},
    "crosswise": {**HOW_IT_WORKS, **CROSSWISE},
    "subset": {**HOW_IT_WORKS, **TOY, **SET_CHANCES, **SETS},
}

LETTERS: Phrases = {**INVITING, **INVITING_DISGUISED, **INVITING_OPEN}
"""What invitation emails and posters say; no page for respondents does."""

PHRASES: Phrases = {
    **EVERY_SURVEY,
    **NOTHING_DISGUISED,
    **SENSITIVE_KINDS["unrelated-question"],
    **SENSITIVE_KINDS["number"],
    **SENSITIVE_KINDS["place"],
    **SENSITIVE_KINDS["crosswise"],
    **SENSITIVE_KINDS["subset"],
    **ARMS,
    **FOLLOWING,
    **FORM,
    **OPEN_ANSWERS,
    **REHEARSAL,
    **COMPLETING,
    **PREVIEW_PAGE,
    **PREVIEW,
    **NOT_YET,
    **RECEIPT_PAGE,
    **LETTERS,
}


def needed(
    kinds: Iterable[str],
    *,
    open_answers: bool,
    rehearsal: bool,
    has_arms: bool = False,
    follows: bool = False,
    completion: bool = False,
) -> Phrases:
    """The phrases that respondents of a survey with these kinds of sections can meet."""
    found = dict(EVERY_SURVEY)
    asked = list(dict.fromkeys(kinds))
    sensitive = [kind for kind in asked if kind in SENSITIVE_KINDS]
    for kind in sensitive:
        found |= SENSITIVE_KINDS[kind]
    if not sensitive:
        found |= NOTHING_DISGUISED
    if has_arms:
        found |= ARMS
    if follows:
        found |= FOLLOWING
    if open_answers:
        found |= OPEN_ANSWERS
    if WITHOUT_SCRIPT.issuperset(asked) and not (has_arms or open_answers):
        found |= FORM
    if rehearsal:
        found |= REHEARSAL
    if completion:
        found |= COMPLETING
    return found


def inviting(kinds: Iterable[str], *, open_answers: bool) -> Phrases:
    """The phrases of the emails and posters of such a survey, besides those of its pages."""
    if not any(kind in SENSITIVE_KINDS for kind in kinds):
        return INVITING
    return {**INVITING, **(INVITING_OPEN if open_answers else INVITING_DISGUISED)}
