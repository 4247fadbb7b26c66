"""The one test of a support, a confidence or a lift, written out from its definition in loops over the cells.

Shares before the disguise are exact fractions, so that an empty class is told from rounding.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import cbrt, exp, factorial, inf, prod, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from tests.mining.inference.exact_table import NOTHING, Cell, ExactTable, Shares

What = Literal["support", "confidence", "converse", "lift"]
"""`converse` is the confidence of C -> A."""
NORMAL_95 = 1.96
LIFTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1000.0)


class Steps(NamedTuple):
    """What the definition names on the way to z, group by group where it does; a group without records is missing."""

    difference: float
    wanted: float
    v: dict[int, float]
    u: dict[int, float]
    s: dict[int, float]
    received: dict[int, Shares]
    plug_in: float
    third: float
    goal: float
    of_counts: float
    error: float
    gamma: float
    skewed: float
    z: float


@dataclass(frozen=True)
class Question:
    """Is it t? `a` and `c` are the sides as the rule has them: of the converse the other way round."""

    table: ExactTable
    what: What

    @property
    def a(self) -> str:
        return {"support": "AC", "converse": "C"}.get(self.what, "A")

    @property
    def c(self) -> str:
        return "A" if self.what == "converse" else "C"

    @cached_property
    def p(self) -> tuple[float, float, float]:
        """P_S, P_A, P_C."""
        return self.table.mean("AC"), self.table.mean(self.a), self.table.mean(self.c)

    def psi(self, t: float, g: int, cell: Cell) -> float:
        scores = self.table.scores
        s = scores[g, cell, "AC"]
        if self.what == "support":
            return s - t
        a, c = scores[g, cell, self.a], scores[g, cell, self.c]
        if self.what == "lift":
            return s - t * (self.p[2] * a + self.p[1] * c)
        return s - t * a

    def difference(self, t: float) -> float:
        s, a, c = self.p
        if self.what == "support":
            return s - t
        if self.what == "lift":
            return s - t * (a * c - self.table.covariances["A", "C"])
        return s - t * a

    def limits(self, g: int) -> tuple[float, float]:
        a, c = self.table.shares[g, self.a], self.table.shares[g, self.c]
        if self.what == "support":
            return 0.0, 1.0
        if self.what == "lift":
            return float(max(Fraction(0), a + c - 1)), float(min(a, c))
        return 0.0, float(a)

    def wanted(self, t: float) -> float:
        table = self.table
        if self.what == "support":
            return cut(t, 0.0, 1.0)
        a = sum(table.w[g] * float(table.shares[g, self.a]) for g in table.groups)
        if self.what != "lift":
            return cut(t, 0.0, 1.0) * a
        c = sum(table.w[g] * float(table.shares[g, self.c]) for g in table.groups)
        sums = [sum(table.w[g] * self.limits(g)[end] for g in table.groups) for end in (0, 1)]
        return cut(t * a * c, sums[0], sums[1])

    def started(self, t: float, g: int) -> float:
        """Where step 1 moves S to."""
        a, c = float(self.table.shares[g, self.a]), float(self.table.shares[g, self.c])
        at = {"support": t, "lift": t * a * c}.get(self.what, t * a)
        return cut(at, *self.limits(g))

    def goal(self, t: float) -> float:
        s, a, c = self.p
        if self.what == "support":
            return t
        return min(t * a * c, max(s, min(a, c))) if self.what == "lift" else t * a

    def classes(self) -> Iterator[tuple[list[Cell], Cell]]:
        """The cells of each class, and the one with the fewest parts."""
        table, every = self.table, self.table.all_parts
        yield [every], every
        if self.what == "support":
            yield [cell for cell in table.cells if cell != every], NOTHING
            return
        a, c = table.of(self.a), table.of(self.c)
        yield [cell for cell in table.cells if a <= cell and cell != every], a
        yield [cell for cell in table.cells if c <= cell and cell != every], c
        yield [cell for cell in table.cells if not a <= cell and not c <= cell], NOTHING

    def gets(self, g: int, s: float) -> tuple[float, ...]:
        """What each class gets."""
        if self.what == "support":
            return s, 1 - s
        of_a, of_c = float(self.table.shares[g, self.a]), float(self.table.shares[g, self.c])
        only_c = min(max(of_c - s, 0.0), 1 - of_a)
        return s, of_a - s, only_c, 1 - of_a - only_c

    @cached_property
    def inside(self) -> dict[int, list[dict[Cell, float]]]:
        """By group and class, which share of the class each cell has."""
        found: dict[int, list[dict[Cell, float]]] = {}
        for g in self.table.groups:
            x = self.table.x[g]
            found[g] = []
            for cells, fewest in self.classes():
                total = sum((x[cell] for cell in cells), start=Fraction(0))
                shares = {cell: x[cell] / total if total else Fraction(cell == fewest) for cell in cells}
                found[g].append({cell: float(share) for cell, share in shares.items()})
        return found

    def moved(self, g: int, s: float) -> Shares:
        found = dict.fromkeys(self.table.cells, 0.0)
        for gets, shares in zip(self.gets(g, s), self.inside[g], strict=True):
            for cell, share in shares.items():
                found[cell] += gets * share
        return found

    def received(self, g: int, true: Shares) -> Shares:
        """The law of the disguise, applied to these shares of the cells."""
        sent = np.array([true[cell] for cell in self.table.cells]) @ self.table.transitions[g]
        return dict(zip(self.table.cells, sent.tolist(), strict=True))

    def lowered(self, t: float, u: dict[int, float]) -> dict[int, Shares]:
        """y from the counts of which that of all parts was lowered."""
        table, every, found = self.table, self.table.all_parts, {}
        for g in table.groups:
            kept = prod((float(p) for p in table.keep.values()), start=1.0) if g == 1 else 1.0
            by = u[g] * (self.p[0] - self.goal(t)) * kept
            y = {cell: float(share) for cell, share in table.y[g].items()}
            found[g] = {cell: y[cell] - by * (-1) ** (len(every) - len(cell)) for cell in table.cells}
        return found

    def central(self, psi: dict[int, Shares], of: dict[int, Shares], power: int, about: float) -> float:
        """The mean over the groups' mixture of (psi - about) to this power."""
        return sum(
            self.table.w[g] * share * (psi[g][cell] - about) ** power
            for g, cells in of.items()
            for cell, share in cells.items()
        )

    def steps(self, t: float) -> Steps:
        table = self.table
        n, groups, w = sum(table.n), table.groups, table.w
        psi = {g: {cell: self.psi(t, g, cell) for cell in table.cells} for g in groups}
        v = {}
        for g in groups:
            cells = self.received(g, self.moved(g, self.started(t, g)))
            mean = sum(share * psi[g][cell] for cell, share in cells.items())
            v[g] = sum(share * psi[g][cell] ** 2 for cell, share in cells.items()) - mean**2
        total = sum(w[g] * v[g] for g in groups)
        u = {g: v[g] / total if total else 1.0 for g in groups}
        s = self.moved_shares(t, u)
        received = {g: self.received(g, self.moved(g, s[g])) for g in groups}
        mean = self.central(psi, received, 1, 0.0)
        plug_in = self.central(psi, received, 2, 0.0) - mean**2
        third = self.central(psi, received, 3, mean)
        lowered = self.lowered(t, u)
        of_counts = self.central(psi, lowered, 2, 0.0) - self.central(psi, lowered, 1, 0.0) ** 2
        square = max(plug_in, of_counts) / n
        if self.what == "lift":
            a, c, ac = (table.covariances[sides] for sides in (("A", "A"), ("C", "C"), ("A", "C")))
            square += t**2 * (abs(a * c) + ac**2)
        difference = self.difference(t)
        error = sqrt(max(square, 0.0))
        gamma, skewed, z = standardised(difference, square, third / n**2)
        z = self.of_few(z, received)
        goal = self.goal(t)
        return Steps(
            *(difference, self.wanted(t), v, u, s, received, plug_in, third, goal, of_counts, error),
            *(gamma, skewed, z),
        )

    def moved_shares(self, t: float, u: dict[int, float]) -> dict[int, float]:
        """s_g of step 2."""
        table, w = self.table, self.table.w
        share = {g: float(table.shares[g, "AC"]) for g in table.groups}
        gap = sum(w[g] * share[g] for g in table.groups) - self.wanted(t)
        s = {g: cut(share[g] - gap * u[g], *self.limits(g)) for g in table.groups}
        for g in (1, 0):
            if g in s:
                others = sum(w[other] * s[other] for other in table.groups if other != g)
                s[g] = cut((self.wanted(t) - others) / w[g], *self.limits(g))
        return s

    def of_few(self, z: float, received: dict[int, Shares]) -> float:
        """Three records prove little."""
        every, a = self.table.all_parts, self.table.of(self.a)
        if z > 0:
            z = min(z, self.bound([every], received))
        if z < 0 and self.what != "lift":
            lacking = [cell for cell in self.table.cells if cell != every]
            if self.what != "support":
                lacking = [cell for cell in lacking if a <= cell]
            z = max(z, -self.bound(lacking, received))
        return z

    def bound(self, cells: list[Cell], received: dict[int, Shares]) -> float:
        table = self.table
        x = sum(table.counts[g][cell] for g in table.groups for cell in cells)
        if x > 3:
            return inf
        mean = sum(table.n[g] * received[g][cell] for g in table.groups for cell in cells)
        fewer = sum(exp(-mean) * mean**k / factorial(k) for k in range(x))
        if fewer <= 0:
            return 0.0
        return inf if fewer >= 1 else max(0.0, NormalDist().inv_cdf(fewer))

    def z(self, t: float) -> float:
        return self.steps(t).z

    def interval(self, level: float = NORMAL_95) -> tuple[float, float] | None:
        """None: the counts contradict each other. A lift without upper end has an infinite one."""
        return self._lift(level) if self.what == "lift" else self._share(level)

    def _share(self, level: float) -> tuple[float, float] | None:
        at_0, at_1 = self.z(0.0), self.z(1.0)
        if at_1 > level or at_0 < -level:
            return None
        low = self.falls_through(level, 0.0, 1.0) if at_0 > level else 0.0
        high = self.falls_through(-level, 0.0, 1.0) if at_1 < -level else 1.0
        return low, high

    def _lift(self, level: float) -> tuple[float, float] | None:
        at_0, at_1 = self.z(0.0), self.z(1.0)
        if at_0 < -level:
            return None
        if at_1 <= level:
            low = self.falls_through(level, 0.0, 1.0) if at_0 > level else 0.0
            return low, self.falls_through(-level, 0.0, 1.0) if at_1 < -level else self._high(level)
        for before, after in pairwise(LIFTS):
            if self.z(after) <= level:
                return self.falls_through(level, before, after), self._high(level)
        return None

    def _high(self, level: float) -> float:
        for before, after in pairwise(LIFTS):
            if self.z(after) < -level:
                return self.falls_through(-level, before, after)
        return inf

    def falls_through(self, level: float, start: float, end: float) -> float:
        """By bisection: above the level at `start`, not at `end`."""
        while end - start > 1e-9 * max(1.0, start):
            middle = (start + end) / 2
            if self.z(middle) > level:
                start = middle
            else:
                end = middle
        return (start + end) / 2

    @property
    def lacking(self) -> int:
        """Records of E received without A, or without C, whichever are fewer."""
        table = self.table
        return min(
            sum(table.counts[g][cell] for g in table.groups for cell in table.cells if not side <= cell)
            for side in (table.of("A"), table.of("C"))
        )


def cut(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def standardised(difference: float, square: float, third: float) -> tuple[float, float, float]:
    """gamma, z', and of z and z' the one nearer 0."""
    if square <= 1e-18:
        z = 0.0 if abs(difference) < 1e-9 else inf if difference > 0 else -inf
        return 0.0, z, z
    z, gamma = difference / sqrt(square), third / sqrt(square) ** 3
    if abs(gamma) < 1e-4:
        return gamma, z, z
    skewed = (6 / gamma) * (cbrt(1 + gamma * z / 2) - 1) + gamma / 6
    return gamma, skewed, min(z, skewed, key=abs)


def two_sided(z: float) -> float:
    return 2 * (1 - NormalDist().cdf(abs(z))) if abs(z) < 5 else 2 * NormalDist().cdf(-abs(z))
