"""The bias that the document does not show: the support of one answer if open respondents differ from the others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mining.reconstruction import estimated
from papers.grouped_model.mined import MINED
from papers.grouped_model.settings import Floats, PaperSetting
from papers.grouped_model.simulation import repeated
from privacy.simulation.population import Independent, Population

TRUTH, OPEN_SHARE = 0.25, 0.5
DIFFERENCES = tuple(round(step / 20, 2) for step in range(-10, 11))
"""Share among the disguised less that among the open, while both together stay at 25 %."""
USUAL = replace(PaperSetting("open"), k=OPEN_SHARE)


@dataclass(frozen=True)
class MeanAndBand:
    """Over the repetitions: the mean, and the band of nine out of ten."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> "MeanAndBand":
        low, high = np.quantile(values, [0.05, 0.95])
        return cls(float(values.mean()), float(low), float(high))


def bias(
    repetitions: int, seed: int, cache: Path, differences: Sequence[float] = DIFFERENCES
) -> dict[str, list[MeanAndBand]]:
    """By estimator, at each of the differences."""
    estimates = np.empty((len(MINED), len(differences), repetitions))
    survey = USUAL.survey
    for step, difference in enumerate(differences):
        disguised, answering_openly = (_answers(TRUTH + sign * difference / 2) for sign in (1, -1))
        population = Population(disguised, answering_openly, OPEN_SHARE)
        rng = np.random.default_rng([seed, step])
        every = repeated(survey.design, population, survey.respondents, repetitions, rng, cache)
        for row, data in enumerate(every):
            for at, name in enumerate(MINED):
                estimates[at, step, row] = estimated(data.received, [((0, 1),)], name).support[0]
    return {name: [MeanAndBand.of(values) for values in estimates[at]] for at, name in enumerate(MINED)}


def _answers(share: float) -> Independent:
    """The first answer has this share, the others, which are not used, one half."""
    return Independent(((1 - share, share), (0.5, 0.5), (0.5, 0.5)))
