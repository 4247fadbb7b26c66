"""Checking a questionnaire that may be unfinished as strictly as a design: only what is still missing is forgiven."""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from typing import Any

from django.utils.translation import gettext as _

from privacy import designs
from privacy.grammar.texts import MOST_LANGUAGES
from privacy.kinds.place.section import FEWEST_CELLS, FURTHEST, MOST_CELLS, PlaceSection
from privacy.kinds.subset.section import FEWEST_CHOICES, SubsetSection
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.phrases import of_design

Node = Mapping[str, Any]
ANY_CHOICES = ["a", "b", "c"]
MANY_CHOICES = 60
MOST_QUESTIONS = MOST_SECTIONS = 500
MOST_ANSWERS, MOST_TEXTS = 20_000, 25_000
"""Beyond any questionnaire, and what a page of the builder still shows. Answers are those of all questions; texts are
the questions and answers in each of the languages."""


def check(draft: Draft) -> None:
    """A `Refusal` with the path of whatever could never become a design."""
    of_design.check(designs.parse(json.dumps(_filled(draft), ensure_ascii=False, separators=(",", ":"))))


def too_large(draft: Draft) -> str:
    """Why the builder could not show it, in the reader's language; nothing where it could."""
    sections = drafts.sections(draft)
    questions = [each for section in sections for each in drafts.questions(section)]
    choices = (each.get("choices") for each in questions)
    answers = sum(len(each) for each in choices if isinstance(each, list))
    labels = sum(_labels(each) for each in questions)
    if len(sections) > MOST_SECTIONS:
        return _("hold more than %(most)s sections; split the questionnaire") % {"most": MOST_SECTIONS}
    if len(questions) > MOST_QUESTIONS:
        return _("hold more than %(most)s questions; split the questionnaire") % {"most": MOST_QUESTIONS}
    if answers > MOST_ANSWERS:
        return _("hold more answers in all than a questionnaire can have")
    languages = min(len(drafts.languages(draft)), MOST_LANGUAGES)
    if (len(questions) + answers) * languages + labels > MOST_TEXTS:
        return _("hold more questions and answers, in all languages together, than a questionnaire can have")
    return ""


def _labels(question: Node) -> int:
    """Of the cells of a place; most go by their names."""
    cells = question.get("cells")
    found = (
        [each.get("label") for each in cells if isinstance(each, Mapping)] if isinstance(cells, list) else []
    )
    return sum(len(each) if isinstance(each, Mapping) else 1 for each in found if each)


def _filled(draft: Draft) -> Node:
    """With a section, a question, two choices wherever none are written yet; behind the others, so that paths stay."""
    sections = draft.get("sections")
    if not isinstance(sections, list):
        return draft
    taken = {str(each.get("name")) for section in sections for each in _questions(section)}
    names = (name for number in range(len(sections) + 1) if (name := f"unfinished {number}") not in taken)
    found = [_section(each, next(names)) for each in sections]
    return {**draft, "sections": found or [{"kind": "plain", "questions": [_question("unfinished")]}]}


def _questions(section: object) -> list[Node]:
    found = section.get("questions") if isinstance(section, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _section(section: Any, name: str) -> Any:
    if not isinstance(section, Mapping) or not isinstance(section.get("questions"), list):
        return section
    finish = FINISHED.get(str(section.get("kind")), _finished)
    questions = [finish(each) if isinstance(each, Mapping) else each for each in section["questions"]]
    return {**section, "questions": questions or [_question(name)]}


def _question(name: str) -> Node:
    return {"name": name, "choices": ANY_CHOICES[:2]}


def _finished(question: Node) -> Node:
    made = _with_rules(question)
    choices = question.get("choices")
    if isinstance(choices, list) and len(choices) < 2:
        names = [each.get("name") if isinstance(each, Mapping) else each for each in choices]
        made["choices"] = [*choices, *(name for name in ANY_CHOICES if name not in names)][:2]
        made.pop("noise", None)
    return made


def _finished_set(question: Node) -> Node:
    """With so many choices, where there are too few, that a set of two says something of the true one."""
    made, choices = _finished(question), question.get("choices")
    is_short = isinstance(choices, list) and len(choices) < FEWEST_CHOICES
    return {**made, "choices": [str(number) for number in range(MANY_CHOICES)]} if is_short else made


def _finished_place(question: Node) -> Node:
    """With more cells, a region, and so many cells in each region as are near, wherever there are fewer yet."""
    made = _with_rules(question)
    cells, regions = question.get("cells"), question.get("regions")
    if not isinstance(cells, list) or not isinstance(regions, list):
        return made
    added: list[str] = []
    names = _recorded((f"unfinished {number}" for number in count()), added)
    empty = {"name": "unfinished region", "cells": []}
    drawn = [_with_cells(each, question.get("near"), names) for each in regions or [empty]]
    while len(cells) + len(added) < FEWEST_CELLS:
        next(names)
    filled = [{"name": name, "at": [FURTHEST - row, -FURTHEST]} for row, name in enumerate(added)]
    return {**made, "cells": [*cells, *filled], "regions": drawn}


def _with_cells(region: Any, near: Any, names: Iterator[str]) -> Any:
    if not isinstance(region, Mapping) or not isinstance(region.get("cells"), list):
        return region
    wanted = region.get("near", near)
    least = min(wanted, MOST_CELLS) if type(wanted) is int else 1
    missing = max(1, least) - len(region["cells"])
    return {**region, "cells": [*region["cells"], *islice(names, max(0, missing))]}


def _recorded(names: Iterator[str], given: list[str]) -> Iterator[str]:
    for name in names:
        given.append(name)
        yield name


def _with_rules(question: Node) -> dict[str, Any]:
    """Without the rules that allow nothing yet."""
    made, rules = dict(question), question.get("show_if")
    if isinstance(rules, Mapping):
        made["show_if"] = {name: allowed for name, allowed in rules.items() if allowed != []}
    return made


FINISHED: dict[str, Callable[[Node], Node]] = {
    PlaceSection.kind: _finished_place,
    SubsetSection.kind: _finished_set,
}
"""By kind how a question is finished, where it has no choices."""
