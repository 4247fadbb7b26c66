"""Which cells outside the regions of a place a publication may show, and what is left of nodes that are withheld."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.disclosure.plain_table_counts import PlainTable
from mining.disclosure.verdict import Verdict
from mining.disclosure.withheld_cells_outside_regions import (
    EarlierCells,
    choose_hidden_cells,
    counts_outside_regions,
    remove_cell_numbers,
)
from mining.findings.remove_withheld_numbers import withhold_number
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_to_json
from mining.nodes.number_nodes import (
    MeanEstimate,
    NumberClasses,
    NumberDistribution,
    NumberEstimates,
    NumberNode,
    NumberShare,
    QuantileStatement,
)
from mining.nodes.place_nodes import OutsideShare, PlaceNode
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceSection
from tests.privacy.questionnaires import HALF, design, place_in_row, plain, question, sensitive

pytestmark = pytest.mark.proof
Numbers = list[int]


def hidden_cells(counts: Numbers, *earlier: EarlierCells) -> Numbers:
    return np.flatnonzero(choose_hidden_cells(np.array(counts), earlier)).tolist()


def earlier_cells(counts: Numbers, gone: Numbers, *, same: bool = False) -> EarlierCells:
    return EarlierCells(np.array(counts), np.isin(np.arange(len(counts)), gone), same)


def test_small_cells_are_withheld_with_the_next_smallest_up_to_ten() -> None:
    cases: list[tuple[Numbers, Numbers]] = [
        ([10, 20, 30], []),
        ([9, 20, 30], [0, 1]),
        ([3, 4, 50, 12], [0, 1, 3]),
        ([6, 5, 50], [0, 1]),
        ([6, 4, 50], [0, 1]),
        ([0, 20, 30], [0, 1]),
        ([9], [0]),
        ([1, 2], [0, 1]),
    ]
    for counts, found in cases:
        assert hidden_cells(counts) == found, counts


def test_cells_that_changed_by_one_to_nine_are_withheld() -> None:
    assert hidden_cells([32, 50, 43], earlier_cells([20, 30, 40], [])) == [0, 2]
    assert hidden_cells([20, 50, 43], earlier_cells([20, 30, 40], [])) == [0, 1, 2]
    assert hidden_cells([20, 30, 50], earlier_cells([20, 30, 40], [])) == []
    # a and b were withheld, change together, and are now 45 more than the 12 of then.
    assert hidden_cells([27, 30, 50], earlier_cells([2, 10, 50], [0, 1])) == []
    assert hidden_cells([10, 10, 50], earlier_cells([2, 10, 50], [0, 1])) == [0, 1, 2]
    # Of the same records what was withheld stays so.
    assert hidden_cells([20, 30, 40], earlier_cells([20, 30, 40], [1, 2], same=True)) == [1, 2]


some_counts = st.lists(st.integers(0, 60), min_size=1, max_size=8)


@given(some_counts, st.data())
def test_no_cell_and_no_difference_below_ten_can_be_inferred(counts: Numbers, data: st.DataObject) -> None:
    """By brute force over what is shown: each cell, the sum of the others, and the same of both publications."""
    old = [data.draw(st.integers(0, count)) for count in counts]
    first = choose_hidden_cells(np.array(old), [])
    second = choose_hidden_cells(np.array(counts), [earlier_cells(old, np.flatnonzero(first).tolist())])
    for values, gone in ((old, first), (counts, second)):
        assert all(value >= 10 for value, is_gone in zip(values, gone, strict=True) if not is_gone)
        rest = sum(value for value, is_gone in zip(values, gone, strict=True) if is_gone)
        assert gone.all() or not gone.any() or (rest >= 10 and gone.sum() >= 2)
    change = np.array(counts) - np.array(old)
    assert all(not 0 < one < 10 for one in change[~first & ~second])
    if not second.all() and not (first & second).any():
        assert not 0 < change[second].sum() < 10 or not second.any()


def test_four_thousand_cells_are_checked_quickly() -> None:
    rng = np.random.default_rng(1)
    old = rng.poisson(12, 4096)
    new = old + rng.poisson(6, 4096)
    gone = choose_hidden_cells(old, [])
    assert choose_hidden_cells(new, [EarlierCells(old, gone, same=False)]).sum() > 2000


# --- the node -------------------------------------------------------------------------------------------

CELL = 7.125


def law() -> PlaceLaw:
    """Of four cells 0 and 1 are the north, and 2 and 3 lie outside."""
    (section,) = design(place_in_row("home", {"north": [0, 1]}, 4, 2, "6")).sections
    assert isinstance(section, PlaceSection)
    return section.law


def place_of_symbols() -> PlaceNode:
    every, outside = (CELL,) * 4, OutsideShare(CELL, CELL, CELL)
    return PlaceNode("home", int(CELL), every, every, (outside, outside))


def test_withheld_cell_is_nowhere_and_other_cells_are_unchanged() -> None:
    assert str(CELL) in str(node_to_json(place_of_symbols()))
    for hides in (None, range(4)):
        left = str(node_to_json(remove_cell_numbers(place_of_symbols(), law(), hides)))
        assert str(CELL) not in left
        assert (str(int(CELL)) in left) == (hides is not None)
    some = remove_cell_numbers(place_of_symbols(), law(), {1, 3})
    assert some.received == some.illustration == (CELL, None, CELL, None)
    assert some.outside == (OutsideShare(CELL, CELL, CELL), None)
    assert some.n_asked == place_of_symbols().n_asked
    # Of a place that is not estimated not even the base stays.
    nothing = PlaceNode("home", 40, outside=(None, None))
    assert remove_cell_numbers(nothing, law(), ()) == PlaceNode("home", None)


def test_outside_cell_counts_are_those_received() -> None:
    estimate = OutsideShare(0.1, None, None)
    told = PlaceNode("home", 200, (0.3, 0.3, 0.25, 0.15), (), (estimate, estimate))
    assert counts_outside_regions(told, law(), None).tolist() == [50, 30]
    # Of 80 elsewhere, the table of regions says.
    hidden = PlaceNode("home", 200, (0.3, 0.3, None, None), (), (None, None))
    table = PlainTable((0,), np.array([120, 80]))
    assert counts_outside_regions(hidden, law(), table).tolist() == [80, 0]


MARKER = 7125
CELLS = (float(MARKER),) * 2
SHARE = NumberShare(MARKER, MARKER, MARKER, *CELLS, *CELLS)
NO_NUMBERS = NumberEstimates(None, None)
MARKED = NumberEstimates(
    MARKER,
    MARKER,
    MeanEstimate(*CELLS, *CELLS),
    (QuantileStatement(float(MARKER), MARKER, MARKER),),
    (SHARE,),
    (SHARE, SHARE),
    NumberDistribution(MARKER, CELLS, CELLS, CELLS, MARKER, CELLS, CELLS),
)
BY_CLASS = NumberClasses("age", (MARKED, MARKED)), NumberClasses("sex", (MARKED,))
NODE = NumberNode("pay", "classes", MARKED, BY_CLASS)

DESIGN = design(
    plain(*({"name": name, "choices": ["one", "two"]} for name in ("age", "sex"))),
    sensitive("0.5", question("pay", *HALF)),
)
NAMES = AnswerNames(DESIGN)
AGE, SEX, PAY = range(3)


class OfClasses(Verdict):
    """The number alone is told unless it is `untold`, with a question always."""

    def may_tell(self, questions: Iterable[int]) -> bool:
        return tuple(questions) not in self.untold


def withhold_in_node(
    node: NumberNode = NODE, *, everybody: bool = True, age: Collection[int] = (), sex: Collection[int] = ()
) -> NumberNode:
    untold = frozenset() if everybody else frozenset({(PAY,)})
    hidden = {AGE: frozenset({0, 1}.difference(age)), SEX: frozenset({0, 1}.difference(sex))}
    return withhold_number(node, NAMES, OfClasses(DESIGN, hidden, untold=untold))


def test_everybody_and_each_class_are_withheld_separately() -> None:
    left = withhold_in_node(everybody=False)
    assert str(MARKER) not in str(node_to_json(left))
    assert left.question == "pay"
    assert [(of.question, len(of.classes)) for of in left.groups] == [("age", 2), ("sex", 1)]
    assert withhold_in_node(age={0, 1}, sex={0}) == NODE
    left = withhold_in_node(everybody=False, age={1})
    assert left.all_records == NO_NUMBERS
    assert [of.classes for of in left.groups] == [(NO_NUMBERS, MARKED), (NO_NUMBERS,)]
    left = withhold_in_node(age={0})
    assert left.all_records == MARKED
    assert left.groups[0].classes == (MARKED, NO_NUMBERS)


def test_place_without_estimate_states_not_even_its_records() -> None:
    bare = replace(SHARE, share=None)
    found = replace(MARKED, shares=(SHARE, bare), classes=(bare, SHARE))
    left = withhold_in_node(replace(NODE, all_records=found)).all_records
    assert [one.n_asked for one in (*left.shares, *left.classes)] == [MARKER, None, None, MARKER]
    for found in (NumberEstimates(40, 3), NumberEstimates(40, 3, shares=(bare,))):
        assert withhold_in_node(replace(NODE, all_records=found)).all_records == NO_NUMBERS
