"""What the page of a plan says: the design, the interval to expect of it, and the price of further sections."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from builder.planning.answers import Answers
from builder.planning.forecast import ASSOCIATION, AVERAGE, DIFFERENCE, SHARE, Forecast, forecast
from builder.planning.further import respondents_for, with_further
from builder.settings.outcome import ProtectionSummary
from surveys.kinds.registry import kind_of
from surveys.kinds.settings import points
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import PRIOR, Protection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.templatetags.builder import NARROW, number_of
from ui.intervals import Interval, Scale
from ui.numbers import exact_percent, percent

FURTHER = 3
LEAST_SHOWN = 0.0005
"""Half a tenth of a point: smaller ones would be called 0."""
TENTH = 0.1


@dataclass(frozen=True)
class PlanRow:
    """The design with `further` disguised sections. `needed`: the respondents that give it the margin without them;
    `nothing`: the value that means no difference and no association, None where the goal has none."""

    further: int
    forecast: Forecast
    needed: int | None
    nothing: float | None

    @property
    def words(self) -> str:
        if not self.further:
            return _("This design")
        words = ngettext("%(count)s section more", "%(count)s sections more", self.further)
        return words % {"count": self.further}

    @property
    def margin(self) -> str:
        return margin_of(self.forecast)

    @property
    def pictures(self) -> list[Interval]:
        """Empty where nothing can be estimated."""
        forecast = self.forecast
        picture = Interval(low=forecast.low, high=forecast.high, base=self.nothing, state="dashed")
        return [picture] if forecast.is_known else []

    @property
    def interval(self) -> str:
        low, high = (value_of(self.forecast, end) for end in (self.forecast.low, self.forecast.high))
        return _("%(low)s to %(high)s") % {"low": low, "high": high}


@dataclass(frozen=True)
class Plan:
    answers: Answers
    design: Questionnaire

    @property
    def goal(self) -> str:
        return self.answers.goal

    @cached_property
    def outcome(self) -> ProtectionSummary:
        return ProtectionSummary(self.design)

    @property
    def sections(self) -> list[tuple[str, Protection | None]]:
        """Of each disguised one the template that says how it is disguised, and what that promises."""
        return [
            (kind_of(each).promise, kind_of(each).protection(each, self.answers.respondents, PRIOR))
            for each in self._disguised
        ]

    @property
    def questions(self) -> int:
        return sum(len(section.questions) for section in self._disguised)

    @property
    def _disguised(self) -> Sequence[DraftSection]:
        return [section for section in self.design.sections if section.sensitive]

    @cached_property
    def forecast(self) -> Forecast:
        return forecast(self.design, self.goal)

    @property
    def ends(self) -> list[str]:
        return [value_of(self.forecast, end) for end in (self.forecast.low, self.forecast.high)]

    @property
    def expected(self) -> str:
        """As it was given, where it was."""
        if self.goal == SHARE:
            return exact_percent(self.forecast.expected).replace(" ", NARROW)
        return value_of(self.forecast, self.forecast.expected)

    @property
    def margin(self) -> str:
        return margin_of(self.forecast)

    @cached_property
    def least(self) -> int | None:
        """How many answers are needed before anything is estimated."""
        return self._respondents_for(self.design, lambda forecast: forecast.is_known)

    @cached_property
    def needed_for_half(self) -> int | None:
        """How many answers halve the margin."""
        half = self.forecast.width / 2
        return self._respondents_for(
            self.design, lambda forecast: forecast.is_known and forecast.width <= half
        )

    @cached_property
    def rows(self) -> list[PlanRow]:
        drafts = [with_further(self.design, further) for further in range(FURTHER + 1)]
        forecasts = [forecast(draft, self.goal) for draft in drafts]
        return [
            PlanRow(further, one, self._restoring(draft) if further else None, self._nothing)
            for further, (draft, one) in enumerate(zip(drafts, forecasts, strict=True))
        ]

    @property
    def ticks(self) -> list[str]:
        """The values at the beginning, in the middle and at the end of the pictures."""
        return [value_of(self.forecast, value) for value in self.scale.ticks]

    @property
    def _nothing(self) -> float | None:
        return self.forecast.expected if self.goal in (DIFFERENCE, ASSOCIATION) else None

    @cached_property
    def scale(self) -> Scale:
        """One for all rows, ending where the longest interval does or above; with a line in the middle."""
        low, high = self._ends
        return Scale(start=low, end=high, step=(high - low) / 2)

    @property
    def _ends(self) -> tuple[float, float]:
        if self.goal == AVERAGE:
            return self.forecast.between
        forecasts = [row.forecast for row in self.rows]
        step = 1.0 if self.goal == ASSOCIATION else 0.1
        longest = max((max(-one.low, one.high) for one in forecasts if one.is_known), default=step)
        end = min(self.forecast.between[1], step * ceil(longest / step))
        return (-end if self.forecast.between[0] < 0 else 0.0), end

    def _restoring(self, draft: Questionnaire) -> int | None:
        wanted = self.forecast.width
        return self._respondents_for(draft, lambda forecast: forecast.is_known and forecast.width <= wanted)

    def _respondents_for(self, draft: Questionnaire, is_enough: Callable[[Forecast], bool]) -> int | None:
        return respondents_for(
            lambda respondents: is_enough(forecast(replace(draft, expected=respondents), self.goal)),
            draft.respondents,
        )


def margin_of(forecast: Forecast) -> str:
    """Half the width of the interval, in the unit of the goal."""
    if not forecast.is_known or forecast.half_width is None:
        return _("too few asked") if forecast.is_asked else _("some never asked together")
    if forecast.goal == AVERAGE:
        return f"± {number_of(forecast.half_width)}"
    if forecast.goal == ASSOCIATION:
        return f"± {number_format(round(forecast.half_width, 2), 2)}"
    if forecast.half_width < LEAST_SHOWN:
        return _("less than ± 0.1 points")
    return _("± %(points)s points") % {"points": points(forecast.half_width)}


def value_of(forecast: Forecast, value: float) -> str:
    if forecast.goal == AVERAGE:
        return number_of(value)
    if forecast.goal == ASSOCIATION:
        places = 0 if value == 0 else 1 if forecast.width >= TENTH else 2
        return str(number_format(round(value, places), places))
    return percent(value, 0 if forecast.width >= TENTH / 5 else 1).replace(" ", NARROW)
