"""A section of the page: cells of settings, each simulated, and the bar that none of them may miss."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

WORST = 10
"""So many of the worst cells are drawn again and listed."""
MOST_AT_ONCE = 16
NEARLY = 0.01


class Bar(NamedTuple):
    """Where a measure must stay: at `at` or above it, or with `most` below it; the `mean` of the cells, or each.

    `but` so many cells, which stand on the page and miss it by less than NEARLY.
    """

    at: float
    most: bool = False
    mean: bool = False
    but: int = 0

    def missed_by(self, value: float) -> float:
        """Above 0 where the bar is missed."""
        return value - self.at if self.most else self.at - value


@dataclass(frozen=True)
class Value:
    """What was measured of a cell in `used` surveys; `none`: the share of them that have no interval."""

    measure: str
    cell: str
    value: float
    used: int
    none: float = 0.0


Measure = Callable[[Any, int, np.random.Generator], Iterable[Value]]


@dataclass(frozen=True)
class Section:
    """`draws` surveys a cell, and `again` where it is among the worst; `cells` can be pickled, so can `measure`.

    A cell that fewer than half of its surveys can use says nothing.
    """

    name: str
    title: str
    says: str
    cells: Callable[[], Sequence[Any]]
    measure: Measure
    draws: int
    again: int
    bars: Mapping[str, Bar]


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


def measured(section: Section, seed: int, pool: Executor, *, only: int = 0) -> list[Summary]:
    """With `only` that many cells, in even steps."""
    cells = list(section.cells())
    places = list(range(len(cells)))[:: max(1, len(cells) // only)] if only else list(range(len(cells)))
    work = partial(_of_cell, section.measure, seed)
    few = max(1, min(MOST_AT_ONCE, len(places) // MOST_AT_ONCE))
    first = pool.map(work, ((index, cells[index], section.draws, 0) for index in places), chunksize=few)
    result: dict[str, list[tuple[int, Value]]] = {name: [] for name in section.bars}
    for index, values in zip(places, first, strict=True):
        for value in values:
            if usable(value, section.draws):
                result[value.measure].append((index, value))
    again = {
        index
        for name, rows in result.items()
        for index, _value in sorted(rows, key=partial(_badness, section.bars[name]))[:WORST]
    } | {
        index
        for name, rows in result.items()
        for index, value in rows
        if not section.bars[name].mean and section.bars[name].missed_by(value.value) > 0
    }
    if section.again and not only:
        second = pool.map(
            work, ((index, cells[index], section.again, 1) for index in sorted(again)), chunksize=1
        )
        redrawn = dict(zip(sorted(again), second, strict=True))
        for name, rows in result.items():
            result[name] = [row for row in rows if row[0] not in redrawn] + [
                (index, value)
                for index, values in redrawn.items()
                for value in values
                if value.measure == name and usable(value, section.again)
            ]
    return [
        summary(name, section.bars[name], [value for _place, value in rows]) for name, rows in result.items()
    ]


def usable(value: Value, draws: int) -> bool:
    return value.used >= draws / 2 and not np.isnan(value.value)


def _badness(bar: Bar, row: tuple[int, Value]) -> float:
    return -bar.missed_by(row[1].value)


def _of_cell(measure: Measure, seed: int, task: tuple[int, Any, int, int]) -> list[Value]:
    index, cell, draws, turn = task
    return list(measure(cell, draws, np.random.default_rng((seed, index, turn))))


def summary(name: str, bar: Bar, values: Sequence[Value]) -> Summary:
    rows = sorted(values, key=lambda value: -bar.missed_by(value.value))
    figures = np.array([row.value for row in rows]) if rows else np.array([np.nan])
    beyond = int((figures > bar.at).sum() if bar.most else (figures < bar.at).sum())
    if bar.mean:
        beyond = int(bar.missed_by(float(figures.mean())) > 0)
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
        listed=[(row.cell, row.value, row.used) for row in rows[:WORST]],
    )


def as_json(section: Section, seed: int, result: Sequence[Summary]) -> dict[str, Any]:
    return {
        "title": section.title,
        "says": section.says,
        "seed": seed,
        "draws": section.draws,
        "again": section.again,
        "measures": [asdict(one) for one in result],
    }
