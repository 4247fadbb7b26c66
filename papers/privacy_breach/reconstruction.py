"""The distribution of X from records of R3, by expectation maximisation: the function by which reports draw it."""

from dataclasses import dataclass

import numpy as np

from mining.kinds.number.window import likeliest_distribution
from papers.privacy_breach.breaches import Floats
from papers.privacy_breach.settings import R3, RESPONDENTS, SEED, VALUES


@dataclass(frozen=True)
class Reconstruction:
    """Shares by number: of the people, of the records as received, and reconstructed in so many `steps`."""

    true: Floats
    received: Floats
    reconstructed: Floats
    steps: int

    def distance(self, shares: Floats) -> float:
        """Total variation from the true shares."""
        return float(np.abs(shares - self.true).sum() / 2)


def reconstruction() -> Reconstruction:
    """Of people around 300 and 700, twice as many around 300, normally distributed with standard deviation 100."""
    rng = np.random.default_rng(SEED)
    x = np.arange(VALUES)
    density = 2 * np.exp(-((x - 300) ** 2) / 20_000) + np.exp(-((x - 700) ** 2) / 20_000)
    people = rng.choice(VALUES, RESPONDENTS, p=density / density.sum())
    true = np.bincount(people, minlength=VALUES)
    windowed = rng.random(RESPONDENTS) < float(R3.windowed)
    moved = (people + rng.integers(-R3.half, R3.half + 1, RESPONDENTS)) % VALUES
    sent = np.where(windowed, moved, rng.integers(0, VALUES, RESPONDENTS))
    received = np.bincount(sent, minlength=VALUES)
    likeliest = likeliest_distribution(R3, np.stack([0 * received, received]))
    return Reconstruction(true / RESPONDENTS, received / RESPONDENTS, likeliest.share, likeliest.steps)
