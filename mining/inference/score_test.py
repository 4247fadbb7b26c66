"""The score test of one value t of a support, a confidence or a lift (docs/mathematics.md, Score test).

A test is reduced to moments once, then gives z at many t. Every psi is z(S) - t z(B), with z(B) = 1 for a
support, z(A) for a confidence, P_C z(A) + P_A z(C) for a lift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats

SIDES = (ANTECEDENT, CONSEQUENT)


@dataclass(frozen=True)
class Test:
    """Score tests of one kind, reduced to moments: `rows` has an array for each, in the layout that
    `score_kernel` reads.
    """

    rows: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: NDArray[Any]) -> "Test":
        """Returns the tests of these `rows` (indexes or a mask)."""
        return Test(self.rows[rows])

    @property
    def estimate(self) -> Floats:
        from mining.inference.score_kernel import ESTIMATE  # late for cost

        return np.asarray(self.rows[:, ESTIMATE])

    def at_zero(self) -> Floats:
        """Returns the estimate, at which z is 0; infinite where there is none."""
        from mining.inference.score_kernel import BELOW  # late for cost

        below = self.rows[:, BELOW]
        none = below == 0
        return np.where(none, np.inf, self.estimate / np.where(none, 1.0, below))

    def z(self, t: Floats) -> Floats:
        """Returns by how many standard errors the estimate is above t, corrected for skewness and for few records."""
        from mining.inference.score_kernel import fill_zs  # late for cost

        z_values = np.empty(len(self))
        fill_zs(self.rows, np.asarray(t, np.float64), z_values)
        return z_values


def support_test(table: ContingencyTable) -> Test:
    """Returns the score test of a support, a row per itemset (docs/mathematics.md, Score test).

    All parts of the table are of S, and its records are base(S).
    """
    cells = len(table.at_least)
    everybody, s = np.ones((cells, 2, table.noise.shape[-1])), SIDES
    classes = np.where(np.arange(cells) == cells - 1, 0, 1)
    supports = np.stack([np.ones(len(table)), np.zeros(len(table)), _mean_score(table, table.score(s))])
    scores = table.score(s, without_scores=True)
    (rows,) = _test_rows(table, [everybody, everybody, scores], classes, (cells - 1, 0, 0, 0), supports, 1)
    return Test(rows)


class SplitTests:
    """Score tests of a split's two confidences and of its lift, from a contingency table over E(S)."""

    def __init__(self, table: ContingencyTable) -> None:
        self.table = table
        self.scores = (*(table.score((side,)) for side in SIDES), table.score(SIDES))
        self.supports = tuple(_mean_score(table, score) for score in self.scores)
        """P_A, P_C and P_S."""

    def covariance(self, first: int, second: int) -> Floats:
        """Returns the covariance of two of the estimates `supports` (of A, of C, of S)."""
        product = _mean_score(self.table, self.scores[first] * self.scores[second], squared=first == second)
        spread = product - self.supports[first] * self.supports[second]
        return np.asarray(spread / np.maximum(self.table.records, 1.0))

    def confidence(self, first: int) -> Test:
        """Returns the score test of a confidence: of A -> C for `first` = ANTECEDENT, of C -> A for CONSEQUENT."""
        return Test(self._rows[first])

    def lift(self) -> Test:
        return Test(self._rows[2])

    @cached_property
    def _rows(self) -> Floats:
        """The rows of all three tests: test by row by place."""
        table = self.table
        only = [table.cell_of_side(side) for side in SIDES]
        lacks_a, lacks_c = (~table.has_all_of_side(side) for side in SIDES)
        scores = self.scores
        if table.scores:
            scores = tuple(
                table.score(of, without_scores=True) for of in ((ANTECEDENT,), (CONSEQUENT,), SIDES)
            )
        # The classes, as `moment_kernel` numbers them.
        classes = np.where(lacks_a, np.where(lacks_c, 3, 2), np.where(lacks_c, 1, 0))
        covariances = np.stack([self.covariance(*of) for of in ((0, 0), (1, 1), (0, 1))])
        return _test_rows(
            table,
            scores,
            classes,
            (len(classes) - 1, *only, 0),
            np.stack(self.supports),
            3,
            covariances,
        )

    def records_lacking_side(self) -> Floats:
        """Returns the number of received records without A, or without C, whichever are fewer."""
        of_sides = self.table.scores.touched if self.table.scores else self.table.at_least
        counts = [self.table.records - of_sides[self.table.cell_of_side(side)].sum(axis=0) for side in SIDES]
        return np.asarray(np.minimum(*counts))


def _mean_score(table: ContingencyTable, score: Floats, *, squared: bool = False) -> Floats:
    received = table.received_squares if squared else table.received
    return np.asarray((table.weight * (received * score).sum(axis=0)).sum(axis=0))


def _test_rows(
    table: ContingencyTable,
    scores: Sequence[Floats],
    classes: NDArray[np.int64],
    alone: tuple[int, ...],
    supports: Floats,
    tests: int,
    covariances: Floats | None = None,
) -> Floats:
    """Returns the rows of the first `tests` tests of a table, as `fill_rows` describes them."""
    from mining.inference import moment_kernel as kernel  # late for cost
    from mining.inference.score_kernel import AT_0, AT_1, WIDTH  # late for cost

    values = _values(table, scores, classes, tests)
    up_to_2 = values[..., : kernel.DEGREE_2]
    if table.scores:
        # Of an S with parts of scores the law alone gives the variance, and no count is few.
        mean_received, changes = np.zeros((len(table), kernel.DEGREE_2)), np.zeros_like(up_to_2[:, :, 0])
        few = np.full((3, len(table)), np.inf)
    else:
        bits = len(table.parts)
        sign = np.array([(-1.0) ** (bits - cell.bit_count()) for cell in range(len(classes))])
        changes = np.einsum("c,lgcv->lgv", sign, up_to_2) * table.all_parts_slope.T[:, :, None]
        weighted = table.weight * table.received
        of_law = up_to_2[0] if len(up_to_2) == 1 else up_to_2
        mean_received = np.einsum("cgr,gcv->rv" if of_law.ndim == 3 else "cgr,rgcv->rv", weighted, of_law)
        few = np.stack([table.counts[classes == number].sum(axis=(0, 1)) for number in range(3)])
    rows = np.empty((tests, len(table), WIDTH))
    kernel.fill_rows(
        (np.ascontiguousarray(table.received), table.records, np.ascontiguousarray(table.weight)),
        (table.sensitive_sections, np.ascontiguousarray(table.keep), np.ascontiguousarray(table.noise)),
        values,
        np.ascontiguousarray(changes),
        np.ascontiguousarray(mean_received),
        few,
        np.asarray(classes, np.int64),
        np.array(alone, np.int64),
        supports,
        np.zeros_like(supports) if covariances is None else covariances,
        rows,
    )
    every_test = Test(rows.reshape(-1, WIDTH))
    for at, t in ((AT_0, 0.0), (AT_1, 1.0)):
        every_test.rows[:, at] = every_test.z(np.full(len(every_test), t))
    return rows


def _values(
    table: ContingencyTable, scores: Sequence[Floats], classes: NDArray[np.int64], tests: int
) -> Floats:
    """Returns the products of powers of z(A), z(C) and z(S) that tests need, and the indicators of their classes:
    law by group by cell by value, as `moment_kernel` numbers them.

    Of a part that is an item of scores it is the mean of the power.
    """
    from mining.inference import moment_kernel as kernel  # late for cost

    of_a, of_c, of_s = np.array([[np.ones_like(score), score, score**2, score**3] for score in scores])
    by_s, by_a, by_c = np.array(kernel.MONOMIALS).T
    products = of_s[by_s] * of_a[by_a] * of_c[by_c]
    if table.scores:
        # A support is the confidence of everybody -> S.
        sides = [table.parts[bit].side if tests > 1 else CONSEQUENT for bit in table.scores.bits]
        products = products * np.array(
            [
                table.scores.mean_score_products([power + of_sides[side] for side in sides])
                for power, *of_sides in kernel.MONOMIALS
            ]
        )
    indicators = (classes == np.arange(3)[:, None])[:, :, None, None]
    values = np.concatenate([products, np.broadcast_to(indicators, (3, *products.shape[1:]))])
    return np.ascontiguousarray(values.transpose(3, 2, 1, 0))
