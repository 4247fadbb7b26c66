"""Defines a finding: a sentence about one result, with the numbers of the picture beside it."""

from dataclasses import dataclass
from math import inf
from typing import Any

from django.utils.translation import gettext as _

from reports.estimate_texts import is_outside_interval
from reports.sentences import number_format
from reports.sentences.sentence_parts import Sentence, unbroken_sentence


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """An estimate with its interval; `value` is None if nothing was estimated.

    `everything` is the range of possible values. An interval that, rounded, covers all of it says nothing.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    everything: tuple[float, float] = (0.0, 1.0)

    @property
    def is_share(self) -> bool:
        return self.everything == (0.0, 1.0)

    @property
    def is_ratio(self) -> bool:
        return self.everything == RATIO

    @property
    def is_known(self) -> bool:
        """True if the estimate may be stated: it lies in its interval, and the interval excludes something."""
        if self.value is None or self.low is None or self.high is None:
            return False
        return not is_outside_interval(self.value, self.low, self.high) and not self.is_uninformative

    @property
    def is_uninformative(self) -> bool:
        """True if the interval, rounded to whole percent, covers all possible values."""
        if self.low is None or self.high is None:
            return False
        return round(self.low, 2) <= self.everything[0] and round(self.high, 2) >= self.everything[1]

    @property
    def has_value_without_interval(self) -> bool:
        """True if the estimate has no interval because the counts contradict each other."""
        return self.value is not None and (self.low is None or self.high is None)

    @property
    def is_at_end(self) -> bool:
        """True if the share and the end of its interval are both written as 0 % or as 100 %, the other end not."""
        value, low, high = (round(100 * (number or 0.0)) for number in (self.value, self.low, self.high))
        return value == low == 0 < high or value == high == 100 > low

    @property
    def bound_text(self) -> str:
        """The bound of a share that is impossible or `is_at_end`: "at most" or "at least" an end of its interval;
        empty if there is none."""
        if self.value is None or self.low is None or self.high is None or self.is_uninformative:
            return ""
        # An end that is rounded to 0 % or to 100 % would exclude what the interval allows.
        if self.value < self.low or (self.is_at_end and self.value < 0.5):
            return _("at most %(share)s") % {"share": number_format.percent(max(self.high, 0.01))}
        return _("at least %(share)s") % {"share": number_format.percent(min(self.low, 0.99))}

    @property
    def share(self) -> Sentence:
        """The share with its interval, or its bound if it `is_at_end`; may be asked for only if `is_known`."""
        assert self.value is not None
        assert self.low is not None
        assert self.high is not None
        if self.is_at_end:
            return unbroken_sentence(self.bound_text)
        return number_format.share_with_interval(self.value, self.low, self.high)


UNKNOWN = MeasuredValue()
RATIO = (0.0, inf)
"""Range of a ratio of shares; an interval that has no upper end ends at infinity."""
NO_RATIO = MeasuredValue(1.0, 1.0, 1.0, everything=RATIO)
"""The ratio of two shares that do not differ."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result in words; `sentence` states it, and `beneath` gives the base rate with its interval and its people.

    `verdict`: 1 more, -1 fewer, 0 not shown, None where nothing is compared. `is_noise`: too noisy to say. `measured`
    is what the sentence states and the picture draws, `base` its dashed line. `converse` words the pair the other way
    round, and `power` says what difference the design would find. `without_estimate` states the near end of the
    interval alone, of a difference that is shown.
    """

    kind: str
    node: Any
    sentence: Sentence
    beneath: Sentence = ()
    verdict: int | None = None
    is_noise: bool = False
    measured: MeasuredValue = UNKNOWN
    base: MeasuredValue = UNKNOWN
    converse: Sentence = ()
    power: Sentence = ()
    without_estimate: Sentence = ()

    @property
    def is_conclusive(self) -> bool:
        """True if the result is shown and not too noisy to say; the dot of its picture is then filled."""
        return self.verdict != 0 and not self.is_noise


def share_without_interval(measured: MeasuredValue) -> str:
    if measured.is_known and not measured.is_at_end:
        assert measured.value is not None
        return number_format.percent(measured.value)
    return measured.bound_text or _("an unknown share")
