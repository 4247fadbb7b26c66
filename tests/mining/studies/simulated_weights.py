"""Weighted shares where some kinds of people take part more often than others."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, starmap

import numpy as np
from numpy.typing import NDArray

from bench.coverage.models import AGE, AGES, POPULATION, SEX, SEXES
from bench.coverage.weights import accepted, together
from mining.inference.contingency_table import Floats
from mining.studies.population_margins import MarginCells
from mining.studies.single_answer_estimates import AnswerLaw

SLOPE = 0.25
"""Each age has the attribute so much more often than the one before, at most."""


def by_question(code: NDArray[np.intp]) -> Floats:
    return np.asarray(np.bincount(code, POPULATION), np.float64)


@dataclass(frozen=True)
class WeightSetting:
    """Each age takes part `tilt` times as often as the one before; `raked`: by age and sex apart, else by both."""

    keep: float
    n: int
    share: float
    tilt: float
    raked: bool

    @property
    def shares(self) -> Floats:
        """Of the attribute, by pattern."""
        slope = min(SLOPE, 0.8 * self.share)
        return np.asarray(self.share + slope * (AGE - 1) + 0.05 * (SEX - 0.5))

    @property
    def truth(self) -> float:
        return float(POPULATION @ self.shares)

    @property
    def takes_part(self) -> Floats:
        weighted = POPULATION * self.tilt**AGE * np.where(SEX, 1.0, 1.3)
        return np.asarray(weighted / weighted.sum())

    @property
    def bias(self) -> float:
        """Of the share without weights."""
        return float(self.takes_part @ self.shares) - self.truth

    @property
    def margins(self) -> list[MarginCells]:
        if not self.raked:
            return [MarginCells(np.arange(AGES * SEXES), POPULATION, ("",) * (AGES * SEXES))]
        ages = MarginCells(AGE, by_question(AGE), ("",) * AGES)
        return [ages, MarginCells(SEX, by_question(SEX), ("",) * SEXES)]


@dataclass(frozen=True)
class WeightsMeasured:
    """Among the surveys whose weights are not refused."""

    setting: WeightSetting
    covered: float
    bias_left: float
    refused: float


def weight_settings() -> Iterator[WeightSetting]:
    """162."""
    return starmap(
        WeightSetting,
        product((0.9, 0.6923, 0.36), (500, 1_000, 4_000), (0.1, 0.3, 0.5), (1.0, 1.6, 3.2), (True, False)),
    )


def weight_cell(setting: WeightSetting, surveys: int, rng: np.random.Generator) -> WeightsMeasured:
    law = AnswerLaw.of(setting.keep, 0.5)
    groups = accepted(setting.n, setting.takes_part, setting.shares, setting.margins, law, surveys, rng)
    result = together(groups)
    low, high = result.interval()
    covered = (low <= setting.truth) & (setting.truth <= high)
    bias_left = float(result.at_zero().mean()) - setting.truth
    return WeightsMeasured(setting, float(covered.mean()), bias_left, 1 - len(groups) / surveys)
