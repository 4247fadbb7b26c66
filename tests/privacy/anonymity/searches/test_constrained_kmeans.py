"""k-means with at least so many rows in each cluster."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from privacy.anonymity.searches.sensitive_value_clustering import constrained_clusters

pytestmark = pytest.mark.proof


def together(labels: NDArray[np.int64]) -> set[tuple[int, ...]]:
    return {tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def test_rows_that_are_near_are_in_one_cluster() -> None:
    rows = np.array([[0.0], [10.0], [1.0], [11.0], [2.0], [12.0]])
    assert together(constrained_clusters(rows, 3)) == {(0, 2, 4), (1, 3, 5)}


def test_a_row_far_from_all_others_gets_the_company_that_costs_least() -> None:
    """Centres 6.5 and 1: 3 costs 12.25 instead of 4 with the row 10, and 2 would cost 20.25 instead of 1."""
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    assert together(constrained_clusters(rows, 2)) == {(0, 1, 2), (3, 4)}


def test_equal_rows_are_shared_out_too() -> None:
    labels = constrained_clusters(np.ones((7, 2)), 3)
    assert sorted(np.bincount(labels).tolist()) == [3, 4]


@given(st.data(), st.integers(1, 3), st.integers(3, 7))
def test_no_other_assignment_to_the_centres_costs_less(data: st.DataObject, least: int, count: int) -> None:
    coordinate = st.integers(0, 20).map(float)
    rows = np.array([data.draw(st.tuples(coordinate, coordinate)) for _row in range(count)])
    labels, clusters = constrained_clusters(rows, least), count // least
    centres = np.stack([rows[labels == cluster].mean(0) for cluster in range(clusters)])
    costs = ((rows[:, None] - centres) ** 2).sum(2)
    allowed = (
        other
        for other in product(range(clusters), repeat=count)
        if min(map(other.count, range(clusters))) >= least
    )
    best = min(sum(costs[row, cluster] for row, cluster in enumerate(other)) for other in allowed)
    assert np.bincount(labels, minlength=clusters).min() >= least
    assert costs[np.arange(count), labels].sum() == pytest.approx(best)
