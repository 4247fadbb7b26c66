from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.counts import padded
from mining.rules.redundant import redundant
from tests.examples import examples

ALL = padded([[0, 1], [0, 2], [1, 2], [0, 1, 2]])


def marked(confidences: dict[tuple[int, int], float]) -> set[tuple[int, int]]:
    """Of rules (row of ALL, antecedent as a mask)."""
    rows = np.array([row for row, _ in confidences])
    masks = np.array([mask for _, mask in confidences])
    found = redundant(ALL, 8, rows, masks, np.array(list(confidences.values())))
    return {rule for rule, is_redundant in zip(confidences, found, strict=True) if is_redundant}


def test_a_rule_no_better_than_a_shorter_one_is_redundant() -> None:
    # 0 -> 2 holds as often as 0, 1 -> 2.
    assert marked({(1, 0b01): 0.8, (3, 0b011): 0.8}) == {(3, 0b011)}


def test_a_better_one_is_not() -> None:
    assert marked({(1, 0b01): 0.8, (3, 0b011): 0.81}) == set()


def test_another_conclusion_is_no_shorter_rule() -> None:
    # 0 -> 1 says nothing of 0, 1 -> 2, nor 0 -> 2 of 0 -> 1, 2.
    assert marked({(0, 0b01): 0.9, (1, 0b01): 0.9, (3, 0b011): 0.8, (3, 0b001): 0.8}) == {(3, 0b011)}
    assert marked({(0, 0b01): 0.9, (3, 0b011): 0.8, (3, 0b001): 0.8}) == set()


FOUR = padded([[0, 3], [0, 1, 3], [0, 1, 2, 3], [2, 3]])


def test_it_is_compared_with_every_shorter_rule_whether_those_between_were_reported_or_not() -> None:
    # 0 -> 3 holds as often as 0, 1, 2 -> 3; 0, 1 -> 3 was not reported, or is worse.
    rows, masks = np.array([0, 2]), np.array([0b01, 0b0111])
    assert redundant(FOUR, 8, rows, masks, np.array([0.8, 0.8])).tolist() == [False, True]
    rows, masks = np.array([0, 1, 2]), np.array([0b01, 0b011, 0b0111])
    assert redundant(FOUR, 8, rows, masks, np.array([0.8, 0.6, 0.7])).tolist() == [False, True, True]
    # A shorter one that is redundant itself counts too, and the best of several decides.
    rows, masks = np.array([0, 3, 2]), np.array([0b01, 0b01, 0b0111])
    assert redundant(FOUR, 8, rows, masks, np.array([0.5, 0.9, 0.8])).tolist() == [False, False, True]


def test_a_shorter_rule_without_confidence_says_nothing() -> None:
    rows, masks = np.array([0, 1]), np.array([0b01, 0b011])
    assert redundant(FOUR, 8, rows, masks, np.array([np.nan, 0.1])).tolist() == [False, False]


def test_of_no_rules_none_is_redundant() -> None:
    nothing = np.empty(0, np.int64)
    assert redundant(FOUR, 8, nothing, nothing, np.empty(0)).tolist() == []
    assert redundant(np.empty((0, 2), np.int32), 8, nothing, nothing, np.empty(0)).tolist() == []


@pytest.mark.proof
@settings(max_examples=examples(50), deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([8, 1 << 30]))
def test_it_is_what_comparing_every_two_rules_gives(seed: int, bound: int) -> None:
    rng = np.random.default_rng(seed)

    sets = [items for size in (2, 3, 4) for items in combinations(range(5), size)]
    # In any order: rules come as they were made.
    sets = [sets[at] for at in rng.permutation(len(sets))]
    rules = [
        (row, mask)
        for row, items in enumerate(sets)
        for mask in range(1, (1 << len(items)) - 1)
        if rng.random() < 0.7
    ]
    confidence = rng.integers(0, 6, len(rules)) / 5
    sides = []
    for row, mask in rules:
        items = sets[row]
        antecedent = {item for place, item in enumerate(items) if mask >> place & 1}
        sides.append((antecedent, set(items) - antecedent))
    expected = [
        any(
            shorter < antecedent and same == consequent and other >= mine
            for (shorter, same), other in zip(sides, confidence, strict=True)
        )
        for (antecedent, consequent), mine in zip(sides, confidence, strict=True)
    ]
    found = redundant(
        padded(sets),
        bound,
        np.array([row for row, _ in rules]),
        np.array([mask for _, mask in rules]),
        confidence,
    )
    assert found.tolist() == expected
