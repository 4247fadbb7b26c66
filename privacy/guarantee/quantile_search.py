"""The thresholds that narrow a quantile most (docs/mathematics.md, Numbers by guarantee).

The statement is made from the low end upwards as long as the low bound of P(x >= t) is above 1 - q, and from the high
end downwards as long as the high bound is below it. Each respondent answers one threshold, so whether one passes is
independent of the others. With u(t) and d(t) the chances that t passes upwards and downwards, the ends are expected at

    t_0 + SUM_i (t_i - t_(i-1)) u(t_1) .. u(t_i)       over the thresholds below the quantile, in order
    high - SUM_i (t_(i+1) - t_i) d(t_i) .. d(t_N)      over those above it

Thresholds below and above do not touch each other, so each side is a shortest-path problem, solved exactly by dynamic
programming over the candidates. False statements (2.5 % at most for each end) are not counted as gains.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privacy.guarantee.error import LEAST_BASE, NORMAL_95
from privacy.guarantee.expected_numbers import ExpectedNumbers, Floats
from privacy.guarantee.threshold_error import FEWEST, MOST, noise

MOST_CANDIDATES = 400
"""Places for a threshold; of a longer range half of them evenly far apart, half evenly likely."""


@dataclass(frozen=True, slots=True)
class QuantileThresholds:
    """t_1 .. t_N, and the width of the statement to expect."""

    thresholds: tuple[int, ...]
    width: float


@dataclass(frozen=True, slots=True)
class QuantileSearch:
    """The search for one quantile q, with so many respondents and this keep."""

    expected: ExpectedNumbers
    q: float
    respondents: int
    keep: Fraction

    def best(self) -> tuple[QuantileThresholds, ...]:
        """For each number of thresholds that all are asked often enough, the places with the least expected width."""
        places = self.candidates()
        most = min(MOST, len(places), self.respondents // LEAST_BASE)
        return tuple(self._best(places, count) for count in range(FEWEST, most + 1))

    def candidates(self) -> Floats:
        numbers = self.expected.range
        if numbers.steps <= MOST_CANDIDATES:
            steps = np.arange(1.0, numbers.steps + 1)
        else:
            even = np.linspace(1, numbers.steps, MOST_CANDIDATES // 2)
            levels = np.linspace(0, 1, MOST_CANDIDATES // 2 + 2)[1:-1]
            cumulative = np.cumsum((0, *self.expected.shares))
            ends = (*self.expected.starts, numbers.high + numbers.step)
            likely = (np.interp(levels, cumulative, ends) - numbers.low) / numbers.step
            steps = np.unique(np.clip(np.round(np.concatenate([even, likely])), 1, numbers.steps))
        return np.asarray(numbers.low + numbers.step * steps)

    def width(self, thresholds: tuple[int, ...]) -> float:
        """The expected width of the statement."""
        places = np.array(thresholds, dtype=np.float64)
        shares, passes = self._passing(places, len(thresholds))
        below = shares > 1 - self.q
        numbers = self.expected.range
        raised = np.diff(places[below], prepend=numbers.low) @ np.cumprod(passes[below])
        from_top = places[~below][::-1]
        lowered = -np.diff(from_top, prepend=numbers.high) @ np.cumprod(passes[~below][::-1])
        return float(numbers.width - raised - lowered)

    def _best(self, places: Floats, count: int) -> QuantileThresholds:
        shares, passes = self._passing(places, count)
        below = shares > 1 - self.q
        numbers = self.expected.range
        low = _Side(places[below] - numbers.low, passes[below], count)
        high = _Side((numbers.high - places[~below])[::-1], passes[~below][::-1], count)
        split = int(np.argmax([low.gain(of) + high.gain(count - of) for of in range(count + 1)]))
        found = [
            *(numbers.low + apart for apart in low.chosen(split)),
            *(numbers.high - apart for apart in high.chosen(count - split)),
        ]
        width = numbers.width - low.gain(split) - high.gain(count - split)
        return QuantileThresholds(tuple(sorted(int(each) for each in found)), float(width))

    def _passing(self, places: Floats, count: int) -> tuple[Floats, Floats]:
        """By threshold P(x >= t), and the chance that its interval lies on the side of 1 - q where P is."""
        from scipy.special import ndtr  # late for cost

        shares = self.expected.share_from(places)
        asked, wanted, added = self.respondents / count, 1 - self.q, noise(self.keep)
        spread = np.maximum(shares * (1 - shares), wanted * (1 - wanted)) + added
        needed = NORMAL_95 * np.sqrt(spread / asked)
        error = np.sqrt((shares * (1 - shares) + added) / asked)
        return shares, ndtr((np.abs(shares - wanted) - needed) / error)


class _Side:
    """The best thresholds of one side, by their number; `apart` are the candidates' distances from its end, ascending.

    gains[k][s] is what k thresholds beyond candidate s - 1 are expected to add (s = 0: beyond the end).
    """

    def __init__(self, apart: Floats, passes: Floats, most: int) -> None:
        self.apart = apart
        starts = np.concatenate([[0.0], apart])
        distance = apart[None, :] - starts[:, None]
        ahead = np.arange(len(apart))[None, :] >= np.arange(len(starts))[:, None]
        self.gains = [np.zeros(len(starts))]
        self.next: list[np.ndarray] = []
        for _ in range(min(most, len(apart))):
            reached = np.where(ahead, passes * (distance + self.gains[-1][1:]), -np.inf)
            best = reached.argmax(axis=1)
            self.next.append(best)
            self.gains.append(reached[np.arange(len(starts)), best])

    def gain(self, count: int) -> float:
        return float(self.gains[count][0]) if count < len(self.gains) else -np.inf

    def chosen(self, count: int) -> Iterator[float]:
        """The distances of the best `count` thresholds."""
        start = 0
        for left in range(count, 0, -1):
            place = int(self.next[left - 1][start])
            yield float(self.apart[place])
            start = place + 1
