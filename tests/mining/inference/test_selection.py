"""What is left of results that a search selected: q' and the level after it, by hand and as they are defined."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.inference.selection import level_after, q_holds, q_values

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def adjusted(p: list[float], tests: int) -> list[float]:
    """Benjamini and Hochberg's, rank by rank: the least of p_(j) tests / j over j from the rank on, at most 1."""
    ranked = sorted(p)
    found = []
    for one in p:
        # Equal p have one value, that of the last of them.
        ranks = [rank for rank, other in enumerate(ranked, start=1) if other >= one]
        found.append(min([1.0, *(ranked[rank - 1] * tests / rank for rank in ranks)]))
    return found


@pytest.mark.proof
@settings(max_examples=100, deadline=None)
@given(probabilities, st.integers(0, 60))
def test_q_holds_is_of_twice_the_reported_or_of_the_family_if_that_is_smaller(
    p: list[float], family: int
) -> None:
    tests = max(min(2 * len(p), family), len(p))
    assert q_holds(np.array(p), family) == pytest.approx(adjusted(p, tests), rel=1e-9)


@pytest.mark.proof
@settings(max_examples=100, deadline=None)
@given(probabilities, st.integers(0, 60))
def test_q_is_of_the_whole_family(p: list[float], family: int) -> None:
    assert q_values(np.array(p), family) == pytest.approx(adjusted(p, max(family, len(p))), rel=1e-9)


def test_q_by_hand() -> None:
    # Family of 10: .001 x 10/1, .02 x 10/2, .03 x 10/3, .9 x 10/4.
    assert q_values(np.array([0.9, 0.02, 0.001, 0.03]), 10) == pytest.approx([1, 0.1, 0.01, 0.1])


def test_q_holds_by_hand() -> None:
    # Of a family of hundreds four were reported: .001 x 8/1, .004 x 8/2, .03 x 8/3, .2 x 8/4.
    found = q_holds(np.array([0.001, 0.004, 0.03, 0.2]), 392)
    assert found == pytest.approx([0.008, 0.016, 0.08, 0.4])


def test_what_is_left_out_counts_as_p_1() -> None:
    p = np.array([0.001, 0.02])
    whole = q_values(np.concatenate([p, np.ones(8)]), 10)
    assert q_values(p, 10) == pytest.approx(whole[:2])


@pytest.mark.parametrize("family", [0, 1, 3])
def test_a_family_is_no_smaller_than_what_is_found_of_it(family: int) -> None:
    # .2 x 3/1, .5 x 3/2, .9 x 3/3.
    assert q_values(np.array([0.5, 0.9, 0.2]), family) == pytest.approx([0.75, 0.9, 0.6])
    assert q_holds(np.array([0.5, 0.9, 0.2]), family) == pytest.approx([0.75, 0.9, 0.6])


@pytest.mark.proof
@settings(max_examples=60, deadline=None)
@given(probabilities, st.integers(0, 40))
def test_no_q_is_below_its_p(p: list[float], family: int) -> None:
    assert (q_values(np.array(p), family) >= np.array(p) * (1 - 1e-12)).all()
    assert (q_holds(np.array(p), family) >= np.array(p) * (1 - 1e-12)).all()


def test_no_p_no_q() -> None:
    assert len(q_values(np.empty(0), 10)) == len(q_holds(np.empty(0), 10)) == 0


@pytest.mark.parametrize(
    ("reported", "family"), [(1, 1), (4, 6), (40, 392), (1, 100_000), (7, 9), (392, 392)]
)
def test_the_level_after_a_search_is_benjamini_and_yekutielis(reported: int, family: int) -> None:
    # 1.96 stands for 1.959964 where nothing was left out.
    expected = max(1.96, NormalDist().inv_cdf(1 - 0.025 * reported / family))
    assert level_after(reported, family) == pytest.approx(expected, abs=1e-9)


def test_where_nothing_was_reported_the_level_is_the_usual_one() -> None:
    assert level_after(0, 100) == level_after(0, 0) == 1.96


def test_a_family_smaller_than_what_was_reported_of_it_widens_nothing() -> None:
    assert level_after(5, 3) == level_after(5, 0) == 1.96
