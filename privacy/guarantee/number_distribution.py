"""The expected distribution of the numbers of a question, as shares of classes.

See docs/mathematics.md, Numbers by guarantee.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy.grammar.number_range import NumberRange

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExpectedNumbers:
    """An expected distribution of numbers: classes with `shares`; in a class all numbers are equally likely.

    Class i begins with the number starts[i], the first class with the lowest of the `range`, and ends before the next.
    """

    range: NumberRange
    starts: tuple[int, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        low, step = self.range.low, self.range.step
        ascending = all(left < right for left, right in pairwise((*self.starts, self.range.high + step)))
        if not ascending or self.starts[:1] != (low,) or any((start - low) % step for start in self.starts):
            raise ValueError(f"classes begin with {low} and ascend in steps of {step} to {self.range.high}")
        if len(self.shares) != len(self.starts) or min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-9:
            raise ValueError("every class has a share, and they sum to 1")

    @classmethod
    def uniform(cls, numbers: NumberRange) -> "ExpectedNumbers":
        """Returns the distribution in which all numbers are equally likely."""
        return cls(numbers, (numbers.low,), (1.0,))

    @classmethod
    def from_weights(
        cls, numbers: NumberRange, starts: Sequence[int], weights: Sequence[float]
    ) -> "ExpectedNumbers":
        """Returns the distribution whose classes have shares in proportion to these `weights`."""
        return cls(numbers, tuple(starts), tuple(weight / sum(weights) for weight in weights))

    def share_at_least(self, numbers: ArrayLike) -> Floats:
        """Returns P(x >= t), the share of people with t or more, for each t in `numbers`."""
        return np.asarray(np.array(self.shares) @ self._tail_shares_and_class_sizes(numbers)[0])

    def capped_mean(self, numbers: ArrayLike) -> Floats:
        """Returns E min(x, t), the mean if numbers above t counted as t, for each t in `numbers`."""
        above, size = self._tail_shares_and_class_sizes(numbers)
        below = size * (1 - above)
        first = np.array(self.starts, dtype=np.float64)[:, None]
        t = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
        # The mean of the numbers below t, times how many of the class they are, and t for all others.
        under = below * first + self.range.step * below * (below - 1) / 2
        return np.asarray(np.array(self.shares) @ (under / size + above * t))

    def _tail_shares_and_class_sizes(self, numbers: ArrayLike) -> tuple[Floats, Floats]:
        """Returns, class x t, the share of each class with t or more; and the number of numbers by class."""
        step = self.range.step
        starts = np.array(self.starts, dtype=np.float64)[:, None]
        ends = np.array((*self.starts[1:], self.range.high + step), dtype=np.float64)[:, None]
        size = (ends - starts) / step
        t = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
        return np.clip((ends - t) / step / size, 0, 1), size
