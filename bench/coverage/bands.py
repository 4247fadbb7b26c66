"""The band of a number's blurred distribution, number by number."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.kinds.number.floors import enough
from privacy.kinds.number.window.inverse import blurred, modes
from privacy.kinds.number.window.law import BANDED, WindowLaw
from tests.mining.kinds.number.drawn import ByWindow, People, covered, shapes

LAWS = ((1001, 100, 5000), (101, 7, 4000), (101, 10, 2000), (31, 1, 1000))
SHAPES = ("smooth", "spike", "block", "low end")
MOSTLY_OPEN = 0.9
OPEN, RECORDS = (0.0, 0.2, MOSTLY_OPEN), (BANDED, 3_000, 10_000)


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


def banded_cells() -> list[Banded]:
    return [Banded(*cell) for cell in product(LAWS, SHAPES, OPEN, RECORDS)]


def banded(setting: Banded, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Open answerers have the distribution turned round."""
    law = WindowLaw(*setting.law)
    low_end = np.exp(-np.arange(law.values) / (law.values / 25))
    shape = {**shapes(law.values), "low end": low_end}[setting.shape]
    survey = ByWindow(People.differing(shape, setting.opened), law)
    counts = survey.draw(setting.n, surveys, rng)
    used = counts[enough(counts.sum(axis=-1))].astype(np.float64)
    result = blurred(law, used[:, 1], used[:, 0])
    by_number = covered(result.low, result.high, survey.blurred(modes(law)))
    mostly_open = ", 90 % open" if setting.opened == MOSTLY_OPEN else ""
    yield Value(f"band, mean of the numbers{mostly_open}", str(setting), float(by_number.mean()), len(used))
    yield Value(f"band, worst number{mostly_open}", str(setting), float(by_number.min()), len(used))


SECTIONS = (
    Section(
        "bands",
        "Bands of the distribution of a number",
        "Windows of gamma 6 to 94, a hill, one number that a third have, a block and the low end, 1,000 to 10,000 "
        "records, none, 20 and 90 % open, who differ. Covered is the blurred share of a number, of all numbers on "
        "average and of the worst. Where 90 % are open few records are disguised, and numbers that hardly anybody has "
        "are held too seldom.",
        banded_cells,
        banded,
        2_000,
        0,
        {
            "band, mean of the numbers": Bar(0.93),
            "band, worst number": Bar(0.9),
            "band, mean of the numbers, 90 % open": Bar(0.88),
            "band, worst number, 90 % open": Bar(0.75),
        },
    ),
)
