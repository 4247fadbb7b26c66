"""Checking a questionnaire that may be unfinished as strictly as a design: only what is still missing is forgiven."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from privacy import designs
from privacy.grammar.texts import MOST_LANGUAGES
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.read_draft import section_class
from surveys.phrases import speaker
from surveys.questionnaire.draft_section import ANY_CHOICES

Node = Mapping[str, Any]
MOST_QUESTIONS = MOST_SECTIONS = 500
MOST_ANSWERS, MOST_TEXTS = 20_000, 25_000
"""Beyond any questionnaire, and what a page of the builder still shows. Answers are those of all questions; texts are
the questions and answers in each of the languages."""


def check(draft: Draft) -> None:
    """A `InputError` with the path of whatever could never become a design."""
    speaker.check_phrases(
        designs.parse(json.dumps(_filled(draft), ensure_ascii=False, separators=(",", ":")))
    )


def too_large(draft: Draft) -> str:
    """Why the builder could not show it, in the reader's language; nothing where it could."""
    sections = draft_json.read_sections(draft)
    questions = [each for section in sections for each in draft_json.read_questions(section)]
    choices = (each.get("choices") for each in questions)
    answers = sum(len(each) for each in choices if isinstance(each, list))
    labels = sum(_labels(each) for each in questions)
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


def _labels(question: Node) -> int:
    """Of the cells of a place; most go by their names."""
    cells = question.get("cells")
    labelled = (
        [each.get("label") for each in cells if isinstance(each, Mapping)] if isinstance(cells, list) else []
    )
    return sum(len(each) if isinstance(each, Mapping) else 1 for each in labelled if each)


def _filled(draft: Draft) -> Node:
    """With a section, a question, two choices wherever none are written yet; behind the others, so that paths stay."""
    sections = draft.get("sections")
    if not isinstance(sections, list):
        return draft
    taken = {str(each.get("name")) for section in sections for each in _questions(section)}
    names = (name for number in range(len(sections) + 1) if (name := f"unfinished {number}") not in taken)
    filled = [_section(each, next(names)) for each in sections]
    return {**draft, "sections": filled or [{"kind": "plain", "questions": [_question("unfinished")]}]}


def _questions(section: object) -> list[Node]:
    questions = section.get("questions") if isinstance(section, Mapping) else None
    return [each for each in questions if isinstance(each, Mapping)] if isinstance(questions, list) else []


def _section(section: Any, name: str) -> Any:
    if not isinstance(section, Mapping) or not isinstance(section.get("questions"), list):
        return section
    complete = section_class(section).complete_question
    questions = [complete(each) if isinstance(each, Mapping) else each for each in section["questions"]]
    return {**section, "questions": questions or [_question(name)]}


def _question(name: str) -> Node:
    return {"name": name, "choices": ANY_CHOICES[:2]}
