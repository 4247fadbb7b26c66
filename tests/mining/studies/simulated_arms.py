"""The comparison of arms: coverage of the difference, size of its test, power, who left."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from mining.inference.share_differences import smallest_found_differences
from mining.studies.arms import arm_dropout, bounds_if_left, compare_arms
from mining.studies.single_answer_estimates import AnswerLaw, answer_moments, group_sides

LEVEL = 0.05


@dataclass(frozen=True)
class ArmSetting:
    """`share` have the attribute and say so when disguised; `hidden` of all have it and deny it when asked directly."""

    keep: float
    noise: float
    share: float
    hidden: float
    n: int
    direct: float

    @property
    def law(self) -> AnswerLaw:
        return AnswerLaw.of(self.keep, self.noise)


@dataclass(frozen=True)
class ArmsMeasured:
    setting: ArmSetting
    covered: float
    rejected: float


def arm_settings() -> Iterator[ArmSetting]:
    """216, of which 108 without a difference."""
    laws = product((0.9, 0.6923, 0.36), (0.5, 0.2))
    for (keep, noise), share, hidden, n, direct in product(
        laws, (0.15, 0.3, 0.5), (0.0, 0.1), (500, 1_000, 4_000), (0.3, 0.5)
    ):
        yield ArmSetting(keep, noise, share, hidden, n, direct)


def drawn(
    setting: ArmSetting, surveys: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The records of each arm, and those with the answer: arm by survey."""
    direct = rng.binomial(setting.n, setting.direct, surveys)
    records = np.stack([direct, setting.n - direct])
    received = setting.keep * setting.share + setting.law.chance
    having = np.stack(
        [rng.binomial(direct, setting.share - setting.hidden), rng.binomial(records[1], np.asarray(received))]
    )
    return records, having


def arm_cell(setting: ArmSetting, surveys: int, rng: np.random.Generator) -> ArmsMeasured:
    records, having = drawn(setting, surveys, rng)
    result = compare_arms(records, having, setting.law)
    covered = (result.low <= setting.hidden) & (setting.hidden <= result.high)
    return ArmsMeasured(setting, float(covered.mean()), float((result.p < LEVEL).mean()))


def dropout_size(n: int, share: float) -> float:
    """How often the test of who left rejects if nobody leaves by arm: exact, over all binomial counts."""
    direct = np.arange(n + 1)
    rejected = arm_dropout(direct, n - direct, share)["p"] < LEVEL
    at_most = bdtr(direct, n, share)
    return float(np.diff(at_most, prepend=0.0)[rejected].sum())


def power_cell(
    keep: float, share: float, n: int, surveys: int, rng: np.random.Generator, *, direct: float
) -> float:
    """How often the planned smallest difference is found; noise .5, `share` is that of the direct arm."""
    law = AnswerLaw.of(keep, 0.5)
    records = np.array([[n * direct], [n * (1 - direct)]])
    more, _fewer = smallest_found_differences(*group_sides(records, 0 * records, law), np.array([share]))
    smallest = float(more[0])
    return arm_cell(ArmSetting(keep, 0.5, share + smallest, smallest, n, direct), surveys, rng).rejected


def leaving_cell(setting: ArmSetting, surveys: int, rng: np.random.Generator) -> tuple[float, float]:
    """The mean bounds where a tenth of those drawn for the direct arm leaves, all of whom have the attribute.

    Everybody answers truthfully, so that the true difference is 0.
    """
    drawn_direct = rng.binomial(setting.n, setting.direct, surveys)
    leaving = rng.binomial(drawn_direct, 0.1)
    direct, disguised = drawn_direct - leaving, setting.n - drawn_direct
    staying_share = (setting.share - 0.1) / 0.9
    records = np.stack([direct, disguised])
    received = setting.keep * setting.share + setting.law.chance
    having = np.stack([rng.binomial(direct, staying_share), rng.binomial(disguised, np.asarray(received))])
    result = answer_moments(records, having, setting.law)
    completion = arm_dropout(records[0], records[1], setting.direct)["completion"]
    low, high = bounds_if_left(result.mean[0], result.mean[1], completion)
    return float(low.mean()), float(high.mean())
