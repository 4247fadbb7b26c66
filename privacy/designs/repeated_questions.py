"""Which questions and answers a later design asks as an earlier one did, so that their shares can be compared
(docs/mathematics.md, Waves).

Both designs are given as mining uses them.
"""

from typing import Any

from privacy.designs.design import Design
from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.question import Question

AnswerPair = tuple[tuple[int, int], tuple[int, int]]
"""One answer in the earlier and in the later design, each by question and code."""


def comparable_questions(earlier: Design, later: Design) -> list[tuple[int, int]]:
    """Returns the indexes, in both designs, of the questions with the same name, choices and text in the first
    language."""
    before = {
        _question_key(question, earlier): index
        for index, question in enumerate(earlier.questions)
        if question.choices
    }
    return [
        (before[key], index)
        for index, question in enumerate(later.questions)
        if question.choices and (key := _question_key(question, later)) in before
    ]


def _question_key(question: Question, design: Design) -> tuple[Any, ...]:
    first = design.languages[0]
    # Of a group of yes/no questions the label of *yes* is the option, and so the text.
    labels = (
        tuple(choice.label.in_language_or_first(first) for choice in question.choices) if question.of else ()
    )
    return question.name, question.code_names, question.text.in_language_or_first(first), labels


def comparable_answers(earlier: Design, later: Design) -> list[AnswerPair]:
    """Returns the answers to comparable questions whose shares can be compared; those that devices draw, and items
    estimated from scores, cannot."""
    return [
        ((before, code), (after, code))
        for before, after in comparable_questions(earlier, later)
        for code in later.questions[after].listed_codes
        if not any(
            question.share_parts or question.scored
            for question in (earlier.questions[before], later.questions[after])
        )
    ]


def comparable_results(earlier: Design, later: Design) -> list[AnswerPair]:
    """Returns the comparable answers that are results of the survey: no control items, no check of understanding."""
    return [
        (before, after)
        for before, after in comparable_answers(earlier, later)
        if after[0] != later.understanding_index and later.questions[after[0]].known_parts is None
    ]


def reported_changes(earlier: Design, later: Design) -> list[AnswerPair]:
    """Returns the comparable results of which a report can say how their share changed: no rule hides their question,
    since a report has no error of a share among those who were shown it."""
    return [
        (before, after)
        for before, after in comparable_results(earlier, later)
        if not (earlier.questions[before[0]].show_if or later.questions[after[0]].show_if)
    ]


def reason_without_change(earlier: Design, later: Design, item: str) -> str:
    """Returns why no report says how the share of this answer of the later design changed, with a placeholder for the
    `item`; empty if one does."""
    name, _sign, choice = item.partition("=")
    index, question = next((at, one) for at, one in enumerate(later.questions) if one.name == name)
    answer = index, question.code_names.index(choice)
    if answer in (after for _before, after in reported_changes(earlier, later)):
        return ""
    if all(one.name != name for one in earlier.questions):
        return _("the earlier survey did not ask for %(item)s")
    if all(after != index for _before, after in comparable_questions(earlier, later)):
        return _("the earlier survey asked for %(item)s in other words or with other answers")
    return _("how often %(item)s is given cannot be compared between two surveys")
