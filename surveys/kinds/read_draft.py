"""Parses a stored draft or an upload into a Questionnaire: corrects every mistake that privacy.designs would
refuse."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from privacy.designs.parsing import COLOUR, HASH, LEAST_DIRECT, MOST_DIRECT, MOST_ROUNDS
from privacy.grammar.question_reading import RESERVED_NAME
from privacy.grammar.translated_texts import LANGUAGE
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.crosswise.draft import CrosswiseDraft
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.number.draft import NumberDraft
from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.plain.draft import PlainDraft
from surveys.kinds.subset.draft import SubsetDraft
from surveys.phrases.phrase_rendering import read_own_phrases
from surveys.questionnaire.draft_section import DraftSection, UnknownKindSection
from surveys.questionnaire.hypotheses import plan_in_normal_form
from surveys.questionnaire.questionnaire import TEXTS, Questionnaire
from surveys.questionnaire.quotas import read_draft_quotas
from surveys.questionnaire.value_normalization import (
    UniqueNames,
    normal_probability,
    normal_text,
    normal_texts,
)

DRAFTS: Mapping[str, type[DraftSection]] = {
    draft.kind: draft
    for draft in (PlainDraft, GroupedDraft, NumberDraft, PlaceDraft, CrosswiseDraft, SubsetDraft)
}
"""Section classes of drafts by kind: the light half of surveys.kinds.registry, for the process that reads uploads."""

MOST_KEPT = 16


def read_questionnaire(draft: Draft) -> Questionnaire:
    """Returns the questionnaire of a stored draft or an upload, in normal form and with unique names."""
    codes = (code for code in draft_json.read_languages(draft) if LANGUAGE.fullmatch(code))
    languages = tuple(dict.fromkeys(codes)) or ("en",)
    names, groups = UniqueNames([RESERVED_NAME]), UniqueNames()
    logo, accent = _read_hash(draft.get("logo")), str(draft.get("accent")).lower()
    direct, rounds = normal_probability(draft.get("direct")), _integer_or_none(draft.get("rounds")) or 0
    is_arm = direct and LEAST_DIRECT <= int(direct.removeprefix("0.")) <= MOST_DIRECT
    phrases = read_own_phrases(draft.get("phrases"), languages)
    return Questionnaire(
        languages=languages,
        **{key: normal_texts(draft.get(key), languages) for key in TEXTS if logo or key != "logo_alt"},
        logo=logo,
        accent=accent if COLOUR.fullmatch(accent) else "",
        contact=normal_text(draft.get("contact")),
        leave_to=normal_text(draft.get("leave_to")),
        sites=draft_json.read_sites(draft),
        minutes=_integer_or_none(draft.get("minutes")),
        least=_integer_or_none(draft.get("least")),
        retention=draft_json.read_text(draft, "retention"),
        open_answers=draft.get("open_answers") is True,
        rehearsal=draft.get("rehearsal") is True,
        expected=_integer_or_none(draft.get("expected")),
        phrases={key: normal_texts(wording, languages) for key, wording in phrases.items()},
        direct=direct if direct and is_arm else "",
        follows=_read_hash(draft.get("follows")),
        study=_read_hash(draft.get("study")),
        rounds=rounds if 2 <= rounds <= MOST_ROUNDS else 0,
        plan=plan_in_normal_form(draft.get("plan")),
        invitation_key=draft_json.read_text(draft, draft_json.INVITATION_KEY),
        token_key=draft_json.read_text(draft, draft_json.TOKEN_KEY),
        sealing_key=draft_json.read_text(draft, draft_json.SEALING_KEY),
        understanding=draft_json.has_understanding_check(draft),
        quotas=read_draft_quotas(draft.get("quotas")),
        asked_at=draft_json.read_asked_at(draft),
        sections=tuple(
            section
            for data in draft_json.read_sections_without_understanding_check(draft)
            for section in read_sections_from_json(data, languages, names, groups)
        ),
    )


def read_stored_questionnaire(draft: Draft) -> Questionnaire:
    """Returns the questionnaire of a draft from the database.

    The last few results are cached: the views and services of one request, and the page after it, ask for the same.
    """
    return _questionnaire_from_json_text(json.dumps(draft))


@lru_cache(MOST_KEPT)
def _questionnaire_from_json_text(text: str) -> Questionnaire:
    return read_questionnaire(json.loads(text))


def read_sections_from_json(
    data: Mapping[str, Any], languages: Sequence[str], names: UniqueNames, groups: UniqueNames
) -> Iterator[DraftSection]:
    """Yields the sections in this JSON: several if a kind of single-question sections is given several
    questions, none if it is given none."""
    return section_class(data).read_sections(data, languages, names, groups)


def section_class(data: Mapping[str, Any]) -> type[DraftSection]:
    """Returns the class of sections for the kind that a section's JSON names; a class for unknown kinds if this version
    does not know it."""
    kind = data.get("kind")
    return DRAFTS.get(kind, UnknownKindSection) if isinstance(kind, str) else UnknownKindSection


def _integer_or_none(value: object) -> int | None:
    return value if type(value) is int else None


def _read_hash(value: object) -> str:
    return value if isinstance(value, str) and HASH.fullmatch(value) else ""
