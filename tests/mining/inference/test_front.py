"""The levels of what stands on the front of a report."""

from statistics import NormalDist

import numpy as np
import pytest

from mining.inference.selection_correction import ChosenLevels, PairFront, critical_z, front_p_limit


def test_the_families_share_five_percent_and_so_do_the_statements_of_each() -> None:
    statements = {"pairs": 40, "groups": 10, "arms": 0, "understanding": 1}
    assert front_p_limit(statements, "pairs") == pytest.approx(0.05 / 3 / 40)
    assert front_p_limit(statements, "understanding") == pytest.approx(0.05 / 3)
    assert front_p_limit(statements, "arms") == 0.0
    assert front_p_limit({}, "pairs") == 0.0


def test_all_statements_together_err_in_at_most_five_percent() -> None:
    statements = {"pairs": 40, "groups": 10, "understanding": 1}
    assert sum(front_p_limit(statements, one) * many for one, many in statements.items()) == pytest.approx(
        0.05
    )


def test_an_interval_at_the_level_excludes_what_has_a_smaller_p() -> None:
    for part in (0.05, 0.01, 0.0001):
        assert 2 * NormalDist().cdf(-critical_z(part)) <= part + 1e-9


def test_a_planned_row_has_the_level_of_the_plan_and_a_row_beyond_the_front_that_of_the_front() -> None:
    levels = ChosenLevels(np.array([True, False, False, True]), plan=2.5, front=3.0)
    assert levels.levels_for(np.array([9.0, 3.1, -2.9, np.nan])).tolist() == [2.5, 3.0, 1.96, 2.5]
    assert levels.levels_for(np.array([0.0, -3.1, np.nan, 0.0])).tolist() == [2.5, 3.0, 1.96, 2.5]


def test_only_planned_splits_that_a_search_could_find_leave_its_family() -> None:
    def sides(*pair: set[int]) -> frozenset[frozenset[int]]:
        return frozenset(map(frozenset, pair))

    front = PairFront(2, frozenset({sides({1}, {2}), sides({1, 2}, {3}), sides({1}, {9})}), 4)
    assert front.count_planned_splits({1, 2, 3}, 3) == 2
    assert front.count_planned_splits({1, 2, 3}, 2) == 1
    assert front.plan_level == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 4 / 2))
    assert front.level(10) == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 3 / 10 / 2))
