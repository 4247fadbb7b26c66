"""Shares by group: the test that the classes are alike, and the share in all of them together."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.coverage.section import Measures, Value, held
from mining.reconstruction.score_moments_by_group import LEAST_BASE
from mining.reconstruction.shares_by_group import class_difference_p, share_interval_of_all_classes

CELLS, SEED = 250, 20
LEVELS = (0.05, 0.01, 0.0025)
WITHIN = 1.3
"""How much oftener than a level promises a test may reject."""
NOISES, SHARES = (0.0005, 0.005, 0.02, 0.1, 0.5), (0.0, 0.002, 0.01, 0.05, 0.3)


@dataclass(frozen=True)
class Grouped:
    """Everybody has the answer with the chance `share`, in each class of so many disguised records."""

    records: tuple[int, ...]
    keep: float
    noise: float
    share: float

    def __str__(self) -> str:
        classes = ", ".join(f"{many:,}" for many in self.records)
        return f"classes of {classes}, keep {self.keep:.3f}, noise {self.noise}, share {self.share}"


def grouped_cells() -> Iterator[Grouped]:
    """Two that missed by a chi-square test of what was sent, and others at random."""
    yield Grouped((3_736, 140), 0.549, 0.005, 0.0)
    yield Grouped((200, 100), 0.14, 0.0005, 0.01)
    rng = np.random.default_rng(SEED)
    for _cell in range(CELLS - 2):
        n, evenness = float(np.exp(rng.uniform(np.log(300), np.log(8_000)))), rng.choice([0.6, 1, 5])
        weights = rng.dirichlet(np.full(int(rng.choice([2, 2, 3, 4, 6])), evenness))
        records = tuple(max(LEAST_BASE, round(n * float(weight))) for weight in weights)
        keep = float(rng.uniform(0.1, 0.9))
        yield Grouped(records, keep, float(rng.choice(NOISES)), float(rng.choice(SHARES)))


def grouped(setting: Grouped, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    chance = (1 - setting.keep) * setting.noise
    n = np.array(setting.records)
    drawn = rng.binomial(n, chance + setting.keep * setting.share, (surveys, len(n)))
    sent, of_survey = np.unique(drawn, axis=0, return_inverse=True)
    of_survey = of_survey.ravel()
    # Share, mean square, B and records of the answer.
    received, has, lacks = sent / n, (1 - chance) / setting.keep, -chance / setting.keep
    share, second = (received * has**power + (1 - received) * lacks**power for power in (1, 2))
    moments = share, second, np.full(share.shape, has + lacks), np.broadcast_to(n, sent.shape)
    p = class_difference_p(*moments)
    for level in LEVELS:
        rejected = float((p[of_survey] <= level).mean())
        yield Value(f"p at most {level:g}, times as often", str(setting), rejected / level, surveys)
    _share, low, high, _n = share_interval_of_all_classes(*moments)
    yield held("in all classes together", setting, (low[of_survey], high[of_survey]), setting.share)


MEASURES: Measures = {"groups": (grouped_cells, grouped)}
