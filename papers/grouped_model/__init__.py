"""The experiment of the grouped unrelated-question model: what mining disguised data finds, and its errors.

The paper varies the share k and then p for 10,000 transactions of three attributes, and shows W = |S - S'| of the
itemsets. Here D and D* are mined, for both of its readings of k, with all estimators, and many times over; and once
more with open answerers who differ, which the paper does not do.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from mining.parameters import Parameters
from papers.drawing import svg
from papers.grouped_model.bias import bias
from papers.grouped_model.figures import figures
from papers.grouped_model.files import as_json, bias_csv, mined_csv, w_csv
from papers.grouped_model.mined import RepetitionResults, mined
from papers.grouped_model.rows import rows, settings
from papers.grouped_model.settings import SimulatedSurvey
from papers.grouped_model.text import text

REPETITIONS = 60


def reproduce(
    folder: Path, seed: int, cache: Path, repetitions: int, say: Callable[[str], object] = print
) -> None:
    """Write a text, the figures as SVG, and all numbers as CSV and JSON; `cache`: the folder of the compiled kernel."""
    folder.mkdir(parents=True, exist_ok=True)
    surveys = thresholds()
    say(f"{len(surveys)} surveys are simulated and mined, {repetitions} times each.")
    results = simulated(surveys, repetitions, seed, cache)
    table, off = list(rows(results)), bias(repetitions, seed, cache)
    written = {
        "grouped-model.md": text(table, off, repetitions),
        "grouped-model.json": as_json(table, off, repetitions, seed),
        "mined.csv": mined_csv(table),
        "w.csv": w_csv(table),
        "bias.csv": bias_csv(off),
    }
    written |= {f"{name}.svg": svg(figure) for name, figure in figures(table, off)}
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")


def simulated(
    surveys: Mapping[SimulatedSurvey, Sequence[Parameters]], repetitions: int, seed: int, cache: Path
) -> dict[SimulatedSurvey, RepetitionResults]:
    """One process per processor; each survey has its own random numbers, whichever process simulates it."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        running = {
            survey: pool.submit(mined, survey, wanted, repetitions, seed, cache)
            for survey, wanted in surveys.items()
        }
        return {survey: future.result() for survey, future in running.items()}


def thresholds() -> dict[SimulatedSurvey, list[Parameters]]:
    """Every survey of the settings, with all thresholds by which it is mined."""
    found: dict[SimulatedSurvey, list[Parameters]] = {}
    for _varied, setting in settings():
        wanted = found.setdefault(setting.survey, [])
        if setting.wanted not in wanted:
            wanted.append(setting.wanted)
    return found
