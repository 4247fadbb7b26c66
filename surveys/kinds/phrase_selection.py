"""Selects the phrases (fixed sentences) that respondents of a survey can see, by its question kinds and
features."""

from collections.abc import Collection, Iterable

from privacy.designs import Design
from privacy.designs.design import DUTIES
from surveys.kinds.read_draft import DRAFTS
from surveys.phrases.all_phrases import EVERY_SURVEY
from surveys.phrases.answering import UNDERSTANDING
from surveys.phrases.arms_crosswise_and_rounds import ARMS, FOLLOWING, FORM, LASTING
from surveys.phrases.embedding import FRAMED
from surveys.phrases.field_devices import FIELD
from surveys.phrases.fixed_page_sentence import Phrases
from surveys.phrases.how_answers_are_disguised import DEVICE_DISGUISES_NOTHING, NOTHING_DISGUISED
from surveys.phrases.inviting import EXCHANGE, INVITING, INVITING_ARMS, INVITING_DISGUISED, INVITING_OPEN
from surveys.phrases.numbers_and_places import BANDS
from surveys.phrases.quotas import QUOTA
from surveys.phrases.sending import COMPLETING
from surveys.phrases.start_page import DUTY_HEADINGS, ONE_ROUND, OPEN_ANSWERS, REHEARSAL
from surveys.questionnaire.draft_section import DraftSection


def draft_classes_of_kinds(names: Iterable[str]) -> list[type[DraftSection]]:
    """Returns the section classes of these kinds, each once; unknown kinds are left out."""
    return [DRAFTS[name] for name in dict.fromkeys(names) if name in DRAFTS]


def phrases_for_kinds(
    kinds: Collection[str],
    *,
    open_answers: bool,
    rehearsal: bool,
    has_arms: bool = False,
    follows_earlier_survey: bool = False,
    lasting: bool = False,
    rounds: bool = False,
    exchanges_invitations: bool = False,
    understanding: bool = False,
    completion: bool = False,
    bands: bool = False,
    quotas: bool = False,
    sites: bool = False,
    field: bool = False,
    duties: Collection[str] = (),
) -> Phrases:
    """Returns the phrases that respondents can see in a survey with these question kinds and features."""
    asked = draft_classes_of_kinds(kinds)
    throws = any(kind.throws for kind in asked) or len(asked) < len(set(kinds))
    parts: list[tuple[Phrases, bool]] = [
        *((kind.phrases, True) for kind in asked),
        (NOTHING_DISGUISED, not any(kind.sensitive for kind in asked)),
        (DEVICE_DISGUISES_NOTHING, not throws),
        (ARMS, has_arms),
        (FOLLOWING, follows_earlier_survey),
        (LASTING, lasting),
        (ONE_ROUND, rounds),
        (EXCHANGE, exchanges_invitations),
        (UNDERSTANDING, understanding),
        (OPEN_ANSWERS, open_answers),
        (FORM, not (throws or has_arms or open_answers or exchanges_invitations or understanding)),
        (REHEARSAL, rehearsal),
        (COMPLETING, completion),
        (BANDS, bands),
        (QUOTA, quotas),
        (FRAMED, sites),
        (FIELD, field),
        ({name: DUTY_HEADINGS[name] for name in duties}, True),
    ]
    phrases = dict(EVERY_SURVEY)
    for part, is_needed in parts:
        phrases |= part if is_needed else {}
    return phrases


def phrases_for_design(design: Design) -> Phrases:
    """Returns the phrases that respondents of this design can see."""
    return phrases_for_kinds(
        [section.kind for section in design.sections],
        open_answers=design.open_answers,
        rehearsal=design.rehearsal,
        has_arms=design.has_arms,
        follows_earlier_survey=bool(design.follows),
        lasting=bool(design.lasting_sections),
        rounds=bool(design.rounds),
        exchanges_invitations=bool(design.invitation_key),
        understanding=design.understanding,
        completion=bool(design.panel),
        bands=design.has_banded_numbers,
        quotas=bool(design.quotas),
        sites=bool(design.sites),
        field=design.has_field_devices,
        duties=[name for name in DUTIES if getattr(design, name)],
    )


def invitation_phrases(kinds: Iterable[str], *, open_answers: bool, has_arms: bool) -> Phrases:
    """Returns the phrases of invitation emails and posters."""
    if not any(kind.sensitive for kind in draft_classes_of_kinds(kinds)):
        return INVITING
    return {
        **INVITING,
        **(INVITING_ARMS if has_arms else INVITING_OPEN if open_answers else INVITING_DISGUISED),
    }
