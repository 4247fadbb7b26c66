"""Computes the tables of document 004: a row per setting and estimator, with means and errors.

D and D* are mined for both of the document's readings of k, with all estimators, many times over; and again
with open respondents who differ. The page is made from these tables, whether just computed or stored.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from math import sqrt
from multiprocessing import get_context
from typing import Any

import numpy as np

from mining.finite_numbers_for_json import finite_or_none
from mining.parameters import MAX_SIZE, Parameters
from papers.csv_and_example_tables import csv_from_rows, csv_text
from papers.document_structure import ReproductionOptions
from papers.grouped_model.expected_error import WITH_THEORY, expected_frequent_counts, expected_w_by_itemset
from papers.grouped_model.repeated_mining import (
    COUNTS,
    DIFFERENCES,
    ESTIMATORS,
    KINDS,
    RepetitionResults,
    estimates_where_groups_differ,
    mine_repeatedly,
)
from papers.grouped_model.simulated_survey import (
    READINGS,
    VALUES,
    Floats,
    PaperSetting,
    SimulatedSurvey,
    Varied,
    question_indexes_by_itemset,
    question_names,
    record_posteriors,
    settings_over_parameter,
    true_supports,
)


@dataclass(frozen=True)
class Mean:
    value: float
    se: float

    @classmethod
    def from_values(cls, values: Floats) -> "Mean | None":
        """Returns the mean with its standard error; None if any value is not finite."""
        if not np.isfinite(values).all():
            return None
        return cls(float(values.mean()), float(values.std(ddof=1)) / sqrt(len(values)))


def compute_tables(options: ReproductionOptions) -> dict[str, str]:
    """Simulates and mines all surveys of the experiment; returns the tables as CSV by name."""
    surveys = mining_parameters_by_survey()
    options.say(f"{len(surveys)} surveys are simulated and mined, {options.repetitions} times each.")
    results = simulate_surveys(surveys, options)
    by_estimator = estimates_where_groups_differ(options.repetitions, options.seed)
    spreads = [
        [difference, name, *asdict(spread).values()]
        for name, by_difference in by_estimator.items()
        for difference, spread in zip(DIFFERENCES, by_difference, strict=True)
    ]
    return {
        "posteriors": csv_from_rows(record_posteriors()),
        "mined": csv_from_rows(mined_table_rows(results)),
        "w": csv_from_rows(w_table_rows(results)),
        "bias": csv_text(["difference", "estimator", "mean", "low", "high"], spreads),
    }


def all_settings() -> Iterator[tuple[Varied, PaperSetting]]:
    for varied in VALUES:
        for reading in READINGS:
            for setting in settings_over_parameter(varied, reading):
                yield varied, setting


def mining_parameters_by_survey() -> dict[SimulatedSurvey, list[Parameters]]:
    """Returns every survey to simulate, with all parameter sets by which it is mined."""
    by_survey: dict[SimulatedSurvey, list[Parameters]] = {}
    for _varied, setting in all_settings():
        parameters = by_survey.setdefault(setting.survey, [])
        if setting.parameters not in parameters:
            parameters.append(setting.parameters)
    return by_survey


def simulate_surveys(
    surveys: Mapping[SimulatedSurvey, Sequence[Parameters]], options: ReproductionOptions
) -> dict[SimulatedSurvey, RepetitionResults]:
    """Simulates and mines all surveys in parallel, one process per processor; each has its own random numbers."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        running = {
            survey: pool.submit(mine_repeatedly, survey, parameters, options.repetitions, options.seed)
            for survey, parameters in surveys.items()
        }
        results = {}
        for number, (survey, future) in enumerate(running.items(), 1):
            results[survey] = future.result()
            options.say(f"{number} of {len(running)}")
        return results


def mined_table_rows(results: Mapping[SimulatedSurvey, RepetitionResults]) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table *mined*: counts of itemsets and rules in each setting, by estimator.

    They are counted in D (true data), in D* (reconstructed), in D* alone and in D alone.
    """
    for varied, setting in all_settings():
        for name in ESTIMATORS:
            counts = results[setting.survey].counts[setting.parameters][name]
            line = _setting_columns(varied, setting, name)
            for at, kind in enumerate(KINDS):
                for column, count in enumerate(COUNTS):
                    mean = Mean.from_values(counts[:, at, column])
                    line[f"{kind}_{count}"] = mean.value if mean else ""
                    line[f"{kind}_{count}_se"] = mean.se if mean else ""
            theory: Sequence[object] = [""] * len(COUNTS)
            if name in WITH_THEORY:
                theory = expected_frequent_counts(setting.survey, name, setting.min_support).tolist()
            yield line | {
                f"{KINDS[0]}_{count}_theory": value for count, value in zip(COUNTS, theory, strict=True)
            }


def w_table_rows(results: Mapping[SimulatedSurvey, RepetitionResults]) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table *w*: the error W by size of itemset (0: all), and of each itemset.

    `w_theory` is the expected W in closed form, `w_stated` the mean of the expected W that the product states.
    """
    for varied, setting in all_settings():
        survey, letters = setting.survey, question_names(setting.questions)
        at = question_indexes_by_itemset(survey.questions)
        sizes = np.array([len(itemset) for itemset in at])
        groups: list[tuple[int, str, float | None, Any]] = [(0, "", None, slice(None))]
        groups += [(size, "", None, sizes == size) for size in range(1, MAX_SIZE + 1)]
        for row, (itemset, support) in enumerate(
            zip(at, true_supports(survey.questions).tolist(), strict=True)
        ):
            name = "".join(letters[index] for index in itemset)
            groups.append((len(itemset), name, support, slice(row, row + 1)))
        for estimator in ESTIMATORS:
            w = results[survey].w[estimator]
            stated = results[survey].stated[estimator].mean(axis=0)
            has_theory = estimator in WITH_THEORY
            theory = expected_w_by_itemset(survey, estimator) if has_theory else np.full(len(at), np.nan)
            for size, name, support_of_name, columns in groups:
                mean = Mean.from_values(w[:, columns].mean(axis=1))
                if mean is None:
                    raise ArithmeticError(f"{estimator} has no estimate of an itemset of {survey}")
                yield _setting_columns(varied, setting, estimator) | {
                    "size": size,
                    "itemset": name,
                    "support": support_of_name,
                    "w": mean.value,
                    "w_se": mean.se,
                    "w_theory": finite_or_none(theory[columns].mean()),
                    "w_stated": finite_or_none(stated[columns].mean()),
                }


def _setting_columns(varied: Varied, setting: PaperSetting, estimator: str) -> dict[str, Any]:
    """Returns the columns that describe a setting, in the document's symbols; open_share is the same in both
    readings."""
    open_share = setting.survey.open_share
    return {"varied": varied, **asdict(setting), "open_share": open_share, "estimator": estimator}
