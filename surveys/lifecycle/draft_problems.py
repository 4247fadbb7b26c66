"""Finds all mistakes and missing parts that keep a stored draft from being opened."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils.translation import get_language, gettext as _, ngettext

from privacy.designs import InputError
from privacy.designs.design import DUTIES, LEAST
from privacy.designs.parsing import COLOUR
from privacy.grammar.question import YES_NO
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.lifecycle.design_from_draft import freeze_design_cached, untranslated_phrases
from surveys.phrases.languages import shipped_language_for
from surveys.questionnaire.problems_and_refusals import Problem, language_name, reason_text
from ui.survey_accent_colour import readable_shade

IN_EVERY_LANGUAGE = ("title", "asker", "why", "consent")
IN_ALL_OR_NONE = ("intro", "thanks", "panel", *DUTIES)

Node = Mapping[str, Any]


MOST_KNOWN = 500
_known: dict[tuple[bytes, date, int, str | None], tuple[Problem, ...]] = {}
"""Cache of problems by the digest of a draft, the day, the floor and the reader's language, for lists of many
drafts."""


def draft_problems(draft: Draft, today: date, floor: int) -> list[Problem]:
    """Returns everything that keeps the draft from being opened; `floor` is the smallest batch that the site allows.

    Results are cached: freezing a draft costs milliseconds, and a list of surveys needs many.
    """
    digest = hashlib.sha256(json.dumps(draft).encode()).digest()
    key = digest, today, floor, get_language()
    problems = _known.get(key)
    if problems is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        problems = _known[key] = tuple(_find_problems(draft, today, floor))
    return list(problems)


def _find_problems(draft: Draft, today: date, floor: int) -> list[Problem]:
    spoken = draft_json.read_languages(draft)
    result = list(_start_page_problems(draft, spoken, today, floor))
    for index, section in enumerate(draft_json.read_sections_without_understanding_check(draft)):
        result += _missing_text_problems(section, "intro", f"sections[{index}]", spoken, required=False)
        for number, question in enumerate(draft_json.read_questions(section)):
            result += _missing_question_text_problems(
                question, f"sections[{index}].questions[{number}]", spoken
            )
    # Without these sentences, somebody would agree to a protection that they cannot read about. Others are said in
    # English.
    for code, untranslated in untranslated_phrases(draft).items():
        if count := len(untranslated.protecting):
            words = ngettext(
                "%(count)s sentence that states the protection is missing in %(language)s",
                "%(count)s sentences that state the protection are missing in %(language)s",
                count,
            )
            result.append(
                Problem(f"phrases.{code}", words % {"count": count, "language": language_name(code)})
            )
    try:
        freeze_design_cached(draft)
    except InputError as refusal:
        if all(problem.path != refusal.path for problem in result):
            result.append(Problem(refusal.path, reason_text(refusal)))
    return result


def _start_page_problems(draft: Draft, spoken: Sequence[str], today: date, floor: int) -> Iterator[Problem]:
    for key in IN_EVERY_LANGUAGE:
        yield from _missing_text_problems(draft, key, "", spoken)
    for key in IN_ALL_OR_NONE:
        yield from _missing_text_problems(draft, key, "", spoken, required=False)
    if draft_json.read_text(draft, "logo"):
        yield from _missing_text_problems(draft, "logo_alt", "", spoken)
    accent = draft_json.read_text(draft, "accent")
    if COLOUR.fullmatch(accent) and readable_shade(accent, "light") != accent:
        reason = _("has too little contrast; the nearest shade that is read easily is %(shade)s")
        yield Problem("accent", reason % {"shade": readable_shade(accent, "light")})
    if not draft_json.read_text(draft, "contact").strip():
        yield Problem("contact", _("required: respondents need a contact"))
    if draft_json.read_number(draft, "minutes", 0) < 1:
        yield Problem("minutes", _("required: how long will it take?"))
    if draft_json.read_number(draft, "least", LEAST) < floor:
        yield Problem("least", _("must be at least %(floor)s here") % {"floor": floor})
    retention = draft_json.read_text(draft, "retention")
    if not retention:
        yield Problem("retention", _("required: when will the answers be deleted?"))
    elif retention <= today.isoformat():
        yield Problem("retention", _("must be a future date"))


def _missing_question_text_problems(question: Node, path: str, spoken: Sequence[str]) -> Iterator[Problem]:
    """Yields problems for the missing texts of a question, its choices, and its regions and cells."""
    yield from _missing_text_problems(question, "text", path, spoken)
    for key in ("label", "help", "unit", "none"):
        yield from _missing_text_problems(question, key, path, spoken, required=False)
    if isinstance(number := question.get("number"), dict):
        yield from _missing_text_problems(number, "unit", f"{path}.number", spoken, required=False)
    # Only a crosswise question has a secret; one that is turned has its opposite, too.
    if "secret" in question:
        yield from _missing_text_problems(question, "secret", path, spoken)
    if question.get("turned_by"):
        yield from _missing_text_problems(question, "turned", path, spoken)
    choices = question.get("choices")
    nodes = [
        choice if isinstance(choice, dict) else {"name": choice}
        for choice in (choices if isinstance(choices, list) else ())
    ]
    # Candor says yes and no itself, in the languages it ships.
    is_yes_no = tuple(choice.get("name") for choice in nodes) == YES_NO
    needs_labels = not is_yes_no or not all(map(shipped_language_for, spoken))
    form = question.get("form")
    for number, choice in enumerate(nodes):
        # Of an option, the label of its yes is its words; a point of a scale may go by its number alone.
        required = needs_labels
        if form in ("many", "scale"):
            required = form == "many" and choice.get("name") == "yes"
        yield from _missing_text_problems(
            choice, "label", f"{path}.choices[{number}]", spoken, required=required
        )
    for row, region in enumerate(draft_json.read_json_objects(question, "regions")):
        yield from _missing_text_problems(region, "label", f"{path}.regions[{row}]", spoken)
    yield from _missing_cell_label_problems(question, path, spoken)


def _missing_cell_label_problems(question: Node, path: str, spoken: Sequence[str]) -> Iterator[Problem]:
    """Yields one problem per language for the cells of a map that have labels only in other languages."""
    faults = [
        problem
        for cell in draft_json.read_json_objects(question, "cells")
        for problem in _missing_text_problems(cell, "label", f"{path}.cells", spoken, required=False)
    ]
    for code in spoken:
        if lacking := sum(problem.path.endswith(f".label.{code}") for problem in faults):
            words = ngettext(
                "%(count)s label is missing in %(language)s",
                "%(count)s labels are missing in %(language)s",
                lacking,
            )
            yield Problem(f"{path}.cells.{code}", words % {"count": lacking, "language": language_name(code)})


def _missing_text_problems(
    node: Node, key: str, path: str, spoken: Sequence[str], required: bool = True
) -> Iterator[Problem]:
    """Yields a problem for each language in which a text is missing. If not `required`, the text may be missing in all
    languages."""
    texts = node.get(key)
    if isinstance(texts, str):
        texts = dict.fromkeys(spoken[:1], texts)
    given = texts if isinstance(texts, dict) else {}
    missing = [code for code in spoken if not str(given.get(code, "")).strip()]
    if not required and len(missing) == len(spoken):
        return
    for code in missing:
        reason = _("required")
        if len(spoken) > 1:
            reason = _("required in %(language)s") % {"language": language_name(code)}
        yield Problem(f"{path}.{key}.{code}" if path else f"{key}.{code}", reason)
