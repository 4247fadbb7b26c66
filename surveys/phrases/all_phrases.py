"""All phrases (fixed sentences of respondents' pages) by id. `surveys.kinds.phrase_selection` selects those that a
survey needs.
"""

from surveys.phrases import (
    answering,
    arms_crosswise_and_rounds,
    asked_elsewhere,
    embedding,
    field_devices,
    how_answers_are_disguised,
    inviting,
    numbers_and_places,
    quotas,
    sending,
    start_page,
)
from surveys.phrases.fixed_page_sentence import Phrases

ANSWER_PAGE: Phrases = answering.SHARED | answering.ANSWERING | answering.CHECKING | sending.SENDING
"""Phrases that the scripts of every survey need."""
RECEIPT_PAGE: Phrases = (
    answering.SHARED
    | sending.VERIFYING
    | numbers_and_places.RECORDED_NUMBERS
    | arms_crosswise_and_rounds.CROSSWISE_RECORDS
    | answering.RECORDED_SETS
)
EVERY_SURVEY: Phrases = {
    **start_page.START,
    **start_page.STATES,
    **start_page.PROOF,
    **how_answers_are_disguised.DISGUISE,
    **ANSWER_PAGE,
    **start_page.BY_INVITATION,
    **sending.INVITED,
}
"""Phrases of every survey, those about invitations included, since every survey can have invitations."""
LETTERS: Phrases = (
    inviting.INVITING
    | inviting.INVITING_DISGUISED
    | inviting.INVITING_OPEN
    | inviting.INVITING_ARMS
    | inviting.INVITING_SECRETS
    | inviting.INVITING_SECRETS_OPEN
)
"""Phrases of invitation emails and posters, which no respondents' page shows."""

PHRASES: Phrases = {
    key: phrase
    for module in (
        start_page,
        how_answers_are_disguised,
        answering,
        numbers_and_places,
        arms_crosswise_and_rounds,
        sending,
        inviting,
        embedding,
        field_devices,
        asked_elsewhere,
        quotas,
    )
    for name, group in vars(module).items()
    if name.isupper()
    for key, phrase in group.items()
}
