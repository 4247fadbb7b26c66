"""One table of parts in exact fractions: cells, the law of the disguise and its inverse, scores, in plain loops.

Made from the definition alone: it shares nothing with the code that it is compared with.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Cell = frozenset[int]
Shares = dict[Cell, float]
NOTHING: Cell = frozenset()


@dataclass(frozen=True)
class Part:
    """`section` is None for plain items, and then `noise` says nothing."""

    side: Literal["A", "C"]
    section: int | None
    noise: Fraction = Fraction(1)


@dataclass(frozen=True)
class SectionLaw:
    """Of one section: how likely a device sends `cell` of its parts, and the inverse, each if that is true or not."""

    of: Cell
    sent: dict[tuple[Cell, bool], Fraction]
    inverse: dict[tuple[Cell, bool], Fraction]

    @classmethod
    def written(cls, of: Cell, parts: tuple[Part, ...], p: Fraction) -> "SectionLaw":
        sent, inverse = {}, {}
        for cell, same in product(subsets(of), (False, True)):
            noise = prod(
                (parts[at].noise if at in cell else 1 - parts[at].noise for at in of), start=Fraction(1)
            )
            sent[cell, same] = p * same + (1 - p) * noise
            inverse[cell, same] = (same - (1 - p) * noise) / p
        return cls(of, sent, inverse)


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
    def counts(self) -> list[dict[Cell, int]]:
        """Of each group and cell."""
        return [exactly({cell: both[g] for cell, both in self.at_least.items()}, self.cells) for g in (0, 1)]

    @cached_property
    def y(self) -> dict[int, dict[Cell, Fraction]]:
        return {
            g: {cell: Fraction(count, self.n[g]) for cell, count in self.counts[g].items()}
            for g in self.groups
        }

    @cached_property
    def laws(self) -> list[SectionLaw]:
        return [SectionLaw.written(self.of_section(b), self.parts, p) for b, p in self.keep.items()]

    def of_section(self, section: int | None) -> Cell:
        return frozenset(at for at, part in enumerate(self.parts) if part.section == section)

    @cached_property
    def plain(self) -> Cell:
        return self.of_section(None)

    def same_plain(self, received: Cell, true: Cell) -> bool:
        return received & self.plain == true & self.plain

    def h(self, g: int, true: Cell, received: Cell) -> Fraction:
        if g == 0:
            return Fraction(received == true)
        if not self.same_plain(received, true):
            return Fraction(0)
        return prod(
            (law.sent[received & law.of, received & law.of == true & law.of] for law in self.laws),
            start=Fraction(1),
        )

    def inverse(self, g: int, received: Cell, true: Cell) -> Fraction:
        if g == 0:
            return Fraction(received == true)
        if not self.same_plain(received, true):
            return Fraction(0)
        return prod(
            (law.inverse[true & law.of, received & law.of == true & law.of] for law in self.laws),
            start=Fraction(1),
        )

    @cached_property
    def transitions(self) -> NDArray[np.float64]:
        """By group, true cell and cell as sent, both in the order of `cells`."""
        return transitions_of(self.parts, tuple(self.keep.items()))

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

    @cached_property
    def shares(self) -> dict[tuple[int, str], Fraction]:
        """S_g, A_g, C_g."""
        return {
            (g, sides): sum(
                (share for cell, share in self.x[g].items() if self.of(sides) <= cell), start=Fraction(0)
            )
            for g in self.groups
            for sides in ("A", "C", "AC")
        }

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

    @cached_property
    def covariances(self) -> dict[tuple[str, str], float]:
        means = {sides: self.mean(sides) for sides in ("A", "C", "AC")}
        return {
            (one, other): (self.mean(one, other) - means[one] * means[other]) / sum(self.n)
            for one, other in product(means, repeat=2)
        }


@lru_cache(maxsize=4)
def transitions_of(parts: tuple[Part, ...], keep: tuple[tuple[int, Fraction], ...]) -> NDArray[np.float64]:
    """Of all tables that have these parts."""
    law = ExactTable(parts, dict(keep), {})
    rows = [[[law.h(g, true, sent) for sent in law.cells] for true in law.cells] for g in (0, 1)]
    return np.array(rows, np.float64)


def exactly(at_least: dict[Cell, int], cells: list[Cell]) -> dict[Cell, int]:
    """Inclusion and exclusion."""
    found = {}
    for cell in cells:
        larger = [other for other in cells if cell <= other]
        found[cell] = sum(at_least[other] * (-1) ** (len(other) - len(cell)) for other in larger)
    return found
