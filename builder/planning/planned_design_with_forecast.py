"""A planned design with the forecast of its precision, alone and with up to three further disguised sections.

All disguised sections share the protection of a person, so each further section costs precision.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import ceil

from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from builder.planning.further_section_effect import draft_with_further_sections
from builder.planning.precision_forecast import (
    ASSOCIATION,
    AVERAGE,
    DIFFERENCE,
    SHARE,
    Forecast,
    find_least_respondents,
    forecast_precision,
)
from builder.planning.sections_for_research_goal import PlanAnswers
from surveys.kinds.protection_page_elements import margin_text
from surveys.kinds.registry import get_kind
from surveys.questionnaire.protection import PRIOR, person_protection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.templatetags.builder import NARROW, number_of
from ui.interval_pictures import Interval, Scale
from ui.number_format import format_exact_percent, format_percent

FURTHER = 3
LEAST_SHOWN = 0.0005
"""Smallest value shown: half a tenth of a point, below which a value would be rounded to 0."""
TENTH = 0.1


class PlannedDesign:
    """A planned design with its forecast. `sections`: for each disguised section, the HTML template that states its
    protection, and that protection."""

    def __init__(self, answers: PlanAnswers, design: Questionnaire) -> None:
        self.answers, self.goal, self.design = answers, answers.goal, design
        self.forecast = forecast_precision(design, answers.goal)
        self.person = person_protection(design, PRIOR)
        disguised = [section for section in design.sections if section.sensitive]
        self.questions = sum(len(section.questions) for section in disguised)
        kinds = [(get_kind(section), section) for section in disguised]
        self.sections = [
            (kind.promise, kind.protection(section, answers.respondents, PRIOR)) for kind, section in kinds
        ]
        self.margin = forecast_margin_text(self.forecast)
        self.expected = interval_value_text(self.forecast, self.forecast.expected)
        if self.goal == SHARE:  # as it was given
            self.expected = format_exact_percent(self.forecast.expected).replace(" ", NARROW)

    @property
    def interval_end_texts(self) -> list[str]:
        """Lower and upper end of the interval, as text."""
        return [interval_value_text(self.forecast, end) for end in (self.forecast.low, self.forecast.high)]

    @cached_property
    def least_respondents(self) -> int | None:
        """Number of answers below which nothing is estimated; None if no number is enough."""
        return self._find_least_respondents(self.design, lambda result: result.is_known)

    @cached_property
    def respondents_for_half_margin(self) -> int | None:
        """Number of answers at which the margin is half as wide; None if no number is enough."""
        half = self.forecast.width / 2
        return self._find_least_respondents(
            self.design, lambda result: result.is_known and result.width <= half
        )

    @cached_property
    def comparison_rows(self) -> list["PlanRow"]:
        """Rows for the plan itself, and with one, two and three further disguised sections."""
        now = self.forecast
        rows = [PlanRow(0, now, None)]
        for further in range(1, FURTHER + 1):
            draft = draft_with_further_sections(self.design, further)
            needed = self._find_least_respondents(
                draft, lambda result: result.is_known and result.width <= now.width
            )
            rows.append(PlanRow(further, forecast_precision(draft, self.goal), needed))
        return rows

    @property
    def may_split_association_pair(self) -> bool:
        """True if with further sections nobody may be asked both questions of an association."""
        return any(not row.forecast.is_asked for row in self.comparison_rows)

    def _find_least_respondents(
        self, draft: Questionnaire, is_enough: Callable[[Forecast], bool]
    ) -> int | None:
        return find_least_respondents(
            lambda respondents: is_enough(
                forecast_precision(replace(draft, expected=respondents), self.goal)
            ),
            draft.respondents,
        )

    @cached_property
    def common_scale(self) -> Scale:
        """Scale shared by all rows; it ends at or above the end of the longest interval, and has a tick in
        the middle."""
        low, high = self.forecast.between
        if self.goal != AVERAGE:
            forecasts = [row.forecast for row in self.comparison_rows if row.forecast.is_known]
            step = 1.0 if self.goal == ASSOCIATION else TENTH
            longest = max((max(-result.low, result.high) for result in forecasts), default=step)
            high = min(high, step * ceil(longest / step))
            low = -high if low < 0 else 0.0
        return Scale(start=low, end=high, step=(high - low) / 2)

    @property
    def scale_tick_texts(self) -> list[str]:
        """Values at the start, in the middle and at the end of the scale."""
        return [interval_value_text(self.forecast, value) for value in self.common_scale.ticks]


class PlanRow:
    """The plan with `further` more disguised sections; `needed` is the number of respondents that restores
    its margin."""

    def __init__(self, further: int, result: Forecast, needed: int | None) -> None:
        self.further, self.forecast, self.needed = further, result, needed
        self.words = _("This design")
        if further:
            words = ngettext("%(count)s section more", "%(count)s sections more", further)
            self.words = words % {"count": further}
        self.margin = forecast_margin_text(result)
        self.pictures: list[Interval] = []
        if result.is_known:
            low, high = (interval_value_text(result, end) for end in (result.low, result.high))
            self.interval = _("%(low)s to %(high)s") % {"low": low, "high": high}
            # No difference and no association are marked.
            base = result.expected if result.goal in (DIFFERENCE, ASSOCIATION) else None
            self.pictures = [Interval(low=result.low, high=result.high, base=base, state="dashed")]


def forecast_margin_text(result: Forecast) -> str:
    """Returns half the width of the interval as text, in the unit of the goal."""
    if not result.is_known or result.half_width is None:
        return _("too few asked") if result.is_asked else _("some never asked together")
    if result.goal == AVERAGE:
        return f"±{number_of(result.half_width)}"
    if result.goal == ASSOCIATION:
        return f"±{number_format(round(result.half_width, 2), 2)}"
    if result.half_width < LEAST_SHOWN:
        return _("less than ±0.1 points")
    return margin_text(result.half_width, enough=True)


def interval_value_text(result: Forecast, value: float) -> str:
    """Returns a value of the interval as text, with as many decimals as the interval's width justifies."""
    if result.goal == AVERAGE:
        return number_of(value)
    if result.goal == ASSOCIATION:
        places = 0 if value == 0 else 1 if result.width >= TENTH else 2
        return str(number_format(round(value, places), places))
    return format_percent(value, 0 if result.width >= TENTH / 5 else 1).replace(" ", NARROW)
