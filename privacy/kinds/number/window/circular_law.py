"""Laws on a circle of numbers: R1, R2 and R3 of document 000 (docs/references.md: 000, evfimievski-2003).

A number 0..V-1 becomes another; how likely depends on their difference modulo V alone:

    R1  x with probability c, else uniform over the V-1 others
    R2  x + xi modulo V, xi uniform on [-h, h]
    R3  R2 with probability u, else uniform over all V
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Weights = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class CircularLaw:
    """A law on a circle of V numbers: P(y|x) = weights[(y - x) mod V]."""

    weights: Weights

    def __post_init__(self) -> None:
        if sum(self.weights) != 1 or min(self.weights) < 0:
            raise ValueError("probabilities are not negative and sum to 1")

    @classmethod
    def retention(cls, values: int, keep: Fraction) -> "CircularLaw":
        """Returns the law R1: x with probability c, else uniform over the other numbers."""
        return cls((keep, *[(1 - keep) / (values - 1)] * (values - 1)))

    @classmethod
    def window(cls, values: int, half: int) -> "CircularLaw":
        """Returns the law R2: x shifted uniformly within [-h, h], h = `half`.

        Raises ValueError if the 2h + 1 numbers of the window are more than all numbers.
        """
        if not 0 <= 2 * half < values:
            raise ValueError(f"a window of {2 * half + 1} does not fit {values} values")
        width = 2 * half + 1
        near = [min(offset, values - offset) <= half for offset in range(values)]
        return cls(tuple(Fraction(is_near, width) for is_near in near))

    @classmethod
    def mixed(cls, values: int, half: int, windowed: Fraction) -> "CircularLaw":
        """Returns the law R3: R2 with probability u = `windowed`, else uniform over all numbers."""
        inside = cls.window(values, half).weights
        return cls(tuple(windowed * weight + (1 - windowed) / values for weight in inside))

    @property
    def values(self) -> int:
        return len(self.weights)

    def probability(self, x: int, y: int) -> Fraction:
        """Returns P(y|x), the probability that y is sent if the true number is x."""
        return self.weights[(y - x) % self.values]

    @property
    def gamma(self) -> Fraction | None:
        """The largest factor by which one record changes any odds; None if it can rule a number out."""
        least = min(self.weights)
        return max(self.weights) / least if least else None

    def posterior(self, prior: Sequence[Fraction], y: int) -> Weights:
        """Returns the posterior P(x|y) of each x; `prior`: the probability of each x before."""
        joint = [belief * self.probability(x, y) for x, belief in enumerate(prior)]
        total = sum(joint)
        if not total:
            raise ValueError(f"{y} is never sent under this prior")
        return tuple(weight / total for weight in joint)
