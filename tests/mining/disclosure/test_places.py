"""Which cells outside the regions of a place a publication may show."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.disclosure.cells_outside_regions import (
    EarlierCells,
    choose_hidden_cells,
    counts_outside_regions,
    remove_cells,
)
from mining.disclosure.plain_table_counts import PlainTable
from mining.report.json_codec import dump
from mining.report.place_nodes import OutsideShare, PlaceNode
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceSection
from tests.privacy.questionnaires import design, place_in_row

pytestmark = pytest.mark.proof
Numbers = list[int]


def hidden(counts: Numbers, *earlier: EarlierCells) -> Numbers:
    return np.flatnonzero(choose_hidden_cells(np.array(counts), earlier)).tolist()


def before(counts: Numbers, gone: Numbers, *, same: bool = False) -> EarlierCells:
    return EarlierCells(np.array(counts), np.isin(np.arange(len(counts)), gone), same)


def test_small_cells_are_withheld_with_the_next_smallest_until_there_are_ten(
    subtests: pytest.Subtests,
) -> None:
    cases: list[tuple[Numbers, Numbers]] = [
        ([10, 20, 30], []),
        ([9, 20, 30], [0, 1]),
        ([3, 4, 50, 12], [0, 1, 3]),
        ([6, 5, 50], [0, 1]),
        ([0, 20, 30], [0, 1]),
        ([9], [0]),
        ([1, 2], [0, 1]),
    ]
    for counts, found in cases:
        with subtests.test(f"{counts!r:.60} {found!r:.60}"):
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
    first = choose_hidden_cells(np.array(old), [])
    second = choose_hidden_cells(np.array(counts), [before(old, np.flatnonzero(first).tolist())])
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
    gone = choose_hidden_cells(old, [])
    assert choose_hidden_cells(new, [EarlierCells(old, gone, same=False)]).sum() > 2000


# --- the node -------------------------------------------------------------------------------------------

MARKER = 7.125


def law() -> PlaceLaw:
    """Of four cells 0 and 1 are the north, and 2 and 3 lie outside."""
    (section,) = design(place_in_row("home", {"north": [0, 1]}, 4, 2, "6")).sections
    assert isinstance(section, PlaceSection)
    return section.law


def marked() -> PlaceNode:
    every, outside = (MARKER,) * 4, OutsideShare(MARKER, MARKER, MARKER)
    return PlaceNode("home", int(MARKER), every, every, (outside, outside))


@pytest.mark.parametrize("hidden", [None, range(4)])
def test_what_is_withheld_of_a_place_stands_nowhere_in_it(hidden: range | None) -> None:
    left = str(dump(remove_cells(marked(), law(), hidden)))
    assert str(MARKER) in str(dump(marked()))
    assert str(MARKER) not in left
    assert (str(int(MARKER)) in left) == (hidden is not None)


def test_the_other_cells_stay_as_they_are() -> None:
    left = remove_cells(marked(), law(), {1, 3})
    for values in (left.received, left.illustration):
        assert values == (MARKER, None, MARKER, None)
    assert left.outside == (OutsideShare(MARKER, MARKER, MARKER), None)
    assert left.n_asked == marked().n_asked


def test_of_a_place_that_is_not_estimated_not_even_the_base_stays() -> None:
    assert remove_cells(PlaceNode("home", 40, outside=(None, None)), law(), ()) == PlaceNode("home", None)


def test_cells_outside_are_counted_from_what_was_received_there() -> None:
    estimate = OutsideShare(0.1, None, None)
    told = PlaceNode("home", 200, (0.3, 0.3, 0.25, 0.15), (), (estimate, estimate))
    assert counts_outside_regions(told, law(), None).tolist() == [50, 30]


def test_the_first_cell_that_a_run_has_withheld_stands_for_all_of_them() -> None:
    """Of 80 elsewhere, the table of regions says."""
    hidden = PlaceNode("home", 200, (0.3, 0.3, None, None), (), (None, None))
    table = PlainTable((0,), np.array([120, 80]))
    assert counts_outside_regions(hidden, law(), table).tolist() == [80, 0]
