"""Contingency tables of one itemset or rule, drawn from a known law: many surveys of one cell of the coverage tables.

Nothing here is the product's but the class that holds a table: the disguise is written out anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN, ContingencyTable, ItemsetPart
from mining.reconstruction.moments import LEAST_BASE, LEAST_GROUP

Floats = NDArray[np.float64]

ELSE = 0.3
"""Whoever has not all of a side has each of its items this often."""
OPEN_AS_OFTEN = 0.4
"""Open answerers have the itemset, or A, .4 times as often as all do, where that leaves a share for the others."""


@dataclass(frozen=True)
class Layout:
    """The parts of an itemset or a split: side, section (PLAIN for plain items) and how many items."""

    name: str
    parts: tuple[tuple[int, int, int], ...]

    @property
    def sections(self) -> int:
        return len({section for _side, section, _items in self.parts if section != PLAIN})

    @property
    def joins(self) -> bool:
        """Whether plain and sensitive items meet: then the disguised records alone count."""
        return len({section == PLAIN for _side, section, _items in self.parts}) == 2


@dataclass(frozen=True)
class Mechanism:
    keep: float
    noise: float
    n: int
    open: float


@dataclass(frozen=True)
class Cell:
    """`truth` are the shares of the true cells, in the open and in the disguised group."""

    layout: Layout
    mechanism: Mechanism
    truth: Floats

    def __str__(self) -> str:
        of = self.mechanism
        return f"{self.layout.name}, keep {of.keep:g}, noise {of.noise:g}, {of.n:,} respondents, {of.open:.0%} open"

    @cached_property
    def noises(self) -> list[float]:
        parts = self.layout.parts
        return [1.0 if section == PLAIN else self.mechanism.noise**items for _side, section, items in parts]

    @cached_property
    def received(self) -> Floats:
        """The law of the cells as received, in both groups."""
        return np.stack([self.truth[0], self.truth[1] @ self._disguise()])

    def _disguise(self) -> Floats:
        """Of every true cell, how likely each cell is received: entry by entry."""
        parts, keep = self.layout.parts, self.mechanism.keep
        cells = 1 << len(parts)
        sections = {section for _side, section, _items in parts}
        law = np.ones((cells, cells))
        for true, seen in product(range(cells), repeat=2):
            for section in sections:
                mine = [bit for bit, part in enumerate(parts) if part[1] == section]
                same = all(true >> bit & 1 == seen >> bit & 1 for bit in mine)
                if section == PLAIN:
                    law[true, seen] *= same
                    continue
                by_noise = np.prod(
                    [self.noises[bit] if seen >> bit & 1 else 1 - self.noises[bit] for bit in mine]
                )
                law[true, seen] *= keep * same + (1 - keep) * by_noise
        return law

    def share(self, side: int | None = None) -> float:
        """Of those whose records count, those who have all of a side, or of both."""
        wanted = sum(1 << bit for bit, part in enumerate(self.layout.parts) if side in (None, part[0]))
        has = np.array([cell & wanted == wanted for cell in range(self.truth.shape[1])])
        k = 0.0 if self.layout.joins else self.mechanism.open
        return float(k * self.truth[0, has].sum() + (1 - k) * self.truth[1, has].sum())

    def draw(self, runs: int, rng: np.random.Generator) -> ContingencyTable:
        """So many surveys, those left out of which too few were asked."""
        cells = self.truth.shape[1]
        n_open = rng.binomial(self.mechanism.n, self.mechanism.open, runs)
        counts = np.zeros((cells, 2, runs))
        for group, records in enumerate((n_open, self.mechanism.n - n_open)):
            if not (group == 0 and self.layout.joins):
                counts[:, group] = rng.multinomial(records, self.received[group], runs).T
        for bit in range(len(self.layout.parts)):
            halves = counts.reshape(-1, 2, 1 << bit, 2, runs)
            halves[:, 0] += halves[:, 1]
        parts = tuple(ItemsetPart(side, section) for side, section, _items in self.layout.parts)
        keep = np.full((self.layout.sections, 1), self.mechanism.keep)
        noise = np.array(self.noises)[:, None]
        table = ContingencyTable(parts, counts, keep, noise)
        plain = sum(1 << bit for bit, part in enumerate(parts) if part.section == PLAIN)
        enough = (counts[0].sum(axis=0) >= LEAST_BASE) & (
            (counts[0] == 0) | (counts[plain] >= LEAST_GROUP)
        ).all(axis=0)
        return table.take(np.flatnonzero(enough))


def itemset(layout: Layout, mechanism: Mechanism, support: float) -> Cell:
    """People of whom this share has all parts; open answerers have them less often."""
    each = [ELSE**items for _side, _section, items in layout.parts]
    return Cell(
        layout, mechanism, np.array([_spread(share, each) for share in _by_group(support, mechanism.open)])
    )


def rule(layout: Layout, mechanism: Mechanism, a: float, confidence: float, c_without_a: float) -> Cell:
    """People of whom a share `a` has A, of these `confidence` C, of the others `c_without_a`."""
    truth = np.zeros((2, 1 << len(layout.parts)))
    sides = [
        [bit for bit, part in enumerate(layout.parts) if part[0] == side] for side in (ANTECEDENT, CONSEQUENT)
    ]
    for group, share in enumerate(_by_group(a, mechanism.open)):
        for has_a, has_c in product((True, False), repeat=2):
            of_a = share if has_a else 1 - share
            of_c = confidence if has_a else c_without_a
            chance = of_a * (of_c if has_c else 1 - of_c)
            laws = [_side(layout, bits, has) for bits, has in zip(sides, (has_a, has_c), strict=True)]
            for (cell_a, of_cell_a), (cell_c, of_cell_c) in product(*laws):
                truth[group, cell_a | cell_c] += chance * of_cell_a * of_cell_c
    return Cell(layout, mechanism, truth)


def _by_group(share: float, opened: float) -> tuple[float, float]:
    """The share of the open and of the disguised."""
    others = share * (1 - opened * OPEN_AS_OFTEN) / (1 - opened)
    return (share, share) if others > 1 else (OPEN_AS_OFTEN * share, others)


def _side(layout: Layout, bits: list[int], has: bool) -> Iterator[tuple[int, float]]:
    """The cells of one side for people who have all of it, or not all, with their shares."""
    if has:
        yield sum(1 << bit for bit in bits), 1.0
        return
    law = _spread(0.0, [ELSE ** layout.parts[bit][2] for bit in bits])
    for cell, chance in enumerate(law.tolist()):
        yield sum(1 << bits[index] for index in range(len(bits)) if cell >> index & 1), chance


def _spread(whole: float, each: list[float]) -> Floats:
    """All parts with this share; of the others, each part by itself."""
    cells = range(1 << len(each))
    law = np.array(
        [np.prod([p if cell >> bit & 1 else 1 - p for bit, p in enumerate(each)]) for cell in cells]
    )
    law[-1] = 0.0
    law *= (1 - whole) / law.sum()
    law[-1] = whole
    return law
