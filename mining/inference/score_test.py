"""The score test of one value t of a support, a confidence or a lift (docs/mathematics.md, Score test).

A test is reduced to moments once, then gives z at many t. Every psi is z(S) - t z(B), with z(B) = 1 for a
support, z(A) for a confidence, P_C z(A) + P_A z(C) for a lift. Records before the disguise fall into classes: all of S,
A without C, C without A, the rest; moving the share of S changes the classes and keeps the proportions inside.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import (
    ANTECEDENT,
    CONSEQUENT,
    ContingencyTable,
    Floats,
    ScoredParts,
    Term,
    expand_power,
)

POWERS = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
"""Powers of z(S) and z(B); the first five have at most degree 2."""
UP_TO_2 = 5

SIDES = (ANTECEDENT, CONSEQUENT)


@dataclass(frozen=True)
class FewRecords:
    """A cell that may hold few records: its records, and by true class the probability to be received in it.

    `share` is class by group by row.
    """

    records: Floats
    share: Floats

    def take(self, rows: Any) -> "FewRecords":
        return FewRecords(self.records[rows], self.share[..., rows])


@dataclass(frozen=True)
class Test:
    """Moments of a score test, from which z at any value t follows; the last axis of arrays is rows, the one
    before it open and disguised.

    `share`, `low` and `high` are S_g and its limits; `antecedent` and `consequent` are A_g and C_g, None for a
    support. A value t moves a group's share to t `unit` and the weighted sum to t `total`. The difference tested
    is `estimate` - t `below`. The received count is lowered to the goal t `goal`, at most `most`.
    """

    n: Floats
    share: Floats
    low: Floats
    high: Floats
    antecedent: Floats | None
    consequent: Floats | None
    unit: Floats
    total: Floats
    estimate: Floats
    below: Floats
    goal: Floats
    most: Floats
    moments: Floats
    received: Floats
    lowered: Floats
    spread: Floats
    all_of_s: FewRecords
    lacking: FewRecords | None

    def __len__(self) -> int:
        return len(self.estimate)

    def take(self, rows: NDArray[Any]) -> "Test":
        """Returns the tests of these `rows` (indexes or a mask)."""
        taken: dict[str, Any] = {}
        for column in fields(self):
            value = getattr(self, column.name)
            if isinstance(value, FewRecords):
                taken[column.name] = value.take(rows)
            elif value is not None:
                taken[column.name] = value[..., rows]
        return replace(self, **taken)

    @classmethod
    def concatenated(cls, tests: "Sequence[Test]") -> "Test":
        """Joins the rows of several tests of one kind."""
        if len(tests) == 1:
            return tests[0]
        joined: dict[str, Any] = {}
        for column in fields(cls):
            values = [getattr(test, column.name) for test in tests]
            if isinstance(values[0], FewRecords):
                joined[column.name] = FewRecords(
                    np.concatenate([few.records for few in values]),
                    np.concatenate([few.share for few in values], axis=-1),
                )
            elif values[0] is not None:
                joined[column.name] = np.concatenate(values, axis=-1)
            else:
                joined[column.name] = None
        return cls(**joined)

    def at_zero(self) -> Floats:
        """Returns the estimate, at which z is 0; infinite where there is none."""
        none = self.below == 0
        return np.where(none, np.inf, self.estimate / np.where(none, 1.0, self.below))

    def z(self, t: Floats) -> Floats:
        """Returns by how many standard errors the estimate is above t, corrected for skewness and for few records."""
        from mining.inference.score_kernel import fill_zs  # late for cost

        z_values = np.empty(len(self))
        fill_zs(self.rows, self.classes, np.asarray(t, np.float64), z_values)
        return z_values

    @property
    def classes(self) -> int:
        return int(self.moments.shape[1])

    @cached_property
    def rows(self) -> Floats:
        """One array for each row, in the layout that `score_kernel` reads."""
        from mining.inference import score_kernel as kernel  # late for cost

        nothing = np.zeros_like(self.share)
        none = FewRecords(np.full(len(self), np.inf), np.zeros_like(self.all_of_s.share))
        lacking = self.lacking or none
        columns = [
            *(self.n, self.share, self.low, self.high),
            *(nothing if side is None else side for side in (self.antecedent, self.consequent)),
            *(self.unit, self.total, self.estimate, self.below, self.goal, self.most, self.spread),
            *(self.received, self.lowered, self.all_of_s.records, lacking.records),
            *(self.moments, self.all_of_s.share, lacking.share),
        ]
        rows = np.concatenate([column.reshape(prod(column.shape[:-1]), len(self)) for column in columns])
        assert len(rows) == kernel.MOMENTS + 2 * (kernel.POWERS + 2) * self.classes
        return np.ascontiguousarray(rows.T)


BATCH = 2048
"""Rows at a time, so that intermediate arrays stay in the processor's cache."""


def join_tests(pieces: Iterable[tuple[NDArray[Any], Test]]) -> Iterator[tuple[NDArray[Any], Test]]:
    """Joins tests of one kind, each with the rows it is of, into batches that are solved at once."""
    rows: list[NDArray[Any]] = []
    tests: list[Test] = []
    for piece_rows, test in pieces:
        rows.append(piece_rows)
        tests.append(test)
        if sum(map(len, rows)) >= BATCH:
            yield np.concatenate(rows), Test.concatenated(tests)
            rows, tests = [], []
    if rows:
        yield np.concatenate(rows), Test.concatenated(tests)


def support_test(table: ContingencyTable) -> Test:
    """Returns the score test of a support, a row per itemset (docs/mathematics.md, Score test).

    All parts of the table are of S, and its records are base(S).
    """
    s = table.score((ANTECEDENT, CONSEQUENT))
    everything = table.has_all_of_side(ANTECEDENT) & table.has_all_of_side(CONSEQUENT)
    share = table.true[everything].sum(axis=0)
    one, ones = np.ones_like(share), np.ones(len(table))
    classes = _received_classes(table, [(everything, len(everything) - 1), (~everything, 0)])
    return Test(
        n=table.n,
        share=share,
        low=np.zeros_like(share),
        high=one,
        antecedent=None,
        consequent=None,
        unit=one,
        total=ones,
        estimate=_mean_score(table, s),
        below=ones,
        goal=ones,
        most=np.full(len(table), np.inf),
        **_moments(table, classes, s, np.ones_like(s), [(1.0, ())]),
        spread=np.zeros(len(table)),
        all_of_s=_few_records(table, classes, everything),
        lacking=_few_records(table, classes, ~everything),
    )


class SplitTests:
    """Score tests of a split's two confidences and of its lift, from a contingency table over E(S)."""

    def __init__(self, table: ContingencyTable) -> None:
        self.table = table
        self.scores = (*(table.score((side,)) for side in SIDES), table.score(SIDES))
        self.supports = tuple(_mean_score(table, score) for score in self.scores)
        """P_A, P_C and P_S."""

    @cached_property
    def has_side(self) -> list[NDArray[np.bool_]]:
        """Two masks of cells: with all of A, and with all of C."""
        return [self.table.has_all_of_side(side) for side in SIDES]

    @cached_property
    def both(self) -> NDArray[np.bool_]:
        return self.has_side[0] & self.has_side[1]

    @cached_property
    def shares(self) -> list[Floats]:
        """The estimated shares A_g and C_g of the two sides, by group."""
        return [self.table.true[has].sum(axis=0) for has in self.has_side]

    @cached_property
    def classes(self) -> Floats:
        only = [self.table.cell_of_side(side) for side in SIDES]
        return _received_classes(
            self.table,
            [
                (self.both, len(self.both) - 1),
                (self.has_side[0] & ~self.both, only[0]),
                (self.has_side[1] & ~self.both, only[1]),
                (~(self.has_side[0] | self.has_side[1]), 0),
            ],
        )

    def covariance(self, first: int, second: int) -> Floats:
        """Returns the covariance of two of the estimates `supports` (of A, of C, of S)."""
        product = _mean_score(self.table, self.scores[first] * self.scores[second], squared=first == second)
        spread = product - self.supports[first] * self.supports[second]
        return np.asarray(spread / np.maximum(self.table.records, 1.0))

    def confidence(self, first: int) -> Test:
        """Returns the score test of a confidence: of A -> C for `first` = ANTECEDENT, of C -> A for CONSEQUENT."""
        table = self.table
        classes = self.classes if first == ANTECEDENT else self.classes[:, [0, 2, 1, 3]]
        share = table.true[self.both].sum(axis=0)
        rows = len(table)
        return Test(
            n=table.n,
            share=share,
            low=np.zeros_like(share),
            high=self.shares[first],
            antecedent=self.shares[first],
            consequent=self.shares[1 - first],
            unit=self.shares[first],
            total=(table.weight * self.shares[first]).sum(axis=0),
            estimate=self.supports[2],
            below=self.supports[first],
            goal=self.supports[first],
            most=np.full(rows, np.inf),
            **_moments(table, classes, self.scores[2], self.scores[first], [(1.0, (first,))]),
            spread=np.zeros(rows),
            all_of_s=_few_records(table, classes, self.both),
            lacking=_few_records(table, classes, self.has_side[first] & ~self.both),
        )

    def lift(self) -> Test:
        table, (a, c) = self.table, self.shares
        p_a, p_c, p_s = self.supports
        cov = self.covariance(0, 1)
        sums = [(table.weight * share).sum(axis=0) for share in self.shares]
        return Test(
            n=table.n,
            share=table.true[self.both].sum(axis=0),
            low=np.maximum(0.0, a + c - 1),
            high=np.minimum(a, c),
            antecedent=a,
            consequent=c,
            unit=a * c,
            total=sums[0] * sums[1],
            estimate=p_s,
            below=p_a * p_c - cov,
            goal=p_a * p_c,
            most=np.maximum(p_s, np.minimum(p_a, p_c)),
            **_moments(
                table,
                self.classes,
                self.scores[2],
                p_c * self.scores[0] + p_a * self.scores[1],
                [(p_c, (ANTECEDENT,)), (p_a, (CONSEQUENT,))],
            ),
            spread=np.abs(self.covariance(0, 0) * self.covariance(1, 1)) + cov**2,
            all_of_s=_few_records(table, self.classes, self.both),
            lacking=None,
        )

    def records_lacking_side(self) -> Floats:
        """Returns the number of received records without A, or without C, whichever are fewer."""
        if self.table.scores:
            of_sides = (
                self.table.scores.touched[self.table.cell_of_side(side)].sum(axis=0) for side in SIDES
            )
            counts = [self.table.records - having for having in of_sides]
        else:
            counts = [self.table.counts[~has].sum(axis=(0, 1)) for has in self.has_side]
        return np.asarray(np.minimum(counts[0], counts[1]))


def _mean_score(table: ContingencyTable, score: Floats, *, squared: bool = False) -> Floats:
    received = table.received_squares if squared else table.received
    return np.asarray((table.weight * (received * score).sum(axis=0)).sum(axis=0))


def _received_classes(table: ContingencyTable, classes: Sequence[tuple[NDArray[np.bool_], int]]) -> Floats:
    """Returns the probability of each received cell by true class: cell by class by group by row.

    An empty class is one cell.
    """
    received = np.zeros((len(table.at_least), len(classes), 2, len(table)))
    for index, (cells, alone) in enumerate(classes):
        inside = table.true * cells[:, None, None]
        total = inside.sum(axis=0)
        received[:, index] = inside / np.where(total > 0, total, 1.0)
        received[alone, index][total <= 0] = 1.0
        received[:, index, 1] = table.disguise_cells(received[:, index, 1])
    return received


def _moments(
    table: ContingencyTable, classes: Floats, s: Floats, b: Floats, terms: Sequence[Term]
) -> dict[str, Floats]:
    """Returns the moments of z(S) and z(B) by name: by true class, among received records, and their change if
    the count of S falls.

    `terms` is what z(B) is the sum of.
    """
    if table.scores:
        return _scored_moments(table, table.scores, classes, terms)
    cells = len(classes)
    powers_s, powers_b = [np.ones_like(s), s, s**2, s**3], [np.ones_like(b), b, b**2, b**3]
    products = [powers_s[i] * powers_b[j] for i, j in POWERS]
    moments = np.stack([(classes * product[:, None]).sum(axis=0) for product in products])
    received = np.stack([_mean_score(table, product) for product in products[:UP_TO_2]])
    bits = len(table.parts)
    sign = np.array([(-1.0) ** (bits - cell.bit_count()) for cell in range(cells)])[:, None, None]
    changes = np.stack(
        [(sign * product).sum(axis=0) * table.all_parts_slope for product in products[:UP_TO_2]]
    )
    rows = len(table)
    return {
        "moments": moments,
        "received": received,
        "lowered": np.broadcast_to(changes, (*changes.shape[:2], rows)),
    }


def _scored_moments(
    table: ContingencyTable, scores: ScoredParts, classes: Floats, terms: Sequence[Term]
) -> dict[str, Floats]:
    """Does what `_moments` does, for an S with parts of scores: their moments are those of the law.

    What is received bounds no variance.
    """
    s = table.score(SIDES, without_scores=True)
    others = [table.score(sides, without_scores=True) for _factor, sides in terms]
    sides = [table.parts[bit].side for bit in scores.bits]
    moments = np.zeros((len(POWERS), *classes.shape[1:]))
    for power, (i, j) in enumerate(POWERS):
        for factor, exponents in expand_power(terms, j):
            section_moments = [
                i + sum(e for e, (_factor, named) in zip(exponents, terms, strict=True) if side in named)
                for side in sides
            ]
            product = s**i * scores.mean_score_products(section_moments)
            for score, exponent in zip(others, exponents, strict=True):
                product = product * score**exponent
            moments[power] += factor * (classes * product[:, None]).sum(axis=0)
    rows = len(table)
    return {
        "moments": moments,
        "received": np.zeros((UP_TO_2, rows)),
        "lowered": np.zeros((UP_TO_2, 2, rows)),
    }


def _few_records(table: ContingencyTable, classes: Floats, cells: NDArray[np.bool_]) -> FewRecords:
    if table.scores:
        return FewRecords(np.full(len(table), np.inf), np.zeros(classes.shape[1:]))
    return FewRecords(table.counts[cells].sum(axis=(0, 1)), classes[cells].sum(axis=0))
