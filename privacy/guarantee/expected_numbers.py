"""How the numbers that a question asks for are expected to be distributed.

See docs/mathematics.md, Numbers by guarantee.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy.grammar.input_error import InputError, marked as _

# --- number range
# The numbers that a question asks for.


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers low, low + step, ... high; who is below or above answers with the nearest end."""

    low: int
    high: int
    step: int = 1

    def __post_init__(self) -> None:
        if self.step < 1:
            raise InputError("step", _("must be at least 1"))
        if self.high <= self.low:
            raise InputError("high", _("must be above the lowest number, %(low)s"), low=self.low)
        if (self.high - self.low) % self.step:
            raise InputError(
                "step",
                _("from %(low)s to %(high)s is not a whole number of steps of %(step)s"),
                low=self.low,
                high=self.high,
                step=self.step,
            )

    @property
    def steps(self) -> int:
        return (self.high - self.low) // self.step

    @property
    def values(self) -> int:
        """How many numbers there are."""
        return self.steps + 1

    @property
    def width(self) -> int:
        return self.high - self.low


# --- expected numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExpectedNumbers:
    """Classes of numbers with their shares; within a class all numbers are equally likely.

    Class i begins with the number starts[i], the first with the lowest of the range, and ends before the next one's.
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
    def even(cls, numbers: NumberRange) -> "ExpectedNumbers":
        """All numbers equally likely."""
        return cls(numbers, (numbers.low,), (1.0,))

    @classmethod
    def weighted(
        cls, numbers: NumberRange, starts: Sequence[int], weights: Sequence[float]
    ) -> "ExpectedNumbers":
        return cls(numbers, tuple(starts), tuple(weight / sum(weights) for weight in weights))

    def share_from(self, numbers: ArrayLike) -> Floats:
        """P(x >= t), for numbers t of the range."""
        return np.asarray(np.array(self.shares) @ self._from(numbers)[0])

    def mean_up_to(self, numbers: ArrayLike) -> Floats:
        """E min(x, t), for numbers t of the range."""
        above, size = self._from(numbers)
        below = size * (1 - above)
        first = np.array(self.starts, dtype=np.float64)[:, None]
        t = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
        # The mean of the numbers below t, times how many of the class they are, and t for all others.
        under = below * first + self.range.step * below * (below - 1) / 2
        return np.asarray(np.array(self.shares) @ (under / size + above * t))

    def _from(self, numbers: ArrayLike) -> tuple[Floats, Floats]:
        """By class and t: the share of its numbers from t on; and how many numbers a class has."""
        step = self.range.step
        starts = np.array(self.starts, dtype=np.float64)[:, None]
        ends = np.array((*self.starts[1:], self.range.high + step), dtype=np.float64)[:, None]
        size = (ends - starts) / step
        t = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
        return np.clip((ends - t) / step / size, 0, 1), size
