"""Document 004, the grouped unrelated-question model: what records prove, and what mining disguised data finds.

D and D* are mined for both of the document's readings of k, with all estimators, many times over; and again with
open answerers who differ.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from typing import Any

from mining.parameters import Parameters
from papers.grouped_model.bias import DIFFERENCES, MeanAndBand, bias
from papers.grouped_model.mined import COUNTS, KINDS, RepetitionResults, mined
from papers.grouped_model.original import posteriors
from papers.grouped_model.page import page
from papers.grouped_model.rows import Mean, SettingRow, rows, settings
from papers.grouped_model.settings import SimulatedSurvey
from papers.reproducing import Reproduced, Run
from papers.tables import csv_of, csv_text


def reproduced(run: Run) -> Reproduced:
    surveys = thresholds()
    run.say(f"{len(surveys)} surveys are simulated and mined, {run.repetitions} times each.")
    table = list(rows(simulated(surveys, run)))
    off, records = bias(run.repetitions, run.seed, run.cache), posteriors()
    tables = {
        "posteriors": csv_of(records),
        "mined": csv_of(_mined(row) for row in table),
        "w": csv_of(line for row in table for line in _w(row)),
        "bias": _bias(off),
    }
    return Reproduced(lambda: page(records, table, off, run.repetitions), tables)


def simulated(
    surveys: Mapping[SimulatedSurvey, Sequence[Parameters]], run: Run
) -> dict[SimulatedSurvey, RepetitionResults]:
    """One process per processor; each survey has its own random numbers, whichever process simulates it."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        running = {
            survey: pool.submit(mined, survey, parameters, run.repetitions, run.seed, run.cache)
            for survey, parameters in surveys.items()
        }
        results = {}
        for number, (survey, future) in enumerate(running.items(), 1):
            results[survey] = future.result()
            run.say(f"{number} of {len(running)}")
        return results


def thresholds() -> dict[SimulatedSurvey, list[Parameters]]:
    """Every survey of the settings, with all thresholds by which it is mined."""
    by_survey: dict[SimulatedSurvey, list[Parameters]] = {}
    for _varied, setting in settings():
        parameters = by_survey.setdefault(setting.survey, [])
        if setting.wanted not in parameters:
            parameters.append(setting.wanted)
    return by_survey


def _setting(row: SettingRow) -> dict[str, Any]:
    """In the document's symbols; the column open_share has one meaning in both readings."""
    return {
        "varied": row.varied,
        **asdict(row.setting),
        "open_share": row.setting.survey.open_share,
        "estimator": row.estimator,
    }


def _mined(row: SettingRow) -> dict[str, Any]:
    """The numbers in D, in D*, in D* alone and in D alone."""
    numbers: dict[str, Any] = {}
    for kind in KINDS:
        for count in COUNTS:
            mean: Mean | None = row.counts[kind][count]
            numbers[f"{kind}_{count}"] = mean.value if mean else ""
            numbers[f"{kind}_{count}_se"] = mean.se if mean else ""
    theory = {f"{KINDS[0]}_{count}_theory": row.expected[count] if row.expected else "" for count in COUNTS}
    return _setting(row) | numbers | theory


def _w(row: SettingRow) -> Iterable[dict[str, Any]]:
    """By size of itemsets, 0 being all of them, and by itemset."""
    for error in row.errors:
        yield _setting(row) | {
            "size": error.size,
            "itemset": error.itemset,
            "support": error.support,
            "w": error.w.value,
            "w_se": error.w.se,
            "w_theory": error.theory,
            "w_stated": error.stated,
        }


def _bias(of_estimators: Mapping[str, Sequence[MeanAndBand]]) -> str:
    lines = [
        [difference, name, *asdict(spread).values()]
        for name, spreads in of_estimators.items()
        for difference, spread in zip(DIFFERENCES, spreads, strict=True)
    ]
    return csv_text(["difference", "estimator", "mean", "low", "high"], lines)
