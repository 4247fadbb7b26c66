"""A number sent by a window: the band of its blurred distribution, number by number, and its likeliest distribution.

The likeliest is nearer to the truth than what was received, in the cells that are drawn.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.coverage.section import Measures, Value, grid
from mining.inference.contingency_table import Floats
from mining.kinds.minimum_record_counts import has_enough_records
from mining.kinds.number.window_distribution import likeliest_distribution
from privacy.kinds.number.window.law import BANDED, WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import (
    count_shown_modes,
    estimate_distribution,
)
from tests.mining import strategies as drawn

LAWS = ((1001, 100, 5000), (101, 7, 4000), (101, 10, 2000), (31, 1, 1000))
"""Numbers, h, and the parts of 10,000 that are uniform."""
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
    """Surveys above the floors. Open answerers have the distribution turned round."""
    law = WindowLaw(*setting.law)
    shapes = {
        **drawn.distribution_shapes(law.values),
        "low end": np.exp(-np.arange(law.values) / (law.values / 25)),
    }
    survey = drawn.ByWindow(
        drawn.People.with_reversed_open_answers(shapes[setting.shape], setting.opened), law
    )
    counts = survey.draw(setting.n, surveys, rng)
    used = counts[has_enough_records(counts.sum(axis=-1))].astype(np.float64)
    result = estimate_distribution(law, used[:, 1], used[:, 0])
    by_number = drawn.coverage_of(result.low, result.high, survey.blurred(count_shown_modes(law)))
    mostly_open = ", 90 % open" if setting.opened == MOSTLY_OPEN else ""
    yield Value(f"band, mean of the numbers{mostly_open}", str(setting), float(by_number.mean()), len(used))
    yield Value(f"band, worst number{mostly_open}", str(setting), float(by_number.min()), len(used))


# --- the likeliest distribution -------------------------------------------------------------------

OTHER_LAWS = ((101, 7, 6000), (31, 3, 4000), (201, 40, 3300))
RECORDS = (1_000, 3_000, 20_000)
TWENTIES, CELLS_DRAWN = 20, 160
"""The document's picture is of twenties, a report's of at most so many cells."""


def weights(values: int) -> dict[str, Floats]:
    """Of so many numbers, by shape."""
    x = (np.arange(values) + 0.5) / values

    def hill(at: float, width: float) -> Floats:
        return np.asarray(np.exp(-(((x - at) / width) ** 2) / 2))

    return {
        "even": np.ones(values),
        "hill": hill(0.5, 0.15),
        "narrow hill": hill(0.4, 0.04),
        "two hills": hill(0.3, 0.05) + 0.7 * hill(0.7, 0.05),
        "incomes": np.exp(-((np.log(x / 0.25) / 0.6) ** 2) / 2) / x,
        "low end": np.exp(-x / 0.05),
        "slow fall": np.exp(-x / 0.3),
        "both ends": np.exp(-x / 0.08) + np.exp(-(1 - x) / 0.08),
        "steps": np.where(x < 0.3, 1.0, np.where(x < 0.6, 3.0, 0.5)),
        "block": np.where((x > 0.2) & (x < 0.6), 1.0, 0.0),
        "spike": np.where(np.arange(values) == values // 8, values / 2, 1.0),
        "heaps": hill(0.5, 0.15) * np.where(np.arange(values) % max(values // 10, 2) == 0, 20.0, 1.0),
    }


@dataclass(frozen=True)
class Distributed:
    """`width` of a cell; 0: as in a report."""

    law: tuple[int, int, int]
    shape: str
    n: int
    width: int = 0


def likeliest(setting: Distributed, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = WindowLaw(*setting.law)
    shares = weights(law.values)[setting.shape]
    truth = shares / shares.sum()
    starts = np.arange(0, law.values, setting.width or -(-law.values // CELLS_DRAWN))
    farther = []
    for _survey in range(surveys):
        x = rng.choice(law.values, setting.n, p=truth)
        moved = (x + rng.integers(-law.half, law.half + 1, setting.n)) % law.values
        is_uniform = rng.integers(0, 10_000, setting.n) < law.uniform_parts
        y = np.where(is_uniform, rng.integers(0, law.values, setting.n), moved)
        received = np.bincount(y, minlength=law.values)
        result = likeliest_distribution(law, np.stack([np.zeros_like(received), received])).share
        distances = [
            np.abs(np.add.reduceat(shares - truth, starts)).sum() / 2
            for shares in (result, received / setting.n)
        ]
        farther.append(distances[0] - distances[1])
    cell = f"{law.values} values, h {law.half}, u {float(law.windowed):.2f}, {setting.shape}, {setting.n:,} records"
    yield Value("farther than what was received", cell, float(np.mean(farther)), surveys)
    yield Value("part of cells in which it is nearer", cell, float(np.mean(farther) < 0), surveys)


SHAPES = ("smooth", "spike", "block", "low end")
MEASURES: Measures = {
    "bands": (grid(Banded, LAWS, SHAPES, (0.0, 0.2, MOSTLY_OPEN), (BANDED, 3_000, 10_000)), banded),
    "likeliest": (grid(Distributed, LAWS[:1], weights(1), RECORDS, [TWENTIES]), likeliest),
    "likeliest-reports": (grid(Distributed, (LAWS[0], *OTHER_LAWS), weights(1), RECORDS), likeliest),
}
