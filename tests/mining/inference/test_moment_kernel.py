"""The compiled moments against the definition, over drawn tables, and where a loop could go another way than it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.inference.contingency_table import ContingencyTable
from mining.inference.intervals import share_interval
from mining.inference.moment_kernel import OF_A, OF_C, OF_LIFT
from mining.inference.score_kernel import ALL_OF_S, AT_0, AT_1, LACKING
from mining.inference.score_test import SplitTests, support_test
from tests.mining.inference.exact_table import (
    NOTHING,
    OF_RULES,
    ExactTable,
    Part,
    as_table,
    exact_tables,
    scored,
)
from tests.mining.inference.test_score import assert_same

HALF = Fraction(1, 2)
ONE_LAW = (Part("A", 0, Fraction(1, 4)), Part("C", 0, HALF)), {0: Fraction(3, 5)}


def counted(a: int, c: int, both: int, n: tuple[int, int] = (300, 700)) -> ExactTable:
    """The open group has half as many of each count as the disguised one."""
    cells = {frozenset({0}): a, frozenset({1}): c, frozenset({0, 1}): both}
    return ExactTable(*ONE_LAW, {NOTHING: n, **{cell: (many // 2, many) for cell, many in cells.items()}})


@pytest.mark.proof
@settings(max_examples=25)
@given(exact_tables("support"), exact_tables("rule"), st.sampled_from([0.0, 0.03, 0.4, 1.0]))
def test_z_is_that_of_the_definition(supports: list[ExactTable], rules: list[ExactTable], t: float) -> None:
    """One to four parts, plain and sensitive, groups without records, empty classes, and counts of 0 to 3."""
    assert_same(supports, "support", t)
    for what in OF_RULES:
        assert_same(rules, what, t)


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


def test_the_ends_of_a_search_are_where_z_is_computed_once() -> None:
    for what in ("support", *OF_RULES):
        table = ExactTable((Part("A", 0, HALF),), {0: HALF}, {NOTHING: (40, 60), frozenset({0}): (9, 30)})
        test = scored([table if what == "support" else counted(300, 400, 200)], what)
        assert (
            test.rows[:, AT_0].tolist() == test.z(np.zeros(1)).tolist() == test.z(np.array([-0.0])).tolist()
        )
        assert test.rows[:, AT_1].tolist() == test.z(np.ones(1)).tolist()


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
