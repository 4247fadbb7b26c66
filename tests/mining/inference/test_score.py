"""The vectorised test against the loops of its definition, over random tables, and both against vectors."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import isclose, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable
from mining.inference.estimate_kernel import OF_A, OF_C, OF_LIFT
from mining.inference.intervals import lift_interval, share_interval, two_sided_p
from mining.inference.score_test import SIDES, SplitTests, support_test
from mining.inference.score_test_kernel import (
    ALL_OF_S,
    ANTECEDENT as A_SHARES,
    BELOW,
    CONSEQUENT as C_SHARES,
    ESTIMATE,
    LACKING,
    SHARE,
    constrained_shares,
    received_variance,
    share_change_by_group,
)
from mining.rules import measures
from tests.mining.inference import exact_table
from tests.mining.inference.exact_table import (
    NOTHING,
    OF_RULES,
    ExactTable,
    Part,
    Question,
    What,
    as_table,
    disguised_cells,
    exact_tables,
    questions,
    score_tables,
    true_cells,
)
from tests.mining.listed import vector_file

pytestmark = pytest.mark.proof
values = st.sampled_from([0.0, 1.0, 1.5]) | st.floats(1e-9, 1)
lifts = values | st.sampled_from([2.0, 64.0, 1000.0]) | st.floats(1, 20)

HALF = Fraction(1, 2)
FAR = 7.0
"""Where almost nothing is left to chance, rounding decides how far."""


def is_same_number(one: float, other: float) -> bool:
    if abs(one) > FAR and abs(other) > FAR:
        return one * other > 0
    return isclose(one, other, rel_tol=1e-7, abs_tol=1e-7)


def assert_same(rows: Sequence[ExactTable], what: What, t: float) -> None:
    found = score_tables(rows, what).z(np.full(len(rows), t))
    for z, question in zip(found.tolist(), questions(rows, what), strict=True):
        assert is_same_number(z, question.z_statistic(t)), (question, t, z)


@settings(max_examples=max(15, settings().max_examples))
@given(exact_tables("support"), exact_tables("rule"), values, lifts)
def test_z_matches_its_definition(
    supports: list[ExactTable], rules: list[ExactTable], t: float, lift: float
) -> None:
    """One to four parts, plain and sensitive, groups without records, empty classes, and counts of 0 to 3."""
    assert_same(supports, "support", t)
    assert_same(rules, "confidence", t)
    assert_same(rules, "converse", t)
    assert_same(rules, "lift", lift)


@given(exact_tables("rule", most_rows=2))
def test_shares_before_and_after_the_disguise_match_their_definition(rows: list[ExactTable]) -> None:
    table, of = as_table(rows), SplitTests(as_table(rows))
    true = true_cells(table)
    for row, exact in enumerate(rows):
        for cell in exact.cells:
            bits = sum(1 << bit for bit in cell)
            for group in exact.groups:
                sent, before = (
                    float(exact.exact_shares[group][cell]),
                    float(exact.true_shares_exact[group][cell]),
                )
                assert table.received_shares[bits, group, row] == pytest.approx(sent, abs=1e-12)
                assert true[bits, group, row] == pytest.approx(before, abs=1e-9)
        sides = ("A", "C", "AC")
        means = pytest.approx([exact.mean(side) for side in sides], rel=1e-9, abs=1e-9)
        assert [float(of.supports[at][row]) for at in range(3)] == means
        for first, second in product(range(2), repeat=2):
            expected = exact.covariances[sides[first], sides[second]]
            assert of.covariance(first, second)[row] == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_group_without_records_has_no_influence() -> None:
    """Its own variance of psi is beyond measure beside that of the other group where t is next to nothing."""
    parts = Part("A", 0, Fraction(51, 100)), Part("C", 1, Fraction(1, 20))
    laws = {0: Fraction(1, 20), 1: Fraction(4, 5)}
    counts = {NOTHING: (7, 0), frozenset({0}): (5, 0), frozenset({1}): (0, 0), frozenset({0, 1}): (0, 0)}
    for t in (0.0, 1e-308, 1e-200, 1e-9):
        assert_same([ExactTable(parts, laws, counts)], "lift", t)
        assert_same([ExactTable(parts, laws, counts)], "confidence", t)


@given(exact_tables("rule", most_rows=4), st.data())
def test_selected_rows_match_single_results(rows: list[ExactTable], data: st.DataObject) -> None:
    t = np.array(data.draw(st.lists(lifts, min_size=len(rows), max_size=len(rows))))
    for what in OF_RULES:
        whole = score_tables(rows, what).z(t)
        alone = np.concatenate([score_tables([row], what).z(t[[at]]) for at, row in enumerate(rows)])
        # But for rounding, which depends on where in an array a row stands.
        assert all(map(is_same_number, alone.tolist(), whole.tolist()))
        order = np.array(data.draw(st.permutations(range(len(rows)))))
        assert all(
            map(
                is_same_number,
                score_tables(rows, what).take(order).z(t[order]).tolist(),
                whole[order].tolist(),
            )
        )


# --- where a loop of the compiled moments could go another way ---------------------------------------------

ONE_LAW = (Part("A", 0, Fraction(1, 4)), Part("C", 0, HALF)), {0: Fraction(3, 5)}


def table_from_counts(a: int, c: int, both: int, n: tuple[int, int] = (300, 700)) -> ExactTable:
    """The open group has half as many of each count as the disguised one."""
    cells = {frozenset({0}): a, frozenset({1}): c, frozenset({0, 1}): both}
    return ExactTable(*ONE_LAW, {NOTHING: n, **{cell: (many // 2, many) for cell, many in cells.items()}})


def test_one_law_for_all_rows_matches_a_law_per_row() -> None:
    each = as_table(
        [table_from_counts(300, 400, 200), table_from_counts(0, 400, 0), table_from_counts(9, 3, 2)]
    )
    one = ContingencyTable(each.parts, each.at_least, each.keep[:, :1], each.noise[:, :1])
    for found, expected in (
        (support_test(one.reduce_to_side(0)), support_test(each.reduce_to_side(0))),
        *((SplitTests(one).confidence(side), SplitTests(each).confidence(side)) for side in (0, 1)),
        (SplitTests(one).lift(), SplitTests(each).lift()),
    ):
        assert found.rows == pytest.approx(expected.rows, rel=1e-12, abs=1e-15, nan_ok=True)


def test_tests_with_few_records_and_an_empty_table() -> None:
    tests = SplitTests(as_table([table_from_counts(9, 3, 2)]))
    # Open and disguised: 3 with both; 4 + 9 - 3 with A alone, 1 + 3 - 3 with C alone.
    rows = [tests.confidence(OF_A).rows, tests.confidence(OF_C).rows, tests.lift().rows]
    assert [row[0, ALL_OF_S] for row in rows] == [3, 3, 3]
    assert [row[0, LACKING] for row in rows] == [10, 1, np.inf]
    assert len(rows) == OF_LIFT + 1
    # A table without records excludes nothing.
    empty = table_from_counts(0, 0, 0, n=(0, 0))
    assert np.isnan(score_tables([empty], "lift").z(np.ones(1))).all()
    assert [end.tolist() for end in share_interval(score_tables([empty], "confidence"))] == [[0.0], [1.0]]


def test_values_in_an_empty_group_do_not_matter() -> None:
    """Of an empty group all shares are 0, whatever its law."""
    table, t = as_table([table_from_counts(300, 400, 200)]), np.array([0.3])
    for group, side in product((0, 1), (OF_A, OF_C)):
        at_least = table.at_least.copy()
        at_least[:, group] = 0
        alone = replace(table, at_least=at_least)
        other = replace(alone, noise=alone.noise / 2) if group else alone
        z, same_z = (SplitTests(of).confidence(side).z(t) for of in (alone, other))
        assert np.isfinite(z).all()
        assert z.tolist() == same_z.tolist()


VECTORS = vector_file("intervals")["vectors"]
Z, END = 1e-5, 2e-6


def table_of_vector(vector: dict[str, Any]) -> ExactTable:
    section_of: dict[str, int | None] = {}
    noise: dict[str, Fraction] = {}
    keep: dict[int, Fraction] = {}
    for section in vector["design"]:
        names = section["questions"]
        if section["kind"] == "plain":
            section_of |= dict.fromkeys(names)
            noise |= dict.fromkeys(names, Fraction(1))
        else:
            section_of |= dict.fromkeys(names, len(keep))
            noise |= zip(names, map(Fraction, section["theta"]), strict=True)
            keep[len(keep)] = Fraction(section["keep"])
    parts = []
    for names in vector["parts"]:
        of = prod((noise[name] for name in names), start=Fraction(1))
        parts.append(Part("A" if names[0] in vector["A"] else "C", section_of[names[0]], of))
    at_least = {frozenset(row["at_least_parts"]): (row["open"], row["disguised"]) for row in vector["counts"]}
    return ExactTable(tuple(parts), keep, at_least)


CASES: list[tuple[str, ExactTable, exact_table.What, dict[str, Any]]] = [
    (f"{place} {what}", table_of_vector(vector), what, expected)
    for place, vector in enumerate(VECTORS)
    for what, expected in vector["expect"].items()
]


def test_z_and_both_ends_of_twenty_tables_match_the_loops() -> None:
    assert len(VECTORS) == 20
    assert {what for vector in VECTORS for what in vector["expect"]} == {"support", "confidence", "lift"}
    for name, table, what, expected in CASES:
        for t, z in expected["z"].items():
            assert score_tables([table], what).z(np.array([float(t)]))[0] == pytest.approx(z, abs=Z), name
            assert Question(table, what).z_statistic(float(t)) == pytest.approx(z, abs=Z), name
        found = share_interval(score_tables([table], what))
        if what == "lift":
            lacking = SplitTests(as_table([table])).fewest_records_lacking_side()
            found = lift_interval(score_tables([table], what), lacking)
        of_loops = Question(table, what).interval()
        assert of_loops is not None, name
        low, high = expected["low"], expected["high"]
        ends = [low, np.nan if high is None else high]
        assert [end[0] for end in found] == pytest.approx(ends, abs=END, nan_ok=True)
        assert of_loops == pytest.approx((low, np.inf if high is None else high), abs=END), name


def test_estimates_and_p_of_twenty_tables_match_the_vectors() -> None:
    for name, table, what, expected in CASES:
        estimate = pytest.approx(expected["estimate"], abs=END)
        if what == "support":
            assert score_tables([table], what).estimate[0] == estimate, name
            continue
        sides = SplitTests(as_table([table]))
        a, c, s = sides.supports
        if what == "confidence":
            assert measures.confidence(s, a)[0] == estimate, name
            continue
        assert measures.lift(s, a, c)[0] == estimate, name
        p = pytest.approx(expected["p"], abs=END)
        assert two_sided_p(sides.lift().z(np.ones(1)))[0] == p, name
        assert exact_table.two_sided(Question(table, what).z_statistic(1.0)) == p, name
        assert sides.confidence(CONSEQUENT).estimate[0] == s[0]


EXAMPLE: dict[str, Any] = vector_file("interval-example")
SIX = 1e-6
"""The numbers are rounded to six digits."""
OF_TWO = [NOTHING, frozenset({0}), frozenset({1}), frozenset({0, 1})]

KEEP = {0: Fraction(EXAMPLE["keep"])}
A, C = (Fraction(noise) for noise in EXAMPLE["noise"])
COUNTS = [(opened, disguised) for opened, disguised in EXAMPLE["at_least"]]
SPLIT = ExactTable((Part("A", 0, A), Part("C", 0, C)), KEEP, dict(zip(OF_TWO, COUNTS, strict=True)))
# A support is one part: those without S and those with it.
ITEMSET = ExactTable((Part("A", 0, A * C),), KEEP, {NOTHING: COUNTS[0], frozenset({0}): COUNTS[3]})


def approx_six_digits(numbers: Any) -> Any:
    return pytest.approx(numbers, abs=SIX)


def test_cells_and_disguise_law_match_the_vectors() -> None:
    table = as_table([SPLIT])
    for group in (0, 1):
        assert table.received_shares[:, group, 0] == approx_six_digits(EXAMPLE["received"][group])
    assert true_cells(table)[:, 1, 0] == approx_six_digits(EXAMPLE["true"])
    # Open answers are the truth.
    assert true_cells(table)[:, 0, 0] == approx_six_digits(EXAMPLE["received"][0])
    table = as_table([SPLIT])
    for cell, row in ((0, EXAMPLE["H"]["neither"]), (3, EXAMPLE["H"]["both"])):
        one = np.zeros(4)
        one[cell] = 1.0
        assert disguised_cells(table, one) == approx_six_digits(row)


def test_scores_supports_and_variances_match_the_vectors() -> None:
    table, of = as_table([SPLIT]), SplitTests(as_table([SPLIT]))
    for place, (name, sides) in enumerate((("A", (ANTECEDENT,)), ("C", (CONSEQUENT,)), ("AC", SIDES))):
        assert table.score(sides)[:, 1, 0] == approx_six_digits(EXAMPLE["z"][name])
        assert of.supports[place][0] == approx_six_digits(EXAMPLE["P"][name])
    for name, first, second in (("A", 0, 0), ("C", 1, 1), ("AC", 0, 1)):
        assert of.covariance(first, second)[0] == approx_six_digits(EXAMPLE["V"][name])
    (row,) = SplitTests(as_table([SPLIT])).lift().rows
    for at, side in ((SHARE, "AC"), (A_SHARES, "A"), (C_SHARES, "C")):
        assert row[at : at + 2] == approx_six_digits(EXAMPLE["shares"][side])


def test_steps_both_ends_and_p_match_the_vectors() -> None:
    for of in EXAMPLE["tests"]:
        what, t = of["what"], np.array([float(of["t"])])
        table = ITEMSET if what == "support" else SPLIT
        test = score_tables([table], what)
        row = test.rows[0]
        assert row[ESTIMATE] - t[0] * row[BELOW] == approx_six_digits(of["D"]), of
        step = share_change_by_group(row, t[0])
        assert list(step) == approx_six_digits(of["u"]), of
        assert list(constrained_shares(row, t[0], step)) == approx_six_digits(of["s"]), of
        assert received_variance(row, t[0], step) == approx_six_digits(of["of_counts"]), of
        assert test.z(t)[0] == approx_six_digits(of["z"]), of
        found = share_interval(test)
        if what == "lift":
            found = lift_interval(test, SplitTests(as_table([table])).fewest_records_lacking_side())
            assert two_sided_p(test.z(np.ones(1)))[0] == approx_six_digits(of["p"])
        assert [end[0] for end in found] == approx_six_digits(of["interval"]), of
