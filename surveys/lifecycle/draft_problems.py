"""What is wrong with a stored draft or missing in it, so that it cannot be opened."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils.translation import gettext as _, ngettext

from privacy.designs import InputError
from privacy.designs.design import DUTIES, LEAST
from privacy.designs.parsing import COLOUR
from privacy.grammar.question import YES_NO
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.lifecycle.freezing import freeze_design, untranslated_phrases
from surveys.phrases.phrase import shipped_for
from surveys.questionnaire.problems import Problem, language_name, reason_text
from ui.accent import shade

IN_EVERY_LANGUAGE = ("title", "asker", "why", "consent")
IN_ALL_OR_NONE = ("intro", "thanks", "panel", *DUTIES)

Node = Mapping[str, Any]


def problems(draft: Draft, today: date, floor: int) -> list[Problem]:
    """Everything that keeps this draft from being opened; `floor` is the smallest `least` of the instance."""
    result = [*_start_page(draft), *_numbers(draft, today, floor), *_questions(draft), *_phrases(draft)]
    try:
        freeze_design(draft)
    except InputError as refusal:
        if all(problem.path != refusal.path for problem in result):
            result.append(Problem(refusal.path, reason_text(refusal)))
    return result


def _start_page(draft: Draft) -> Iterator[Problem]:
    spoken = drafts.languages(draft)
    for key in IN_EVERY_LANGUAGE:
        yield from _said(draft, key, "", spoken)
    for key in IN_ALL_OR_NONE:
        yield from _said(draft, key, "", spoken, required=False)
    if drafts.text(draft, "logo"):
        yield from _said(draft, "logo_alt", "", spoken)
    accent = drafts.text(draft, "accent")
    if COLOUR.fullmatch(accent) and shade(accent, "light") != accent:
        reason = _("has too little contrast; the nearest shade that is read easily is %(shade)s")
        yield Problem("accent", reason % {"shade": shade(accent, "light")})
    if not drafts.text(draft, "contact").strip():
        yield Problem("contact", _("required: respondents need a contact"))


def _numbers(draft: Draft, today: date, floor: int) -> Iterator[Problem]:
    if drafts.number(draft, "minutes", 0) < 1:
        yield Problem("minutes", _("required: how long will it take?"))
    if drafts.number(draft, "least", LEAST) < floor:
        yield Problem("least", _("must be at least %(floor)s here") % {"floor": floor})
    retention = drafts.text(draft, "retention")
    if not retention:
        yield Problem("retention", _("required: when will the answers be deleted?"))
    elif retention <= today.isoformat():
        yield Problem("retention", _("must be a future date"))


def _questions(draft: Draft) -> Iterator[Problem]:
    spoken = drafts.languages(draft)
    for index, section in enumerate(drafts.sections(draft)):
        yield from _said(section, "intro", f"sections[{index}]", spoken, required=False)
        for number, question in enumerate(drafts.questions(section)):
            path = f"sections[{index}].questions[{number}]"
            yield from _said(question, "text", path, spoken)
            for key in ("label", "help", "unit", "none"):
                yield from _said(question, key, path, spoken, required=False)
            yield from _secrets(question, path, spoken)
            yield from _choices(question, path, spoken)
            yield from _regions(question, path, spoken)
            yield from _cells(question, path, spoken)


def _secrets(question: Node, path: str, spoken: Sequence[str]) -> Iterator[Problem]:
    """Only a crosswise question has a secret; one that is turned has its opposite, too."""
    if "secret" in question:
        yield from _said(question, "secret", path, spoken)
    if question.get("turned_by"):
        yield from _said(question, "turned", path, spoken)


def _phrases(draft: Draft) -> Iterator[Problem]:
    """Without them, somebody would agree to a protection that they cannot read about. Others are said in English."""
    for code, missing in untranslated_phrases(draft).items():
        count = len(missing.protecting)
        if count:
            words = ngettext(
                "%(count)s sentence that states the protection is missing in %(language)s",
                "%(count)s sentences that state the protection are missing in %(language)s",
                count,
            )
            yield Problem(f"phrases.{code}", words % {"count": count, "language": language_name(code)})


def _choices(question: Node, path: str, spoken: Sequence[str]) -> Iterator[Problem]:
    choices = question.get("choices")
    named = [
        (number, choice if isinstance(choice, dict) else {"name": choice})
        for number, choice in enumerate(choices if isinstance(choices, list) else [])
    ]
    form = question.get("form")
    is_yes_no = tuple(choice.get("name") for _number, choice in named) == YES_NO
    for number, choice in named:
        at = f"{path}.choices[{number}]"
        if form == "many":
            # Each member is one option, and the label of its yes is the option's words.
            yield from _said(choice, "label", at, spoken, required=choice.get("name") == "yes")
        elif form == "scale":
            # A point of a scale may go by its number alone.
            yield from _said(choice, "label", at, spoken, required=False)
        else:
            # Candor says yes and no itself, in the languages it ships.
            required = not is_yes_no or not all(map(shipped_for, spoken))
            yield from _said(choice, "label", at, spoken, required=required)


def _regions(question: Node, path: str, spoken: Sequence[str]) -> Iterator[Problem]:
    for row, region in enumerate(_nodes(question, "regions")):
        yield from _said(region, "label", f"{path}.regions[{row}]", spoken)


def _cells(question: Node, path: str, spoken: Sequence[str]) -> Iterator[Problem]:
    """A cell may go by its name; of thousands that lack a label in one language a single problem is told."""
    faults = [
        problem
        for cell in _nodes(question, "cells")
        for problem in _said(cell, "label", f"{path}.cells", spoken, required=False)
    ]
    for code in spoken:
        lacking = sum(problem.path.endswith(f".label.{code}") for problem in faults)
        if lacking:
            words = ngettext(
                "%(count)s label is missing in %(language)s",
                "%(count)s labels are missing in %(language)s",
                lacking,
            )
            yield Problem(f"{path}.cells.{code}", words % {"count": lacking, "language": language_name(code)})


def _nodes(question: Node, key: str) -> list[Node]:
    nodes = question.get(key)
    return [each for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []


def _said(node: Node, key: str, path: str, spoken: Sequence[str], required: bool = True) -> Iterator[Problem]:
    """A required text must exist in every language; another one in all of them or in none."""
    texts = node.get(key)
    if isinstance(texts, str):
        texts = {spoken[0]: texts} if spoken else {}
    given = texts if isinstance(texts, dict) else {}
    missing = [code for code in spoken if not str(given.get(code, "")).strip()]
    if not required and len(missing) == len(spoken):
        return
    at = f"{path}.{key}" if path else key
    for code in missing:
        reason = (
            _("required in %(language)s") % {"language": language_name(code)}
            if len(spoken) > 1
            else _("required")
        )
        yield Problem(f"{at}.{code}", reason)
