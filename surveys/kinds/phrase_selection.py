"""Selects the phrases (fixed sentences) that respondents of a survey can see, by its question kinds and
features."""

from collections.abc import Collection, Iterable
from enum import Enum

from privacy.designs import Design
from privacy.designs.design import DUTIES
from privacy.kinds.grouped.section import LASTING
from privacy.kinds.plain.number_bands import NUMBER
from surveys import draft_json
from surveys.draft_json import (
    Draft,
    read_questions,
    read_sections_without_understanding_check,
    read_text,
    read_text_with_fallback,
)
from surveys.kinds.read_draft import DRAFTS
from surveys.phrases import arms_crosswise_and_rounds, inviting, quotas, start_page
from surveys.phrases.all_phrases import EVERY_SURVEY
from surveys.phrases.answering import UNDERSTANDING
from surveys.phrases.asked_elsewhere import HOSTED, TOOL
from surveys.phrases.embedding import FRAMED
from surveys.phrases.field_devices import FIELD
from surveys.phrases.fixed_page_sentence import Phrases
from surveys.phrases.how_answers_are_disguised import DEVICE_DISGUISES_NOTHING, NOTHING_DISGUISED
from surveys.phrases.numbers_and_places import BANDS
from surveys.phrases.sending import COMPLETING
from surveys.questionnaire.draft_section import DraftSection


class Feature(Enum):
    """A property of a survey, other than its kinds of questions, with the phrases that respondents then see."""

    ARMS = arms_crosswise_and_rounds.ARMS
    FOLLOWING = arms_crosswise_and_rounds.FOLLOWING
    LASTING = arms_crosswise_and_rounds.LASTING
    ROUNDS = start_page.ONE_ROUND
    EXCHANGE = inviting.EXCHANGE
    UNDERSTANDING = UNDERSTANDING
    OPEN_ANSWERS = start_page.OPEN_ANSWERS
    REHEARSAL = start_page.REHEARSAL
    COMPLETION = COMPLETING
    BANDS = BANDS
    QUOTAS = quotas.QUOTA
    SITES = FRAMED
    FIELD_DEVICES = FIELD
    INSIDE_TOOL = TOOL
    HOST = HOSTED
    ETHICS, OFFICER, PRIVACY, IMPRINT = ({name: start_page.DUTY_HEADINGS[name]} for name in DUTIES)


NEED_SCRIPT = frozenset({Feature.ARMS, Feature.EXCHANGE, Feature.UNDERSTANDING, Feature.OPEN_ANSWERS})
"""Features with which a survey has no page without JavaScript."""


def draft_classes_of_kinds(names: Iterable[str]) -> list[type[DraftSection]]:
    """Returns the section classes of these kinds, each once; unknown kinds are left out."""
    return [DRAFTS[name] for name in dict.fromkeys(names) if name in DRAFTS]


def phrases_for_kinds(kinds: Collection[str], features: Collection[Feature]) -> Phrases:
    """Returns the phrases that respondents can see in a survey with these question kinds and features."""
    asked = draft_classes_of_kinds(kinds)
    throws = any(kind.throws for kind in asked) or len(asked) < len(set(kinds))
    parts: list[tuple[Phrases, bool]] = [
        *((kind.phrases, True) for kind in asked),
        (NOTHING_DISGUISED, not any(kind.sensitive for kind in asked)),
        (DEVICE_DISGUISES_NOTHING, not throws),
        (arms_crosswise_and_rounds.FORM, not throws and NEED_SCRIPT.isdisjoint(features)),
        *((feature.value, feature in features) for feature in Feature),
    ]
    phrases = dict(EVERY_SURVEY)
    for part, is_needed in parts:
        phrases |= part if is_needed else {}
    return phrases


def design_features(design: Design) -> frozenset[Feature]:
    """Returns the features of a design that decide which phrases its respondents can see."""
    has = {
        Feature.ARMS: design.has_arms,
        Feature.FOLLOWING: design.follows,
        Feature.LASTING: design.lasting_sections,
        Feature.ROUNDS: design.rounds,
        Feature.EXCHANGE: design.invitation_key,
        Feature.UNDERSTANDING: design.understanding,
        Feature.OPEN_ANSWERS: design.open_answers,
        Feature.REHEARSAL: design.rehearsal,
        Feature.COMPLETION: design.panel,
        Feature.BANDS: design.has_banded_numbers,
        Feature.QUOTAS: design.quotas,
        Feature.SITES: design.sites,
        Feature.FIELD_DEVICES: design.has_field_devices,
        Feature.INSIDE_TOOL: design.inside,
        Feature.HOST: design.host,
        **{Feature[name.upper()]: getattr(design, name) for name in DUTIES},
    }
    return frozenset(feature for feature in Feature if has[feature])


def phrases_for_design(design: Design) -> Phrases:
    """Returns the phrases that respondents of this design can see."""
    return phrases_for_kinds([section.kind for section in design.sections], design_features(design))


def draft_features(draft: Draft) -> frozenset[Feature]:
    """Returns the features of a draft, perhaps unfinished, that decide which phrases its respondents can see."""
    sections = read_sections_without_understanding_check(draft)
    has = {
        Feature.ARMS: draft.get("direct"),
        Feature.FOLLOWING: draft.get(draft_json.FOLLOWS),
        Feature.LASTING: any(LASTING in section for section in sections),
        Feature.ROUNDS: draft.get(draft_json.ROUNDS),
        Feature.EXCHANGE: read_text(draft, draft_json.INVITATION_KEY),
        Feature.UNDERSTANDING: draft_json.has_understanding_check(draft),
        Feature.OPEN_ANSWERS: draft.get("open_answers") is True,
        Feature.REHEARSAL: draft.get("rehearsal") is True,
        Feature.COMPLETION: draft_json.start_page_promises_completion_code(draft),
        Feature.BANDS: any(
            NUMBER in question for section in sections for question in read_questions(section)
        ),
        Feature.QUOTAS: draft.get("quotas"),
        Feature.SITES: draft_json.read_sites(draft),
        Feature.FIELD_DEVICES: read_text(draft, draft_json.SEALING_KEY),
        Feature.INSIDE_TOOL: draft_json.read_asked_at(draft).get("inside"),
        Feature.HOST: draft_json.read_asked_at(draft).get("host"),
        **{Feature[name.upper()]: read_text_with_fallback(draft, name, None).strip() for name in DUTIES},
    }
    return frozenset(feature for feature in Feature if has[feature])


def invitation_promise(kinds: Iterable[str], features: Collection[Feature]) -> Phrases:
    """Returns the phrase of an invitation on how answers are protected; none if nothing is disguised."""
    sensitive = [kind for kind in draft_classes_of_kinds(kinds) if kind.sensitive]
    if not sensitive:
        return {}
    if Feature.ARMS in features:
        return inviting.INVITING_ARMS
    is_open = Feature.OPEN_ANSWERS in features
    if not all(kind.throws for kind in sensitive):
        return inviting.INVITING_SECRETS_OPEN if is_open else inviting.INVITING_SECRETS
    return inviting.INVITING_OPEN if is_open else inviting.INVITING_DISGUISED
