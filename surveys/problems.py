"""What is wrong with a draft or missing in it, so that it cannot be opened."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.utils.translation import get_language_info, gettext as _, gettext_lazy, ngettext

from privacy.designs import Refusal
from privacy.designs.design import LEAST
from privacy.grammar.question import YES_NO
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.freezing import frozen, untranslated_phrases
from surveys.phrases.shipped import shipped_for

IN_EVERY_LANGUAGE = ("title", "asker", "why", "consent")
IN_ALL_OR_NONE = ("intro", "thanks", "panel")

Node = Mapping[str, Any]


class Problem(NamedTuple):
    """`path` as in a design (`sections[0].questions[1].text.en`), `reason` in the reader's language."""

    path: str
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason[0].upper() + self.reason[1:] + "."

    @property
    def anchor(self) -> str:
        """The id of this place's field in the editor."""
        return re.sub(r"[^a-z0-9]+", "-", self.path.lower()).strip("-")


def problems(draft: Draft, today: date, floor: int) -> list[Problem]:
    """Everything that keeps this draft from being opened; `floor` is the smallest `least` of the instance."""
    found = [*_start_page(draft), *_numbers(draft, today, floor), *_questions(draft), *_phrases(draft)]
    try:
        frozen(draft)
    except Refusal as refusal:
        if all(problem.path != refusal.path for problem in found):
            found.append(Problem(refusal.path, reason_of(refusal)))
    return found


def reason_of(refusal: Refusal) -> str:
    """The reason in the reader's language; `privacy` itself knows English only."""
    return _(refusal.template) % refusal.values if refusal.values else _(refusal.template)


def placed_reason_of(refusal: Refusal) -> str:
    """With the place before it, as a line that stands alone."""
    return _("%(place)s: %(reason)s") % {"place": refusal.path, "reason": reason_of(refusal)}


def _start_page(draft: Draft) -> Iterator[Problem]:
    spoken = drafts.languages(draft)
    for key in IN_EVERY_LANGUAGE:
        yield from _said(draft, key, "", spoken)
    for key in IN_ALL_OR_NONE:
        yield from _said(draft, key, "", spoken, required=False)
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
    for place, section in enumerate(drafts.sections(draft)):
        yield from _said(section, "intro", f"sections[{place}]", spoken, required=False)
        for number, question in enumerate(drafts.questions(section)):
            path = f"sections[{place}].questions[{number}]"
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
    found = [
        problem
        for cell in _nodes(question, "cells")
        for problem in _said(cell, "label", f"{path}.cells", spoken, required=False)
    ]
    for code in spoken:
        lacking = sum(problem.path.endswith(f".label.{code}") for problem in found)
        if lacking:
            words = ngettext(
                "%(count)s label is missing in %(language)s",
                "%(count)s labels are missing in %(language)s",
                lacking,
            )
            yield Problem(f"{path}.cells.{code}", words % {"count": lacking, "language": language_name(code)})


def _nodes(question: Node, key: str) -> list[Node]:
    found = question.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


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


def language_name(code: str) -> str:
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


NAMES = {
    "title": gettext_lazy("title"),
    "asker": gettext_lazy("who asks"),
    "why": gettext_lazy("why it is asked"),
    "intro": gettext_lazy("introduction"),
    "consent": gettext_lazy("what people agree to"),
    "thanks": gettext_lazy("thanks"),
    "panel": gettext_lazy("about the completion code"),
    "completion": gettext_lazy("completion code or address"),
    "contact": gettext_lazy("contact"),
    "minutes": gettext_lazy("minutes it takes"),
    "least": gettext_lazy("minimum batch size"),
    "retention": gettext_lazy("deletion date"),
    "languages": gettext_lazy("languages"),
    "sections": gettext_lazy("sections"),
    "questions": gettext_lazy("questions"),
    "choices": gettext_lazy("choices"),
    "text": gettext_lazy("question text"),
    "help": gettext_lazy("help text"),
    "label": gettext_lazy("label"),
    "name": gettext_lazy("name"),
    "form": gettext_lazy("form"),
    "of": gettext_lazy("group"),
    "none": gettext_lazy("answer that excludes the others"),
    "order": gettext_lazy("random order"),
    "shuffled": gettext_lazy("random order of answers"),
    "role": gettext_lazy("role"),
    "keep": gettext_lazy("keep"),
    "noise": gettext_lazy("noise"),
    "asked": gettext_lazy("asked"),
    "show_if": gettext_lazy("show-if"),
    "unit": gettext_lazy("unit"),
    "secret": gettext_lazy("secret question"),
    "turned": gettext_lazy("opposite secret question"),
    "turned_by": gettext_lazy("drawn question that turns the secret"),
    "share": gettext_lazy("share of the secret"),
    "source": gettext_lazy("source of the share"),
    "known": gettext_lazy("known share of a control item"),
    "shares": gettext_lazy("shares of a drawn question"),
    "step": gettext_lazy("step"),
    "low": gettext_lazy("lowest number"),
    "values": gettext_lazy("numbers"),
    "window": gettext_lazy("window"),
    "uniform": gettext_lazy("uniform"),
    "high": gettext_lazy("highest number"),
    "limits": gettext_lazy("limits"),
    "cuts": gettext_lazy("limits drawn"),
    "rest": gettext_lazy("rest"),
    "keep_rest": gettext_lazy("keep probability of the rest"),
    "regions": gettext_lazy("regions"),
    "cells": gettext_lazy("cells"),
    "near": gettext_lazy("near cells"),
    "odds": gettext_lazy("odds"),
    "outline": gettext_lazy("outline"),
    "phrases": gettext_lazy("fixed sentences"),
    "direct": gettext_lazy("share asked directly"),
    "follows": gettext_lazy("survey asked again"),
    "hypotheses": gettext_lazy("hypotheses"),
    "opens": gettext_lazy("opening time"),
    "closes": gettext_lazy("closing time"),
    "cap": gettext_lazy("cap"),
    "at_once": gettext_lazy("answers expected at once"),
}
"""What a person calls the members of a design."""


def path_text(path: str) -> str:
    """A place as a person would say it: "Section 2, question 1, choice 3: label"."""
    pieces: list[str] = []
    keys = re.findall(r"[^.\[\]]+", path)
    for key, after in zip(keys, [*keys[1:], ""], strict=True):
        number = int(after) + 1 if after.isdecimal() else 0
        if key in ("sections", "questions", "choices", "regions", "cells", "hypotheses") and number:
            pieces.append(
                {
                    "sections": _("section %(number)s"),
                    "questions": _("question %(number)s"),
                    "choices": _("choice %(number)s"),
                    "regions": _("region %(number)s"),
                    "cells": _("cell %(number)s"),
                    "hypotheses": _("hypothesis %(number)s"),
                }[key]
                % {"number": number}
            )
        elif key in NAMES:
            pieces.append(str(NAMES[key]))
    said = _(", ").join(pieces) or path
    return said[0].upper() + said[1:]
