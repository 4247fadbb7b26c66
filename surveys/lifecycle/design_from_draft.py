"""Freezes a stored draft into a design, and finds the fixed sentences ("phrases") that the survey's pages need."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from privacy import designs
from privacy.designs.design import UNDERSTANDINGS, UNDERSTOOD
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.question_reading import NUMBER_SENTENCES
from privacy.kinds.plain.section import PlainSection
from surveys.draft_json import (
    BUILDER_KEYS,
    PAIRS,
    PRESET,
    TOGETHER,
    UNDERSTANDING,
    Draft,
    has_understanding_check,
    read_languages,
    read_questions,
    read_sections_without_understanding_check,
)
from surveys.kinds.phrase_selection import (
    draft_features,
    invitation_promise,
    phrases_for_design,
    phrases_for_kinds,
)
from surveys.kinds.read_draft import section_class
from surveys.phrases import phrase_rendering
from surveys.phrases.fixed_page_sentence import Phrases
from surveys.phrases.inviting import INVITING
from surveys.phrases.kind_and_chance import ALWAYS_CANDORS
from surveys.questionnaire import hypotheses
from surveys.questionnaire.report_sentence_texts import without_sentence_texts

MOST_KEPT = 32


def design_json_from_draft(draft: Draft, *, keep_sentence_texts: bool = False) -> str:
    """Converts a draft to the JSON of a design, without its hypotheses, since respondents can read a design.

    `keep_sentence_texts`: keeps the texts for sentences of reports, which a draft's file may contain and a
    design may not.
    """
    design = {key: value for key, value in draft.items() if key not in BUILDER_KEYS}
    if isinstance(draft.get(hypotheses.KEY), Mapping):
        del design[hypotheses.KEY]
    if isinstance(draft.get("sections"), list):
        given = (
            read_sections_without_understanding_check(draft)
            if has_understanding_check(draft)
            else draft["sections"]
        )
        design["sections"] = [_without_builder_keys(section, keep_sentence_texts) for section in given]
        if has_understanding_check(draft):
            design["sections"].append(understanding_check_section(draft))
    return json.dumps(design)


def _without_builder_keys(section: Any, keep_sentence_texts: bool) -> Any:
    """Returns the JSON of a section without the keys that only the builder reads."""
    if not isinstance(section, dict):
        return section
    bare = {key: value for key, value in section.items() if key not in (PRESET, TOGETHER, PAIRS)}
    keys = section_class(section).own_keys - (NUMBER_SENTENCES if keep_sentence_texts else set())
    bare_question = dict if keep_sentence_texts else without_sentence_texts
    if isinstance(section.get("questions"), list):
        bare["questions"] = [
            bare_question({key: value for key, value in node.items() if key not in keys})
            if isinstance(node, dict)
            else node
            for node in section["questions"]
        ]
    return bare


def understanding_check_section(draft: Draft) -> dict[str, Any]:
    """Builds the section that checks whether respondents understood the disguise: the last of a design, asked first.
    Its texts are phrases."""
    spoken = read_languages(draft)
    own = phrase_rendering.read_own_phrases(draft.get("phrases"), spoken)
    stored, *labels = (
        phrase_rendering.phrase_by_language(key, own.get(key, {}), spoken).as_json()
        for key in ("understood_stored", "understood_at_once", "understood_explained", "understood_not")
    )
    choices = [{"name": name, "label": label} for name, label in zip(UNDERSTANDINGS, labels, strict=True)]
    question = {"name": UNDERSTOOD, "form": "one", "text": stored, "choices": choices}
    return {"kind": PlainSection.kind, "questions": [question]}


def freeze_design(draft: Draft, *, checks_hypotheses: bool = True) -> designs.Design:
    """Returns the design made from the draft, with the phrases of its pages and the SHA-256 of its hypotheses; raises
    `InputError` if the draft is unfinished, or a hypothesis, which not everybody may see, does not fit it."""
    names = (
        question.get("name")
        for section in read_sections_without_understanding_check(draft)
        for question in read_questions(section)
    )
    if has_understanding_check(draft) and UNDERSTOOD in names:
        reason = _("a question is called %(name)s: give it another name")
        raise designs.InputError(UNDERSTANDING, reason, name=quote_value(UNDERSTOOD))
    design = designs.parse_design(design_json_from_draft(draft))
    phrase_rendering.check_texts(design)
    if plan := hypotheses.read_plan(draft.get(hypotheses.KEY)):
        # A process that reads files for others has no database.
        from surveys.lifecycle.earlier_designs import design_before  # late for Django

        if checks_hypotheses:
            hypotheses.check_hypotheses(plan, hypotheses.HypothesisSubjects(design, design_before(design)))
        design = replace(design, plan=plan.fingerprint)
    return phrase_rendering.with_complete_phrases(design, phrases_for_design(design))


def freeze_design_cached(draft: Draft) -> designs.Design:
    """Returns the design made from the draft, like `freeze_design`, but from a cache of the last drafts, and whatever
    its hypotheses are. The list of surveys and each page about a draft ask for the same design.
    """
    return _freeze_text(json.dumps(draft))


@lru_cache(MOST_KEPT)
def _freeze_text(text: str) -> designs.Design:
    return freeze_design(json.loads(text), checks_hypotheses=False)


def needed_phrases(draft: Draft) -> Phrases:
    """Returns the phrases (fixed sentences) that the pages for respondents of this draft can show."""
    return phrases_for_kinds(_names_of_kinds(draft), draft_features(draft))


def phrases_to_translate(draft: Draft) -> Phrases:
    """Returns the phrases of pages, invitation emails and posters to translate, without those that are always
    in Candor's own words."""
    promise = invitation_promise(_names_of_kinds(draft), draft_features(draft))
    phrases = {**needed_phrases(draft), **INVITING, **promise}
    return {key: phrase for key, phrase in phrases.items() if key not in ALWAYS_CANDORS}


def _names_of_kinds(draft: Draft) -> list[str]:
    return [str(section.get("kind")) for section in read_sections_without_understanding_check(draft)]


def untranslated_phrases(draft: Draft) -> dict[str, phrase_rendering.Untranslated]:
    """Returns the phrases that lack a translation, by language; languages with all translations are left out."""
    needed, own = (
        phrases_to_translate(draft),
        phrase_rendering.read_own_phrases(draft.get("phrases"), read_languages(draft)),
    )
    untranslated = {
        code: phrase_rendering.find_untranslated(needed, own, code) for code in read_languages(draft)
    }
    return {code: missing for code, missing in untranslated.items() if missing.protecting or missing.others}
