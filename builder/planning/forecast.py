"""How precisely a design will answer what a researcher wants to learn.

Margins are those of the protection page. That of an association is the interval that a report would show, if exactly
what is expected were received.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import hypot, inf, isfinite

import numpy as np

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, ItemsetPart
from mining.rules.weighted import WeightedSides
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft, is_grouped, share_text
from surveys.kinds.grouped.protection import QuestionMargin, expectations, expected_code, question_margins
from surveys.kinds.number.draft import is_number
from surveys.kinds.number.protection import ClassesProtection, number_protection
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire

SHARE, AVERAGE, DIFFERENCE, ASSOCIATION = "share", "average", "difference", "association"
GROUPS = 2
"""Of a difference, both of the same size."""

Section = tuple[GroupedDraft, SectionLaw]


@dataclass(frozen=True)
class Forecast:
    """A 95 % interval to expect: shares, and differences of shares; numbers; of an association times as many.

    `expected` is the value that it supposes, `between` the values that are possible, where the ends stay. `half_width`
    is None where an interval has no ends. `is_enough`: whether so many are asked all of it that it is estimated;
    `is_asked`: whether anybody is.
    """

    goal: str
    expected: float
    half_width: float | None
    between: tuple[float, float]
    is_enough: bool
    is_asked: bool = True

    @property
    def width(self) -> float:
        return inf if self.half_width is None else self.half_width

    @property
    def is_known(self) -> bool:
        return self.is_enough and self.half_width is not None

    @property
    def low(self) -> float:
        return max(self.between[0], self.expected - self.width)

    @property
    def high(self) -> float:
        return min(self.between[1], self.expected + self.width)


def forecast(draft: Questionnaire, goal: str) -> Forecast:
    """Of the first sections of the draft that are disguised: those that builder.planning.answers makes."""
    respondents = draft.respondents
    if goal == AVERAGE:
        return _average(draft, respondents)
    sections = [(each, law) for each in draft.sections if is_grouped(each) and (law := each.law())]
    if goal == ASSOCIATION:
        return _association(sections, respondents)
    if goal == SHARE:
        margin = _margin(sections[0], respondents)
        return Forecast(goal, margin.share, margin.half_width, (0, 1), margin.enough)
    margin = _margin(sections[0], max(1, respondents // GROUPS))
    return Forecast(goal, 0, hypot(*[margin.half_width] * GROUPS), (-1, 1), margin.enough)


def _margin(section: Section, respondents: int) -> QuestionMargin:
    return question_margins(*section, respondents)[0]


def _average(draft: Questionnaire, respondents: int) -> Forecast:
    section = next(filter(is_number, draft.sections))
    protection = number_protection(section, respondents, PRIOR)
    assert isinstance(protection, ClassesProtection)
    assert protection.mean
    numbers = protection.expected.range
    enough = respondents >= protection.classes.least_for_mean
    return Forecast(
        AVERAGE, protection.mean.mean, protection.mean_half_width, (numbers.low, numbers.high), enough
    )


def _association(sections: Sequence[Section], respondents: int) -> Forecast:
    first = sections[0]
    pair = [first] if len(first[0].questions) > 1 else list(sections[:2])
    both = expectations(pair, respondents)[1]
    width = _ratio_half_width(pair, both.asked) if both.asked else None
    return Forecast(ASSOCIATION, 1, width, (0, inf), both.enough, both.asked is not None)


def _ratio_half_width(pair: Sequence[Section], respondents: int) -> float | None:
    """Of the interval of a lift between two answers that are independent; None where it has no ends."""
    (law, first, a), (other, second, c) = (
        (law, (at, expected_code(question, noise)), Fraction(share_text(question)))
        for section, law in pair
        for at, (question, noise) in enumerate(zip(section.questions, law.noise, strict=True))
    )
    nobody = Fraction(0)
    of_a, of_c = law.observed(a, nobody, [first]), other.observed(c, nobody, [second])
    is_one = len(pair) == 1
    of_both = law.observed(a * c, nobody, [first, second]) if is_one else of_a * of_c
    at_least = np.zeros((4, 2, 1))
    at_least[:, 1, 0] = [respondents * float(part) for part in (1, of_a, of_c, of_both)]
    parts = ItemsetPart(ANTECEDENT, 0), ItemsetPart(CONSEQUENT, 0 if is_one else 1)
    keep = np.array([[float(law.keep)] for _section, law in pair])
    noise = np.array([[float(law.q([first]))], [float(other.q([second]))]])
    ratio = WeightedSides(ContingencyTable(parts, at_least, keep, noise), "pooled").lift()
    low, high = (float(end[0]) for end in ratio.interval())
    return (high - low) / 2 if isfinite(high - low) else None
