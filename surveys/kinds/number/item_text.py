"""Text of an item (an answer) of a number question: "500 euros or more", "500 to under 2,000 euros"."""

from privacy.grammar.question import Question
from privacy.kinds.number.number_question import AT_LEAST, BELOW, NUMBER
from privacy.kinds.scored_items import ScoredItems
from ui.number_format import format_count
from ui.quantity_format import format_half_open_range


def number_item_text(question: Question, code: int, language: str) -> str:
    """Returns the range of numbers that this code stands for, or its number on a scale; empty for other questions."""
    if question.form != NUMBER or not isinstance(question, ScoredItems):
        return ""
    unit = question.unit.in_language_or_first(language)
    ends = {
        sign: int(part.removeprefix(sign))
        for part in question.choices[code].name.split()
        for sign in (AT_LEAST, BELOW)
        if part.startswith(sign)
    }
    low, high = ends.get(AT_LEAST), ends.get(BELOW)
    if question.scale_step and code in question.class_items:
        return format_count(high - question.scale_step if low is None and high is not None else low or 0)
    return format_half_open_range(low, high, unit)
