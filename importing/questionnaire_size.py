"""Limits the size of an imported questionnaire: a list of choices is written once in a form and used many times."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from importing import draft_check
from surveys.questionnaire.draft_question import DraftQuestion

MOST_WRITTEN = 4_000_000
"""Characters of all questions together; a design has no more."""


class RowRefused(ValueError):
    """Raised for a row that is left out, with the reason in the reader's language."""


class TooLarge(RowRefused):
    """Raised when the questionnaire exceeds its limits; no later row is read."""


class SizeCounter:
    """Counts the questions, answers and characters imported so far; raises when a limit is exceeded."""

    def __init__(self) -> None:
        self._questions = self._answers = self._written = 0

    def count_questions(self, questions: int) -> None:
        self._questions += questions
        if self._questions > draft_check.MOST_QUESTIONS:
            reason = _(
                "here the form has more than %(most)s questions, the most that a questionnaire holds; every option of"
                " select_multiple counts as one. Split the form"
            )
            raise TooLarge(reason % {"most": draft_check.MOST_QUESTIONS})

    def count_answers(self, answers: int) -> None:
        self._answers += answers
        if self._answers > draft_check.MOST_ANSWERS:
            raise RowRefused(_("here the questions have more answers in all than a questionnaire holds"))

    def count_text(self, questions: Sequence[DraftQuestion]) -> None:
        self._written += sum(_characters(question.as_json()) for question in questions)
        if self._written > MOST_WRITTEN:
            raise TooLarge(_("here the questions have more text in all than a questionnaire holds"))


def _characters(node: Any) -> int:
    if isinstance(node, str):
        return len(node) + 1
    if isinstance(node, Mapping):
        return sum(_characters(key) + _characters(each) for key, each in node.items())
    return sum(map(_characters, node)) if isinstance(node, list) else 1
