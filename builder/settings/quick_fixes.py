"""Quick fixes: a word and numbers such as "asked 1 3", applied to the draft as it is by then."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import exp, log
from typing import Any

from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from surveys.kinds.grouped.draft import is_grouped
from surveys.kinds.number.editing import divide_widest
from surveys.kinds.registry import kind_of
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.blocks import section_at, with_section
from surveys.questionnaire.laws import adjustable_laws, left_by_fixed
from surveys.questionnaire.normal_values import probability
from surveys.questionnaire.protection import USUAL
from surveys.questionnaire.questionnaire import Questionnaire

MOST_EXPECTED = 10**9


def _keep(text: str) -> str:
    if (keep := probability(text)) is None:
        raise ValueError(text)
    return keep


SETTINGS: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    "asked": {"asked": int},
    "keep": {"keep": _keep},
    "both": {"asked": int, "keep": _keep},
}
"""By the word of a fix what it sets of questions that are disguised together, in the order of its numbers."""


def fixed(draft: Questionnaire, do: str) -> Questionnaire:
    """The draft with a quick fix applied; refused where the word is unknown or the section is gone."""
    word, *numbers = do.split() or [""]
    if word == "closed":
        return replace(draft, open_answers=False)
    if word == "share":
        return shared(draft, USUAL)
    try:
        if word == "expect":
            return replace(draft, expected=min(max(1, int(numbers[0])), MOST_EXPECTED))
        number = int(numbers[0])
        if word == "limit":
            return _limited(draft, number, USUAL)
        if word == "widest":
            return divide_widest(draft, number)
        wanted = zip(SETTINGS[word].items(), numbers[1:], strict=True)
        settings = {name: read(text) for (name, read), text in wanted}
    except (ValueError, IndexError, KeyError):
        raise NotAllowed(_("That could not be understood. Reload the page and try again.")) from None
    section = section_at(draft, number)
    if not is_grouped(section):
        raise NotAllowed(_("This section is not disguised any more."))
    return with_section(draft, number, replace(section, **settings))


def _limited(draft: Questionnaire, number: int, limit: GammaLimit) -> Questionnaire:
    """The draft with this section alone within the limit."""
    section = section_at(draft, number)
    is_set = section.has_settings and section.law()
    limited = kind_of(section).within(section, limit) if is_set else None
    if limited is None:
        raise NotAllowed(
            _("So little can be kept that nothing could be learnt. Ask each person fewer questions.")
        )
    return with_section(draft, number, limited)


def shared(draft: Questionnaire, limit: GammaLimit) -> Questionnaire:
    """Every section keeps less, its share of the person's epsilon unchanged, until the limit admits them all."""
    adjustable = list(adjustable_laws(draft))
    if not adjustable:
        raise NotAllowed(_("Nothing is disguised yet, or only by the secrets of crosswise questions."))
    limit = left_by_fixed(draft, limit)
    if limit.gamma <= 1:
        raise NotAllowed(_("Crosswise questions alone are above this limit. Leave some out."))
    budget = min(1.0, log(limit.gamma) / sum(log(law.gamma) for _number, law in adjustable))
    if budget == 1:
        return draft
    for number, law in adjustable:
        # Rounded down, so that the product of all stays within the limit.
        allowed = Fraction(int(exp(log(law.gamma) * budget) * 10**6), 10**6)
        draft = _limited(draft, number, GammaLimit(allowed, strict=False))
    return draft
