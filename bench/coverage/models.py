"""Coefficients of linear models and logits, and the score test, on counts of six patterns of age and sex."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from bench.coverage.section import Measures, Value
from mining.inference.contingency_table import Floats
from mining.studies.answer_counts_by_plain_pattern import PatternScores, scores_from_counts
from mining.studies.estimating_equations import LINEAR, LOGIT, NoMaximum, fit_coefficients, score_test
from mining.studies.single_answer_score_moments import AnswerLaw

LINKS = {"linear": LINEAR, "logit": LOGIT}
AGES, SEXES = 3, 2
POPULATION = np.outer([0.3, 0.4, 0.3], [0.5, 0.5]).ravel()
"""Shares of age and sex, sex fastest."""
AGE, SEX = np.divmod(np.arange(AGES * SEXES), SEXES)
LEVEL = 0.05
COLUMNS = np.stack([np.ones(6), AGE == 1, AGE == 2, SEX == 1], axis=1).astype(np.float64)
OF_AGE = np.array([False, True, True, False])
MOST_IMPOSSIBLE = 0.05
"""Where more surveys have no end, those that have one are chosen by it."""


@dataclass(frozen=True)
class ModelSetting:
    """`rare`: the share of the first pattern. `slope`: how much more the last age has it, in points or in logits.

    `opened`: 30 % of those without the answer and 60 % of those with it answer openly, and are left out.
    """

    kind: str
    keep: float
    n: int
    rare: float
    slope: float
    opened: bool

    def __str__(self) -> str:
        return (
            f"keep {self.keep:g}, {self.n:,} respondents, rare {self.rare:g}, slope {self.slope:g}, "
            f"open {self.opened}"
        )

    @property
    def law(self) -> AnswerLaw:
        return AnswerLaw.from_probabilities(self.keep, 0.5)

    @property
    def everybody(self) -> Floats:
        """The share by pattern."""
        moved = self.slope * (AGE / 2 + SEX / 4)
        if self.kind == "linear":
            return np.asarray(self.rare + moved)
        return np.asarray(1 / (1 + np.exp(-moved) * (1 - self.rare) / self.rare))

    @property
    def staying(self) -> Floats:
        """By pattern, who chooses disguise."""
        return 0.4 * self.everybody + 0.7 * (1 - self.everybody) if self.opened else np.ones(6)

    @property
    def disguised(self) -> Floats:
        """The share by pattern among those who choose disguise."""
        return 0.4 * self.everybody / self.staying if self.opened else self.everybody

    @cached_property
    def truth(self) -> Floats:
        """The coefficients of those who choose disguise, from their law."""
        records = 1e6 * POPULATION * self.staying
        having = records * self.disguised
        return fit_coefficients(LINKS[self.kind], PatternScores(records, having, having), COLUMNS).b

    def draw(self, rng: np.random.Generator) -> PatternScores:
        records = rng.multinomial(self.n, POPULATION * self.staying / (POPULATION @ self.staying))
        having = rng.binomial(records, self.keep * self.disguised + self.law.chance)
        return scores_from_counts(np.stack([records - having, having, 0 * having], axis=1), self.law)


class CoefficientsMeasured(NamedTuple):
    """`covered` by coefficient, among the surveys whose model could be estimated."""

    covered: tuple[float, ...]
    impossible: float


def model_settings(kind: str) -> Iterator[ModelSetting]:
    """72 with four coefficients each."""
    slopes = (0.0, 0.2) if kind == "linear" else (0.0, 0.8)
    for setting in product((0.9, 0.6923, 0.36), (1_000, 2_000, 4_000), (0.1, 0.3), slopes, (False, True)):
        yield ModelSetting(kind, *setting)


def model_cell(setting: ModelSetting, surveys: int, rng: np.random.Generator) -> CoefficientsMeasured:
    covered, possible = np.zeros(4), 0
    for _survey in range(surveys):
        try:
            result = fit_coefficients(LINKS[setting.kind], setting.draw(rng), COLUMNS)
        except NoMaximum:
            continue
        possible += 1
        covered += np.abs(result.b - setting.truth) <= 1.96 * result.se
    return CoefficientsMeasured(tuple((covered / max(possible, 1)).tolist()), 1 - possible / surveys)


def coefficients(setting: ModelSetting, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Without the logits that often have no end."""
    result = model_cell(setting, surveys, rng)
    for covered in result.covered if result.impossible <= MOST_IMPOSSIBLE else ():
        yield Value(f"coefficient, {setting.kind}", str(setting), covered, surveys, result.impossible)


def age_test_size(setting: ModelSetting, surveys: int, rng: np.random.Generator) -> float:
    """How often age is found where the slope is 0: Wald's test of a linear model, the score test of a logit."""
    assert setting.slope == 0
    rejected = possible = 0
    link, others = LINKS[setting.kind], setting.truth[~OF_AGE]
    for _survey in range(surveys):
        try:
            rejected += score_test(link, setting.draw(rng), COLUMNS, OF_AGE, others).p < LEVEL
        except NoMaximum:
            continue
        possible += 1
    return rejected / possible


def no_end_rate(share: float, keep: float, n: int, surveys: int, rng: np.random.Generator) -> float:
    """How often a logit on age and sex has no end where everybody has the answer with this share."""
    return model_cell(ModelSetting("logit", keep, n, share, 0.0, False), surveys, rng).impossible


MEASURES: Measures = {
    "models": (lambda: (setting for kind in LINKS for setting in model_settings(kind)), coefficients),
}
