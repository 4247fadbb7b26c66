"""Do the studies' intervals cover, and have their tests the size they state? Simulated on counts, as a table.

python -m bench.studies [--surveys 4000] [--fits 2000] [--seed 1] [--only controls linear]
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bench.markdown import line, show, table
from bench.studying import controls, models, speed
from mining.studies.estimating_equations import LINEAR, LOGIT, Link

MOST_IMPOSSIBLE = 0.05
"""Where more surveys have no end, those that have one are chosen by it, and are measured apart."""
S = TypeVar("S")
T = TypeVar("T")
MANY_PRODUCTS = [f"q{place}*q{place + 1}" for place in range(7)]


@dataclass(frozen=True)
class StudyRow:
    """What is measured over several settings, and between which values it should lie."""

    what: str
    measured: Sequence[float]
    low: float
    high: float

    def __str__(self) -> str:
        of = np.array(self.measured)
        outside = int(((of < self.low) | (of > self.high)).sum())
        figures = (f"{figure:.4f}" for figure in (of.min(), np.median(of), of.max()))
        return line([self.what, len(of), *figures, f"{self.low:g} to {self.high:g}", outside])


@dataclass(frozen=True)
class StudyRun:
    """`surveys` per setting where all are drawn at once, `fits` where each is fitted on its own."""

    surveys: int
    fits: int
    seed: int

    def rng(self, *index: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, *index))

    def cells(
        self,
        number: int,
        settings: Iterable[S],
        cell: Callable[[S, int, np.random.Generator], T],
        surveys: int,
    ) -> list[T]:
        return [cell(of, surveys, self.rng(number, index)) for index, of in enumerate(settings)]


def of_controls(run: StudyRun) -> Iterator[StudyRow]:
    result = run.cells(4, controls.control_settings(), controls.control_cell, run.surveys)
    for careless in (0.0, 0.05, 0.2):
        of = [row for row in result if row.setting.careless == careless]
        yield StudyRow(f"controls: corrected, L = {careless:g}", [row.covered for row in of], 0.935, 0.965)
        yield StudyRow(f"controls: uncorrected, L = {careless:g}", [row.uncorrected for row in of], 0, 1)
    yield StudyRow("controls: without both ends", [row.unbounded for row in result], 0, 1)
    sizes = [
        controls.preference_rate(0.0, n, secret, 5 * run.surveys, run.rng(5))
        for n in (500, 1_000, 4_000)
        for secret in (0.1, 0.25, 0.8)
    ]
    yield StudyRow("crosswise: size of the fit test", sizes, 0.04, 0.06)
    tenth = [controls.preference_rate(0.1, 1_000, 0.25, 5 * run.surveys, run.rng(6))]
    yield StudyRow("crosswise: a tenth always says same, n = 1,000, u = .25", tenth, 0.9, 1)


def of_logit(run: StudyRun) -> Iterator[StudyRow]:
    rare = [models.no_end_rate(0.05, 0.36, 1_000, run.fits, run.rng(10))]
    yield StudyRow("logit: no end at 5 %, p = .36, n = 1,000", rare, 0.5, 1)
    common = [models.no_end_rate(0.25, 0.36, 1_000, run.fits, run.rng(10))]
    yield StudyRow("logit: no end at 25 %", common, 0, 0.01)
    yield from _of_coefficients(run, "logit", LOGIT, 0.97)


def _of_coefficients(run: StudyRun, name: str, link: Link, most: float) -> Iterator[StudyRow]:
    result = run.cells(8, models.model_settings(link), models.model_cell, run.fits)
    possible = [row for row in result if row.impossible < MOST_IMPOSSIBLE]
    for opened in (False, True):
        of = [row for row in possible if row.setting.opened == opened]
        covered = [share for row in of for share in row.covered]
        where = "openness depends on the answer" if opened else "nobody is open"
        yield StudyRow(f"{name}: coverage of coefficients, {where}", covered, 0.93, most)
    yield StudyRow(f"{name}: without an end", [row.impossible for row in result], 0, 1)
    if often := [share for row in result if row not in possible for share in row.covered]:
        yield StudyRow(f"{name}: coverage where it often has no end, of those with one", often, 0, 1)
    null = [row.setting for row in possible if not row.setting.slope]
    sizes = run.cells(9, null, models.age_test_size, run.fits)
    yield StudyRow(f"{name}: size of the test of age", sizes, 0.04, 0.06)


def of_speed(run: StudyRun) -> Iterator[StudyRow]:
    """720 patterns and 15 coefficients; 4,096 patterns and 20 coefficients."""
    for choices, products, most in (((3, 4, 5, 4, 3), [], 0.02), ((2,) * 12, MANY_PRODUCTS, 0.1)):
        for logit in (False, True):
            counted, fitted = speed.seconds(choices, products, 1_000_000, run.rng(13), logit=logit)
            name = f"{np.prod(choices):,} patterns, {'logit' if logit else 'linear'}: seconds"
            yield StudyRow(f"{name} to count a million records", [counted], 0, 2)
            yield StudyRow(f"{name} to fit, with all tests", [fitted], 0, most)


PARTS: dict[str, Callable[[StudyRun], Iterator[StudyRow]]] = {
    "controls": of_controls,
    "linear": lambda run: _of_coefficients(run, "linear", LINEAR, 0.96),
    "logit": of_logit,
    "speed": of_speed,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench studies", description=__doc__)
    parser.add_argument("--surveys", type=int, default=4_000, help="a setting, where all are drawn at once")
    parser.add_argument("--fits", type=int, default=2_000, help="a setting, where each is fitted on its own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    asked = parser.parse_args()
    show(table(["what", "settings", "least", "median", "most", "should be", "outside"], []))
    for name in asked.only:
        started = time.monotonic()
        for row in PARTS[name](StudyRun(asked.surveys, asked.fits, asked.seed)):
            print(row, flush=True)
        print(f"| ({name}: {time.monotonic() - started:.0f} s) | | | | | | |", flush=True)


if __name__ == "__main__":
    main()
