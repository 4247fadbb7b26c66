"""Which classes of plain answers a publication withholds, without a survey around them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from scipy.linalg import block_diag, null_space

from mining.disclosure.plain_table_counts import PlainTable
from mining.disclosure.small_cells import Counts, EarlierPublication, SmallCells, choose_withheld_classes
from tests.privacy.questionnaires import design, plain

pytestmark = pytest.mark.proof
Numbers = list[int]
NOTHING: frozenset[int] = frozenset()


# --- by brute force over what both publications reveal -------------------------------------------------


def linear_equations(withheld: frozenset[int], told: frozenset[int], classes: int) -> NDArray[np.float64]:
    """What one publication tells of its counts: each class that is not withheld, or told elsewhere, and their sum."""
    shown = [state for state in range(classes) if state not in withheld or state in told]
    return np.vstack([np.eye(classes)[shown], np.ones((1, classes))])


def follow_from_known(wanted: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of the wanted sums are linear combinations of the known ones."""
    return np.asarray(np.abs(wanted @ null_space(known)).max(axis=1, initial=0.0) < 1e-9)


def sets(classes: int) -> NDArray[np.float64]:
    """Every set of some classes, but not of all: how many records there are is known."""
    chosen = np.array(list(product((0.0, 1.0), repeat=classes)))
    return np.asarray(chosen[np.isin(chosen.sum(axis=1), range(1, classes))])


def no_small_ones_follow(
    chosen: NDArray[np.float64],
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    counts: Counts,
    change: Counts,
) -> None:
    """Of what the second publication tells no sum below ten, of both none that changed by one to nine."""
    small = chosen[follow_from_known(chosen, other) & (chosen @ counts < 10)]
    assert not len(small), small
    both = follow_from_known(np.hstack([-chosen, chosen]), block_diag(one, other))
    changed = chosen[both & np.isin(chosen @ change, range(1, 10))]
    assert not len(changed), changed


few_or_many = st.one_of(st.integers(0, 12), st.integers(0, 45))


@settings(max_examples=100)
@given(st.lists(few_or_many, min_size=2, max_size=5), st.data())
def test_no_class_and_no_change_below_ten_can_be_inferred(before: Numbers, data: st.DataObject) -> None:
    """Of one publication no sum of classes below ten follows, of two none that changed by one to nine."""
    classes = len(before)
    change = [data.draw(st.one_of(st.just(0), few_or_many)) for _count in before]
    counts = np.array(before) + np.array(change)
    told = frozenset({classes - 1} if data.draw(st.booleans()) else ())
    first = choose_withheld_classes(np.array(before), [], published_elsewhere=told)
    second = choose_withheld_classes(counts, [(np.array(change), first)], published_elsewhere=told)
    one, other = (linear_equations(withheld, told, classes) for withheld in (first, second))
    every = frozenset(range(classes)) - told
    chosen = sets(classes)
    # All but what is told is the rest of what is known.
    chosen = chosen[(chosen[:, [*told]].sum(axis=1) == 0) & (chosen.sum(axis=1) < len(every))]
    no_small_ones_follow(chosen, one, other, counts, np.array(change))


# --- by brute force over tables of two questions --------------------------------------------------------


FIRST, SECOND = {"name": "first", "choices": ["a", "b"]}, {"name": "second", "choices": list("wxyz")}
TWO = design(plain(FIRST, SECOND))
SHAPE = (2, 4)
CELLS = 8


def table_of(cells: Counts) -> dict[tuple[int, ...], PlainTable]:
    """Both questions, each alone and together, of the disguised."""
    two = cells.reshape(SHAPE)
    counted = {(0,): two.sum(axis=1), (1,): two.sum(axis=0), (0, 1): two}
    return {of: PlainTable(of, counts) for of, counts in counted.items()}


def told_of(published: SmallCells) -> NDArray[np.float64]:
    """What is published of the cells: how many there are, the classes shown, and the table where that is safe."""
    cell = np.arange(CELLS).reshape(SHAPE)
    known: list[NDArray[np.generic]] = [np.ones(CELLS)]
    classes = []
    for place in (0, 1):
        withheld = published.withheld_choices[place]
        shown = [{state} for state in range(SHAPE[place]) if state not in withheld]
        known += [np.isin(np.arange(CELLS), np.take(cell, [*of], place)) for of in shown]
        classes.append([*shown, *([withheld] if withheld else [])])
    if published.is_safe((0, 1)):
        joint = (cell[np.ix_([*one], [*other])] for one, other in product(*classes))
        known += [np.isin(np.arange(CELLS), cells) for cells in joint]
    return np.array(known, float)


def withhold_small_cells(cells: Numbers, *earlier: SmallCells, counted: bool = True) -> SmallCells:
    """`counted`: the table of both questions was."""
    tables = {of: table for of, table in table_of(np.array(cells)).items() if counted or len(of) == 1}
    before = [EarlierPublication(each.tables, each.withheld_choices) for each in earlier]
    return SmallCells(TWO, tables, before)


@settings(max_examples=50)
@given(
    st.lists(st.one_of(st.integers(0, 12), st.integers(10, 45)), min_size=CELLS, max_size=CELLS),
    st.lists(st.sampled_from([0, 0, 0, 1, 4, 9, 10, 12, 30]), min_size=CELLS, max_size=CELLS),
)
def test_no_cell_of_two_questions_and_no_change_below_ten_can_be_inferred(
    before: Numbers, change: Numbers
) -> None:
    counts = np.array(before) + np.array(change)
    first = withhold_small_cells(before)
    second = withhold_small_cells(counts.tolist(), first)
    no_small_ones_follow(sets(CELLS), told_of(first), told_of(second), counts, np.array(change))


def test_table_not_counted_before_is_not_published() -> None:
    """Nobody knows how far each of its cells has changed."""
    before, now = [50] * CELLS, [60] * CELLS
    assert withhold_small_cells(now, withhold_small_cells(before)).is_safe((0, 1))
    assert not withhold_small_cells(now, withhold_small_cells(before, counted=False)).is_safe((0, 1))
    assert not withhold_small_cells(now, counted=False).is_safe((0, 1))


# --- what else must be withheld ------------------------------------------------------------------------


WORK = {"name": "work", "choices": ["none", "some", "much"]}
SHIFT = {"name": "shift", "choices": ["day", "night"], "show_if": {"work": ["some"]}}


def tables(**counts: Numbers) -> dict[tuple[int, ...], PlainTable]:
    """By question its classes of the disguised."""
    places = {"work": 0, "shift": 1}
    return {(places[name],): PlainTable((places[name],), np.array(each)) for name, each in counts.items()}


def withheld_by_question(earlier: list[EarlierPublication], **counts: Numbers) -> dict[int, frozenset[int]]:
    return SmallCells(design(plain(WORK, SHIFT)), tables(**counts), earlier).withheld_choices


def test_repeated_publication_withholds_the_same_and_a_new_question_wholly() -> None:
    """An earlier publication withheld it because of one before that."""
    counts = {"work": [20, 30, 40]}
    same = EarlierPublication(tables(**counts), {0: frozenset({1, 2})}, same=True)
    assert withheld_by_question([], **counts) == {0: NOTHING}
    assert withheld_by_question([same], **counts) == {0: {1, 2}}
    before = EarlierPublication(tables(**counts), {0: NOTHING})
    assert withheld_by_question([before], **counts, shift=[20, 10, 60])[1] == {0, 1, 2}


def test_not_applicable_is_withheld_where_its_classes_are_separate() -> None:
    """An earlier publication withheld the few with much work beside some; who was not asked would tell them apart."""
    counts = {"work": [100, 20, 4], "shift": [10, 10, 104]}
    same = EarlierPublication(tables(**counts), {0: frozenset({1, 2}), 1: NOTHING}, same=True)
    assert withheld_by_question([same], **counts) == {0: {1, 2}, 1: {0, 2}}
    assert withheld_by_question([], **counts) == {0: {0, 2}, 1: NOTHING}
    # All who were not asked are among those shown, so that it can hide nothing.
    assert withheld_by_question([], work=[100, 50, 40], shift=[4, 46, 140])[1] == {0, 1}


def test_disclosed_not_applicable_protected_nothing_before() -> None:
    """Earlier versions withheld it beside one other class, which then was all but what is shown: six, now eleven."""
    counts = {"work": [116, 70, 54], "shift": [11, 59, 170]}
    before = tables(work=[100, 50, 40], shift=[6, 44, 140])
    other = EarlierPublication(before, {0: NOTHING, 1: frozenset({0, 1})})
    assert withheld_by_question([other], **counts)[1] == NOTHING
    alone = EarlierPublication(before, {0: NOTHING, 1: frozenset({0, 2})})
    assert withheld_by_question([alone], **counts)[1] == {0, 1}


def test_class_changed_by_few_is_withheld_with_one_other() -> None:
    changes = [(np.array([0, 0, 5, 20]), NOTHING)]
    assert choose_withheld_classes(np.array([70, 100, 90, 60]), changes) == {2, 3}


def test_partner_of_a_small_class_is_on_the_same_side_of_a_rule() -> None:
    """Else the rule would divide what is withheld, and the question that it shows could not be told."""
    counts = np.array([120, 60, 4, 100])
    assert choose_withheld_classes(counts, []) == {1, 2}
    assert choose_withheld_classes(counts, [], rule_classes=[frozenset({0, 2})]) == {0, 2}
    assert choose_withheld_classes(np.array([120, 60, 4, 100]), [], rule_classes=[frozenset({2})]) == {1, 2}
