"""Both ends of supports, confidences and lifts: where they are, when there are none, and what they exclude."""

from fractions import Fraction
from itertools import product
from math import nan
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import beta  # type: ignore[attr-defined]

from mining.inference.intervals import NORMAL_95, exact_interval, lift_interval, share_interval, two_sided_p
from mining.inference.score_test import SplitTests
from tests.mining.inference.exact_table import (
    NOTHING,
    OF_RULES,
    ExactTable,
    Part,
    What,
    as_table,
    exact_tables,
    plausible,
    questions,
    scored,
)

levels = st.sampled_from([NORMAL_95, 1.0, 2.8, 3.5])


def of_two(
    n: tuple[int, int],
    a: tuple[int, int],
    c: tuple[int, int],
    s: tuple[int, int],
    laws: str | None = "one section",
) -> ExactTable:
    """A and C of one item each; counts are open, disguised."""
    half = Fraction(1, 2)
    sections = {"one section": (0, 0), "two sections": (0, 1)}[laws or "one section"]
    parts = (Part("A", sections[0], half), Part("C", sections[1], half))
    keep = dict.fromkeys(sections, half)
    return ExactTable(parts, keep, {NOTHING: n, frozenset({0}): a, frozenset({1}): c, frozenset({0, 1}): s})


def is_near(found: float, expected: float) -> bool:
    if not np.isfinite(expected):
        return bool(np.isnan(found))
    return abs(found - expected) <= 1e-6 * max(1.0, expected)


@pytest.mark.proof
@given(exact_tables("support", most_rows=1), levels)
def test_both_ends_of_a_support_are_where_bisection_finds_them(rows: list[ExactTable], level: float) -> None:
    assert_ends(rows, "support", level)


@pytest.mark.proof
@given(exact_tables("rule", most_rows=2), st.sampled_from(["confidence", "converse"]), levels)
def test_both_ends_of_either_confidence_are(rows: list[ExactTable], what: What, level: float) -> None:
    assert_ends(rows, what, level)


def assert_ends(rows: list[ExactTable], what: What, level: float) -> None:
    found = share_interval(scored(rows, what), level)
    for low, high, question in zip(*found, questions(rows, what), strict=True):
        expected = question.interval(level) or (nan, nan)
        assert is_near(low, expected[0]), (question, low, expected)
        assert is_near(high, expected[1]), (question, high, expected)


@pytest.mark.night
@pytest.mark.proof
@given(exact_tables("rule", most_rows=2), levels)
def test_both_ends_of_a_lift_are(rows: list[ExactTable], level: float) -> None:
    lacking = SplitTests(as_table(rows)).records_lacking_side()
    found = lift_interval(scored(rows, "lift"), lacking, level)
    for low, high, many, question in zip(*found, lacking, questions(rows, "lift"), strict=True):
        assert many == question.lacking
        expected = question.interval(level) if many >= 10 else None
        assert is_near(low, (expected or (nan, nan))[0]), (question, low, expected)
        assert is_near(high, (expected or (nan, nan))[1]), (question, high, expected)


def test_a_confidence_of_six_in_six_may_be_less_than_1() -> None:
    # 60 open answers: 6 said a, and all of them b. Of six in six Clopper and Pearson say .54, Wilson .61.
    (low,), (high,) = share_interval(scored([of_two((60, 0), (6, 0), (6, 0), (6, 0))], "confidence"))
    assert 0.54 < low < 0.62
    assert high == 1.0


def test_of_plain_shares_without_skewness_it_is_wilsons() -> None:
    # Half of 400 open answers: nothing is skewed at .5, and hardly at the ends.
    table = ExactTable(
        (Part("A", 0, Fraction(1, 2)),), {0: Fraction(1, 2)}, {NOTHING: (400, 0), frozenset({0}): (200, 0)}
    )
    (low,), (high,) = share_interval(scored([table], "support"))
    width = 1.96 * (0.25 / 400 + 1.96**2 / (4 * 400**2)) ** 0.5 / (1 + 1.96**2 / 400)
    assert low == pytest.approx(0.5 - width, abs=0.001)
    assert low + high == pytest.approx(1.0, abs=1e-6)


def test_what_nothing_excludes_is_all_from_0_to_1(subtests: pytest.Subtests) -> None:
    cases: list[What] = ["support", "confidence", "converse"]
    for what in cases:
        with subtests.test(f"{what!r:.60}"):
            # Fifty who kept their answer one time in fifty.
            keep, noise = Fraction(1, 50), Fraction(1, 2)
            parts = Part("A", 0, noise), Part("A" if what == "support" else "C", 1, noise)
            at_least = {
                NOTHING: (0, 50),
                **dict.fromkeys((frozenset({0}), frozenset({1})), (0, 25)),
                frozenset({0, 1}): (0, 12),
            }
            table = ExactTable(parts, {0: keep, 1: keep}, at_least)
            (low,), (high,) = share_interval(scored([table], what))
            assert (low, high) == (0.0, 1.0)


def test_counts_that_contradict_each_other_have_no_ends() -> None:
    # Nobody sends yes, though noise alone would make a quarter of 400 say it: no share is that small.
    half = Fraction(1, 2)
    nobody = ExactTable((Part("A", 0, half),), {0: half}, {NOTHING: (0, 400), frozenset({0}): (0, 0)})
    everybody = ExactTable((Part("A", 0, half),), {0: half}, {NOTHING: (0, 400), frozenset({0}): (0, 400)})
    for table in (nobody, everybody):
        assert np.isnan(share_interval(scored([table], "support"))).all()


LIFTS = {
    "nearly everybody has it": (of_two((300, 0), (291, 0), (150, 0), (145, 0)), None),
    "ten lack it": (of_two((300, 0), (290, 0), (150, 0), (146, 0)), "around 1"),
    "below 1": (of_two((400, 0), (200, 0), (200, 0), (60, 0)), "below 1"),
    "above 1": (of_two((400, 0), (200, 0), (200, 0), (140, 0)), "above 1"),
    "no upper end": (of_two((0, 60), (0, 17), (0, 13), (0, 9)), "no upper end"),
    "below 0": (of_two((0, 400), (0, 200), (0, 200), (0, 20)), None),
    "above any lift": (of_two((20_000, 0), (5, 0), (5, 0), (5, 0)), None),
}


def test_a_lift_has_an_interval_where_it_can_be_told(subtests: pytest.Subtests) -> None:
    for name, (table, where) in LIFTS.items():
        with subtests.test(f"{name!r:.60}"):
            of = SplitTests(as_table([table]))
            (low,), (high,) = lift_interval(of.lift(), of.records_lacking_side())
            if where is None:
                assert np.isnan(low)
                assert np.isnan(high)
            elif where == "no upper end":
                assert np.isfinite(low)
                assert np.isnan(high)
            else:
                assert {"around 1": low < 1 < high, "below 1": 0 < low < high < 1, "above 1": 1 < low < high}[
                    where
                ]


def test_why_some_lifts_have_none() -> None:
    below_0, above = LIFTS["below 0"][0], LIFTS["above any lift"][0]
    assert scored([below_0], "lift").z(np.zeros(1))[0] < -NORMAL_95
    assert scored([above], "lift").z(np.full(1, 1000.0))[0] > NORMAL_95
    assert SplitTests(as_table([LIFTS["nearly everybody has it"][0]])).records_lacking_side().tolist() == [
        9.0
    ]
    # p stands all the same.
    for name in ("nearly everybody has it", "above any lift"):
        assert 0 < two_sided_p(scored([LIFTS[name][0]], "lift").z(np.ones(1)))[0] <= 1


@pytest.mark.proof
@given(exact_tables("rule", most_rows=4))
def test_p_is_below_5_percent_exactly_where_the_interval_of_lift_excludes_1(rows: list[ExactTable]) -> None:
    of = SplitTests(as_table(rows))
    z = of.lift().z(np.ones(len(rows)))
    p = two_sided_p(z)
    low, high = lift_interval(of.lift(), of.records_lacking_side())
    there = ~np.isnan(low)
    excluded = (low > 1) | (high < 1)
    # z of 1.96 is p of .049996.
    assert (excluded[there] == (np.abs(z) > NORMAL_95)[there]).all()
    assert (excluded[there] == (p < 0.049996)[there]).all()


@pytest.mark.proof
def test_z_falls_through_each_level_once() -> None:
    """As t rises, over 60 random tables whose estimates are possible and whose groups are not tiny."""
    grid = np.linspace(0, 1, 61)
    of_kind: dict[Literal["support", "rule"], tuple[What, ...]] = {"support": ("support",), "rule": OF_RULES}
    for kind, whats in of_kind.items():
        by_shape: dict[Any, list[ExactTable]] = {}
        for table in plausible(kind, 60, seed=1):
            by_shape.setdefault(tuple((part.side, part.section) for part in table.parts), []).append(table)
        for what, rows in product(whats, by_shape.values()):
            test = scored(rows, what)
            z = np.array([test.z(np.full(len(rows), t)) for t in grid])
            for level in (-2.8, -NORMAL_95, NORMAL_95, 2.8):
                # Once not above it, never again.
                rises = (np.diff((z > level).astype(int), axis=0) > 0).any(axis=0)
                assert not rises.any(), (what, level, rows[int(rises.argmax())])


@pytest.mark.proof
def test_odd_counts_raise_no_warning_and_give_ends_inside(subtests: pytest.Subtests) -> None:
    """Warnings are errors in tests; nobody or everybody has it, a group is absent, noise is nearly all or nothing."""
    for share in [0.0, 0.5, 1.0]:
        cases_of_groups: list[tuple[int, int]] = [(0, 60), (60, 0), (60, 60), (1, 59), (0, 1)]
        for groups in cases_of_groups:
            for keep in ["0.05", "0.5", "0.99"]:
                with subtests.test(f"{share} {groups} {keep}"):
                    sent = (round(share * groups[0]), round(share * groups[1]))
                    noise = Fraction(49, 50)
                    for sections in ((0, 0), (0, 1), (None, 0)):
                        parts = Part("A", sections[0], noise), Part("C", sections[1], noise)
                        laws = {section: Fraction(keep) for section in sections if section is not None}
                        at_least = {
                            NOTHING: groups,
                            frozenset({0}): sent,
                            frozenset({1}): sent,
                            frozenset({0, 1}): sent,
                        }
                        table = ExactTable(parts, laws, at_least)
                        of = SplitTests(as_table([table]))
                        for side in (0, 1):
                            low, high = share_interval(of.confidence(side))
                            assert np.isnan(low[0]) or 0 <= low[0] <= high[0] <= 1
                        low, high = lift_interval(of.lift(), of.records_lacking_side())
                        assert np.isnan(low[0]) or np.isnan(high[0]) or 0 <= low[0] <= high[0]
                        assert 0 <= two_sided_p(of.lift().z(np.ones(1)))[0] <= 1


def test_counted_shares_are_clopper_and_pearsons_at_every_level(subtests: pytest.Subtests) -> None:
    cases_of_level: list[tuple[float, float]] = [
        (NORMAL_95, 0.025),
        (2.800520, 0.025 * 80 / 784),
        (1.0, 0.15865525),
    ]
    for level, tail in cases_of_level:
        cases_of_yes: list[tuple[int, int]] = [(0, 50), (1, 50), (25, 50), (50, 50), (3, 2_000)]
        for yes, n in cases_of_yes:
            with subtests.test(f"{level} {tail}"):
                (low,), (high,) = exact_interval(np.array([yes]), np.array([n]), level)
                assert low == pytest.approx(beta.ppf(tail, yes, n - yes + 1) if yes else 0.0, rel=1e-5)
                assert high == pytest.approx(
                    beta.ppf(1 - tail, yes + 1, n - yes) if yes < n else 1.0, rel=1e-5
                )


def test_p_of_z() -> None:
    z = np.array([0.0, 1.644854, -1.644854, np.inf, -np.inf])
    assert two_sided_p(z) == pytest.approx([1.0, 0.1, 0.1, 0.0, 0.0], abs=1e-7)
