"""All phrases by their id. What only some surveys say is chosen in `surveys.kinds.phrases`."""

from surveys.phrases.answering import (
    ANSWERING,
    CHECKING,
    CHOICES,
    PREVIEW,
    RECORDED_SETS,
    SETS,
    SHARED,
    TRIES,
    UNDERSTANDING,
)
from surveys.phrases.chances import (
    DISGUISE,
    GROUPED_CHANCES,
    HOW_IT_WORKS,
    NEAR_HEADS,
    NOTHING_DISGUISED,
    NUMBER_CHANCES,
    PLACE_CHANCES,
    SET_CHANCES,
    TOY,
)
from surveys.phrases.inviting import EXCHANGE, INVITING, INVITING_DISGUISED, INVITING_OPEN
from surveys.phrases.numbers_and_places import NUMBERS, PLACES, RECORDED_NUMBERS
from surveys.phrases.phrase import Phrases
from surveys.phrases.sending import COMPLETING, INVITED, SENDING, VERIFYING
from surveys.phrases.start_page import (
    BY_INVITATION,
    DUTY_HEADINGS,
    NOT_YET,
    ONE_ROUND,
    OPEN_ANSWERS,
    PREVIEW_PAGE,
    PROOF,
    PROVEN,
    REHEARSAL,
    START,
    STATES,
)
from surveys.phrases.studies import ARMS, CROSSWISE, CROSSWISE_RECORDS, FOLLOWING, FORM, LASTING

ANSWER_PAGE: Phrases = {**SHARED, **ANSWERING, **CHECKING, **SENDING}
"""What the scripts of every survey say."""
RECEIPT_PAGE: Phrases = {**SHARED, **VERIFYING, **RECORDED_NUMBERS, **CROSSWISE_RECORDS, **RECORDED_SETS}

EVERY_SURVEY: Phrases = {**START, **STATES, **PROOF, **DISGUISE, **ANSWER_PAGE, **BY_INVITATION, **INVITED}
"""Invitations can be made for every survey."""
LETTERS: Phrases = {**INVITING, **INVITING_DISGUISED, **INVITING_OPEN}
"""What invitation emails and posters say; no page for respondents does."""

PHRASES: Phrases = {
    **EVERY_SURVEY,
    **NOTHING_DISGUISED,
    **HOW_IT_WORKS,
    **TOY,
    **TRIES,
    **CHOICES,
    **GROUPED_CHANCES,
    **NEAR_HEADS,
    **NUMBER_CHANCES,
    **NUMBERS,
    **PLACE_CHANCES,
    **PLACES,
    **CROSSWISE,
    **SET_CHANCES,
    **SETS,
    **ARMS,
    **FOLLOWING,
    **LASTING,
    **FORM,
    **UNDERSTANDING,
    **ONE_ROUND,
    **EXCHANGE,
    **OPEN_ANSWERS,
    **REHEARSAL,
    **COMPLETING,
    **DUTY_HEADINGS,
    **PREVIEW_PAGE,
    **PREVIEW,
    **NOT_YET,
    **PROVEN,
    **RECEIPT_PAGE,
    **LETTERS,
}
