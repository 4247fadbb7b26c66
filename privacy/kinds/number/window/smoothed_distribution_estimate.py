"""Estimates the distribution of a number disguised by a window (R3), blurred by the Fejer kernel.

Most frequencies of the distribution are hidden for good; the kernel of M modes leaves out those whose
eigenvalue is below .1 and fades the others. V numbers lie on a circle: what is near one end shows at the
other (docs/mathematics.md, Numbers).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy.kinds.number.window.law import LEAST_EIGENVALUE, WindowLaw

Floats = NDArray[np.float64]

BAND = 1.96
"""Half width of a 95 % band in standard errors."""


def eigenvalues(law: WindowLaw) -> Floats:
    """Returns the eigenvalues lambda_m of the law, for m = 1 .. V/2."""
    m = np.arange(1, law.values // 2 + 1)
    waves = np.sin(law.width * np.pi * m / law.values) / (law.width * np.sin(np.pi * m / law.values))
    return np.asarray(float(law.windowed) * waves)


def count_shown_modes(law: WindowLaw) -> int:
    """Returns M, the number of Fourier modes that are shown: all before the first whose eigenvalue is below .1."""
    hidden = np.flatnonzero(np.abs(eigenvalues(law)) < LEAST_EIGENVALUE)
    return int(hidden[0]) if len(hidden) else law.values // 2


def difference_scores(law: WindowLaw, modes: int, *, is_open: bool = False) -> Floats:
    """Returns the score of each difference x - y modulo V, computed from the first `modes` Fourier modes.

    `is_open`: for open answers, so no disguise has to be inverted.
    """
    m = np.arange(1, modes + 1)
    factors = (1 - m / (modes + 1)) / (np.ones(modes) if is_open else eigenvalues(law)[:modes])
    waves = np.zeros(law.values)
    waves[0] = 1
    waves[m] += factors
    waves[-m] += factors
    return np.asarray(np.fft.fft(waves).real / law.values)


@dataclass(frozen=True, slots=True)
class BlurredDistribution:
    """The share of each value in the blurred distribution, with its standard error.

    The 95 % band from `low` to `high` covers point by point, not the whole curve at once.
    """

    share: Floats
    se: Floats

    @property
    def low(self) -> Floats:
        return np.asarray(self.share - BAND * self.se)

    @property
    def high(self) -> Floats:
        return np.asarray(self.share + BAND * self.se)


def estimate_distribution(law: WindowLaw, disguised: Floats, open_answers: Floats) -> BlurredDistribution:
    """Estimates the blurred distribution of true numbers, with standard errors, as the mean of scores.

    `disguised`, `open_answers`: number of records by value, on the last axis; axes before it are surveys.
    """
    kept = count_shown_modes(law)
    if not kept:
        raise ValueError("this law hides every frequency")
    n = (disguised + open_answers).sum(axis=-1, keepdims=True)
    groups = (
        (disguised, difference_scores(law, kept)),
        (open_answers, difference_scores(law, kept, is_open=True)),
    )
    share = sum(_circular_sums(records, z) for records, z in groups) / n
    second = sum(_circular_sums(records, z**2) for records, z in groups) / n
    return BlurredDistribution(share, np.sqrt(np.maximum(second - share**2, 0) / n))


def _circular_sums(records: Floats, z: Floats) -> Floats:
    """Returns the circular convolution: for each x the sum over y of records(y) z(x - y)."""
    return np.asarray(np.fft.irfft(np.fft.rfft(records) * np.fft.rfft(z), len(z)))
