"""Both ends of supports, confidences and lifts and what they exclude; q and the levels of heads of lists."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import nan
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import beta  # type: ignore[attr-defined]

from mining.inference.intervals import NORMAL_95, exact_interval, lift_interval, share_interval, two_sided_p
from mining.inference.score_test import SplitTests
from mining.inference.selection_correction import (
    FamilyCriticalZ,
    RulePairCorrection,
    critical_z,
    displayed_head_length,
    front_page_p_limit,
    list_critical_z,
    q_values,
)
from tests.mining.inference.exact_table import (
    NOTHING,
    OF_RULES,
    ExactTable,
    Part,
    What,
    as_table,
    exact_tables,
    plausible_tables,
    questions,
    score_tables,
)
from tests.mining.listed import stepped_up, vector_file

levels = st.sampled_from([NORMAL_95, 1.0, 2.8, 3.5])


def of_two(n: tuple[int, int], a: tuple[int, int], c: tuple[int, int], s: tuple[int, int]) -> ExactTable:
    """A and C of one item each in one section; counts are open, disguised."""
    half = Fraction(1, 2)
    at_least = {NOTHING: n, frozenset({0}): a, frozenset({1}): c, frozenset({0, 1}): s}
    return ExactTable((Part("A", 0, half), Part("C", 0, half)), {0: half}, at_least)


def of_one(n: tuple[int, int], s: tuple[int, int]) -> ExactTable:
    half = Fraction(1, 2)
    return ExactTable((Part("A", 0, half),), {0: half}, {NOTHING: n, frozenset({0}): s})


def is_near(found: float, expected: float) -> bool:
    if not np.isfinite(expected):
        return bool(np.isnan(found))
    return abs(found - expected) <= 1e-6 * max(1.0, expected)


@pytest.mark.proof
@given(exact_tables("support", most_rows=1), exact_tables("rule", most_rows=2), levels)
def test_interval_ends_match_bisection(
    supports: list[ExactTable], rules: list[ExactTable], level: float
) -> None:
    cases: list[tuple[What, list[ExactTable]]] = [("support", supports)]
    cases += [("confidence", rules), ("converse", rules)]
    for what, rows in cases:
        found = share_interval(score_tables(rows, what), level)
        for low, high, question in zip(*found, questions(rows, what), strict=True):
            expected = question.interval(level) or (nan, nan)
            assert is_near(low, expected[0]), (question, low, expected)
            assert is_near(high, expected[1]), (question, high, expected)


@pytest.mark.night
@pytest.mark.proof
@given(exact_tables("rule", most_rows=2), levels)
def test_lift_ends_match_bisection(rows: list[ExactTable], level: float) -> None:
    lacking = SplitTests(as_table(rows)).fewest_records_lacking_side()
    found = lift_interval(score_tables(rows, "lift"), lacking, level)
    for low, high, many, question in zip(*found, lacking, questions(rows, "lift"), strict=True):
        assert many == question.fewest_missing_records
        expected = question.interval(level) if many >= 10 else None
        assert is_near(low, (expected or (nan, nan))[0]), (question, low, expected)
        assert is_near(high, (expected or (nan, nan))[1]), (question, high, expected)


def test_support_and_confidence_ends_by_hand() -> None:
    # 60 open answers: 6 said a, and all of them b. Of six in six Clopper and Pearson say .54, Wilson .61.
    (low,), (high,) = share_interval(score_tables([of_two((60, 0), (6, 0), (6, 0), (6, 0))], "confidence"))
    assert 0.54 < low < 0.62
    assert high == 1.0
    # Half of 400 open answers: nothing is skewed at .5, and hardly at the ends, so it is Wilson's.
    (low,), (high,) = share_interval(score_tables([of_one((400, 0), (200, 0))], "support"))
    width = 1.96 * (0.25 / 400 + 1.96**2 / (4 * 400**2)) ** 0.5 / (1 + 1.96**2 / 400)
    assert low == pytest.approx(0.5 - width, abs=0.001)
    assert low + high == pytest.approx(1.0, abs=1e-6)
    # Fifty who kept their answer one time in fifty: nothing is excluded.
    keep, noise = Fraction(1, 50), Fraction(1, 2)
    of_either = dict.fromkeys((frozenset({0}), frozenset({1})), (0, 25))
    whats: list[What] = ["support", "confidence", "converse"]
    for what in whats:
        parts = Part("A", 0, noise), Part("A" if what == "support" else "C", 1, noise)
        at_least = {NOTHING: (0, 50), **of_either, frozenset({0, 1}): (0, 12)}
        table = ExactTable(parts, {0: keep, 1: keep}, at_least)
        assert [end.tolist() for end in share_interval(score_tables([table], what))] == [[0.0], [1.0]], what
    # Nobody, or everybody, sends yes, though noise alone would make a quarter of 400 say it: no share could.
    for sent in (0, 400):
        assert np.isnan(share_interval(score_tables([of_one((0, 400), (0, sent))], "support"))).all()


LIFTS = {
    "nearly everybody has it": (of_two((300, 0), (291, 0), (150, 0), (145, 0)), None),
    "ten lack it": (of_two((300, 0), (290, 0), (150, 0), (146, 0)), "around 1"),
    "below 1": (of_two((400, 0), (200, 0), (200, 0), (60, 0)), "below 1"),
    "above 1": (of_two((400, 0), (200, 0), (200, 0), (140, 0)), "above 1"),
    "no upper end": (of_two((0, 60), (0, 17), (0, 13), (0, 9)), "no upper end"),
    "below 0": (of_two((0, 400), (0, 200), (0, 200), (0, 20)), None),
    "above any lift": (of_two((20_000, 0), (5, 0), (5, 0), (5, 0)), None),
}


def test_lift_has_an_interval_where_identifiable() -> None:
    for name, (table, where) in LIFTS.items():
        of = SplitTests(as_table([table]))
        (low,), (high,) = lift_interval(of.lift(), of.fewest_records_lacking_side())
        holds = {
            None: np.isnan(low) and np.isnan(high),
            "no upper end": np.isfinite(low) and np.isnan(high),
            "around 1": low < 1 < high,
            "below 1": 0 < low < high < 1,
            "above 1": 1 < low < high,
        }
        assert holds[where], name
    # Why some have none.
    names = ("below 0", "above any lift", "nearly everybody has it")
    below_0, above, nearly = (LIFTS[name][0] for name in names)
    assert score_tables([below_0], "lift").z(np.zeros(1))[0] < -NORMAL_95
    assert score_tables([above], "lift").z(np.full(1, 1000.0))[0] > NORMAL_95
    assert SplitTests(as_table([nearly])).fewest_records_lacking_side().tolist() == [9.0]
    # p stands all the same.
    for table in (nearly, above):
        assert 0 < two_sided_p(score_tables([table], "lift").z(np.ones(1)))[0] <= 1


@pytest.mark.proof
@given(exact_tables("rule", most_rows=4))
def test_p_is_below_5_percent_exactly_when_the_lift_interval_excludes_1(rows: list[ExactTable]) -> None:
    of = SplitTests(as_table(rows))
    z = of.lift().z(np.ones(len(rows)))
    p = two_sided_p(z)
    low, high = lift_interval(of.lift(), of.fewest_records_lacking_side())
    there = ~np.isnan(low)
    excluded = (low > 1) | (high < 1)
    # z of 1.96 is p of .049996.
    assert (excluded[there] == (np.abs(z) > NORMAL_95)[there]).all()
    assert (excluded[there] == (p < 0.049996)[there]).all()


@pytest.mark.proof
def test_z_crosses_each_level_once() -> None:
    """As t rises, over 60 random tables whose estimates are possible and whose groups are not tiny."""
    grid = np.linspace(0, 1, 61)
    of_kind: dict[Literal["support", "rule"], tuple[What, ...]] = {"support": ("support",), "rule": OF_RULES}
    for kind, whats in of_kind.items():
        by_shape: dict[Any, list[ExactTable]] = {}
        for table in plausible_tables(kind, 60, seed=1):
            by_shape.setdefault(tuple((part.side, part.section) for part in table.parts), []).append(table)
        for what, rows in product(whats, by_shape.values()):
            test = score_tables(rows, what)
            z = np.array([test.z(np.full(len(rows), t)) for t in grid])
            for level in (-2.8, -NORMAL_95, NORMAL_95, 2.8):
                # Once not above it, never again.
                rises = (np.diff((z > level).astype(int), axis=0) > 0).any(axis=0)
                assert not rises.any(), (what, level, rows[int(rises.argmax())])


@pytest.mark.proof
def test_odd_counts_raise_no_warning_and_give_ends_inside() -> None:
    """Warnings are errors in tests; nobody or everybody has it, a group is absent, noise is nearly all or nothing."""
    of_groups, of_sections = [(0, 60), (60, 0), (60, 60), (1, 59), (0, 1)], [(0, 0), (0, 1), (None, 0)]
    every = product([0.0, 0.5, 1.0], of_groups, ["0.05", "0.5", "0.99"], of_sections)
    for share, groups, keep, sections in every:
        sent = (round(share * groups[0]), round(share * groups[1]))
        parts = Part("A", sections[0], Fraction(49, 50)), Part("C", sections[1], Fraction(49, 50))
        laws = {section: Fraction(keep) for section in sections if section is not None}
        received = dict.fromkeys((frozenset({0}), frozenset({1}), frozenset({0, 1})), sent)
        of = SplitTests(as_table([ExactTable(parts, laws, {NOTHING: groups, **received})]))
        for side in (0, 1):
            low, high = share_interval(of.confidence(side))
            assert np.isnan(low[0]) or 0 <= low[0] <= high[0] <= 1, (share, groups, keep, sections)
        low, high = lift_interval(of.lift(), of.fewest_records_lacking_side())
        assert np.isnan([low[0], high[0]]).any() or 0 <= low[0] <= high[0], (share, groups, keep, sections)
        assert 0 <= two_sided_p(of.lift().z(np.ones(1)))[0] <= 1


def test_counted_shares_have_clopper_pearson_intervals_at_every_level() -> None:
    levels = [(NORMAL_95, 0.025), (2.800520, 0.025 * 80 / 784), (1.0, 0.15865525)]
    for (level, tail), (yes, n) in product(levels, [(0, 50), (1, 50), (25, 50), (50, 50), (3, 2_000)]):
        (low,), (high,) = exact_interval(np.array([yes]), np.array([n]), level)
        assert low == pytest.approx(beta.ppf(tail, yes, n - yes + 1) if yes else 0.0, rel=1e-5)
        assert high == pytest.approx(beta.ppf(1 - tail, yes + 1, n - yes) if yes < n else 1.0, rel=1e-5)
    z = np.array([0.0, 1.644854, -1.644854, np.inf, -np.inf])
    assert two_sided_p(z) == pytest.approx([1.0, 0.1, 0.1, 0.0, 0.0], abs=1e-7)


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.proof
@given(probabilities, st.integers(0, 60))
def test_q_covers_the_whole_family(p: list[float], family: int) -> None:
    found = q_values(np.array(p), family)
    assert found == pytest.approx(stepped_up(p, max(family, len(p))), rel=1e-9)
    assert (found >= np.array(p) * (1 - 1e-12)).all()
    # What is left out counts as p = 1.
    whole = q_values(np.concatenate([p, np.ones(max(family - len(p), 0))]), family)
    assert found == pytest.approx(whole[: len(p)])


def test_q_values_by_hand() -> None:
    # Family of 10: .001 x 10/1, .02 x 10/2, .03 x 10/3, .9 x 10/4; by the definition written out, too.
    p = [0.9, 0.02, 0.001, 0.03]
    assert q_values(np.array(p), 10) == pytest.approx([1, 0.1, 0.01, 0.1]) == stepped_up(p, 10)
    assert len(q_values(np.empty(0), 10)) == 0


def test_level_falls_with_the_rank_down_to_a_single_interval() -> None:
    for vector in vector_file("corrections")["levels"]:
        places = np.array([min(vector["place"], vector["rank"])])
        assert displayed_head_length(places)[0] == vector["k"], vector
        assert list_critical_z(places, vector["m"])[0] == pytest.approx(vector["z0"], abs=1e-9), vector
    levels = list_critical_z(np.arange(1, 3_000), 400)
    assert (np.diff(levels) <= 0).all()
    assert levels[0] == pytest.approx(NormalDist().inv_cdf(1 - 0.025 / 400), abs=1e-9)
    assert levels[-1] == list_critical_z(np.array([1]), 0)[0] == 1.96
    assert len(list_critical_z(np.empty(0), 5)) == 0


# --- the levels of what stands on the front of a report ---


def test_families_share_five_percent_as_do_their_statements() -> None:
    statements = {"pairs": 40, "groups": 10, "arms": 0, "understanding": 1}
    # Larger itemsets never stand on the front.
    counted = {**statements, "larger": 648}
    limits = {family: front_page_p_limit(counted, family) for family in statements}
    third = 0.05 / 3
    expected = {"pairs": third / 40, "groups": third / 10, "arms": 0, "understanding": third}
    assert limits == pytest.approx(expected)
    assert front_page_p_limit({}, "pairs") == 0.0
    # All statements together err in at most five percent.
    assert sum(limits[family] * many for family, many in statements.items()) == pytest.approx(0.05)
    for part in (0.05, 0.01, 0.0001):
        assert 2 * NormalDist().cdf(-critical_z(part)) <= part + 1e-9


def test_planned_rows_and_splits_outside_the_family() -> None:
    levels = FamilyCriticalZ(np.array([True, False, False, True]), plan=2.5, front=3.0)
    assert levels.critical_z_by_row(np.array([9.0, 3.1, -2.9, np.nan])).tolist() == [2.5, 3.0, 1.96, 2.5]
    assert levels.critical_z_by_row(np.array([0.0, -3.1, np.nan, 0.0])).tolist() == [2.5, 3.0, 1.96, 2.5]

    def set_of_sides(*pair: set[int]) -> frozenset[frozenset[int]]:
        return frozenset(map(frozenset, pair))

    front = RulePairCorrection(
        2, frozenset({set_of_sides({1}, {2}), set_of_sides({1, 2}, {3}), set_of_sides({1}, {9})}), 4
    )
    assert front.families(9, 8, {1, 2, 3}, 3) == {"pairs": 8, "larger": 7}
    assert front.families(9, 8, {1, 2, 3}, 2) == {"pairs": 8, "larger": 8}
    assert replace(front, is_one_list=True).families(9, 8, {1, 2, 3}, 3) == {"pairs": 15}
    assert front.plan_critical_z == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 4 / 2))
    assert front.front_page_critical_z(10) == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 3 / 10 / 2))
