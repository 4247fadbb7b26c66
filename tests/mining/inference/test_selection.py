"""What a selection leaves: q and the levels of heads of lists, by hand and as they are defined."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.inference.selection_correction import (
    ChosenLevels,
    PairFront,
    critical_z,
    displayed_head_length,
    front_page_p_limit,
    list_critical_z,
    q_values,
)
from tests.mining.inference.test_sums_of_shares import VECTORS

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
@given(probabilities, st.integers(0, 60))
def test_q_is_of_the_whole_family(p: list[float], family: int) -> None:
    assert q_values(np.array(p), family) == pytest.approx(adjusted(p, max(family, len(p))), rel=1e-9)


def test_q_by_hand() -> None:
    # Family of 10: .001 x 10/1, .02 x 10/2, .03 x 10/3, .9 x 10/4.
    assert q_values(np.array([0.9, 0.02, 0.001, 0.03]), 10) == pytest.approx([1, 0.1, 0.01, 0.1])


def test_what_is_left_out_counts_as_p_1() -> None:
    p = np.array([0.001, 0.02])
    whole = q_values(np.concatenate([p, np.ones(8)]), 10)
    assert q_values(p, 10) == pytest.approx(whole[:2])


def test_a_family_is_no_smaller_than_what_is_found_of_it(subtests: pytest.Subtests) -> None:
    for family in [0, 1, 3]:
        with subtests.test(f"{family}"):
            # .2 x 3/1, .5 x 3/2, .9 x 3/3.
            assert q_values(np.array([0.5, 0.9, 0.2]), family) == pytest.approx([0.75, 0.9, 0.6])


@pytest.mark.proof
@given(probabilities, st.integers(0, 40))
def test_no_q_is_below_its_p(p: list[float], family: int) -> None:
    assert (q_values(np.array(p), family) >= np.array(p) * (1 - 1e-12)).all()


def test_no_p_no_q() -> None:
    assert len(q_values(np.empty(0), 10)) == 0


def test_the_vectors_of_levels(subtests: pytest.Subtests) -> None:
    for vector in VECTORS["levels"]:
        with subtests.test(f"{vector!r:.60}"):
            places = np.array([min(vector["place"], vector["rank"])])
            assert displayed_head_length(places)[0] == vector["k"]
            assert list_critical_z(places, vector["m"])[0] == pytest.approx(vector["z0"], abs=1e-9)


def test_a_level_falls_with_the_place_and_never_below_that_of_one_interval() -> None:
    levels = list_critical_z(np.arange(1, 3_000), 400)
    assert (np.diff(levels) <= 0).all()
    assert levels[0] == pytest.approx(NormalDist().inv_cdf(1 - 0.025 / 400), abs=1e-9)
    assert levels[-1] == 1.96


def test_an_empty_family_and_an_empty_list_have_usual_levels() -> None:
    assert list_critical_z(np.array([1]), 0)[0] == 1.96
    assert len(list_critical_z(np.empty(0), 5)) == 0


# --- the levels of what stands on the front of a report ---


def test_the_families_share_five_percent_and_so_do_the_statements_of_each() -> None:
    statements = {"pairs": 40, "groups": 10, "arms": 0, "understanding": 1}
    assert front_page_p_limit(statements, "pairs") == pytest.approx(0.05 / 3 / 40)
    assert front_page_p_limit(statements, "understanding") == pytest.approx(0.05 / 3)
    assert front_page_p_limit(statements, "arms") == 0.0
    assert front_page_p_limit({}, "pairs") == 0.0


def test_all_statements_together_err_in_at_most_five_percent() -> None:
    statements = {"pairs": 40, "groups": 10, "understanding": 1}
    assert sum(
        front_page_p_limit(statements, one) * many for one, many in statements.items()
    ) == pytest.approx(0.05)


def test_an_interval_at_the_level_excludes_what_has_a_smaller_p() -> None:
    for part in (0.05, 0.01, 0.0001):
        assert 2 * NormalDist().cdf(-critical_z(part)) <= part + 1e-9


def test_a_planned_row_has_the_level_of_the_plan_and_a_row_beyond_the_front_that_of_the_front() -> None:
    levels = ChosenLevels(np.array([True, False, False, True]), plan=2.5, front=3.0)
    assert levels.critical_z_by_row(np.array([9.0, 3.1, -2.9, np.nan])).tolist() == [2.5, 3.0, 1.96, 2.5]
    assert levels.critical_z_by_row(np.array([0.0, -3.1, np.nan, 0.0])).tolist() == [2.5, 3.0, 1.96, 2.5]


def test_only_planned_splits_that_a_search_could_find_leave_its_family() -> None:
    def sides(*pair: set[int]) -> frozenset[frozenset[int]]:
        return frozenset(map(frozenset, pair))

    front = PairFront(2, frozenset({sides({1}, {2}), sides({1, 2}, {3}), sides({1}, {9})}), 4)
    assert front.count_planned_splits({1, 2, 3}, 3) == 2
    assert front.count_planned_splits({1, 2, 3}, 2) == 1
    assert front.plan_critical_z == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 4 / 2))
    assert front.front_page_critical_z(10) == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 3 / 10 / 2))
