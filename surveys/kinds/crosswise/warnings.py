"""Warnings about a crosswise question: a share without a source, a secret like another one, too large an error."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _

from look.numbers import count
from surveys.kinds.crosswise.draft import CrosswiseDraft, CrosswiseDraftQuestion, crosswise_questions
from surveys.kinds.crosswise.protection import crosswise_protection
from surveys.kinds.forms.margins import rounded_up
from surveys.kinds.forms.settings_warning import WIDE, SettingsWarning, expect, few_answers, points
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire

ALIKE = 0.5
"""The part of the three-letter pieces of two secrets that both have, from which they count as similar."""
PIECE, COMPARED = 3, 400
"""The letters of a piece, and of a secret that are compared."""


def crosswise_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    section = draft.sections[number]
    assert isinstance(section, CrosswiseDraft)
    if not section.question.source.strip():
        words = _(
            "The share of the secret has no source. A wrong share makes the estimate wrong: write where it comes "
            "from, for example a register or a calendar."
        )
        yield SettingsWarning("source", words, (), number)
    if other := _like_another(draft, number, section.question):
        words = _(
            "The secret is similar to that of “%(name)s”. If one secret tells about the other, the two answers "
            "together tell more than stated. Ask about another person."
        )
        yield SettingsWarning("alike", words % {"name": other}, (), number)
    protection = crosswise_protection(section, draft.respondents, PRIOR)
    if protection is None:
        return
    if not protection.enough:
        yield few_answers(protection.respondents, number)
    elif protection.half_width > WIDE:
        words = _(
            "With %(expected)s answers, the share of this crosswise question is known only to ± %(points)s points."
        )
        said = {"expected": count(protection.respondents), "points": points(protection.half_width)}
        needed = rounded_up(ceil(protection.respondents * (protection.half_width / WIDE) ** 2))
        yield SettingsWarning("noisy", words % said, (expect(needed),), number, protection.half_width)


def _like_another(draft: Questionnaire, number: int, question: CrosswiseDraftQuestion) -> str:
    """The name of an earlier question with a similar secret, empty where there is none."""
    own = question.secrets
    for at, other in crosswise_questions(draft):
        if at >= number:
            return ""
        if any(similarity(one, two) >= ALIKE for one in own for two in other.secrets):
            return other.name
    return ""


def similarity(one: str, other: str) -> float:
    """The part of the pieces of two texts that both have (Jaccard), whatever their case and spaces."""
    first, second = _pieces(one), _pieces(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def _pieces(text: str) -> set[str]:
    letters = " ".join(text.split()).casefold()[:COMPARED]
    return {letters[at : at + PIECE] for at in range(max(1, len(letters) - PIECE + 1))} if letters else set()
