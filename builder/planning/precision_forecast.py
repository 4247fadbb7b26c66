"""Forecasts the precision of a planned design for the researcher's goal.

Margins are computed as on the protection page. The margin of an association is half the interval that a
report would show if exactly the expected records were received.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import hypot, inf, isfinite

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, ItemsetPart
from mining.rules.pooled_and_combined_estimates import WeightedSides
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft, expected_share_text, is_grouped_section
from surveys.kinds.grouped.guarantee_and_errors import (
    code_of_answer_for_margin,
    itemset_margins,
    question_margins,
)
from surveys.kinds.number.draft import is_number_section
from surveys.kinds.number.guarantee_and_errors import ClassesProtection, number_protection
from surveys.kinds.protection_page_elements import round_up_to_two_figures
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire

SHARE, AVERAGE, DIFFERENCE, ASSOCIATION = "share", "average", "difference", "association"
GOALS: dict[str, str | Promise] = {
    SHARE: _("A share: how many people say yes"),
    AVERAGE: _("An average: the mean of a number"),
    DIFFERENCE: _("A difference: between the shares of two groups"),
    ASSOCIATION: _("An association: whether two sensitive answers go together"),
}
GROUPS = 2
"""Number of groups compared by a difference, which have equal sizes."""
MOST_RESPONDENTS = 10**9

Section = tuple[GroupedDraft, SectionLaw]


class Forecast:
    """The expected 95 % interval of a share, an average, a difference of shares, or a ratio (of an association).

    `expected`: the assumed value. `between`: lowest and highest possible value, which clip the interval. `half_width`:
    None if the interval is unbounded. `is_enough`: enough people are asked for an estimate; `is_asked`: anybody is
    asked.
    """

    def __init__(
        self,
        goal: str,
        expected: float,
        half_width: float | None,
        between: tuple[float, float],
        is_enough: bool,
        is_asked: bool = True,
    ) -> None:
        self.goal, self.expected, self.half_width, self.between = goal, expected, half_width, between
        self.is_asked = is_asked
        self.is_known = is_enough and half_width is not None
        self.width = inf if half_width is None else half_width
        self.low = max(between[0], expected - self.width)
        self.high = min(between[1], expected + self.width)


def forecast_precision(draft: Questionnaire, goal: str) -> Forecast:
    """Returns the forecast for a draft that `draft_with_planned_sections` has made for this goal."""
    respondents = draft.disguised_respondents
    if goal == AVERAGE:
        number = next(filter(is_number_section, draft.sections))
        protection = number_protection(number, respondents, PRIOR)
        assert isinstance(protection, ClassesProtection)
        assert protection.expected_mean
        ends = protection.expected.range.low, protection.expected.range.high
        is_enough = respondents >= protection.classes.min_respondents_for_mean
        return Forecast(goal, protection.expected_mean.mean, protection.mean_half_width, ends, is_enough)
    sections = [
        (section, law)
        for section in draft.sections
        if is_grouped_section(section) and (law := section.disguise_law())
    ]
    if goal == SHARE:
        margin = question_margins(*sections[0], respondents)[0]
        return Forecast(goal, margin.share, margin.half_width, (0, 1), margin.enough)
    if goal == DIFFERENCE:
        margin = question_margins(*sections[0], max(1, respondents // GROUPS))[0]
        return Forecast(goal, 0, hypot(*[margin.half_width] * GROUPS), (-1, 1), margin.enough)
    pair = sections[:1] if len(sections[0][0].questions) > 1 else sections[:2]
    both = itemset_margins(pair, respondents)[1]
    width = (
        _lift_half_width(pair, both.respondents_of_rarest_itemset)
        if both.respondents_of_rarest_itemset
        else None
    )
    return Forecast(
        goal, 1, width, (0, inf), both.has_enough_answers, both.respondents_of_rarest_itemset is not None
    )


def _lift_half_width(pair: Sequence[Section], respondents: int) -> float | None:
    """Returns half the width of the interval of a lift between two independent answers; None if it is unbounded."""
    (law_a, item_a, a), (law_c, item_c, c) = (
        (law, (index, code_of_answer_for_margin(question, noise)), Fraction(expected_share_text(question)))
        for section, law in pair
        for index, (question, noise) in enumerate(zip(section.questions, law.noise, strict=True))
    )
    nobody, is_one_section = Fraction(0), len(pair) == 1
    observed_a, observed_c = law_a.observed(a, nobody, [item_a]), law_c.observed(c, nobody, [item_c])
    observed_both = (
        law_a.observed(a * c, nobody, [item_a, item_c]) if is_one_section else observed_a * observed_c
    )
    at_least = np.zeros((4, 2, 1))
    at_least[:, 1, 0] = [respondents * float(part) for part in (1, observed_a, observed_c, observed_both)]
    parts = ItemsetPart(ANTECEDENT, 0), ItemsetPart(CONSEQUENT, 0 if is_one_section else 1)
    keep = np.array([[float(law.keep)] for _section, law in pair])
    noise = np.array([[float(law_a.noise_probability([item_a]))], [float(law_c.noise_probability([item_c]))]])
    ratio = WeightedSides(ContingencyTable(parts, at_least, keep, noise), "pooled").lift()
    low, high = (float(end[0]) for end in ratio.interval())
    return (high - low) / 2 if isfinite(high - low) else None


def find_least_respondents(is_enough: Callable[[int], bool], start: int) -> int | None:
    """Returns the smallest number of respondents for which `is_enough` holds, to about two significant
    figures; None if there is none.

    Bisection from `start`, assuming that more respondents are never worse.
    """
    few, many = 0, start
    while not is_enough(many):
        few, many = many, 2 * many
        if many > MOST_RESPONDENTS:
            return None
    while many - few > max(1, few // 100):
        middle = (few + many) // 2
        few, many = (few, middle) if is_enough(middle) else (middle, many)
    return round_up_to_two_figures(many)
