"""One table of parts in exact fractions: cells, the law of the disguise and its inverse, scores, in plain loops.

Made from the definition alone: it shares nothing with the code that it is compared with.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Literal

Cell = frozenset[int]
Shares = dict[Cell, float]
NOTHING: Cell = frozenset()


@dataclass(frozen=True)
class Part:
    """`section` is None for plain items, and then `noise` says nothing."""

    side: Literal["A", "C"]
    section: int | None
    noise: Fraction = Fraction(1)


def subsets(parts: Cell) -> list[Cell]:
    ordered = sorted(parts)
    return [frozenset(of) for size in range(len(ordered) + 1) for of in combinations(ordered, size)]


@dataclass(frozen=True)
class ExactTable:
    """One table: `at_least` gives the open and the disguised records that have at least these parts."""

    parts: tuple[Part, ...]
    keep: dict[int, Fraction]
    at_least: dict[Cell, tuple[int, int]]

    @cached_property
    def cells(self) -> list[Cell]:
        return subsets(frozenset(range(len(self.parts))))

    @property
    def all_parts(self) -> Cell:
        return frozenset(range(len(self.parts)))

    @property
    def n(self) -> tuple[int, int]:
        return self.at_least[NOTHING]

    @property
    def groups(self) -> list[int]:
        return [g for g in (0, 1) if self.n[g]]

    @property
    def w(self) -> dict[int, float]:
        return {g: self.n[g] / sum(self.n) for g in self.groups}

    def of(self, sides: str) -> Cell:
        return frozenset(at for at, part in enumerate(self.parts) if part.side in sides)

    @cached_property
    def counts(self) -> list[dict[Cell, Fraction]]:
        """Of each group and cell."""
        return [
            exactly({cell: Fraction(both[g]) for cell, both in self.at_least.items()}, self.cells)
            for g in (0, 1)
        ]

    @cached_property
    def y(self) -> dict[int, dict[Cell, Fraction]]:
        return {g: {cell: count / self.n[g] for cell, count in self.counts[g].items()} for g in self.groups}

    def law(self, received: Cell, true: Cell, section: int) -> tuple[Fraction, bool]:
        """How often noise alone gives what the section sent, and whether that is what was true."""
        of = [at for at, part in enumerate(self.parts) if part.section == section]
        noise = prod(
            (self.parts[at].noise if at in received else 1 - self.parts[at].noise for at in of),
            start=Fraction(1),
        )
        return noise, received & frozenset(of) == true & frozenset(of)

    def same_plain(self, received: Cell, true: Cell) -> bool:
        plain = frozenset(at for at, part in enumerate(self.parts) if part.section is None)
        return received & plain == true & plain

    def h(self, g: int, true: Cell, received: Cell) -> Fraction:
        if g == 0:
            return Fraction(received == true)
        if not self.same_plain(received, true):
            return Fraction(0)
        factor = Fraction(1)
        for section, p in self.keep.items():
            noise, same = self.law(received, true, section)
            factor *= p * same + (1 - p) * noise
        return factor

    def inverse(self, g: int, received: Cell, true: Cell) -> Fraction:
        if g == 0:
            return Fraction(received == true)
        if not self.same_plain(received, true):
            return Fraction(0)
        factor = Fraction(1)
        for section, p in self.keep.items():
            noise, same = self.law(true, received, section)
            factor *= (same - (1 - p) * noise) / p
        return factor

    @cached_property
    def transitions(self) -> dict[tuple[int, Cell, Cell], float]:
        return {
            (g, true, sent): float(self.h(g, true, sent))
            for g in self.groups
            for true in self.cells
            for sent in self.cells
        }

    @cached_property
    def x(self) -> dict[int, dict[Cell, Fraction]]:
        """Negative shares set to 0 and the others divided by their total."""
        found = {}
        for g in self.groups:
            raw = self.before_the_cut(g)
            total = sum(max(share, Fraction(0)) for share in raw.values())
            found[g] = {cell: max(share, Fraction(0)) / total for cell, share in raw.items()}
        return found

    def before_the_cut(self, g: int) -> dict[Cell, Fraction]:
        y = self.y[g]
        return {
            true: sum((y[sent] * self.inverse(g, sent, true) for sent in self.cells), start=Fraction(0))
            for true in self.cells
        }

    def share(self, g: int, sides: str) -> Fraction:
        """S_g, A_g, C_g."""
        return sum((share for cell, share in self.x[g].items() if self.of(sides) <= cell), start=Fraction(0))

    @cached_property
    def scores(self) -> dict[tuple[int, Cell, str], float]:
        """z(A), z(C), z(S) of a record that was received in this cell."""
        return {
            (g, cell, sides): self.score(g, cell, sides)
            for g in self.groups
            for cell in self.cells
            for sides in ("A", "C", "AC")
        }

    def score(self, g: int, cell: Cell, sides: str) -> float:
        wanted = self.of(sides)
        if g == 0:
            return float(wanted <= cell)
        plain = [at for at in wanted if self.parts[at].section is None]
        score = Fraction(all(at in cell for at in plain))
        for section, p in self.keep.items():
            of = [at for at in wanted if self.parts[at].section == section]
            if of:
                noise = prod((self.parts[at].noise for at in of), start=Fraction(1))
                score *= (all(at in cell for at in of) - (1 - p) * noise) / p
        return float(score)

    def mean(self, *sides: str) -> float:
        """Of the product of the scores of these sides, over all records."""
        return sum(
            self.w[g] * float(share) * prod(self.scores[g, cell, side] for side in sides)
            for g in self.groups
            for cell, share in self.y[g].items()
        )

    def covariance(self, one: str, other: str) -> float:
        return (self.mean(one, other) - self.mean(one) * self.mean(other)) / sum(self.n)


def exactly(at_least: dict[Cell, Fraction], cells: list[Cell]) -> dict[Cell, Fraction]:
    """Inclusion and exclusion."""
    found = {}
    for cell in cells:
        larger = [other for other in cells if cell <= other]
        found[cell] = sum(
            (at_least[other] * (-1) ** (len(other) - len(cell)) for other in larger), start=Fraction(0)
        )
    return found
