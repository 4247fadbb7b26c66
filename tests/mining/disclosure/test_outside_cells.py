"""Which cells outside the regions of a place a publication may show."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.disclosure.outside_cells import EarlierCells, hidden_cells

pytestmark = pytest.mark.proof
Numbers = list[int]


def hidden(counts: Numbers, *earlier: EarlierCells) -> Numbers:
    return np.flatnonzero(hidden_cells(np.array(counts), earlier)).tolist()


def before(counts: Numbers, gone: Numbers, *, same: bool = False) -> EarlierCells:
    return EarlierCells(np.array(counts), np.isin(np.arange(len(counts)), gone), same)


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ([10, 20, 30], []),
        ([9, 20, 30], [0, 1]),
        ([3, 4, 50, 12], [0, 1, 3]),
        ([6, 5, 50], [0, 1]),
        ([0, 20, 30], [0, 1]),
        ([9], [0]),
        ([1, 2], [0, 1]),
    ],
)
def test_small_cells_are_withheld_with_the_next_smallest_until_there_are_ten(
    counts: Numbers, found: Numbers
) -> None:
    assert hidden(counts) == found


def test_a_cell_that_changed_by_one_to_nine_is_withheld() -> None:
    assert hidden([32, 50, 43], before([20, 30, 40], [])) == [0, 2]
    assert hidden([20, 50, 43], before([20, 30, 40], [])) == [0, 1, 2]
    assert hidden([20, 30, 50], before([20, 30, 40], [])) == []


def test_cells_that_were_withheld_change_together() -> None:
    """a and b were withheld, and are now 45 more than the 12 of then."""
    assert hidden([27, 30, 50], before([2, 10, 50], [0, 1])) == []
    assert hidden([10, 10, 50], before([2, 10, 50], [0, 1])) == [0, 1, 2]


def test_of_the_same_records_what_was_withheld_stays_so() -> None:
    assert hidden([20, 30, 40], before([20, 30, 40], [1, 2], same=True)) == [1, 2]


counted = st.lists(st.integers(0, 60), min_size=1, max_size=8)


@given(counted, st.data())
def test_no_cell_and_no_difference_below_ten_follows(counts: Numbers, data: st.DataObject) -> None:
    """By brute force over what is shown: each cell, the sum of the others, and the same of both publications."""
    old = [data.draw(st.integers(0, count)) for count in counts]
    first = hidden_cells(np.array(old), [])
    second = hidden_cells(np.array(counts), [before(old, np.flatnonzero(first).tolist())])
    for values, gone in ((old, first), (counts, second)):
        assert all(value >= 10 for value, is_gone in zip(values, gone, strict=True) if not is_gone)
        rest = sum(value for value, is_gone in zip(values, gone, strict=True) if is_gone)
        assert gone.all() or not gone.any() or (rest >= 10 and gone.sum() >= 2)
    change = np.array(counts) - np.array(old)
    assert all(not 0 < one < 10 for one in change[~first & ~second])
    if not second.all() and not (first & second).any():
        assert not 0 < change[second].sum() < 10 or not second.any()


def test_four_thousand_cells_take_no_time() -> None:
    rng = np.random.default_rng(1)
    old = rng.poisson(12, 4096)
    new = old + rng.poisson(6, 4096)
    gone = hidden_cells(old, [])
    assert hidden_cells(new, [EarlierCells(old, gone, same=False)]).sum() > 2000
