"""Checks a draft as strictly as the final questionnaire of an opened survey (its design), except that parts may still
be missing."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import file_refusal
from privacy import designs
from privacy.designs import InputError
from privacy.grammar.translated_texts import MOST_LANGUAGES
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.read_draft import section_class
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.phrases import phrase_rendering
from surveys.questionnaire.draft_section import ANY_CHOICES

Node = Mapping[str, Any]
MOST_QUESTIONS = MOST_SECTIONS = 500
MOST_ANSWERS, MOST_TEXTS = 20_000, 25_000
"""Highest numbers of answers of all questions, and of texts in all languages: more than any questionnaire
has, and still few enough for a page of the builder."""


def check_draft(draft: Draft) -> None:
    """Checks a draft as if its survey were opened, except that parts may be missing.

    Raises `InputError` with the path of the first part that can never be valid.
    """
    phrase_rendering.check_texts(
        designs.parse_design(json.dumps(_add_placeholders(draft), ensure_ascii=False, separators=(",", ":")))
    )


def find_refusal(draft: Draft) -> InputError | None:
    """Returns the reason why an imported draft can never become a valid questionnaire, or None.

    Raises `FileRefused` if the draft is too large.
    """
    if reason := too_large_reason(draft):
        raise file_refusal(reason)
    try:
        check_draft(json.loads(design_json_from_draft(draft)))
    except InputError as refusal:
        return refusal
    return None


def too_large_reason(draft: Draft) -> str:
    """Returns the reason why a draft is too large for the builder, in the reader's language; an empty text if it is
    not."""
    sections = draft_json.read_sections_without_understanding_check(draft)
    questions = [each for section in sections for each in draft_json.read_questions(section)]
    choices = (each.get("choices") for each in questions)
    answers = sum(len(each) for each in choices if isinstance(each, list))
    labels = sum(_count_cell_labels(each) for each in questions)
    if len(sections) > MOST_SECTIONS:
        return _("hold more than %(most)s sections; split the questionnaire") % {"most": MOST_SECTIONS}
    if len(questions) > MOST_QUESTIONS:
        return _("hold more than %(most)s questions; split the questionnaire") % {"most": MOST_QUESTIONS}
    if answers > MOST_ANSWERS:
        return _("hold more answers in all than a questionnaire can have")
    languages = min(len(draft_json.read_languages(draft)), MOST_LANGUAGES)
    if (len(questions) + answers) * languages + labels > MOST_TEXTS:
        return _("hold more questions and answers, in all languages together, than a questionnaire can have")
    return ""


def _count_cell_labels(question: Node) -> int:
    """Counts the labels of a place question's cells; most cells have none, so that their name is shown."""
    cells = question.get("cells")
    labelled = (
        [each.get("label") for each in cells if isinstance(each, Mapping)] if isinstance(cells, list) else []
    )
    return sum(len(each) if isinstance(each, Mapping) else 1 for each in labelled if each)


def _add_placeholders(draft: Draft) -> Node:
    """Returns the draft with a placeholder section, question or two choices wherever there are none yet.

    Placeholders stand after the existing parts, so that the paths in error messages stay right.
    """
    sections = draft.get("sections")
    if not isinstance(sections, list):
        return draft
    taken = {str(each.get("name")) for section in sections for each in _question_nodes(section)}
    names = (name for number in range(len(sections) + 1) if (name := f"unfinished {number}") not in taken)
    filled = [_add_placeholders_to_section(each, next(names)) for each in sections]
    return {
        **draft,
        "sections": filled or [{"kind": "plain", "questions": [_placeholder_question("unfinished")]}],
    }


def _question_nodes(section: object) -> list[Node]:
    questions = section.get("questions") if isinstance(section, Mapping) else None
    return [each for each in questions if isinstance(each, Mapping)] if isinstance(questions, list) else []


def _add_placeholders_to_section(section: Any, name: str) -> Any:
    if not isinstance(section, Mapping) or not isinstance(section.get("questions"), list):
        return section
    complete = section_class(section).complete_question
    questions = [complete(each) if isinstance(each, Mapping) else each for each in section["questions"]]
    return {**section, "questions": questions or [_placeholder_question(name)]}


def _placeholder_question(name: str) -> Node:
    return {"name": name, "choices": ANY_CHOICES[:2]}
