"""Guarantee and expected errors of a number, as figures, pictures and tables.

Errors assume that numbers are distributed as the researcher expects, and that everybody chooses disguise.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import ClassVar, NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from privacy.grammar.json_node import PARTS
from privacy.guarantee.best_number_classes import (
    ClassesDesign,
    ExpectedMean,
    ExpectedShare,
    best_drawn_limit_count,
    excess_over_least_error,
)
from privacy.guarantee.expected_error import NORMAL_95
from privacy.guarantee.number_distribution import ExpectedNumbers, Floats
from privacy.kinds.number.window.law import BANDED, WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import count_shown_modes, difference_scores
from surveys.kinds.kind_interface import QuestionProtection
from surveys.kinds.number.draft import MEAN, QUANTILES, NumberDraft
from surveys.kinds.number.planning_pictures import (
    ExpectedClassesPicture,
    WindowPicture,
    evenly_spaced_indices,
    localized_number_text,
)
from surveys.kinds.number.proposals import expected_distribution
from surveys.kinds.protection_page_elements import PRECISE, round_up_to_two_figures
from surveys.templatetags.builder import number_of, points
from ui.number_format import format_percent

QUARTILES = (0.25, 0.5, 0.75)
WIDE_CLASS = 2
"""Factor over the mean class width from which a class counts as far wider than the others."""


class QuantileWidth(NamedTuple):
    """Expected width of the interval of a quantile, in numbers and relative to the range."""

    q: float
    width: float
    relative: float


class CurveRow(NamedTuple):
    """A row of the table that gives the expected curve as numbers: shares relative to a uniform distribution."""

    number: str
    expected: float
    received: float
    blurred: float
    half_width: float


@dataclass(frozen=True)
class NumberProtection(QuestionProtection):
    """Protection and expected errors of a number; `language`: the language of its unit."""

    section: NumberDraft
    expected: ExpectedNumbers
    language: str

    @property
    def goal(self) -> str:
        return self.section.question.goal

    @property
    def unit(self) -> str:
        unit = self.section.question.unit
        return unit.get(self.language) or next(iter(unit.values()), "")


@dataclass(frozen=True)
class ClassesProtection(NumberProtection):
    """Protection and expected errors of a number that is disguised by classes."""

    template: ClassVar[str] = "builder/number-classes.html"

    classes: ClassesDesign

    @property
    def keep_probability(self) -> float:
        return float(self.classes.keep)

    @property
    def has_enough_answers(self) -> bool:
        return self.classes.has_enough_respondents(self.respondents)

    @cached_property
    def expected_shares(self) -> tuple[ExpectedShare, ...]:
        return self.classes.expected_shares(self.expected, self.respondents)

    @property
    def share_margins(self) -> list[float]:
        return [share.half_width for share in self.expected_shares] if self.has_enough_answers else []

    @property
    def widest_margin(self) -> float:
        """Half width of the widest interval of a share."""
        return max(share.half_width for share in self.expected_shares)

    @cached_property
    def expected_mean(self) -> ExpectedMean | None:
        """Expected average with its error; None if this disguise does not estimate the average."""
        return self.classes.expected_mean(self.expected, self.respondents)

    @property
    def mean_half_width(self) -> float:
        return NORMAL_95 * self.expected_mean.se if self.expected_mean else 0.0

    @property
    def relative_mean_half_width(self) -> float:
        """Half width of the average's interval, relative to the range."""
        return self.mean_half_width / self.expected.range.width

    @cached_property
    def quartile_widths(self) -> tuple[QuantileWidth, ...]:
        """Expected widths of the intervals of median and quartiles; empty unless these are the goal."""
        if self.goal != QUANTILES:
            return ()
        widths = ((q, self.classes.quantile_width(self.expected, q, self.respondents)) for q in QUARTILES)
        return tuple(QuantileWidth(q, width, width / self.expected.range.width) for q, width in widths)

    @property
    def excess_over_least_error(self) -> float | None:
        """Relative excess of the error of this disguise over the least possible error; None if that was not
        computed."""
        classes, limits, gamma = self.classes, len(self.classes.limits), self.guarantee.gamma
        above = excess_over_least_error(limits, gamma) if not classes.rest else None
        even = (1 / (limits + 1),) * (limits + 1)
        return above if above is not None and classes.cuts == best_drawn_limit_count(gamma, even) else None

    @property
    def answers_needed(self) -> int:
        """Number of answers at which the average, if it is the goal, or else each share has a margin of five points;
        never fewer than an estimate needs."""
        classes = self.classes
        worst = (
            self.relative_mean_half_width if self.expected_mean and self.goal == MEAN else self.widest_margin
        )
        least = max(
            classes.min_respondents_for_shares, classes.min_respondents_for_mean if self.expected_mean else 0
        )
        return max(least, round_up_to_two_figures(ceil(self.respondents * (worst / PRECISE) ** 2)))

    @property
    def class_dominating_mean_error(self) -> tuple[int, int] | None:
        """Ends of the class that dominates the error of the average; None unless it is far wider than the others."""
        starts, numbers = self.classes.starts, self.classes.range
        low, high = max(pairwise((*starts, numbers.high)), key=lambda ends: ends[1] - ends[0])
        is_wide = (
            self.classes.rest and (high - low) * (len(self.classes.limits) + 1) > WIDE_CLASS * numbers.width
        )
        return (low, high) if is_wide else None

    @property
    def settings_and_error_text(self) -> str:
        values = {"keep": format_percent(self.keep_probability, 1), "points": points(self.widest_margin)}
        if self.expected_mean:
            words = _("true answer %(keep)s, average ±%(half)s")
            return words % {**values, "half": number_of(self.mean_half_width)}
        if self.quartile_widths:
            words = _("true answer %(keep)s, median between two numbers %(width)s apart")
            return words % {**values, "width": number_of(self.quartile_widths[1].width)}
        return _("true answer %(keep)s, shares ±%(points)s points") % values

    @cached_property
    def picture(self) -> ExpectedClassesPicture:
        return ExpectedClassesPicture(self.expected, self.expected_shares)


@dataclass(frozen=True)
class WindowProtection(NumberProtection):
    """Protection and expected errors of a number that is disguised by a window."""

    template: ClassVar[str] = "builder/number-window.html"

    law: WindowLaw

    @property
    def uniform_share(self) -> float:
        return self.law.uniform_parts / PARTS

    @cached_property
    def fourier_mode_count(self) -> int:
        return count_shown_modes(self.law)

    @property
    def shows_band(self) -> bool:
        return self.respondents >= BANDED

    @cached_property
    def expected_shares(self) -> Floats:
        """Expected true share of each number."""
        numbers = self.expected.range
        values = numbers.low + numbers.step * np.arange(numbers.values)
        above = np.append(self.expected.share_at_least(values), 0.0)
        return np.asarray(above[:-1] - above[1:])

    @cached_property
    def received_shares(self) -> Floats:
        """Expected share of each number among the records, after the window around each true number is applied."""
        around = np.zeros(self.law.values)
        around[: self.law.half + 1] = around[self.law.values - self.law.half :] = 1 / self.law.width
        return (
            float(self.law.windowed) * circular_convolution(self.expected_shares, around)
            + self.uniform_share / self.law.values
        )

    @cached_property
    def blurred_shares(self) -> Floats:
        """Expected shares of the numbers, smoothed as the curve of a report is."""
        return circular_convolution(
            self.expected_shares, difference_scores(self.law, self.fourier_mode_count, is_open=True)
        )

    @cached_property
    def blurred_half_widths(self) -> Floats:
        """Half width of the 95 % band of the smoothed curve, by number."""
        second = circular_convolution(
            self.received_shares, difference_scores(self.law, self.fourier_mode_count) ** 2
        )
        return np.asarray(
            NORMAL_95 * np.sqrt(np.maximum(second - self.blurred_shares**2, 0) / self.respondents)
        )

    @property
    def relative_half_width(self) -> float:
        """Mean half width of the smoothed curve's 95 % band, relative to the mean share of a number (1 / number of
        values)."""
        return float(self.blurred_half_widths.mean() * self.law.values)

    @property
    def settings_and_error_text(self) -> str:
        values = {
            "uniform": format_percent(self.uniform_share, 1),
            "half": format_percent(self.relative_half_width, 0),
        }
        return _("any number %(uniform)s, curve ±%(half)s of its mean height") % values

    @cached_property
    def picture(self) -> WindowPicture:
        half_widths = self.blurred_half_widths if self.shows_band else None
        return WindowPicture(self.expected, self.received_shares, self.blurred_shares, half_widths)

    @cached_property
    def curve_rows(self) -> list[CurveRow]:
        numbers, values = self.expected.range, self.law.values
        curves = (self.expected_shares, self.received_shares, self.blurred_shares, self.blurred_half_widths)
        return [
            CurveRow(
                localized_number_text(numbers.low + numbers.step * row),
                *(float(values * curve[row]) for curve in curves),
            )
            for row in evenly_spaced_indices(values)
        ]


def circular_convolution(shares: Floats, around: Floats) -> Floats:
    """Returns, for each x, the sum over y of shares(y) around(x - y), with x - y taken modulo the length;
    `around` is symmetric."""
    return np.asarray(np.fft.irfft(np.fft.rfft(shares) * np.fft.rfft(around), len(shares)))


def number_protection(
    section: NumberDraft, respondents: int, prior: Fraction, language: str = ""
) -> NumberProtection | None:
    """Returns guarantee and expected errors of a number's section; None if its numbers do not fit together."""
    law, drafted = section.disguise_law(), section.classes_question
    if law is None:
        return None
    expected = expected_distribution(section.question)
    if isinstance(law, WindowLaw):
        return WindowProtection((law,), respondents, prior, section, expected, language, law)
    assert drafted
    keep, rest_keep = Fraction(section.keep), Fraction(section.keep_rest or section.keep)
    classes = ClassesDesign(drafted.number_range, drafted.limits, drafted.cuts, drafted.rest, keep, rest_keep)
    return ClassesProtection((classes.law,), respondents, prior, section, expected, language, classes)
