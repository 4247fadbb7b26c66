"""Many surveys of a number, drawn from exact laws that are written out here anew, with the truth about the people.

Open answerers are other people than those who choose disguise. Each respondent's group and answer are drawn anew in
each survey.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mining.inference.contingency_table import Floats
from mining.kinds.minimum_record_counts import Counts
from mining.report.number_nodes import QuantileStatement
from privacy.kinds.number.window.law import WindowLaw
from proof.record_probabilities import classes_law


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
class ByClasses:
    """The numbers are 0, 1, 2, ..; the law is that of `proof.record_probabilities`, from the JSON of the section."""

    people: People
    section: Mapping[str, Any]

    @cached_property
    def numbers(self) -> Floats:
        return np.arange(len(self.people.opened), dtype=np.float64)

    @property
    def mean(self) -> float:
        return float(self.numbers @ self.people.everybody)

    def draw(self, n: int, surveys: int, rng: np.random.Generator) -> Counts:
        """By survey, group and code."""
        opened, disguised = (
            shares @ self._law(group)
            for group, shares in enumerate((self.people.opened, self.people.disguised))
        )
        return self.people.draw(opened, disguised, n, surveys, rng)

    def _law(self, group: int) -> Floats:
        (question,) = self.section["questions"]
        rows = [classes_law(dict(self.section), question, group, x) for x in range(len(self.numbers))]
        return np.array(rows, np.float64)

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


def covered(low: Floats, high: Floats, truth: Floats | float) -> Floats:
    """By cell, in how many of the surveys (the first axis) the interval holds the truth."""
    return np.asarray(((low <= truth) & (truth <= high)).mean(axis=0))
