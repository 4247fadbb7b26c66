"""The vectorised test against the loops of its definition, over random tables."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from mining.inference.contingency_table import ContingencyTable
from mining.inference.estimate_kernel import OF_A, OF_C, OF_LIFT
from mining.inference.intervals import share_interval
from mining.inference.score_test import SplitTests, support_test
from mining.inference.score_test_kernel import ALL_OF_S, LACKING
from tests.mining.inference.exact_table import (
    NOTHING,
    OF_RULES,
    ExactTable,
    Part,
    What,
    as_table,
    exact_tables,
    questions,
    scored,
)
from tests.mining.inference.kernel_cells import true_cells

pytestmark = pytest.mark.proof
values = st.sampled_from([0.0, 1.0, 1.5]) | st.floats(1e-9, 1)
lifts = values | st.sampled_from([2.0, 64.0, 1000.0]) | st.floats(1, 20)

HALF = Fraction(1, 2)
FAR = 7.0
"""Where almost nothing is left to chance, rounding decides how far."""


def same(one: float, other: float) -> bool:
    if abs(one) > FAR and abs(other) > FAR:
        return one * other > 0
    return isclose(one, other, rel_tol=1e-7, abs_tol=1e-7)


def assert_same(rows: Sequence[ExactTable], what: What, t: float) -> None:
    found = scored(rows, what).z(np.full(len(rows), t))
    for z, question in zip(found.tolist(), questions(rows, what), strict=True):
        assert same(z, question.z(t)), (question, t, z)


@settings(max_examples=max(15, settings().max_examples))
@given(exact_tables("support"), exact_tables("rule"), values, lifts)
def test_z_is_that_of_the_definition(
    supports: list[ExactTable], rules: list[ExactTable], t: float, lift: float
) -> None:
    """One to four parts, plain and sensitive, groups without records, empty classes, and counts of 0 to 3."""
    assert_same(supports, "support", t)
    assert_same(rules, "confidence", t)
    assert_same(rules, "converse", t)
    assert_same(rules, "lift", lift)


@given(exact_tables("rule", most_rows=2))
def test_shares_before_and_after_the_disguise_are_those_of_the_definition(rows: list[ExactTable]) -> None:
    table, of = as_table(rows), SplitTests(as_table(rows))
    true = true_cells(table)
    for row, exact in enumerate(rows):
        for cell in exact.cells:
            bits = sum(1 << bit for bit in cell)
            for group in exact.groups:
                assert table.received_shares[bits, group, row] == pytest.approx(
                    float(exact.y[group][cell]), abs=1e-12
                )
                assert true[bits, group, row] == pytest.approx(float(exact.x[group][cell]), abs=1e-9)
        sides = ("A", "C", "AC")
        assert [float(of.supports[at][row]) for at in range(3)] == pytest.approx(
            [exact.mean(side) for side in sides], rel=1e-9, abs=1e-9
        )
        for first in range(2):
            for second in range(2):
                expected = exact.covariances[sides[first], sides[second]]
                assert of.covariance(first, second)[row] == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_a_group_without_records_has_no_say() -> None:
    """Its own variance of psi is beyond measure beside that of the other group where t is next to nothing."""
    parts = Part("A", 0, Fraction(51, 100)), Part("C", 1, Fraction(1, 20))
    laws = {0: Fraction(1, 20), 1: Fraction(4, 5)}
    counts = {NOTHING: (7, 0), frozenset({0}): (5, 0), frozenset({1}): (0, 0), frozenset({0, 1}): (0, 0)}
    for t in (0.0, 1e-308, 1e-200, 1e-9):
        assert_same([ExactTable(parts, laws, counts)], "lift", t)
        assert_same([ExactTable(parts, laws, counts)], "confidence", t)


def assert_equal(found: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    """But for rounding, which depends on where in an array a row stands."""
    for one, other in zip(found.tolist(), expected.tolist(), strict=True):
        assert same(one, other)


@given(exact_tables("rule", most_rows=4), st.data())
def test_rows_taken_give_what_each_gives_alone(rows: list[ExactTable], data: st.DataObject) -> None:
    t = np.array(data.draw(st.lists(lifts, min_size=len(rows), max_size=len(rows))))
    for what in OF_RULES:
        whole = scored(rows, what).z(t)
        alone = np.concatenate([scored([row], what).z(t[[at]]) for at, row in enumerate(rows)])
        assert_equal(alone, whole)
        order = np.array(data.draw(st.permutations(range(len(rows)))))
        assert_equal(scored(rows, what).take(order).z(t[order]), whole[order])


# --- where a loop of the compiled moments could go another way ---------------------------------------------

ONE_LAW = (Part("A", 0, Fraction(1, 4)), Part("C", 0, HALF)), {0: Fraction(3, 5)}


def counted(a: int, c: int, both: int, n: tuple[int, int] = (300, 700)) -> ExactTable:
    """The open group has half as many of each count as the disguised one."""
    cells = {frozenset({0}): a, frozenset({1}): c, frozenset({0, 1}): both}
    return ExactTable(*ONE_LAW, {NOTHING: n, **{cell: (many // 2, many) for cell, many in cells.items()}})


def test_one_law_for_all_rows_gives_what_a_law_of_each_row_gives() -> None:
    each = as_table([counted(300, 400, 200), counted(0, 400, 0), counted(9, 3, 2)])
    one = ContingencyTable(each.parts, each.at_least, each.keep[:, :1], each.noise[:, :1])
    for found, expected in (
        (support_test(one.reduce_to_side(0)), support_test(each.reduce_to_side(0))),
        *((SplitTests(one).confidence(side), SplitTests(each).confidence(side)) for side in (0, 1)),
        (SplitTests(one).lift(), SplitTests(each).lift()),
    ):
        assert found.rows == pytest.approx(expected.rows, rel=1e-12, abs=1e-15, nan_ok=True)


def test_the_few_records_of_each_test() -> None:
    tests = SplitTests(as_table([counted(9, 3, 2)]))
    # Open and disguised: 3 with both; 4 + 9 - 3 with A alone, 1 + 3 - 3 with C alone.
    rows = [tests.confidence(OF_A).rows, tests.confidence(OF_C).rows, tests.lift().rows]
    assert [row[0, ALL_OF_S] for row in rows] == [3, 3, 3]
    assert [row[0, LACKING] for row in rows] == [10, 1, np.inf]
    assert len(rows) == OF_LIFT + 1


def test_a_table_without_records_excludes_nothing() -> None:
    empty = counted(0, 0, 0, n=(0, 0))
    assert np.isnan(scored([empty], "lift").z(np.ones(1))).all()
    assert [end.tolist() for end in share_interval(scored([empty], "confidence"))] == [[0.0], [1.0]]


@pytest.mark.parametrize("group", [0, 1])
def test_what_stands_in_a_group_without_records_does_not_matter(group: int) -> None:
    """Of an empty group all shares are 0, whatever its law."""
    table = as_table([counted(300, 400, 200)])
    at_least = table.at_least.copy()
    at_least[:, group] = 0
    alone = replace(table, at_least=at_least)
    other = replace(alone, noise=alone.noise / 2) if group else alone
    for side in (OF_A, OF_C):
        t = np.array([0.3])
        assert np.isfinite(SplitTests(alone).confidence(side).z(t)).all()
        assert (
            SplitTests(alone).confidence(side).z(t).tolist()
            == SplitTests(other).confidence(side).z(t).tolist()
        )
