"""The answers that two waves of a survey can be compared in (docs/mathematics.md, Waves)."""

from typing import Any

from privacy.designs import Design, Refusal
from privacy.grammar.question import Question
from privacy.grammar.refusal import marked as _


def comparable_questions(earlier: Design, later: Design) -> list[tuple[int, int]]:
    """The places, in both designs, of questions with the same name, choices and text in the first language."""
    before = {
        _key(question, earlier): place for place, question in enumerate(earlier.questions) if question.choices
    }
    pairs = [
        (before[_key(question, later)], place)
        for place, question in enumerate(later.questions)
        if question.choices and _key(question, later) in before
    ]
    if not pairs:
        raise Refusal(
            "waves",
            _("no question has the same name, choices and text in both designs: copy it with Ask again"),
        )
    return pairs


def _key(question: Question, design: Design) -> tuple[Any, ...]:
    first = design.languages[0]
    # Of a group of yes/no questions the label of *yes* is the option, and so the text.
    labels = tuple(choice.label.in_language(first) for choice in question.choices) if question.of else ()
    return question.name, question.code_names, question.text.in_language(first), labels
