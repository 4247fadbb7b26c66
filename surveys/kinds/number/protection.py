"""What a number guarantees, and the errors to expect of what is wanted of it.

Errors are those to expect if people's numbers lie as the researcher expects, and if everybody chooses disguise.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil

import numpy as np

from privacy.grammar.node import PARTS
from privacy.guarantee.classes_search import (
    Classes,
    ExpectedMean,
    ExpectedShare,
    above_least,
    best_cuts,
)
from privacy.guarantee.error import NORMAL_95
from privacy.guarantee.expected_numbers import ExpectedNumbers, Floats
from privacy.kinds.number.window.inverse import modes, scores
from privacy.kinds.number.window.law import BANDED, WindowLaw
from surveys.kinds.forms.margins import WANTED, rounded_up
from surveys.kinds.number.draft import MEAN, QUANTILES, NumberDraft
from surveys.kinds.number.proposals import QUARTILES, expected_of
from surveys.questionnaire.protection import Protection

WIDE_CLASS = 2
"""A class is far wider than others from so many times their mean width on."""


@dataclass(frozen=True)
class QuantileWidth:
    """How wide the statement about a quantile is expected to be, in numbers and as a part of the range."""

    q: float
    width: float
    relative: float


@dataclass(frozen=True)
class NumberProtection(Protection):
    expected: ExpectedNumbers
    wanted: str


@dataclass(frozen=True)
class ClassesProtection(NumberProtection):
    classes: Classes

    @property
    def keep(self) -> float:
        return float(self.classes.keep)

    @property
    def count(self) -> int:
        return len(self.classes.limits)

    @property
    def enough(self) -> bool:
        return self.classes.enough(self.respondents)

    @property
    def least(self) -> int:
        """How many answers are needed before anything is estimated."""
        return self.classes.least

    @cached_property
    def shares(self) -> tuple[ExpectedShare, ...]:
        return self.classes.expected_shares(self.expected, self.respondents)

    @cached_property
    def mean(self) -> ExpectedMean | None:
        """Of a number that promises one only."""
        return self.classes.expected_mean(self.expected, self.respondents)

    @property
    def share_margins(self) -> list[float]:
        return [each.half_width for each in self.shares] if self.enough else []

    @property
    def worst(self) -> float:
        """Half the width of the widest interval of a share."""
        return max(each.half_width for each in self.shares)

    @property
    def above_least(self) -> float | None:
        """By how much its errors exceed the least ones possible; None where nobody computed it."""
        classes, gamma = self.classes, self.guarantee.gamma
        above = above_least(self.count, gamma) if not classes.rest else None
        even = (1 / (self.count + 1),) * (self.count + 1)
        return above if above is not None and classes.cuts == best_cuts(gamma, even) else None

    @property
    def needed(self) -> int:
        """How many answers make each share precise to `WANTED`, and the average if it is wanted."""
        worst = self.worst
        if self.mean and self.wanted == MEAN:
            worst = self.mean_half_width / self.expected.range.width
        least = max(self.least, self.least_for_mean if self.mean else 0)
        return max(least, rounded_up(ceil(self.respondents * (worst / WANTED) ** 2)))

    @property
    def least_for_mean(self) -> int:
        """How many answers are needed before the average is estimated."""
        return self.classes.least_for_mean

    @property
    def widest(self) -> tuple[int, int] | None:
        """The class that governs the error of the average, where one is far wider than all are on average."""
        classes = self.classes
        ends = (*classes.starts, classes.range.high)
        low, high = max(pairwise(ends), key=lambda each: each[1] - each[0])
        is_wide = classes.rest and (high - low) * (self.count + 1) > WIDE_CLASS * classes.range.width
        return (low, high) if is_wide else None

    @property
    def mean_half_width(self) -> float:
        return NORMAL_95 * self.mean.se if self.mean else 0.0

    @cached_property
    def quantiles(self) -> tuple[QuantileWidth, ...]:
        """Of a number whose typical value is wanted only."""
        if self.wanted != QUANTILES:
            return ()
        widths = ((q, self.classes.quantile_width(self.expected, q, self.respondents)) for q in QUARTILES)
        return tuple(QuantileWidth(q, width, width / self.expected.range.width) for q, width in widths)


@dataclass(frozen=True)
class WindowProtection(NumberProtection):
    law: WindowLaw

    @property
    def uniform(self) -> float:
        return self.law.uniform_parts / PARTS

    @cached_property
    def modes(self) -> int:
        return modes(self.law)

    @property
    def banded(self) -> bool:
        return self.respondents >= BANDED

    @cached_property
    def shares(self) -> Floats:
        """The expected share of each number."""
        numbers = self.expected.range
        points = numbers.low + numbers.step * np.arange(numbers.values)
        above = np.append(self.expected.share_from(points), 0.0)
        return np.asarray(above[:-1] - above[1:])

    @cached_property
    def received(self) -> Floats:
        """The same as it is received: R3 adds the window around each number."""
        around = np.zeros(self.law.values)
        around[: self.law.half + 1] = around[self.law.values - self.law.half :] = 1 / self.law.width
        return float(self.law.windowed) * _spread(self.shares, around) + self.uniform / self.law.values

    @cached_property
    def blurred(self) -> Floats:
        """The curve that a report would draw: the expected shares, blurred."""
        return _spread(self.shares, scores(self.law, self.modes, is_open=True))

    @cached_property
    def half_widths(self) -> Floats:
        """By number half the width of the 95 % band of the blurred share."""
        second = _spread(self.received, scores(self.law, self.modes) ** 2)
        return np.asarray(NORMAL_95 * np.sqrt(np.maximum(second - self.blurred**2, 0) / self.respondents))

    @property
    def relative_half_width(self) -> float:
        """The mean half width as a part of the mean share."""
        return float(self.half_widths.mean() * self.law.values)


def _spread(shares: Floats, around: Floats) -> Floats:
    """By x the sum over y of shares(y) around(x - y), round the circle; `around` is even."""
    return np.asarray(np.fft.irfft(np.fft.rfft(shares) * np.fft.rfft(around), len(shares)))


def number_protection(section: NumberDraft, respondents: int, prior: Fraction) -> NumberProtection | None:
    """None while its numbers do not fit."""
    law, question, drafted = section.law(), section.question, section.classes
    if isinstance(law, WindowLaw):
        return WindowProtection((law,), respondents, prior, expected_of(question), question.goal, law)
    if law is None or drafted is None:
        return None
    keep, rest_keep = Fraction(section.keep), Fraction(section.keep_rest or section.keep)
    classes = Classes(drafted.range, drafted.limits, drafted.cuts, drafted.rest, keep, rest_keep)
    return ClassesProtection((classes.law,), respondents, prior, expected_of(drafted), drafted.goal, classes)
