"""Differences of two sides with laws of their own: size of the test, misses of the interval, tails, and power."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95, two_sided
from mining.inference.sums_of_shares import Side, SumOfShares, smallest_differences

LAWS = ((0.9, 0.5), (0.47, 0.05), (0.3, 0.0238), (0.6, 0.0834), (0.5, 0.5))
SIZES = ((100, 1_000), (1_000, 100), (200, 2_000), (500, 500), (100, 100), (1_000, 5_000))
SHARES, OPEN, MOVED = (0.0, 0.005, 0.02, 0.1, 0.5), (0.0, 0.3, 0.9), (0.0, 0.1, 0.3)
LEAST_GROUP = 10
RANDOM, RARE = 1_500, 600
TAILS = (0.001, 0.0001)
POWER_LAWS = ((0.9, 0.5), (0.5, 0.5), (0.47, 0.05), (0.3, 0.0238), (0.36, 0.5))
POWER_ARMS = ((100, 100), (500, 500), (2_500, 2_500))
POWER_WAVES = ((100, 1_000), (1_000, 100), (500, 500), (300, 3_000))
POWER_SHARES = (0.0, 0.005, 0.02, 0.1, 0.3)


@dataclass(frozen=True)
class Drawn:
    """One side: open and disguised respondents, their shares, and the law."""

    n: tuple[int, int]
    shares: tuple[float, float]
    keep: float
    noise: float

    @property
    def truth(self) -> float:
        return float(np.dot(self.n, self.shares) / sum(self.n))

    def draw(self, surveys: int, rng: np.random.Generator) -> Side:
        keep, chance = np.array([[1.0], [self.keep]]), np.array([[0.0], [(1 - self.keep) * self.noise]])
        n, shares = np.array(self.n)[:, None], np.array(self.shares)[:, None]
        having = rng.binomial(n, np.minimum(chance + keep * shares, 1.0), (2, surveys))
        laws = (np.broadcast_to(chance_law, (2, surveys)) for chance_law in (keep, chance))
        return Side(np.broadcast_to(n, (2, surveys)), having, *laws)

    def __str__(self) -> str:
        opened = f", {self.n[0]} open with {self.shares[0]:.3g}" if self.n[0] else ""
        return f"{self.n[1]} disguised with {self.shares[1]:.3g}{opened}, keep {self.keep:.3g}, noise {self.noise:.3g}"


Sides = tuple[Drawn, Drawn]


def side(n: int, opened: float, shares: tuple[float, float], law: tuple[float, float]) -> Drawn:
    many = round(n * opened)
    return Drawn((many, n - many), shares, *law)


def grid() -> Iterator[Sides]:
    for law, (first, second), share, opened, moved in product(LAWS, SIZES, SHARES, OPEN, MOVED):
        sides = side(first, opened, (share,) * 2, law), side(second, opened, (share + moved,) * 2, law)
        if all(not many or many >= LEAST_GROUP for half in sides for many in half.n):
            yield sides


def by_lot() -> Iterator[Sides]:
    """Mostly another law on each side, and open people who differ."""
    rng = np.random.default_rng(29)
    noises = (0.0005, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
    shares = (0.0, 0.002, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9, 1.0)
    n_cells = 0
    while n_cells < RANDOM:
        laws = [(float(rng.uniform(0.1, 0.95)), float(rng.choice(noises))) for _side in range(2)]
        if n_cells % 2:
            laws[1] = laws[0]
        alike = (float(rng.choice(shares)),) * 2
        sides = [
            side(
                int(np.exp(rng.uniform(np.log(50), np.log(5_000)))),
                float(rng.choice((0, 0.05, 0.3, 0.6, 0.9, 0.98))),
                alike if n_cells // 2 % 2 else (float(rng.choice(shares)), float(rng.choice(shares))),
                law,
            )
            for law in laws
        ]
        if all(not many or many >= LEAST_GROUP for half in sides for many in half.n):
            n_cells += 1
            yield sides[0], sides[1]


def rare() -> Iterator[Sides]:
    """Answers that hardly anybody has, and laws that hardly ever invent them."""
    rng = np.random.default_rng(30)
    shares = (0.0, 0.0005, 0.001, 0.002, 0.005, 0.02)
    n_cells = 0
    while n_cells < RARE:
        law = float(rng.choice((0.1, 0.3, 0.6, 0.95))), float(rng.choice((0.0005, 0.001, 0.005, 0.995)))
        opened = float(rng.choice((0, 0.3, 0.9)))
        sides = [
            side(
                int(np.exp(rng.uniform(np.log(50), np.log(5_000)))),
                opened,
                (float(rng.choice(shares)),) * 2,
                law,
            )
            for _side in range(2)
        ]
        if all(not many or many >= LEAST_GROUP for half in sides for many in half.n):
            n_cells += 1
            yield sides[0], sides[1]


def z_at_truth(sides: Sides, surveys: int, rng: np.random.Generator) -> Floats:
    """The interval misses the truth where this is beyond 1.96: it is the inversion of this test."""
    drawn = SumOfShares.difference(*(one.draw(surveys, rng) for one in sides))
    return drawn.z(np.full(surveys, sides[1].truth - sides[0].truth))


def missed(sides: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    z = z_at_truth(sides, surveys, rng)
    same = abs(sides[1].truth - sides[0].truth) < 1e-12
    measure = "size of the test" if same else "missed by the interval"
    yield Value(measure, f"{sides[0]}; {sides[1]}", float((np.abs(z) > NORMAL_95).mean()), surveys)


def missed_any(sides: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    for value in missed(sides, surveys, rng):
        yield replace(value, measure="size and misses")


@cache
def tail_cells() -> tuple[Sides, ...]:
    """The twenty worst of the rare cells, at a draw of their own."""
    result = [
        (next(iter(missed(sides, 1_000, np.random.default_rng((31, index))))).value, index)
        for index, sides in enumerate(rare())
    ]
    every = tuple(rare())
    return tuple(every[index] for _value, index in sorted(result, reverse=True)[:20])


def tails(sides: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    p = np.concatenate([two_sided(z_at_truth(sides, many, rng)) for many in (surveys // 10,) * 10])
    for level in TAILS:
        yield Value(f"p below {level:g}", f"{sides[0]}; {sides[1]}", float((p < level).mean()), len(p))


@dataclass(frozen=True)
class PowerCell:
    """The first side has the share; `fewer`: the second has less."""

    sizes: tuple[int, int]
    arms: bool
    share: float
    fewer: bool
    law: tuple[float, float]

    def sides(self, difference: float) -> Sides:
        law = self.law
        other = self.share + difference
        first = (self.sizes[0], 0) if self.arms else (0, self.sizes[0])
        return Drawn(first, (self.share,) * 2, *law), Drawn((0, self.sizes[1]), (other,) * 2, *law)

    @property
    def smallest(self) -> float:
        sides = self.sides(0.0)
        rng = np.random.default_rng(1)
        more, fewer = smallest_differences(
            SumOfShares.difference(*(one.draw(1, rng) for one in sides)), np.array([self.share])
        )
        return -float(fewer[0]) if self.fewer else float(more[0])


def power_cells() -> Iterator[PowerCell]:
    sizes = [*((sizes_of, True) for sizes_of in POWER_ARMS), *((sizes_of, False) for sizes_of in POWER_WAVES)]
    for law, (size, arms), share, fewer in product(POWER_LAWS, sizes, POWER_SHARES, (False, True)):
        cell = PowerCell(size, arms, share, fewer, law)
        if np.isfinite(cell.smallest):
            yield cell


def power(power_cell: PowerCell, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    drawn = SumOfShares.difference(*(one.draw(surveys, rng) for one in power_cell.sides(power_cell.smallest)))
    result = float((np.abs(drawn.z(np.zeros(surveys))) > NORMAL_95).mean())
    what = "arms" if power_cell.arms else "waves"
    cell = (
        f"{what} of {power_cell.sizes[0]} and {power_cell.sizes[1]}, share {power_cell.share:g}, "
        f"{'fewer' if power_cell.fewer else 'more'}, keep {power_cell.law[0]:g}, "
        f"noise {power_cell.law[1]:g}: {power_cell.smallest:+.3f}"
    )
    yield Value("found at the smallest difference", cell, result, surveys)
    yield Value("further than .02 from 80 %", cell, float(abs(result - 0.8) > 0.02), surveys)


@dataclass(frozen=True)
class Control:
    keep: float
    noise: float
    share: float
    n: int


def control_cells() -> Sequence[Control]:
    return [
        Control(*values)
        for values in (
            (0.95, 0.99, 1.0, 296),
            (0.95, 0.99, 1.0, 60),
            (0.9, 0.5, 0.0, 200),
            (0.3, 0.0238, 0.0, 100),
            (0.95, 0.0005, 0.0, 300),
            (0.5, 0.95, 1.0, 500),
            (0.95, 0.99, 0.98, 296),
        )
    ]


def control(setting: Control, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    drawn = Drawn((0, setting.n), (setting.share,) * 2, setting.keep, setting.noise).draw(surveys, rng)
    z = SumOfShares.share(drawn).z(np.full(surveys, setting.share))
    cell = f"{setting.n} records, share {setting.share:g}, keep {setting.keep:g}, noise {setting.noise:g}"
    yield Value("size of the test", cell, float((np.abs(z) > NORMAL_95).mean()), surveys)


def grid_cells() -> list[Sides]:
    return list(grid())


def random_cells() -> list[Sides]:
    return list(by_lot())


def rare_cells() -> list[Sides]:
    return list(rare())


def all_power_cells() -> list[PowerCell]:
    return list(power_cells())


SECTIONS = (
    Section(
        "differences",
        "Differences: waves, versions, arms, groups",
        "One law on both sides, 100 to 5,000 respondents, shares of 0 to .5, up to 90 % open, differences "
        "of 0, .1 and .3.",
        grid_cells,
        missed,
        2_000,
        40_000,
        {"size of the test": Bar(0.06, most=True), "missed by the interval": Bar(0.06, most=True)},
    ),
    Section(
        "differences-by-lot",
        "Differences, random settings",
        "Mostly another law on each side, noise of .0005 to .99, 50 to 5,000 respondents, open people who differ.",
        random_cells,
        missed_any,
        1_000,
        40_000,
        {"size and misses": Bar(0.06, most=True, but=1)},
    ),
    Section(
        "differences-rare",
        "Differences of rare answers",
        "Shares of 0 to .02, and laws that nearly never, or nearly always, invent the answer.",
        rare_cells,
        missed_any,
        1_000,
        40_000,
        {"size and misses": Bar(0.07, most=True, but=1)},
    ),
    Section(
        "tails",
        "Tails of p",
        "The twenty worst cells of rare answers.",
        tail_cells,
        tails,
        200_000,
        0,
        {"p below 0.001": Bar(0.0015, most=True), "p below 0.0001": Bar(0.0003, most=True)},
    ),
    Section(
        "power",
        "The smallest difference that is found four times out of five",
        "Arms and waves of 100 to 3,000 respondents, shares of 0 to .3, more and fewer.",
        all_power_cells,
        power,
        4_000,
        60_000,
        {
            "found at the smallest difference": Bar(0.77),
            "further than .02 from 80 %": Bar(0.1, most=True, mean=True),
        },
    ),
    Section(
        "controls",
        "Control items",
        "The test of a known share.",
        control_cells,
        control,
        40_000,
        0,
        {"size of the test": Bar(0.06, most=True)},
    ),
)
