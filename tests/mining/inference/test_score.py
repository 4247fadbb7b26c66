"""The vectorised test against the loops of its definition, over random tables."""

from collections.abc import Sequence
from fractions import Fraction
from math import isclose

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from mining.inference.score_test import SplitTests
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


@pytest.mark.night
@given(exact_tables("support"), exact_tables("rule"), values, lifts)
def test_z_is_that_of_the_definition_over_many_tables(
    supports: list[ExactTable], rules: list[ExactTable], t: float, lift: float
) -> None:
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
                assert table.received[bits, group, row] == pytest.approx(
                    float(exact.y[group][cell]), abs=1e-12
                )
                assert true[bits, group, row] == pytest.approx(float(exact.x[group][cell]), abs=1e-9)
        sides = ("A", "C", "AC")
        assert [float(of.supports[at][row]) for at in range(3)] == pytest.approx(
            [exact.mean(side) for side in sides], rel=1e-9, abs=1e-9
        )
        for first in range(3):
            for second in range(3):
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
