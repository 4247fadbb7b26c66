"""Words of an item of a number, in the reader's language: "500 euros or more", "500 to under 2,000 euros"."""

from django.utils.translation import gettext as _

from privacy.grammar.question import Question
from privacy.kinds.number.number import AT_LEAST, BELOW, NUMBER
from privacy.kinds.scored_items import ScoredItems
from ui.numbers import format_count
from ui.quantities import format_quantity


def number_item_text(question: Question, code: int, language: str) -> str:
    """Returns the range of numbers that an item means, or its value on a scale; empty for other questions."""
    if question.form != NUMBER or not isinstance(question, ScoredItems):
        return ""
    unit = question.unit.in_language(language)
    ends = {
        sign: int(part.removeprefix(sign))
        for part in question.choices[code].name.split()
        for sign in (AT_LEAST, BELOW)
        if part.startswith(sign)
    }
    low, high = ends.get(AT_LEAST), ends.get(BELOW)
    if question.scale_step and code in question.class_items:
        return format_count(high - question.scale_step if low is None and high is not None else low or 0)
    if high is None:
        return _("%(number)s or more") % {"number": format_quantity(low or 0, unit)}
    if low is None:
        return _("under %(number)s") % {"number": format_quantity(high, unit)}
    return _("%(low)s to under %(high)s") % {"low": format_count(low), "high": format_quantity(high, unit)}
