"""The band of a number's blurred distribution, number by number."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.coverage.section import Measures, Value, grid
from mining.inference.contingency_table import Floats
from mining.kinds.counted import enough
from privacy.kinds.number.window.law import BANDED, WindowLaw, blurred, modes
from tests.mining.kinds.number.drawn import ByWindow, People, covered, shapes

LAWS = ((1001, 100, 5000), (101, 7, 4000), (101, 10, 2000), (31, 1, 1000))
MOSTLY_OPEN = 0.9


@dataclass(frozen=True)
class Banded:
    law: tuple[int, int, int]
    shape: str
    opened: float
    n: int

    def __str__(self) -> str:
        values, half, parts = self.law
        law = f"{values:,} numbers, h {half}, u {1 - parts / 10_000:g}"
        return f"{law}, {self.shape}, {self.n:,} records, {self.opened:.0%} open"


def banded(setting: Banded, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Open answerers have the distribution turned round."""
    law = WindowLaw(*setting.law)
    survey = ByWindow(People.differing(of_shapes(law.values)[setting.shape], setting.opened), law)
    by_number, used = held_by_bands(survey, setting.n, surveys, rng)
    mostly_open = ", 90 % open" if setting.opened == MOSTLY_OPEN else ""
    yield Value(f"band, mean of the numbers{mostly_open}", str(setting), float(by_number.mean()), used)
    yield Value(f"band, worst number{mostly_open}", str(setting), float(by_number.min()), used)


def of_shapes(values: int) -> dict[str, Floats]:
    """Those of the tests, and one that lies almost wholly at the low end."""
    return {**shapes(values), "low end": np.exp(-np.arange(values) / (values / 25))}


def held_by_bands(survey: ByWindow, n: int, surveys: int, rng: np.random.Generator) -> tuple[Floats, int]:
    """By number, in how many of the surveys above the floors; and how many surveys these are."""
    counts = survey.draw(n, surveys, rng)
    used = counts[enough(counts.sum(axis=-1))].astype(np.float64)
    result = blurred(survey.law, used[:, 1], used[:, 0])
    return covered(result.low, result.high, survey.blurred(modes(survey.law))), len(used)


MEASURES: Measures = {
    "bands": (
        grid(
            Banded,
            LAWS,
            ("smooth", "spike", "block", "low end"),
            (0.0, 0.2, MOSTLY_OPEN),
            (BANDED, 3_000, 10_000),
        ),
        banded,
    ),
}
