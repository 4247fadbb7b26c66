"""Which classes of plain answers a publication withholds, without a survey around them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from mining.disclosure.plain_tables import PlainTable
from mining.disclosure.small_cells import EarlierPublication, SmallCells, hidden
from tests.privacy.questionnaires import design, plain

pytestmark = pytest.mark.slow
Numbers = list[int]
NOTHING: frozenset[int] = frozenset()


# --- by brute force over what both publications reveal -------------------------------------------------


def revealed(withheld: frozenset[int], told: frozenset[int], classes: int) -> NDArray[np.float64]:
    """What one publication tells of its counts: each class that is not withheld, or told elsewhere, and their sum."""
    shown = [state for state in range(classes) if state not in withheld or state in told]
    return np.vstack([np.eye(classes)[shown], np.ones((1, classes))])


def follows(wanted: NDArray[np.float64], known: NDArray[np.float64]) -> bool:
    return bool(np.linalg.matrix_rank(np.vstack([known, wanted])) == np.linalg.matrix_rank(known))


def sets(classes: int) -> list[NDArray[np.float64]]:
    """Every set of some classes, but not of all: how many records there are is known."""
    chosen = [np.array(each, float) for each in product((0, 1), repeat=classes)]
    return [each for each in chosen if 0 < each.sum() < classes]


few_or_many = st.one_of(st.integers(0, 12), st.integers(0, 45))


@settings(max_examples=800)
@given(st.lists(few_or_many, min_size=2, max_size=5), st.data())
def test_no_class_and_no_change_below_ten_follows(before: Numbers, data: st.DataObject) -> None:
    """Of one publication no sum of classes below ten follows, of two none that changed by one to nine."""
    classes = len(before)
    change = [data.draw(st.one_of(st.just(0), few_or_many)) for _count in before]
    counts = np.array(before) + np.array(change)
    told = frozenset({classes - 1} if data.draw(st.booleans()) else ())
    first = hidden(np.array(before), [], told=told)
    second = hidden(counts, [(np.array(change), first)], told=told)
    one, other = (revealed(withheld, told, classes) for withheld in (first, second))
    both = np.block([[one, np.zeros_like(one)], [np.zeros_like(other), other]])
    every = frozenset(range(classes)) - told
    for chosen in sets(classes):
        told_too = any(chosen[state] for state in told)
        if told_too or chosen.sum() == len(every):  # all but what is told is the rest of what is known
            continue
        assert not follows(chosen, other) or chosen @ counts >= 10, (first, second, chosen)
        grown = np.concatenate([-chosen, chosen])
        if second != every and follows(grown, both):
            assert not 0 < chosen @ np.array(change) < 10, (first, second, chosen)


# --- what else must be withheld ------------------------------------------------------------------------


WORK = {"name": "work", "choices": ["none", "some", "much"]}
SHIFT = {"name": "shift", "choices": ["day", "night"], "show_if": {"work": ["some"]}}


def tables(**counts: Numbers) -> dict[tuple[int, ...], PlainTable]:
    """By question its classes of everybody, who were all disguised."""
    places = {"work": 0, "shift": 1}
    return {
        (places[name],): PlainTable((places[name],), np.array([[0] * len(each), each]))
        for name, each in counts.items()
    }


def withheld(earlier: list[EarlierPublication], **counts: Numbers) -> dict[int, frozenset[int]]:
    return SmallCells(design(plain(WORK, SHIFT)), tables(**counts), earlier, False).hidden


def test_of_the_same_records_what_was_withheld_stays_so() -> None:
    """An earlier publication withheld it because of one before that."""
    counts = {"work": [20, 30, 40]}
    same = EarlierPublication(tables(**counts), {0: frozenset({1, 2})}, same=True)
    assert withheld([], **counts) == {0: NOTHING}
    assert withheld([same], **counts) == {0: {1, 2}}


def test_a_question_that_was_not_counted_before_is_withheld_whole() -> None:
    before = EarlierPublication(tables(work=[20, 30, 40]), {0: NOTHING})
    assert withheld([before], work=[20, 30, 40], shift=[20, 10, 60])[1] == {0, 1, 2}


def test_not_applicable_is_withheld_where_the_classes_it_looks_at_are_apart() -> None:
    """The few with much work are withheld with the next class; who was not asked would tell them apart."""
    assert withheld([], work=[100, 20, 4], shift=[10, 10, 104]) == {0: {1, 2}, 1: {0, 2}}


def test_not_applicable_is_told_where_they_are_together() -> None:
    """All who were not asked are among those shown, so that it can hide nothing."""
    assert withheld([], work=[100, 50, 40], shift=[4, 46, 140])[1] == {0, 1}
