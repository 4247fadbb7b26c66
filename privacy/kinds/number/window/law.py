"""R3 as surveys use it: a window around the number, or any number, by a coin (docs/references.md: evfimievski-2003).

See docs/mathematics.md, Numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi, sin

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.node import PARTS
from privacy.kinds.mined_law import Protected, RecordKind

# --- circular law
# Laws on a circle of numbers: R1, R2 and R3 of document 000 (docs/references.md: 000, evfimievski-2003).
# A number 0..V-1 becomes another; how likely depends on their difference modulo V alone:
# R1  x with probability c, else uniform over the V-1 others     R2  x + xi modulo V, xi uniform on [-h, h]
# R3  R2 with probability u, else uniform over all V

Weights = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class CircularLaw:
    """P(y|x) = weights[(y - x) mod V]."""

    weights: Weights

    def __post_init__(self) -> None:
        if sum(self.weights) != 1 or min(self.weights) < 0:
            raise ValueError("probabilities are not negative and sum to 1")

    @classmethod
    def retention(cls, values: int, keep: Fraction) -> "CircularLaw":
        """R1."""
        return cls((keep, *[(1 - keep) / (values - 1)] * (values - 1)))

    @classmethod
    def window(cls, values: int, half: int) -> "CircularLaw":
        """R2; the window of 2h + 1 values does not overlap itself."""
        if not 0 <= 2 * half < values:
            raise ValueError(f"a window of {2 * half + 1} does not fit {values} values")
        width = 2 * half + 1
        near = [min(offset, values - offset) <= half for offset in range(values)]
        return cls(tuple(Fraction(is_near, width) for is_near in near))

    @classmethod
    def mixed(cls, values: int, half: int, windowed: Fraction) -> "CircularLaw":
        """R3; u is `windowed`."""
        inside = cls.window(values, half).weights
        return cls(tuple(windowed * weight + (1 - windowed) / values for weight in inside))

    @property
    def values(self) -> int:
        return len(self.weights)

    def probability(self, x: int, y: int) -> Fraction:
        """P(y|x)."""
        return self.weights[(y - x) % self.values]

    @property
    def gamma(self) -> Fraction | None:
        """The largest factor by which one record can change the odds of anything; None where it may prove something."""
        least = min(self.weights)
        return max(self.weights) / least if least else None

    def posterior(self, prior: Sequence[Fraction], y: int) -> Weights:
        """P(x|y) by x, under this prior by x."""
        joint = [belief * self.probability(x, y) for x, belief in enumerate(prior)]
        total = sum(joint)
        if not total:
            raise ValueError(f"{y} is never sent under this prior")
        return tuple(weight / total for weight in joint)


# --- law

LEAST_EIGENVALUE = 0.1
"""What is faded more is not shown: the inverse would divide by less."""
BANDED = 1_000
"""With fewer records there are no bands: they would hold the truth too seldom."""


@dataclass(frozen=True, slots=True)
class WindowLaw:
    """R3 over `values` numbers with h = `half`; `uniform_parts` is 1 - u in ten-thousandths."""

    values: int
    half: int
    uniform_parts: int

    @property
    def windowed(self) -> Fraction:
        """u."""
        return 1 - Fraction(self.uniform_parts, PARTS)

    @property
    def width(self) -> int:
        """2h + 1, the numbers of the window."""
        return 2 * self.half + 1

    @property
    def first_eigenvalue(self) -> float:
        """lambda_1, by which the roughest shape of the distribution is faded."""
        turn = pi / self.values
        return float(self.windowed) * sin(self.width * turn) / (self.width * sin(turn))

    @property
    def gamma(self) -> Fraction:
        """The largest factor by which one record can change the odds of anything, for 2h + 1 < V."""
        return 1 + self.windowed * self.values / ((1 - self.windowed) * self.width)

    @property
    def protects(self) -> Protected:
        return Protected.EVERYBODY

    def record_kinds(self) -> dict[RecordKind, int]:
        """All alike: a number says as much of those around it as any other."""
        share, uniform = Fraction(self.width, self.values), (1 - self.windowed) / self.values
        return {((share, self.windowed / self.width + uniform), (1 - share, uniform)): self.values}

    @property
    def law(self) -> CircularLaw:
        return CircularLaw.mixed(self.values, self.half, self.windowed)


# --- inverse
# The inverse of R3: the distribution of a number, blurred by the Fejer kernel (docs/mathematics.md, Numbers).
# Most frequencies of the distribution are hidden for good; the kernel of M modes leaves out those whose
# eigenvalue is below .1 and fades the others. V numbers lie on a circle: what is near one end shows at the
# other.

Floats = NDArray[np.float64]

BAND = 1.96
"""Standard errors on either side of a 95 % band."""


def eigenvalues(law: WindowLaw) -> Floats:
    """lambda_m for m = 1 .. V/2."""
    m = np.arange(1, law.values // 2 + 1)
    waves = np.sin(law.width * np.pi * m / law.values) / (law.width * np.sin(np.pi * m / law.values))
    return np.asarray(float(law.windowed) * waves)


def modes(law: WindowLaw) -> int:
    """M: up to it no eigenvalue is below .1; 0 where the first is."""
    hidden = np.flatnonzero(np.abs(eigenvalues(law)) < LEAST_EIGENVALUE)
    return int(hidden[0]) if len(hidden) else law.values // 2


def scores(law: WindowLaw, kept: int, *, is_open: bool = False) -> Floats:
    """z by the difference x - y modulo V, of `kept` modes; an open answer needs no inverse."""
    m = np.arange(1, kept + 1)
    factors = (1 - m / (kept + 1)) / (np.ones(kept) if is_open else eigenvalues(law)[:kept])
    waves = np.zeros(law.values)
    waves[0] = 1
    waves[m] += factors
    waves[-m] += factors
    return np.asarray(np.fft.fft(waves).real / law.values)


@dataclass(frozen=True, slots=True)
class BlurredDistribution:
    """By value the share and its standard error; the 95 % band covers point by point, not the whole curve at once."""

    share: Floats
    se: Floats

    @property
    def low(self) -> Floats:
        return np.asarray(self.share - BAND * self.se)

    @property
    def high(self) -> Floats:
        return np.asarray(self.share + BAND * self.se)


def blurred(law: WindowLaw, disguised: Floats, open_answers: Floats) -> BlurredDistribution:
    """From the numbers of disguised and of open records by value: the mean of the scores, and its standard error.

    The last axis is the value; axes before it are surveys.
    """
    kept = modes(law)
    if not kept:
        raise ValueError("this law hides every frequency")
    n = (disguised + open_answers).sum(axis=-1, keepdims=True)
    groups = ((disguised, scores(law, kept)), (open_answers, scores(law, kept, is_open=True)))
    share = sum(_summed(records, z) for records, z in groups) / n
    second = sum(_summed(records, z**2) for records, z in groups) / n
    return BlurredDistribution(share, np.sqrt(np.maximum(second - share**2, 0) / n))


def _summed(records: Floats, z: Floats) -> Floats:
    """By x the sum over y of records(y) z(x - y)."""
    return np.asarray(np.fft.irfft(np.fft.rfft(records) * np.fft.rfft(z), len(z)))
