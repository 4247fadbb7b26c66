"""One table of parts in exact fractions: cells, the law of the disguise and its inverse, scores, in plain loops.

Made from the definition alone: it shares nothing with the code that it is compared with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, product
from math import cbrt, exp, factorial, inf, prod, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN, ContingencyTable, ItemsetPart
from mining.inference.estimate_kernel import apply_disguise, fill_true_shares
from mining.inference.score_test import SplitTests, Test, support_test

Cell = frozenset[int]
Floats = NDArray[np.float64]
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
        return self.cells[-1]

    @property
    def record_counts(self) -> tuple[int, int]:
        return self.at_least[NOTHING]

    @property
    def groups(self) -> list[int]:
        return [g for g in (0, 1) if self.record_counts[g]]

    @property
    def group_weights(self) -> dict[int, float]:
        return {g: self.record_counts[g] / sum(self.record_counts) for g in self.groups}

    def cells_of_sides(self, sides: str) -> Cell:
        return frozenset(at for at, part in enumerate(self.parts) if part.side in sides)

    @cached_property
    def counts(self) -> list[dict[Cell, int]]:
        """Of each group and cell."""
        return [exactly({cell: both[g] for cell, both in self.at_least.items()}, self.cells) for g in (0, 1)]

    @cached_property
    def exact_shares(self) -> dict[int, dict[Cell, Fraction]]:
        parts = {g: self.counts[g].items() for g in self.groups}
        return {g: {cell: Fraction(n, self.record_counts[g]) for cell, n in of} for g, of in parts.items()}

    def of_section(self, section: int | None) -> Cell:
        return frozenset(at for at, part in enumerate(self.parts) if part.section == section)

    @cached_property
    def plain(self) -> Cell:
        return self.of_section(None)

    @cached_property
    def noise(self) -> list[tuple[Cell, Fraction, dict[Cell, Fraction]]]:
        """By section its parts, the keep, and how likely noise alone sends each cell of these."""
        found = []
        for section, p in self.keep.items():
            of, noise = self.of_section(section), dict[Cell, Fraction]()
            for cell in subsets(of):
                each = (self.parts[at].noise if at in cell else 1 - self.parts[at].noise for at in of)
                noise[cell] = prod(each, start=Fraction(1))
            found.append((of, p, noise))
        return found

    def chance_sent(self, g: int, true: Cell, received: Cell, *, inverse: bool = False) -> Fraction:
        """How likely a device sends `received`; plain parts, and open answers, are received as they are."""
        if g == 0 or received & self.plain != true & self.plain:
            return Fraction(received == true)
        found = Fraction(1)
        for of, p, noise in self.noise:
            same = received & of == true & of
            sent = p * same + (1 - p) * noise[received & of]
            found *= (same - (1 - p) * noise[true & of]) / p if inverse else sent
        return found

    @cached_property
    def transitions(self) -> NDArray[np.float64]:
        """By group, true cell and cell as sent, both in the order of `cells`."""
        return transitions_of(self.parts, tuple(self.keep.items()))

    @cached_property
    def true_shares_exact(self) -> dict[int, dict[Cell, Fraction]]:
        """Negative shares set to 0 and the others divided by their total."""
        found = {}
        for g in self.groups:
            raw = self.before_the_cut(g)
            total = sum(max(share, Fraction(0)) for share in raw.values())
            found[g] = {cell: max(share, Fraction(0)) / total for cell, share in raw.items()}
        return found

    def before_the_cut(self, g: int) -> dict[Cell, Fraction]:
        def share(true: Cell) -> Fraction:
            of = (
                self.exact_shares[g][sent] * self.chance_sent(g, true, sent, inverse=True)
                for sent in self.cells
            )
            return sum(of, start=Fraction(0))

        return {true: share(true) for true in self.cells}

    @cached_property
    def shares(self) -> dict[tuple[int, str], Fraction]:
        """S_g, A_g, C_g."""
        found = {}
        for g, sides in product(self.groups, ("A", "C", "AC")):
            having = (
                share
                for cell, share in self.true_shares_exact[g].items()
                if self.cells_of_sides(sides) <= cell
            )
            found[g, sides] = sum(having, start=Fraction(0))
        return found

    @cached_property
    def scores(self) -> dict[str, Floats]:
        """z(A), z(C), z(S) by group and the cell in which a record was received."""
        return {
            sides: np.array([[self.score(g, cell, sides) for cell in self.cells] for g in (0, 1)])
            for sides in ("A", "C", "AC")
        }

    def score(self, g: int, cell: Cell, sides: str) -> float:
        wanted = self.cells_of_sides(sides)
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
        received = np.array([[self.counts[g][cell] for cell in self.cells] for g in (0, 1)])
        return float(
            (received * np.prod([self.scores[side] for side in sides], axis=0)).sum()
            / sum(self.record_counts)
        )

    @cached_property
    def covariances(self) -> dict[tuple[str, str], float]:
        means = {sides: self.mean(sides) for sides in ("A", "C", "AC")}
        return {
            (one, other): (self.mean(one, other) - means[one] * means[other]) / sum(self.record_counts)
            for one, other in product(means, repeat=2)
        }


@lru_cache(maxsize=4)
def transitions_of(parts: tuple[Part, ...], keep: tuple[tuple[int, Fraction], ...]) -> NDArray[np.float64]:
    """Of all tables that have these parts."""
    law = ExactTable(parts, dict(keep), {})
    rows = [[[law.chance_sent(g, true, sent) for sent in law.cells] for true in law.cells] for g in (0, 1)]
    return np.array(rows, np.float64)


def exactly(at_least: dict[Cell, int], cells: list[Cell]) -> dict[Cell, int]:
    """Inclusion and exclusion."""
    found = {}
    for cell in cells:
        larger = [other for other in cells if cell <= other]
        found[cell] = sum(at_least[other] * (-1) ** (len(other) - len(cell)) for other in larger)
    return found


# The one test of a support, a confidence or a lift, written out from its definition in loops over the cells.
#
# Shares before the disguise are exact fractions, so that an empty class is told from rounding.

What = Literal["support", "confidence", "converse", "lift"]
"""`converse` is the confidence of C -> A."""
NORMAL_95 = 1.96
LIFTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1000.0)


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
    def true_supports(self) -> tuple[float, float, float]:
        """P_S, P_A, P_C."""
        return self.table.mean("AC"), self.table.mean(self.a), self.table.mean(self.c)

    def score_by_cell(self, t: float) -> Floats:
        """By group and cell."""
        s, a, c = (self.table.scores[sides] for sides in ("AC", self.a, self.c))
        if self.what == "lift":
            return np.asarray(s - t * (self.true_supports[2] * a + self.true_supports[1] * c))
        return np.asarray(s - t if self.what == "support" else s - t * a)

    def difference(self, t: float) -> float:
        s, a, c = self.true_supports
        if self.what == "lift":
            return s - t * (a * c - self.table.covariances["A", "C"])
        return s - t if self.what == "support" else s - t * a

    def limits(self, g: int) -> tuple[float, float]:
        a, c = self.table.shares[g, self.a], self.table.shares[g, self.c]
        if self.what == "lift":
            return float(max(Fraction(0), a + c - 1)), float(min(a, c))
        return 0.0, 1.0 if self.what == "support" else float(a)

    def value_wanted_at(self, t: float) -> float:
        table = self.table
        if self.what == "support":
            return clamp(t, 0.0, 1.0)
        a = sum(table.group_weights[g] * float(table.shares[g, self.a]) for g in table.groups)
        if self.what != "lift":
            return clamp(t, 0.0, 1.0) * a
        c = sum(table.group_weights[g] * float(table.shares[g, self.c]) for g in table.groups)
        sums = [sum(table.group_weights[g] * self.limits(g)[end] for g in table.groups) for end in (0, 1)]
        return clamp(t * a * c, sums[0], sums[1])

    def starting_support(self, t: float, g: int) -> float:
        """Where step 1 moves S to."""
        a, c = float(self.table.shares[g, self.a]), float(self.table.shares[g, self.c])
        at = {"support": t, "lift": t * a * c}.get(self.what, t * a)
        return clamp(at, *self.limits(g))

    def goal(self, t: float) -> float:
        s, a, c = self.true_supports
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
        a, c = table.cells_of_sides(self.a), table.cells_of_sides(self.c)
        yield [cell for cell in table.cells if a <= cell and cell != every], a
        yield [cell for cell in table.cells if c <= cell and cell != every], c
        yield [cell for cell in table.cells if not a <= cell and not c <= cell], NOTHING

    def class_shares(self, g: int, s: float) -> Floats:
        """What each class gets."""
        if self.what == "support":
            return np.array([s, 1 - s])
        of_a, of_c = float(self.table.shares[g, self.a]), float(self.table.shares[g, self.c])
        only_c = min(max(of_c - s, 0.0), 1 - of_a)
        return np.array([s, of_a - s, only_c, 1 - of_a - only_c])

    @cached_property
    def shares_inside_classes(self) -> dict[int, Floats]:
        """By group and class, which share of the class each cell has."""
        found = {}
        for g in self.table.groups:
            x, rows = self.table.true_shares_exact[g], []
            for cells, fewest in self.classes():
                total = sum((x[cell] for cell in cells), start=Fraction(0))
                shares = {cell: x[cell] / total if total else Fraction(cell == fewest) for cell in cells}
                rows.append([float(shares.get(cell, 0)) for cell in self.table.cells])
            found[g] = np.array(rows)
        return found

    def expected_received_shares(self, g: int, s: float) -> Floats:
        """The law of the disguise, applied to the shares of the cells where S has this one."""
        return np.asarray(self.class_shares(g, s) @ self.shares_inside_classes[g] @ self.table.transitions[g])

    def lowered_shares(self, t: float, u: dict[int, float]) -> dict[int, Floats]:
        """y from the counts of which that of all parts was lowered."""
        table = self.table
        signs = np.array([(-1.0) ** (len(table.all_parts) - len(cell)) for cell in table.cells])
        kept = 1.0, prod((float(p) for p in table.keep.values()), start=1.0)
        by = {g: u[g] * (self.true_supports[0] - self.goal(t)) * kept[g] for g in table.groups}
        y = {g: np.array([float(share) for share in table.exact_shares[g].values()]) for g in table.groups}
        return {g: y[g] - by[g] * signs for g in table.groups}

    def central(self, psi: Floats, of: dict[int, Floats], power: int, about: float) -> float:
        """The mean over the groups' mixture of (psi - about) to this power."""
        return float(
            sum(self.table.group_weights[g] * (cells @ (psi[g] - about) ** power) for g, cells in of.items())
        )

    def z_statistic(self, t: float) -> float:
        table = self.table
        n, groups, w = sum(table.record_counts), table.groups, table.group_weights
        psi, v = self.score_by_cell(t), {}
        for g in groups:
            sent = self.expected_received_shares(g, self.starting_support(t, g))
            v[g] = float(sent @ psi[g] ** 2 - (sent @ psi[g]) ** 2)
        total = sum(w[g] * v[g] for g in groups)
        u = {g: v[g] / total if total else 1.0 for g in groups}
        s = self.moved_shares(t, u)
        received = {g: self.expected_received_shares(g, s[g]) for g in groups}
        mean = self.central(psi, received, 1, 0.0)
        plug_in = self.central(psi, received, 2, 0.0) - mean**2
        third = self.central(psi, received, 3, mean)
        lowered = self.lowered_shares(t, u)
        of_counts = self.central(psi, lowered, 2, 0.0) - self.central(psi, lowered, 1, 0.0) ** 2
        square = max(plug_in, of_counts) / n
        if self.what == "lift":
            a, c, ac = (table.covariances[sides] for sides in (("A", "A"), ("C", "C"), ("A", "C")))
            square += t**2 * (abs(a * c) + ac**2)
        return self.of_few(standardise(self.difference(t), square, third / n**2), received)

    def moved_shares(self, t: float, u: dict[int, float]) -> dict[int, float]:
        """s_g of step 2."""
        table, w = self.table, self.table.group_weights
        share = {g: float(table.shares[g, "AC"]) for g in table.groups}
        gap = sum(w[g] * share[g] for g in table.groups) - self.value_wanted_at(t)
        s = {g: clamp(share[g] - gap * u[g], *self.limits(g)) for g in table.groups}
        for g in (1, 0):
            if g in s:
                others = sum(w[other] * s[other] for other in table.groups if other != g)
                s[g] = clamp((self.value_wanted_at(t) - others) / w[g], *self.limits(g))
        return s

    def of_few(self, z: float, received: dict[int, Floats]) -> float:
        """Three records prove little."""
        every, a = self.table.all_parts, self.table.cells_of_sides(self.a)
        if z > 0:
            z = min(z, self.bound([every], received))
        if z < 0 and self.what != "lift":
            within = NOTHING if self.what == "support" else a
            lacking = [cell for cell in self.table.cells if within <= cell != every]
            z = max(z, -self.bound(lacking, received))
        return z

    def bound(self, cells: list[Cell], received: dict[int, Floats]) -> float:
        table = self.table
        x = sum(table.counts[g][cell] for g in table.groups for cell in cells)
        if x > 3:
            return inf
        chosen = [table.cells.index(cell) for cell in cells]
        mean = float(sum(table.record_counts[g] * received[g][chosen].sum() for g in table.groups))
        fewer = sum(exp(-mean) * mean**k / factorial(k) for k in range(x))
        if fewer <= 0:
            return 0.0
        return inf if fewer >= 1 else max(0.0, NormalDist().inv_cdf(fewer))

    def interval(self, level: float = NORMAL_95) -> tuple[float, float] | None:
        """None: the counts contradict each other. A lift without upper end has an infinite one."""
        return self._lift(level) if self.what == "lift" else self._share(level)

    def _share(self, level: float) -> tuple[float, float] | None:
        at_0, at_1 = self.z_statistic(0.0), self.z_statistic(1.0)
        if at_1 > level or at_0 < -level:
            return None
        low = self.falls_through(level, 0.0, 1.0) if at_0 > level else 0.0
        high = self.falls_through(-level, 0.0, 1.0) if at_1 < -level else 1.0
        return low, high

    def _lift(self, level: float) -> tuple[float, float] | None:
        at_0, at_1 = self.z_statistic(0.0), self.z_statistic(1.0)
        if at_0 < -level:
            return None
        if at_1 <= level:
            low = self.falls_through(level, 0.0, 1.0) if at_0 > level else 0.0
            return low, self.falls_through(-level, 0.0, 1.0) if at_1 < -level else self._upper_lift_limit(
                level
            )
        for before, after in pairwise(LIFTS):
            if self.z_statistic(after) <= level:
                return self.falls_through(level, before, after), self._upper_lift_limit(level)
        return None

    def _upper_lift_limit(self, level: float) -> float:
        for before, after in pairwise(LIFTS):
            if self.z_statistic(after) < -level:
                return self.falls_through(-level, before, after)
        return inf

    def falls_through(self, level: float, start: float, end: float) -> float:
        """By bisection: above the level at `start`, not at `end`."""
        while end - start > 1e-9 * max(1.0, start):
            middle = (start + end) / 2
            if self.z_statistic(middle) > level:
                start = middle
            else:
                end = middle
        return (start + end) / 2

    @property
    def fewest_missing_records(self) -> int:
        """Records of E received without A, or without C, whichever are fewer."""
        counts = [self.table.counts[g].items() for g in self.table.groups]
        sides = self.table.cells_of_sides("A"), self.table.cells_of_sides("C")
        return min(sum(n for of in counts for cell, n in of if not side <= cell) for side in sides)


def clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def standardise(difference: float, square: float, third: float) -> float:
    """Of z and z' the one nearer 0."""
    if square <= 1e-18:
        return 0.0 if abs(difference) < 1e-9 else inf if difference > 0 else -inf
    z, gamma = difference / sqrt(square), third / sqrt(square) ** 3
    if abs(gamma) < 1e-4:
        return z
    skewed = (6 / gamma) * (cbrt(1 + gamma * z / 2) - 1) + gamma / 6
    return min(z, skewed, key=abs)


def two_sided(z: float) -> float:
    return 2 * (1 - NormalDist().cdf(abs(z))) if abs(z) < 5 else 2 * NormalDist().cdf(-abs(z))


# Tables of parts for tests: random ones, and the same table for the code and for the loops.

OF_RULES: tuple[What, ...] = ("confidence", "converse", "lift")
HUNDREDTHS = (2, 5, 20, 50, 80, 95, 98)


def as_table(rows: Sequence[ExactTable]) -> ContingencyTable:
    """Tables of the same parts, one per row; their laws may differ."""
    sections, sides = sorted(rows[0].keep), {"A": ANTECEDENT, "C": CONSEQUENT}
    places = [PLAIN if part.section is None else sections.index(part.section) for part in rows[0].parts]
    of = zip(rows[0].parts, places, strict=True)
    parts = tuple(ItemsetPart(sides[part.side], place) for part, place in of)
    at_least = np.zeros((1 << len(parts), 2, len(rows)))
    for row, table in enumerate(rows):
        for cell, counts in table.at_least.items():
            at_least[sum(1 << bit for bit in cell), :, row] = counts
    keep = np.array([[float(table.keep[section]) for table in rows] for section in sections])
    noise = np.array([[float(table.parts[bit].noise) for table in rows] for bit in range(len(parts))])
    return ContingencyTable(parts, at_least, keep.reshape(-1, len(rows)), noise)


def score_tables(rows: Sequence[ExactTable], what: What) -> Test:
    table = as_table(rows)
    if what == "support":
        return support_test(table)
    of = SplitTests(table)
    return of.lift() if what == "lift" else of.confidence(CONSEQUENT if what == "converse" else ANTECEDENT)


def questions(rows: Sequence[ExactTable], what: What) -> list[Question]:
    return [Question(table, what) for table in rows]


Shape = list[tuple[Literal["A", "C"], int | None]]
"""Side and section of each part, those of a section next to each other; None: plain."""


@st.composite
def table_shapes(draw: st.DrawFn, kind: Literal["support", "rule"]) -> Shape:
    """One to four parts: of a rule each side has one at least, of a support all are of A."""
    most = draw(st.integers(1, 4))
    places: list[int | None] = [*([None] if draw(st.booleans()) else []), *range(most)]
    if kind == "support":
        return [("A", section) for section in places[:most]]
    sides = draw(st.lists(st.sampled_from(["A", "C", "AC"]), min_size=most, max_size=most))
    placed = zip(places, sides, strict=False)
    shape: Shape = [("A" if side == "A" else "C", section) for section, of in placed for side in of][:4]
    present = {side for side, _section in shape}
    if present == {"A", "C"}:
        return shape
    other: Literal["A", "C"] = "C" if "A" in present else "A"
    return [*shape[:3], (other, shape[:3][-1][1] if draw(st.booleans()) else 9)]


@st.composite
def exact_tables(draw: st.DrawFn, kind: Literal["support", "rule"], most_rows: int = 3) -> list[ExactTable]:
    """Tables of one shape: groups that are empty, tiny or large, answers that are sure, rare or common."""
    shape = draw(table_shapes(kind))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    some = st.tuples(_records, _records).filter(any)
    return [_table(shape, rng, draw(some)) for _ in range(draw(st.integers(1, most_rows)))]


_records = st.sampled_from([0, 0, 1, 7, 30, 60, 200, 2_000, 20_000])


def _table(shape: Shape, rng: np.random.Generator, records: tuple[int, int]) -> ExactTable:
    parts = tuple(
        Part(side, section, Fraction(1) if section is None else Fraction(_hundredths(rng), 100))
        for side, section in shape
    )
    keep = {section: Fraction(_hundredths(rng), 100) for _side, section in shape if section is not None}
    every = subsets(frozenset(range(len(parts))))
    through = transitions_of(parts, tuple(keep.items()))
    sent = []
    for group, n in enumerate(records):
        true = rng.dirichlet(np.full(len(every), rng.choice([0.05, 0.3, 1.0])))
        # Now and then something that the disguise does not make of any people.
        share: NDArray[np.float64] = true if rng.random() < 0.2 else true @ through[group]
        sent.append(rng.multinomial(n, share / share.sum()))
    larger = np.array([[cell <= other for other in every] for cell in every])
    counts = (larger @ np.array(sent).T).tolist()
    at_least = {cell: (opened, told) for cell, (opened, told) in zip(every, counts, strict=True)}
    return ExactTable(parts, keep, at_least)


def _hundredths(rng: np.random.Generator) -> int:
    return int(rng.choice(HUNDREDTHS)) if rng.random() < 0.5 else int(rng.integers(2, 99))


def plausible_tables(kind: Literal["support", "rule"], many: int, seed: int) -> list[ExactTable]:
    """Tables of two groups of at least 60, keep of .3 and more, whose estimates are possible and not at the edge."""
    rng = np.random.default_rng(seed)
    of_supports: list[Shape] = [[("A", 0)], [("A", 0), ("A", 1)], [("A", None), ("A", 0)]]
    of_rules: list[Shape] = [
        [("A", 0), ("C", 0)],
        [("A", 0), ("C", 1)],
        [("A", 0), ("C", 0), ("C", 1)],
        [("A", None), ("C", 0)],
    ]
    shapes = of_supports if kind == "support" else of_rules
    found: list[ExactTable] = []
    while len(found) < many:
        records = int(rng.choice([60, 400])), int(rng.choice([200, 2_000]))
        table = _table(shapes[len(found) % len(shapes)], rng, records)
        a, c, s = (table.mean(sides) for sides in ("A", "C", "AC"))
        is_possible = kind == "support" or s + 0.02 < min(a, c) <= max(a, c) < 0.98
        if min(table.keep.values()) >= Fraction(3, 10) and 0.02 < s < 0.98 and is_possible:
            found.append(table)
    return found


def true_cells(table: ContingencyTable) -> Floats:
    """Returns x: cell by group by row."""
    true = np.empty((2, len(table), len(table.received_shares)))
    for group in (0, 1):
        for row in range(len(table)):
            keep, noise = laws(table, row)
            received = table.received_shares[:, group, row]
            fill_true_shares(received, group, table.arrays.sections, keep, noise, true[group, row])
    return true.transpose(2, 0, 1)


def disguised_cells(table: ContingencyTable, cells: Floats) -> Floats:
    """Returns x H of the true cells of the first row."""
    received = cells.copy()
    apply_disguise(received, table.arrays.sections, *laws(table, 0), False)
    return received


def laws(table: ContingencyTable, row: int) -> tuple[Floats, Floats]:
    keep, noise = table.keep, table.noise
    return keep[:, min(row, keep.shape[1] - 1)], noise[:, min(row, noise.shape[1] - 1)]
