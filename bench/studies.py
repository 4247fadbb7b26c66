"""Do the studies' intervals cover, and have their tests the size they state? Simulated on counts, as a table.

python -m bench.studies [--surveys 4000] [--fits 2000] [--seed 1] [--only controls linear]
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench.coverage import controls, models
from bench.coverage.models import MOST_IMPOSSIBLE
from bench.markdown import line, show, table

Row = tuple[str, Sequence[float], float, float]
"""What is measured over several settings, and between which values it should lie."""


@dataclass(frozen=True)
class StudyRun:
    """`surveys` per setting where all are drawn at once, `fits` where each is fitted on its own."""

    surveys: int
    fits: int
    seed: int

    def rng(self, *index: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, *index))


def of_controls(run: StudyRun) -> Iterator[Row]:
    cells = list(controls.control_settings())
    result = [controls.control_cell(of, run.surveys, run.rng(4, index)) for index, of in enumerate(cells)]
    for careless in (0.0, 0.05, 0.2):
        of = [row for row, cell in zip(result, cells, strict=True) if cell.careless == careless]
        yield f"controls: corrected, L = {careless:g}", [row.covered for row in of], 0.935, 0.965
        yield f"controls: uncorrected, L = {careless:g}", [row.uncorrected for row in of], 0, 1
    yield "controls: without both ends", [row.unbounded for row in result], 0, 1
    sizes = [
        controls.preference_rate(0.0, n, secret, 5 * run.surveys, run.rng(5))
        for n in (500, 1_000, 4_000)
        for secret in (0.1, 0.25, 0.8)
    ]
    yield "crosswise: size of the fit test", sizes, 0.04, 0.06
    tenth = controls.preference_rate(0.1, 1_000, 0.25, 5 * run.surveys, run.rng(6))
    yield "crosswise: a tenth always says same, n = 1,000, u = .25", [tenth], 0.9, 1


def of_models(run: StudyRun, kind: str, most: float) -> Iterator[Row]:
    cells = list(models.model_settings(kind))
    result = [models.model_cell(of, run.fits, run.rng(8, index)) for index, of in enumerate(cells)]
    rows = list(zip(cells, result, strict=True))
    possible = [(cell, row) for cell, row in rows if row.impossible < MOST_IMPOSSIBLE]
    for opened, where in enumerate(("nobody is open", "openness depends on the answer")):
        covered = [share for cell, row in possible if cell.opened == opened for share in row.covered]
        yield f"{kind}: coverage of coefficients, {where}", covered, 0.93, most
    yield f"{kind}: without an end", [row.impossible for row in result], 0, 1
    if often := [share for row in result if row.impossible >= MOST_IMPOSSIBLE for share in row.covered]:
        yield f"{kind}: coverage where it often has no end, of those with one", often, 0, 1
    null = [cell for cell, _row in possible if not cell.slope]
    sizes = [models.age_test_size(of, run.fits, run.rng(9, index)) for index, of in enumerate(null)]
    yield f"{kind}: size of the test of age", sizes, 0.04, 0.06


def of_logit(run: StudyRun) -> Iterator[Row]:
    for share, name, low, high in ((0.05, "5 %, p = .36, n = 1,000", 0.5, 1), (0.25, "25 %", 0, 0.01)):
        rate = models.no_end_rate(share, 0.36, 1_000, run.fits, run.rng(10))
        yield f"logit: no end at {name}", [rate], low, high
    yield from of_models(run, "logit", 0.97)


PARTS: dict[str, Callable[[StudyRun], Iterator[Row]]] = {
    "controls": of_controls,
    "linear": lambda run: of_models(run, "linear", 0.96),
    "logit": of_logit,
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
        for what, measured, low, high in PARTS[name](StudyRun(asked.surveys, asked.fits, asked.seed)):
            values = np.array(measured)
            figures = (f"{figure:.4f}" for figure in (values.min(), np.median(values), values.max()))
            outside = int(((values < low) | (values > high)).sum())
            print(line([what, len(values), *figures, f"{low:g} to {high:g}", outside]), flush=True)
        print(f"| ({name}: {time.monotonic() - started:.0f} s) | | | | | | |", flush=True)


if __name__ == "__main__":
    main()
