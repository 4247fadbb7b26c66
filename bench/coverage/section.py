"""A section of the page: cells of settings, each simulated, and the bar that none of them may miss."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import product, starmap
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

import numpy as np

from mining.inference.intervals import Interval, lift_interval, share_interval
from mining.inference.score_test import SplitTests

HERE = Path(__file__).parent
WORST = 10
"""So many of the worst cells are drawn again and listed."""
MOST_AT_ONCE = 16
NEARLY, ROUNDING = 0.01, 1e-9


class Bar(NamedTuple):
    """Where a measure must stay: at `at` or above it, or with `most` below it; the `mean` of the cells, or each.

    `but` so many cells, which stand on the page and miss it by less than NEARLY. All cells below `all_below` are
    listed. `by_chance`: what so few draws of a share that is exactly `at` exceed it by, three standard errors.
    """

    at: float
    most: bool = False
    mean: bool = False
    but: int = 0
    all_below: float = 0.0
    by_chance: float = 0.0

    def missed_by(self, value: float) -> float:
        """Above 0 where the bar is missed."""
        return (value - self.at if self.most else self.at - value) - self.by_chance


@dataclass(frozen=True)
class Value:
    """What was measured of a cell in `used` surveys; `none`: the share of them that have no interval."""

    measure: str
    cell: str
    value: float
    used: int
    none: float = 0.0


def held(measure: str, cell: object, interval: Interval, truth: float) -> Value:
    """How often intervals hold the truth, among those that have a lower end; one without an upper end is unlimited."""
    low, high = interval
    known = np.isfinite(low)
    used = int(known.sum())
    covered = (low <= truth + ROUNDING) & ~(truth - ROUNDING > high)
    value = float(covered[known].mean()) if used else np.nan
    return Value(measure, str(cell), value, used, 1 - used / max(len(low), 1))


def held_by_rule(cell: object, tests: SplitTests, a: float, c: float, both: float) -> Iterator[Value]:
    """Of a rule whose sides and both together have these shares."""
    yield held("confidence", cell, share_interval(tests.confidence(0)), both / a)
    yield held("confidence back", cell, share_interval(tests.confidence(1)), both / c)
    yield held("lift", cell, lift_interval(tests.lift(), tests.fewest_records_lacking_side()), both / a / c)


def grid(cell: Callable[..., Any], *axes: Iterable[Any]) -> Callable[[], Iterable[Any]]:
    """A cell of each combination."""
    return lambda: starmap(cell, product(*axes))


Measure = Callable[[Any, int, np.random.Generator], Iterable[Value]]
Measures = dict[str, tuple[Callable[[], Iterable[Any]], Measure]]
"""By section its cells and what is measured of each; the measure and each cell can be pickled."""


@dataclass(frozen=True)
class Section:
    """As sections.toml has it. A cell that fewer than half of its surveys can use says nothing."""

    name: str
    cells: Callable[[], Iterable[Any]]
    measure: Measure
    title: str
    says: str
    draws: int
    again: int
    bars: Mapping[str, Bar]


def sections() -> list[Section]:
    measures: Measures = {}
    for module in iter_modules([str(HERE)], "bench.coverage."):
        measures |= getattr(import_module(module.name), "MEASURES", {})
    rows = tomllib.loads((HERE / "sections.toml").read_text(encoding="utf-8"))
    for row in rows.values():
        for bar in row["bars"].values():
            bar["most"] = "at_most" in bar
            bar["at"] = bar.pop("at_most" if bar["most"] else "at_least")
            if bar.pop("beyond_chance", False):
                bar["by_chance"] = 3 * np.sqrt(bar["at"] * (1 - bar["at"]) / row["draws"])
        row["bars"] = {name: Bar(**bar) for name, bar in row["bars"].items()}
    return [Section(name, *measures[name], **row) for name, row in rows.items()]


@dataclass(frozen=True)
class Summary:
    """All cells of one measure; `worst` after the worst were drawn again, `beyond` the bar `at`."""

    measure: str
    cells: int
    worst: float
    median: float
    best: float
    beyond: int
    at: float
    most: bool
    mean: bool
    none: float
    """The largest share of surveys without an interval in one cell."""
    listed: list[tuple[str, float, int]] = field(default_factory=list)


def measured(section: Section, seed: int, pool: Executor) -> list[Summary]:
    cells = list(section.cells())
    work = partial(_of_cell, section.measure, seed)
    few = max(1, min(MOST_AT_ONCE, len(cells) // MOST_AT_ONCE))
    first = pool.map(work, ((*row, section.draws, 0) for row in enumerate(cells)), chunksize=few)
    by_cell = dict(enumerate(first))
    again = set[int]()
    for name, bar in section.bars.items() if section.again else ():
        rows = [
            (index, value) for index, values in by_cell.items() for value in values if value.measure == name
        ]
        missed = [(index, bar.missed_by(value.value)) for index, value in rows]
        again |= {index for index, _by in sorted(missed, key=lambda row: -row[1])[:WORST]}
        again |= {index for index, by in missed if by > 0 and not bar.mean}
    second = pool.map(work, [(index, cells[index], section.again, 1) for index in sorted(again)])
    for index, values in zip(sorted(again), second, strict=True):
        # The order among equals: cells that were drawn again come last.
        by_cell.pop(index)
        by_cell[index] = values
    every = [value for values in by_cell.values() for value in values]
    return [
        summary(name, bar, [value for value in every if value.measure == name])
        for name, bar in section.bars.items()
    ]


def _of_cell(measure: Measure, seed: int, task: tuple[int, Any, int, int]) -> list[Value]:
    """Those values that enough surveys can use."""
    index, cell, draws, turn = task
    values = measure(cell, draws, np.random.default_rng((seed, index, turn)))
    return [value for value in values if value.used >= draws / 2 and not np.isnan(value.value)]


def summary(name: str, bar: Bar, values: Sequence[Value]) -> Summary:
    rows = sorted(values, key=lambda value: -bar.missed_by(value.value))
    figures = np.array([row.value for row in rows] or [np.nan])
    beyond = sum(bar.missed_by(figure) > 0 for figure in figures.tolist())
    if bar.mean:
        beyond = int(bar.missed_by(float(figures.mean())) > 0)
    many = max(WORST, sum(row.value < bar.all_below for row in rows))
    return Summary(
        measure=name,
        cells=len(rows),
        worst=float(figures.mean() if bar.mean else figures[0]),
        median=float(np.median(figures)),
        best=float(figures[-1]),
        beyond=beyond,
        at=bar.at,
        most=bar.most,
        mean=bar.mean,
        none=max((row.none for row in rows), default=0.0),
        listed=[(row.cell, row.value, row.used) for row in rows[:many]],
    )
