"""Two waves of which some people answer both, and alike."""

from dataclasses import dataclass

import numpy as np

from mining.studies.single_answer_estimates import AnswerLaw, answer_side
from mining.studies.waves import compare_sides


@dataclass(frozen=True)
class WaveSetting:
    """`both` of the respondents of the later wave answered the earlier one, too, and alike; the others drift."""

    keep: float
    n: int
    share: float
    both: float
    drift: float

    @property
    def truth(self) -> float:
        return (1 - self.both) * self.drift


def wave_cell(setting: WaveSetting, surveys: int, rng: np.random.Generator) -> float:
    """How often the interval holds the difference."""
    law = AnswerLaw.of(setting.keep, 0.5)
    chance = float(law.chance)
    same = round(setting.both * setting.n)
    with_it = rng.binomial(same, setting.share, surveys)

    def wave(share: float) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        kept = rng.binomial(with_it, setting.keep + chance) + rng.binomial(same - with_it, chance)
        return kept + rng.binomial(setting.n - same, setting.keep * share + chance, surveys)

    records = np.stack([np.zeros(surveys), np.full(surveys, setting.n)])
    sides = (
        answer_side(records, np.stack([np.zeros(surveys), wave(share)]), law)
        for share in (setting.share, setting.share + setting.drift)
    )
    result = compare_sides(*sides, shared=setting.both > 0)
    return float(((result.low <= setting.truth) & (setting.truth <= result.high)).mean())
