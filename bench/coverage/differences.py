"""Differences of two sides with laws of their own: size of the test, misses of the interval, tails, and power."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from bench.coverage.section import Measures, Value, grid, held
from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95, share_interval, two_sided_p
from mining.inference.score_test import support_test
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares, smallest_detectable_differences
from mining.studies.single_answer_score_moments import AnswerLaw, answer_side, answer_table
from mining.studies.waves import compare_sides

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

    def draw(self, surveys: int, rng: np.random.Generator) -> ReceivedSide:
        keep, chance = np.array([[1.0], [self.keep]]), np.array([[0.0], [(1 - self.keep) * self.noise]])
        n, shares = np.array(self.n)[:, None], np.array(self.shares)[:, None]
        having = rng.binomial(n, np.minimum(chance + keep * shares, 1.0), (2, surveys))
        laws = (np.broadcast_to(part, (2, surveys)) for part in (keep, chance))
        return ReceivedSide(np.broadcast_to(n, (2, surveys)), having, *laws)

    def __str__(self) -> str:
        opened = f", {self.n[0]} open with {self.shares[0]:.3g}" if self.n[0] else ""
        return f"{self.n[1]} disguised with {self.shares[1]:.3g}{opened}, keep {self.keep:.3g}, noise {self.noise:.3g}"


Sides = tuple[Drawn, Drawn]


def side(n: int, opened: float, shares: tuple[float, float], law: tuple[float, float]) -> Drawn:
    many = round(n * opened)
    return Drawn((many, n - many), shares, *law)


def is_used(sides: Sides) -> bool:
    """Whether no group is below the floor."""
    return all(not many or many >= LEAST_GROUP for drawn in sides for many in drawn.n)


def cells() -> Iterator[Sides]:
    for law, (first, second), share, opened, moved in product(LAWS, SIZES, SHARES, OPEN, MOVED):
        sides = side(first, opened, (share,) * 2, law), side(second, opened, (share + moved,) * 2, law)
        if is_used(sides):
            yield sides


def random_size(rng: np.random.Generator) -> int:
    return int(np.exp(rng.uniform(np.log(50), np.log(5_000))))


def random_cells() -> Iterator[Sides]:
    """Mostly another law on each side, and open people who differ."""
    rng, number = np.random.default_rng(29), 0
    noises = (0.0005, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
    shares = (0.0, 0.002, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9, 1.0)
    while number < RANDOM:
        laws = [(float(rng.uniform(0.1, 0.95)), float(rng.choice(noises))) for _side in range(2)]
        if number % 2:
            laws[1] = laws[0]
        alike, drawn = (float(rng.choice(shares)),) * 2, list[Drawn]()
        for law in laws:
            n, opened = random_size(rng), float(rng.choice((0, 0.05, 0.3, 0.6, 0.9, 0.98)))
            own = alike if number // 2 % 2 else (float(rng.choice(shares)), float(rng.choice(shares)))
            drawn.append(side(n, opened, own, law))
        if is_used(sides := (drawn[0], drawn[1])):
            number += 1
            yield sides


def rare_cells() -> Iterator[Sides]:
    """Answers that hardly anybody has, and laws that hardly ever invent them."""
    rng, number = np.random.default_rng(30), 0
    shares = (0.0, 0.0005, 0.001, 0.002, 0.005, 0.02)
    while number < RARE:
        law = float(rng.choice((0.1, 0.3, 0.6, 0.95))), float(rng.choice((0.0005, 0.001, 0.005, 0.995)))
        opened = float(rng.choice((0, 0.3, 0.9)))
        drawn = [side(random_size(rng), opened, (float(rng.choice(shares)),) * 2, law) for _side in range(2)]
        if is_used(sides := (drawn[0], drawn[1])):
            number += 1
            yield sides


def z_at_truth(sides: Sides, surveys: int, rng: np.random.Generator) -> Floats:
    """The interval misses the truth where this is beyond 1.96: it is the inversion of this test."""
    difference = SumOfShares.from_difference(*(drawn.draw(surveys, rng) for drawn in sides))
    return difference.z(np.full(surveys, sides[1].truth - sides[0].truth))


def beyond(z: Floats) -> float:
    return float((np.abs(z) > NORMAL_95).mean())


def missed(sides: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    same = abs(sides[1].truth - sides[0].truth) < 1e-12
    measure = "size of the test" if same else "missed by the interval"
    yield Value(measure, f"{sides[0]}; {sides[1]}", beyond(z_at_truth(sides, surveys, rng)), surveys)


def missed_any(sides: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    for value in missed(sides, surveys, rng):
        yield replace(value, measure="size and misses")


@cache
def tail_cells() -> tuple[Sides, ...]:
    """The twenty worst of the rare cells, at a draw of their own."""
    every = tuple(rare_cells())
    rngs = (np.random.default_rng((31, index)) for index in range(len(every)))
    misses = [beyond(z_at_truth(sides, 1_000, rng)) for sides, rng in zip(every, rngs, strict=True)]
    worst = sorted(range(len(every)), key=lambda index: (misses[index], index), reverse=True)
    return tuple(every[index] for index in worst[:20])


def tails(sides: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    p = np.concatenate([two_sided_p(z_at_truth(sides, many, rng)) for many in (surveys // 10,) * 10])
    for level in TAILS:
        yield Value(f"p below {level:g}", f"{sides[0]}; {sides[1]}", float((p < level).mean()), len(p))


@dataclass(frozen=True)
class PowerCell:
    """The first side has the share; `fewer`: the second has less."""

    law: tuple[float, float]
    sizes: tuple[int, int]
    arms: bool
    share: float
    fewer: bool

    def __str__(self) -> str:
        kind, direction = "arms" if self.arms else "waves", "fewer" if self.fewer else "more"
        return (
            f"{kind} of {self.sizes[0]} and {self.sizes[1]}, share {self.share:g}, {direction}, "
            f"keep {self.law[0]:g}, noise {self.law[1]:g}: {self.smallest:+.3f}"
        )

    def draw(self, difference: float, surveys: int, rng: np.random.Generator) -> SumOfShares:
        first = (self.sizes[0], 0) if self.arms else (0, self.sizes[0])
        groups = (first, self.share), ((0, self.sizes[1]), self.share + difference)
        sides = (Drawn(n, (share,) * 2, *self.law).draw(surveys, rng) for n, share in groups)
        return SumOfShares.from_difference(*sides)

    @property
    def smallest(self) -> float:
        drawn = self.draw(0.0, 1, np.random.default_rng(1))
        more, fewer = smallest_detectable_differences(drawn, np.array([self.share]))
        return -float(fewer[0]) if self.fewer else float(more[0])


def power_cells() -> Iterator[PowerCell]:
    sizes = [*((size, True) for size in POWER_ARMS), *((size, False) for size in POWER_WAVES)]
    for law, size, share, fewer in product(POWER_LAWS, sizes, POWER_SHARES, (False, True)):
        cell = PowerCell(law, *size, share, fewer)
        if np.isfinite(cell.smallest):
            yield cell


def power(cell: PowerCell, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    result = beyond(cell.draw(cell.smallest, surveys, rng).z(np.zeros(surveys)))
    yield Value("found at the smallest difference", str(cell), result, surveys)
    yield Value("further than .02 from 80 %", str(cell), float(abs(result - 0.8) > 0.02), surveys)


CONTROLS = (
    (0.95, 0.99, 1.0, 296),
    (0.95, 0.99, 1.0, 60),
    (0.9, 0.5, 0.0, 200),
    (0.3, 0.0238, 0.0, 100),
    (0.95, 0.0005, 0.0, 300),
    (0.5, 0.95, 1.0, 500),
    (0.95, 0.99, 0.98, 296),
)
"""Keep, noise, share and records."""


Control = tuple[float, float, float, int]


def control(setting: Control, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    keep, noise, share, n = setting
    drawn = Drawn((0, n), (share,) * 2, keep, noise).draw(surveys, rng)
    cell = f"{n} records, share {share:g}, keep {keep:g}, noise {noise:g}"
    size = beyond(SumOfShares.from_share(drawn).z(np.full(surveys, share)))
    yield Value("size of the test", cell, size, surveys)


# --- answers of those who understood the disguise, and of the others -----------------------------


@dataclass(frozen=True)
class Understanding:
    """`moved`: how much more of those who understood have the answer."""

    law: tuple[float, float]
    n: int
    understood: float
    share: float
    moved: float

    def __str__(self) -> str:
        keep, noise = self.law
        law = f"keep {keep:g}, noise {noise:g}, {self.n:,} disguised"
        return f"share {self.share:g}, difference {self.moved:g}, {law}, {self.understood:.0%} understood"


def understanding(setting: Understanding, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = AnswerLaw.from_probabilities(*setting.law)
    understood = rng.binomial(setting.n, setting.understood, surveys)
    shares = setting.share, setting.share + setting.moved
    drawn = []
    for count, share in zip((setting.n - understood, understood), shares, strict=True):
        having = rng.binomial(count, np.asarray(law.chance + law.keep * share))
        records, positive = (np.stack([np.zeros_like(count), disguised]) for disguised in (count, having))
        drawn.append(answer_side(records, positive, law))
        interval = share_interval(support_test(answer_table(records, positive, law)))
        yield held("share of a side", f"{share:g}: {setting}", interval, share)
    tested = compare_sides(*drawn, shared=False)
    known = np.isfinite(tested.difference)
    used = int(known.sum())
    if not used:
        return
    misses = ~((tested.low <= setting.moved) & (setting.moved <= tested.high))[known]
    yield Value("missed by the interval", str(setting), float(misses.mean()), used)
    if not setting.moved:
        yield Value("size of the test", str(setting), float((tested.p[known] <= 0.05).mean()), used)


UNDERSTANDING = grid(Understanding, POWER_LAWS[:4], (300, 2_000), (0.5, 0.9), (0.0, 0.05, 0.3), (0.0, 0.1))
MEASURES: Measures = {
    "differences": (cells, missed),
    "differences-by-lot": (random_cells, missed_any),
    "differences-rare": (rare_cells, missed_any),
    "tails": (tail_cells, tails),
    "power": (power_cells, power),
    "controls": (lambda: CONTROLS, control),
    "understanding": (UNDERSTANDING, understanding),
}
