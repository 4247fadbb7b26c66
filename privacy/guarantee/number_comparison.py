"""What a window gives for statistics that it does not promise: a page shows it beside the law `classes`.

Its inverse without blur is unbiased: a statistic with the Fourier coefficients f_m has, where all numbers are equally
likely,

    n se^2 = SUM_(m > 0) |f_m|^2 / lambda_m^2 / V^2
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.error import NORMAL_95
from privacy.guarantee.expected_numbers import Floats
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.window_search import admissible_windows
from privacy.kinds.number.form import MOST_VALUES
from privacy.kinds.number.inverse import eigenvalues
from privacy.kinds.number.window import WindowLaw

ALL_TRIED, SOME_TRIED = 1000, 200
"""Up to so many windows are all tried; of more, so many: half of them the narrowest, the others evenly spread."""


@dataclass(frozen=True, slots=True)
class UnblurredError:
    """The window with the least error of an unblurred statistic, and that standard error."""

    law: WindowLaw
    se: float

    @property
    def half_width(self) -> float:
        return NORMAL_95 * self.se


def mean_by_window(numbers: NumberRange, limit: GammaLimit, respondents: int) -> UnblurredError | None:
    """In units of the numbers; None where no window is possible."""
    return _least(numbers, limit, respondents, numbers.step * np.arange(numbers.values, dtype=np.float64))


def share_by_window(
    numbers: NumberRange, limit: GammaLimit, respondents: int, threshold: int
) -> UnblurredError | None:
    """Of the share at `threshold` or above."""
    steps = (threshold - numbers.low) // numbers.step
    return _least(numbers, limit, respondents, np.where(np.arange(numbers.values) >= steps, 1.0, 0.0))


def _least(
    numbers: NumberRange, limit: GammaLimit, respondents: int, statistic: Floats
) -> UnblurredError | None:
    if numbers.values > MOST_VALUES:
        return None
    waves = np.abs(np.fft.rfft(statistic)[1:]) ** 2 * _twins(numbers.values)
    found = [
        UnblurredError(law, sqrt((waves / eigenvalues(law) ** 2).sum() / respondents) / numbers.values)
        for law in _tried(list(admissible_windows(numbers.values, limit)))
    ]
    return min(found, key=lambda each: each.se, default=None)


def _twins(values: int) -> Floats:
    """How often each frequency m = 1 .. V/2 stands in the whole spectrum: the last of an even number once."""
    m = np.arange(1, values // 2 + 1)
    return np.where(2 * m == values, 1.0, 2.0)


def _tried(laws: Sequence[WindowLaw]) -> Sequence[WindowLaw]:
    if len(laws) <= ALL_TRIED:
        return laws
    half = SOME_TRIED // 2
    return [*laws[:half], *laws[half :: -(-(len(laws) - half) // half)]]
