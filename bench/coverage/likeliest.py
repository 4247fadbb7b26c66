"""The likeliest distribution of a number: nearer to the truth than what was received."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.inference.contingency_table import Floats
from mining.kinds.number.window import likeliest_distribution
from privacy.kinds.number.window.law import WindowLaw

LAWS = ((1001, 100, 5000), (101, 7, 6000), (31, 3, 4000), (201, 40, 3300))
SHAPES = ("two hills", "even", "incomes", "low end", "steps")


@dataclass(frozen=True)
class Distributed:
    law: tuple[int, int, int]
    shape: str
    n: int

    @property
    def truth(self) -> Floats:
        x = (np.arange(self.law[0]) + 0.5) / self.law[0]
        shapes = {
            "two hills": np.exp(-(((x - 0.25) / 0.08) ** 2)) + 0.7 * np.exp(-(((x - 0.7) / 0.1) ** 2)),
            "even": np.ones(len(x)),
            "incomes": np.exp(-((np.log(x / 0.25) / 0.6) ** 2) / 2) / x,
            "low end": np.exp(-x / 0.05),
            "steps": np.where(x < 0.3, 1.0, np.where(x < 0.6, 3.0, 0.5)),
        }
        weights = shapes[self.shape]
        return np.asarray(weights / weights.sum())


def distributed_cells() -> list[Distributed]:
    return [Distributed(*values) for values in product(LAWS, SHAPES, (1_000, 20_000))]


def likeliest(setting: Distributed, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = WindowLaw(*setting.law)
    nearer = []
    for _survey in range(surveys):
        x = rng.choice(law.values, setting.n, p=setting.truth)
        moved = (x + rng.integers(-law.half, law.half + 1, setting.n)) % law.values
        drawn = rng.integers(0, 10_000, setting.n) < law.uniform_parts
        y = np.where(drawn, rng.integers(0, law.values, setting.n), moved)
        received = np.bincount(y, minlength=law.values)
        result = likeliest_distribution(law, np.stack([np.zeros_like(received), received])).share
        distances = (np.abs(one - setting.truth).sum() / 2 for one in (result, received / setting.n))
        nearer.append(next(distances) - next(distances))
    cell = f"{law.values} values, h {law.half}, u {float(law.windowed):.2f}, {setting.shape}, {setting.n:,} records"
    yield Value("farther than what was received", cell, float(np.mean(nearer)), surveys)


SECTIONS = (
    Section(
        "likeliest",
        "Likeliest distribution of a number (an illustration without intervals)",
        "Total variation distance to the truth, less that of the records as received; below 0 it is nearer.",
        distributed_cells,
        likeliest,
        10,
        0,
        {"farther than what was received": Bar(0.0, most=True)},
    ),
)
