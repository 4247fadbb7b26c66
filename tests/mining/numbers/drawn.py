"""Many surveys of a number, drawn from exact laws that are written out here anew, with the truth about the people.

Open answerers are other people than those who choose disguise. Each respondent's group and answer are drawn anew in
each survey.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mining.inference.contingency_table import Floats
from mining.numbers.floors import Counts
from mining.numbers.thresholds import QuantileStatement
from privacy.kinds.number.window import WindowLaw


@dataclass(frozen=True)
class People:
    """Shares of the numbers 0.. in each group, and the share of those who answer openly."""

    opened: Floats
    disguised: Floats
    open_share: float

    @classmethod
    def differing(cls, shape: Floats, open_share: float) -> "People":
        """The open answerers have the distribution turned round."""
        shares = shape / shape.sum()
        return cls(shares[::-1], shares, open_share)

    @cached_property
    def everybody(self) -> Floats:
        return np.asarray(self.open_share * self.opened + (1 - self.open_share) * self.disguised)

    @cached_property
    def cumulative(self) -> Floats:
        return np.cumsum(self.everybody)

    def draw(
        self, opened: Floats, disguised: Floats, n: int, surveys: int, rng: np.random.Generator
    ) -> Counts:
        """Records by survey, group and code, from the chances of the codes within each group."""
        chances = np.concatenate([self.open_share * opened, (1 - self.open_share) * disguised])
        return rng.multinomial(n, chances / chances.sum(), surveys).reshape(surveys, 2, -1)


@dataclass(frozen=True)
class ByThresholds:
    """The numbers are t_0 + 0, 1, 2, ...; with `moved` the devices move them to thresholds."""

    people: People
    keep: float
    points: tuple[int, ...]
    moved: bool

    @cached_property
    def numbers(self) -> Floats:
        return np.arange(self.points[0], self.points[-1] + 1, dtype=np.float64)

    @property
    def mean(self) -> float:
        return float(self.numbers @ self.people.everybody)

    def draw(self, n: int, surveys: int, rng: np.random.Generator) -> Counts:
        """By survey, group, threshold and answer."""
        opened = self._answers(self.people.opened)
        disguised = self.keep * self._answers(self.people.disguised) + (1 - self.keep) / 2
        open_codes, codes = (
            np.stack([1 - yes, yes], axis=1).ravel() / len(yes) for yes in (opened, disguised)
        )
        return self.people.draw(open_codes, codes, n, surveys, rng).reshape(surveys, 2, -1, 2)

    def _answers(self, shares: Floats) -> Floats:
        """By threshold how likely the true answer is "at least"."""
        yes = [
            shares @ self._reaches(before, at)
            for before, at in zip(self.points, self.points[1:], strict=False)
        ]
        return np.clip(yes, 0, 1)

    def _reaches(self, before: int, at: int) -> Floats:
        if self.moved:
            return np.clip((self.numbers - before) / (at - before), 0, 1)
        return (self.numbers >= at).astype(np.float64)

    def is_true(self, said: QuantileStatement) -> bool:
        """The quantile is the smallest number that at least q do not exceed."""
        reached = self.people.cumulative >= said.q - 1e-12
        quantile = self.numbers[np.argmax(reached)]
        return (said.at_least is None or quantile >= said.at_least) and (
            said.below is None or quantile < said.below
        )


@dataclass(frozen=True)
class ByWindow:
    people: People
    law: WindowLaw

    def draw(self, n: int, surveys: int, rng: np.random.Generator) -> Counts:
        """By survey, group and value."""
        law = self.law
        near = np.zeros(law.values)
        near[np.arange(-law.half, law.half + 1)] = 1 / (2 * law.half + 1)
        moved = circular(near, self.people.disguised)
        u = 1 - law.uniform_parts / 10_000
        return self.people.draw(self.people.opened, u * moved + (1 - u) / law.values, n, surveys, rng)

    def blurred(self, modes: int) -> Floats:
        """The distribution of everybody, blurred by the Fejer kernel: a square of a Dirichlet sum."""
        place = np.arange(self.law.values)
        waves = np.exp(2j * np.pi * np.outer(place, np.arange(modes + 1)) / self.law.values).sum(axis=1)
        return circular(np.abs(waves) ** 2 / ((modes + 1) * self.law.values), self.people.everybody)


def circular(kernel: Floats, shares: Floats) -> Floats:
    """By y the sum over x of kernel(y - x) shares(x)."""
    apart = np.arange(len(shares))
    return np.asarray(kernel[apart[:, None] - apart] @ shares)


def shapes(values: int) -> dict[str, Floats]:
    """A hill, one number that a third have, a block with empty numbers around it."""
    place = np.arange(values) / values
    return {
        "smooth": np.exp(-(((place - 0.3) / 0.15) ** 2)),
        "spike": np.where(np.arange(values) == values // 8, values / 2, 1.0),
        "block": np.where((place > 0.55) & (place < 0.75), 1.0, 0.0),
    }


def on_the_border(points: tuple[int, ...], q: float, place: int, *, above: bool) -> Floats:
    """The q-quantile almost reaches the threshold at this place, or (`above`) just reaches it.

    All other thresholds are easily told: the numbers are one below it and the highest, or the lowest and it.
    """
    shares = np.zeros(points[-1] - points[0] + 1)
    low, high = (points[0], points[place]) if above else (points[place] - 1, points[-1])
    few = q - 1e-4 if above else q + 1e-4
    shares[low - points[0]], shares[high - points[0]] = few, 1 - few
    return shares


def equal_gaps(thresholds: int, gap: int) -> tuple[int, ...]:
    return tuple(range(0, thresholds * gap + 1, gap))


def covered(low: Floats, high: Floats, truth: Floats | float) -> Floats:
    """By cell, in how many of the surveys (the first axis) the interval holds the truth."""
    return np.asarray(((low <= truth) & (truth <= high)).mean(axis=0))


KEEPS: dict[int, float] = {3: 0.5, 6: 0.7142, 19: 0.9}
"""By gamma, the keep of four places that it admits."""

UNEVEN = (0, 10, 20, 40, 100, 200)
