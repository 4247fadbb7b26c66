"""The score test of one value t of a support, a confidence or a lift (docs/mathematics.md, Score test).

A test is reduced to moments once, then gives z at many t. Every psi is z(S) - t z(B), with z(B) = 1 for a
support, z(A) for a confidence, P_C z(A) + P_A z(C) for a lift.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats

SIDES = (ANTECEDENT, CONSEQUENT)
OF_LIFT = 2
"""Index of the lift among the tests of a split; before it the confidences of A -> C and of C -> A."""


@dataclass(frozen=True)
class Test:
    """Score tests of one kind, reduced to moments: `rows` has an array for each test, in the layout that
    `score_test_kernel` reads."""

    rows: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: NDArray[Any]) -> "Test":
        """Returns the tests of these `rows` (indexes or a mask)."""
        return Test(self.rows[rows])

    @property
    def estimate(self) -> Floats:
        from mining.inference.score_test_kernel import ESTIMATE  # late for cost

        return np.asarray(self.rows[:, ESTIMATE])

    def point_estimate(self) -> Floats:
        """Returns the estimate, at which z is 0; infinite where there is none."""
        from mining.inference.score_test_kernel import BELOW  # late for cost

        below = self.rows[:, BELOW]
        none = below == 0
        return np.where(none, np.inf, self.estimate / np.where(none, 1.0, below))

    def z(self, t: Floats) -> Floats:
        """Returns by how many standard errors the estimate is above t, corrected for skewness and for few records."""
        return z_values(self.rows[:, None], np.arange(len(self)), 0, t)


def z_values(rows: Floats, chosen: NDArray[np.intp], test: int, t: Floats) -> Floats:
    """Returns z at the value `t` of each `chosen` row, for test number `test`; `rows` are by row and test."""
    from mining.inference.score_test_kernel import fill_zs  # late for cost

    result = np.empty(len(chosen))
    fill_zs(rows, chosen, test, np.asarray(t, np.float64), result)
    return result


def support_test(table: ContingencyTable) -> Test:
    """Returns the score test of a support, a row per itemset (docs/mathematics.md, Score test).

    All parts of the table are of S, and its records are base(S).
    """
    estimates = _estimates(table)
    estimates[:2], estimates[3:] = [[1.0], [0.0]], 0.0
    return Test(_test_rows(table, estimates, 1)[:, 0])


class SplitTests:
    """Score tests of a split's two confidences and of its lift, from a contingency table of the records to which all of
    S applies."""

    def __init__(self, table: ContingencyTable, estimates: Floats | None = None) -> None:
        self.table = table
        self.estimates = _estimates(table) if estimates is None else estimates
        """Estimates by row: the supports of A, C and S, the variances of the first two, and their covariance."""

    @property
    def supports(self) -> Floats:
        """The estimated supports of the antecedent A, the consequent C and the whole itemset S, by row."""
        return self.estimates[:3]

    def take(self, rows: NDArray[Any]) -> "SplitTests":
        """Returns the tests of these `rows` (indexes or a mask)."""
        return SplitTests(self.table.take(rows), self.estimates[:, rows])

    def covariance(self, first: int, second: int) -> Floats:
        """Returns the covariance of the support estimates of two sides, each A (0) or C (1); the variance if they are
        the same."""
        return np.asarray(self.estimates[3 + first if first == second else 5])

    def confidence(self, first: int) -> Test:
        """Returns the score test of a confidence: of A -> C for `first` = ANTECEDENT, of C -> A for CONSEQUENT."""
        return self._test(first)

    def lift(self) -> Test:
        return self._test(OF_LIFT)

    def fill_split_test_rows(self, rows: Floats) -> None:
        """Fills `rows`, in place, with the reduced tests of both confidences and of the lift: row by test by index of a
        value."""
        _fill_rows(self.table, self.estimates, rows)

    def _test(self, test: int) -> Test:
        return Test(np.ascontiguousarray(self._rows[:, test]))

    @cached_property
    def _rows(self) -> Floats:
        return _test_rows(self.table, self.estimates, OF_LIFT + 1)

    def fewest_records_lacking_side(self) -> Floats:
        """Returns the number of received records without A, or without C, whichever are fewer."""
        of_sides = self.table.scores.touched if self.table.scores else self.table.at_least
        counts = [self.table.records - of_sides[self.table.cell_of_side(side)].sum(axis=0) for side in SIDES]
        return np.asarray(np.minimum(*counts))


def _estimates(table: ContingencyTable) -> Floats:
    """Returns, by row, the estimated supports of antecedent A, consequent C and whole itemset S, the variances of the
    first two, and their covariance."""
    from mining.inference.estimate_kernel import fill_estimates  # late for cost

    estimates = np.empty((6, len(table)))
    fill_estimates(table.arrays, estimates)
    return estimates


def _test_rows(table: ContingencyTable, estimates: Floats, tests: int) -> Floats:
    """Returns the score tests of a table reduced to moments: row by test by index of a value."""
    from mining.inference.score_test_kernel import WIDTH  # late for cost

    rows = np.empty((len(table), tests, WIDTH))
    _fill_rows(table, estimates, rows)
    return rows


def _fill_rows(table: ContingencyTable, estimates: Floats, rows: Floats) -> None:
    from mining.inference import estimate_kernel  # late for cost

    estimate_kernel.fill_test_rows(table.arrays, np.ascontiguousarray(estimates), rows)
