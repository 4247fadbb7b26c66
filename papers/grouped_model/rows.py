"""The rows of the tables: one per setting and estimator, with means over the repetitions and their standard errors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mining.finite_numbers import finite
from mining.parameters import MAX_SIZE
from papers.grouped_model.mined import COUNTS, ESTIMATORS, KINDS, RepetitionResults
from papers.grouped_model.settings import (
    READINGS,
    VALUES,
    Floats,
    PaperSetting,
    SimulatedSurvey,
    Varied,
    names,
    places,
    supports,
    sweep,
)
from papers.grouped_model.theory import WITH_THEORY, expected_itemsets, expected_w


@dataclass(frozen=True)
class Mean:
    value: float
    se: float

    @classmethod
    def of(cls, values: Floats) -> "Mean | None":
        """None where there is nothing to take the mean of."""
        if not np.isfinite(values).all():
            return None
        return cls(float(values.mean()), float(values.std(ddof=1)) / sqrt(len(values)))


@dataclass(frozen=True)
class Error:
    """W of the itemsets of one size (0: of all), or of one itemset, whose support in the population is `support`.

    `theory` is the expected W in closed form, `stated` the mean of the expected W that the product states.
    """

    size: int
    itemset: str
    support: float | None
    w: Mean
    theory: float | None
    stated: float | None


@dataclass(frozen=True)
class SettingRow:
    varied: Varied
    setting: PaperSetting
    estimator: str
    counts: Mapping[str, Mapping[str, Mean | None]]
    """By KINDS and COUNTS."""
    expected: Mapping[str, float] | None
    """The expected numbers of itemsets, by COUNTS."""
    errors: tuple[Error, ...]

    @property
    def value(self) -> float:
        """The value of the varied parameter."""
        return float(getattr(self.setting, self.varied))

    def of_size(self, size: int) -> Error:
        return next(error for error in self.errors if error.size == size and not error.itemset)


def settings() -> Iterator[tuple[Varied, PaperSetting]]:
    for varied in VALUES:
        for reading in READINGS:
            for setting in sweep(varied, reading):
                yield varied, setting


def rows(results: Mapping[SimulatedSurvey, RepetitionResults]) -> Iterator[SettingRow]:
    for varied, setting in settings():
        result = results[setting.survey]
        for name in ESTIMATORS:
            counts = result.counts[setting.wanted][name]
            by_kind = {
                kind: {count: Mean.of(counts[:, at, column]) for column, count in enumerate(COUNTS)}
                for at, kind in enumerate(KINDS)
            }
            errors = tuple(_errors(setting.survey, result, name))
            yield SettingRow(varied, setting, name, by_kind, expected(setting, name), errors)


def expected(setting: PaperSetting, estimator: str) -> dict[str, float] | None:
    if estimator not in WITH_THEORY:
        return None
    itemsets = expected_itemsets(setting.survey, estimator, setting.min_support)
    return dict(zip(COUNTS, itemsets.tolist(), strict=True))


def _errors(survey: SimulatedSurvey, result: RepetitionResults, estimator: str) -> Iterator[Error]:
    at = places(survey.questions)
    sizes = np.array([len(itemset) for itemset in at])
    w, stated = result.w[estimator], result.stated[estimator].mean(axis=0)
    theory = expected_w(survey, estimator) if estimator in WITH_THEORY else np.full(len(at), np.nan)

    def error(size: int, columns: Floats | slice, itemset: str = "", support: float | None = None) -> Error:
        mean = Mean.of(w[:, columns].mean(axis=1))
        if mean is None:
            raise ArithmeticError(f"{estimator} has no estimate of an itemset of {survey}")
        return Error(
            size, itemset, support, mean, finite(theory[columns].mean()), finite(stated[columns].mean())
        )

    yield error(0, slice(None))
    for size in range(1, MAX_SIZE + 1):
        yield error(size, sizes == size)
    letters = names(survey.questions)
    for row, (itemset, support) in enumerate(zip(at, supports(survey.questions), strict=True)):
        named = "".join(letters[index] for index in itemset)
        yield error(len(itemset), slice(row, row + 1), named, float(support))
