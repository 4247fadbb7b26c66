"""Corrected shares where some answer at random, and the test of the two versions of a crosswise question."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bench.coverage.section import Measures, Value, grid
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN, ContingencyTable, ItemsetPart
from mining.studies.control_item_correction import corrected_shares, joint_estimates
from mining.studies.crosswise_preference_dropout_tests import word_preference

LEVEL = 0.05


@dataclass(frozen=True)
class ControlSetting:
    """`careless` of all answer at random; keep and noise are those of the item, and of the control item if disguised.

    A disguised control item has a section of its own.
    """

    careless: float
    known: float
    share: float
    keep: float
    n: int
    plain: bool

    def __str__(self) -> str:
        return (
            f"{self.careless:g} at random, share {self.share:g}, known {self.known:g}, keep {self.keep:g}, "
            f"{self.n:,} respondents"
        )


class ControlMeasured(NamedTuple):
    """Shares of surveys: of those with both ends, and of all."""

    covered: float
    uncorrected: float
    unbounded: float


control_settings = grid(
    ControlSetting,
    (0.0, 0.05, 0.2),
    (0.0, 0.1, 1.0),
    (0.1, 0.3),
    (0.9, 0.6923),
    (1_000, 4_000),
    (False, True),
)


def control_table(setting: ControlSetting, surveys: int, rng: np.random.Generator) -> ContingencyTable:
    """The disguised records of so many surveys by control item and item."""
    # True answers: neither, control alone, item alone, both; at random each is as likely.
    attentive = np.outer([1 - setting.share, setting.share], [1 - setting.known, setting.known]).ravel()
    true = (1 - setting.careless) * attentive + setting.careless / 4
    noise = 0.5
    blur = np.full((2, 2), (1 - setting.keep) * noise) + setting.keep * np.eye(2)
    received = true @ np.kron(blur, np.eye(2) if setting.plain else blur)
    neither, control, item, both = rng.multinomial(setting.n, received / received.sum(), surveys).T
    at_least = np.zeros((4, 2, surveys))
    at_least[:, 1] = [neither + control + item + both, control + both, item + both, both]
    parts = (
        ItemsetPart(ANTECEDENT, PLAIN if setting.plain else 0),
        ItemsetPart(CONSEQUENT, 0 if setting.plain else 1),
    )
    keep = np.full((1 if setting.plain else 2, 1), setting.keep)
    return ContingencyTable(parts, at_least, keep, np.array([[1.0 if setting.plain else noise], [noise]]))


def control_cell(setting: ControlSetting, surveys: int, rng: np.random.Generator) -> ControlMeasured:
    estimates = joint_estimates(control_table(setting, surveys, rng))
    result = corrected_shares(estimates, setting.known, 2)
    bounded = np.isfinite(result.low)
    covered = (result.low <= setting.share) & (setting.share <= result.high)
    uncorrected = np.abs(estimates.share - setting.share) <= 1.96 * np.sqrt(estimates.variance)
    return ControlMeasured(
        float(covered[bounded].mean()), float(uncorrected.mean()), float((~bounded).mean())
    )


def corrected(setting: ControlSetting, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    result = control_cell(setting, surveys, rng)
    used = round(surveys * (1 - result.unbounded))
    yield Value("corrected share", str(setting), result.covered, used, result.unbounded)


def preference_rate(same: float, n: int, secret: float, surveys: int, rng: np.random.Generator) -> float:
    """How often the fit test rejects if a share `same` of all say *same* whatever is asked; n respondents by halves."""
    first = rng.binomial(n, 0.5, surveys)
    records = np.stack([first, n - first])
    keep, share = abs(1 - 2 * secret), 0.1
    honest = keep * share + (1 - keep) / 2
    # *Same* is recorded as *no* in the first version and as *yes* in the second.
    chances = (1 - same) * honest + same * np.array([0.0, 1.0])
    _difference, _z, p = word_preference(records, rng.binomial(records, chances[:, None]), keep)
    return float((p < LEVEL).mean())


MEASURES: Measures = {"corrected": (control_settings, corrected)}
