"""How many answers would show what is not shown (docs/mathematics.md, What would change a finding)."""

from math import ceil, floor, log10

from django.utils.translation import ngettext

from mining.document.report import Rule
from mining.document.study import ArmDifference
from reports.sentences.parts import Sentence, fill
from ui.numbers import count

MOST = 10_000_000
FIGURES = 2
EDGE = 1e-9


def what_would_change(node: Rule | ArmDifference, records: int) -> int | None:
    """The answers of a survey with so many `records` now, for which the interval would exclude that nothing differs.

    The estimate is taken as it is. Rounded up to two figures; None beyond ten million, where the estimate is that
    nothing differs, where there is no interval, and where it excludes that already.
    """
    if isinstance(node, Rule):
        return needed(node.lift, node.lift_low_listed, node.lift_high_listed, 1.0, records)
    return needed(node.difference, node.low, node.high, 0.0, records)


def needed(
    estimate: float | None, low: float | None, high: float | None, nothing: float, records: int
) -> int | None:
    """N = n ((estimate - end) / (estimate - nothing))^2 with the end of the interval on the side of `nothing`."""
    if estimate is None or estimate == nothing:
        return None
    end = low if estimate > nothing else high
    if end is None:
        return None
    ratio = (estimate - end) / (estimate - nothing)
    if ratio < 1:
        return None
    exact = records * ratio**2
    return None if exact > MOST else _rounded_up(exact)


def _rounded_up(number: float) -> int:
    unit: int = 10 ** max(floor(log10(number)) + 1 - FIGURES, 0) if number else 1
    return ceil(number / unit - EDGE) * unit


def change(node: Rule | ArmDifference, records: int) -> Sentence:
    """Empty where no such number can be said."""
    answers = what_would_change(node, records)
    if answers is None:
        return ()
    words = ngettext(
        "What would change this: %(count)s answer, if the estimate stayed as it is.",
        "What would change this: about %(count)s answers, if the estimate stayed as it is.",
        answers,
    )
    return fill(words, count=count(answers))
