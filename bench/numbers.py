"""How good and how fast are the estimates of sensitive numbers? Tables of simulated surveys, for docs/mathematics.md.

./run bench numbers [--surveys 2000] [--seed 1]     Takes four minutes of a processor. Open answerers are other people.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from mining.inference.contingency_table import Floats
from mining.numbers.floors import Counts, enough
from mining.numbers.thresholds import estimate_mean, quantile_statement, threshold_shares
from mining.numbers.window import likeliest_distribution
from privacy.kinds.number.inverse import blurred, modes
from privacy.kinds.number.window import WindowLaw
from tests.mining.numbers.drawn import (
    KEEPS,
    UNEVEN,
    ByThresholds,
    ByWindow,
    People,
    covered,
    equal_gaps,
    on_the_border,
    shapes,
)

RECORDS = (50, 100, 300, 1_000, 10_000)
OPEN = (0.0, 0.2, 0.9)
LAWS = (WindowLaw(1001, 100, 5000), WindowLaw(101, 7, 4000), WindowLaw(101, 10, 2000), WindowLaw(31, 1, 1000))
POINTS = {"5 even": equal_gaps(5, 40), "20 even": equal_gaps(20, 10), "5 uneven": UNEVEN}
QUANTILES = (0.25, 0.5, 0.75)
TURNS = 5
LEAST_USED = 0.5
"""Where fewer surveys are above the floors, nothing is said."""


@dataclass(frozen=True)
class Simulation:
    surveys: int
    rng: np.random.Generator


def of_shapes(values: int) -> dict[str, Floats]:
    """Those of the tests, and one that lies almost wholly at the low end."""
    return {**shapes(values), "low end": np.exp(-np.arange(values) / (values / 25))}


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    heads = list(heads)
    print("| " + " | ".join(heads) + " |")
    print("|" + " -- |" * len(heads))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def spread(shares: Floats) -> str:
    if not np.isfinite(shares).any():
        return "-"
    return f"{100 * np.nanmin(shares):.1f}-{100 * np.nanmax(shares):.1f}"


# --- the likeliest distribution -------------------------------------------------------------------


def times(simulation: Simulation) -> Iterator[list[str]]:
    for values, half, open_share in product((1001, 10_007, 65_000), (100,), (0.0, 0.2)):
        law = WindowLaw(values, half, 5000)
        people = People.differing(shapes(values)["smooth"], open_share)
        counts = drawn_window(people, law, simulation.rng)
        seconds = []
        for _turn in range(TURNS):
            start = time.perf_counter()
            found = likeliest_distribution(law, counts)
            seconds.append(time.perf_counter() - start)
        cells = (
            f"{values:,}",
            f"{open_share:.0%}",
            f"{found.steps:,}",
            f"{min(seconds):.3f}",
            f"{found.misfit:,.0f}",
        )
        yield list(cells)


def drawn_window(people: People, law: WindowLaw, rng: np.random.Generator) -> Counts:
    """10,000 records by their coins: the chances of 65,000 numbers would be a matrix of 32 GB."""
    n = 10_000
    x = rng.choice(law.values, n, p=people.disguised)
    moved = (x + rng.integers(-law.half, law.half + 1, n)) % law.values
    y = np.where(rng.integers(0, 10_000, n) < law.uniform_parts, rng.integers(0, law.values, n), moved)
    is_open = rng.random(n) < people.open_share
    x = rng.choice(law.values, n, p=people.opened)
    return np.stack([np.bincount(one, minlength=law.values) for one in (x[is_open], y[~is_open])])


# --- bands ----------------------------------------------------------------------------------------


def bands(simulation: Simulation) -> Iterator[list[str]]:
    """The worst and the best cell of all shapes."""
    for law, open_share in product(LAWS, OPEN):
        row = [f"{law.values}, {law.half}, {law.uniform_parts / 10_000}", f"{float(law.gamma):.1f}"]
        row += [f"{modes(law)}", f"{open_share:.0%}"]
        surveys = [
            ByWindow(People.differing(shape, open_share), law) for shape in of_shapes(law.values).values()
        ]
        for n in RECORDS:
            row.append(spread(np.concatenate([held_by_bands(survey, n, simulation) for survey in surveys])))
        yield row


def held_by_bands(survey: ByWindow, n: int, simulation: Simulation) -> Floats:
    counts = survey.draw(n, simulation.surveys, simulation.rng)
    used = counts[enough(counts.sum(axis=-1))].astype(np.float64)
    if len(used) < LEAST_USED * simulation.surveys:
        return np.array([np.nan])
    found = blurred(survey.law, used[:, 1], used[:, 0])
    return covered(found.low, found.high, survey.blurred(modes(survey.law)))


# --- thresholds -----------------------------------------------------------------------------------


def by_thresholds(
    points: tuple[int, ...], gamma: int, open_share: float, moved: bool
) -> Iterator[ByThresholds]:
    for shape in of_shapes(points[-1] - points[0] + 1).values():
        yield ByThresholds(People.differing(shape, open_share), KEEPS[gamma], points, moved)


def means(simulation: Simulation) -> Iterator[list[str]]:
    """The worst and the best of all shapes, and the largest mean standard error at the last number of records."""
    for (name, points), gamma, open_share in product(POINTS.items(), KEEPS, OPEN):
        row = [name, f"{gamma}", f"{open_share:.0%}"]
        for n in RECORDS:
            found = [
                of_mean(survey, n, simulation) for survey in by_thresholds(points, gamma, open_share, True)
            ]
            row.append(spread(np.array([held for held, _error in found])))
        yield [*row, f"{max(error for _held, error in found):.4f}"]


def of_mean(survey: ByThresholds, n: int, simulation: Simulation) -> tuple[float, float]:
    """How often the interval holds the mean; the mean standard error in shares of the range."""
    counts = survey.draw(n, simulation.surveys, simulation.rng)
    found = [mean for one in counts if (mean := estimate_mean(one, survey.keep, survey.points))]
    if len(found) < LEAST_USED * simulation.surveys:
        return np.nan, np.nan
    held = np.mean([mean.low <= survey.mean <= mean.high for mean in found])
    errors = np.mean([mean.se for mean in found])
    return float(held), float(errors) / (survey.points[-1] - survey.points[0])


def quantiles(simulation: Simulation) -> Iterator[list[str]]:
    """The least share of true statements of all shapes and quantiles; the mean number of ends that are stated."""
    for (name, points), gamma, moved in product(POINTS.items(), KEEPS, (False, True)):
        row = [name, f"{gamma}", "yes" if moved else "no"]
        for n in RECORDS[2:]:
            surveys = [*by_thresholds(points, gamma, 0.2, moved), *on_borders(points, gamma, moved)]
            found = [of_quantile(survey, q, n, simulation) for survey in surveys for q in QUANTILES]
            least, ends = min(true for true, _ in found), np.mean([ends for _, ends in found])
            row.append(f"{100 * least:.1f} ({ends:.1f})")
        yield row


def on_borders(points: tuple[int, ...], gamma: int, moved: bool) -> Iterator[ByThresholds]:
    for above, q in product((False, True), QUANTILES):
        shares = on_the_border(points, q, len(points) // 2, above=above)
        yield ByThresholds(People(shares, shares, 0.2), KEEPS[gamma], points, moved)


def of_quantile(survey: ByThresholds, q: float, n: int, simulation: Simulation) -> tuple[float, float]:
    counts = survey.draw(n, simulation.surveys // 2, simulation.rng)
    found = threshold_shares(counts, survey.keep)
    said = [
        quantile_statement(q, survey.points, low, high, moved=survey.moved)
        for low, high in zip(found.low, found.high, strict=True)
    ]
    ends = [(one.at_least is not None) + (one.below is not None) for one in said]
    return float(np.mean([survey.is_true(one) for one in said])), float(np.mean(ends))


def contradictions(simulation: Simulation) -> Iterator[list[str]]:
    """Everybody is above the first threshold: how often its counts contradict each other, so that the walk up ends."""
    points = equal_gaps(5, 40)
    shares = np.zeros(points[-1] + 1)
    shares[-1] = 1
    for gamma in KEEPS:
        survey = ByThresholds(People(shares, shares, 0.0), KEEPS[gamma], points, False)
        row = [f"{gamma}"]
        for n in RECORDS[2:]:
            found = threshold_shares(survey.draw(n, simulation.surveys, simulation.rng), survey.keep)
            row.append(f"{100 * np.isnan(found.low[~np.isnan(found.share)]).mean():.1f}")
        yield row


Rows = Callable[[Simulation], Iterator[list[str]]]
NUMBERS = [f"{n:,}" for n in RECORDS]
TABLES: list[tuple[str, list[str], Rows]] = [
    (
        "Likeliest distribution of 10,000 records, h = 100, u = .5: the fastest of five turns",
        ["values", "open", "steps", "seconds", "misfit"],
        times,
    ),
    (
        "Bands: per cent of surveys in which they hold the blurred truth, at the worst and the best value, by records",
        ["V, h, 1-u", "gamma", "M", "open", *NUMBERS],
        bands,
    ),
    (
        "Mean: per cent of surveys whose interval holds it, worst and best shape, by records; the last se of the range",
        ["thresholds", "gamma", "open", *NUMBERS, "se"],
        means,
    ),
    (
        "Quantiles: per cent of true statements, worst shape (mean number of the two ends that are stated), by records",
        ["thresholds", "gamma", "moved", *NUMBERS[2:]],
        quantiles,
    ),
    (
        "Everybody above the thresholds: per cent of intervals lost as contradictory, by records",
        ["gamma", *NUMBERS[2:]],
        contradictions,
    ),
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench numbers", description=__doc__)
    parser.add_argument("--surveys", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    simulation = Simulation(asked.surveys, np.random.default_rng(asked.seed))
    for title, heads, rows in TABLES:
        print(f"{title}\n")
        table(heads, rows(simulation))


if __name__ == "__main__":
    main()
