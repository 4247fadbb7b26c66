"""The likeliest distribution of a number: nearer to the truth than what was received, in the cells that are drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.inference.contingency_table import Floats
from mining.kinds.number.window import likeliest_distribution
from privacy.kinds.number.window.law import WindowLaw

R3, OTHERS = (1001, 100, 5000), ((101, 7, 6000), (31, 3, 4000), (201, 40, 3300))
SHAPES = (
    *(
        "even",
        "hill",
        "narrow hill",
        "two hills",
        "incomes",
        "low end",
        "slow fall",
        "both ends",
        "steps",
        "block",
    ),
    *("spike", "heaps"),
)
RECORDS = (1_000, 3_000, 20_000)
TWENTIES, CELLS_DRAWN = 20, 160
"""The document's picture is of twenties, a report's of at most so many cells."""


@dataclass(frozen=True)
class Distributed:
    law: tuple[int, int, int]
    shape: str
    n: int
    width: int = 0
    """Of a cell; 0: as in a report."""

    @property
    def truth(self) -> Floats:
        values = self.law[0]
        x = (np.arange(values) + 0.5) / values

        def hill(at: float, width: float) -> Floats:
            return np.asarray(np.exp(-(((x - at) / width) ** 2) / 2))

        shapes = {
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
        weights = shapes[self.shape]
        return np.asarray(weights / weights.sum())


def distributed_cells() -> list[Distributed]:
    return [Distributed(R3, *cell, TWENTIES) for cell in product(SHAPES, RECORDS)]


def cells_of_reports() -> list[Distributed]:
    return [Distributed(*cell) for cell in product((R3, *OTHERS), SHAPES, RECORDS)]


def likeliest(setting: Distributed, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = WindowLaw(*setting.law)
    starts = np.arange(0, law.values, setting.width or -(-law.values // CELLS_DRAWN))
    farther = []
    for _survey in range(surveys):
        x = rng.choice(law.values, setting.n, p=setting.truth)
        moved = (x + rng.integers(-law.half, law.half + 1, setting.n)) % law.values
        drawn = rng.integers(0, 10_000, setting.n) < law.uniform_parts
        y = np.where(drawn, rng.integers(0, law.values, setting.n), moved)
        received = np.bincount(y, minlength=law.values)
        result = likeliest_distribution(law, np.stack([np.zeros_like(received), received])).share
        distances = [
            np.abs(np.add.reduceat(shares - setting.truth, starts)).sum() / 2
            for shares in (result, received / setting.n)
        ]
        farther.append(distances[0] - distances[1])
    cell = f"{law.values} values, h {law.half}, u {float(law.windowed):.2f}, {setting.shape}, {setting.n:,} records"
    yield Value("farther than what was received", cell, float(np.mean(farther)), surveys)
    yield Value("part of cells in which it is nearer", cell, float(np.mean(farther) < 0), surveys)


SAYS = (
    "Twelve shapes of 1,000, 3,000 and 20,000 records. Total variation distance to the truth, less that of the records "
    "as received; below 0 it is nearer. One number that a third of all people have is spread over its neighbours: "
    "there it is farther."
)

BARS = {
    "farther than what was received": Bar(0.1, most=True),
    "part of cells in which it is nearer": Bar(30 / 36, mean=True),
}

SECTIONS = (
    Section(
        "likeliest",
        "Likeliest distribution of a number (an illustration without intervals)",
        f"1,001 numbers, h 100, u .5, in twenties, as a document is made again. {SAYS}",
        distributed_cells,
        likeliest,
        10,
        0,
        BARS,
    ),
    Section(
        "likeliest-reports",
        "Likeliest distribution of a number in reports",
        f"1,001, 101, 31 and 201 numbers, in the cells that a report draws, at most 160. {SAYS}",
        cells_of_reports,
        likeliest,
        10,
        0,
        BARS,
    ),
)
