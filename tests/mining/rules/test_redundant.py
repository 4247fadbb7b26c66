import numpy as np
from hypothesis import given, settings, strategies as st

from mining.counts import filled
from mining.rules.redundant import redundant

ALL = filled([[0, 1], [0, 2], [1, 2], [0, 1, 2]])


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


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_it_is_what_comparing_every_two_rules_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    from itertools import combinations

    sets = [items for size in (2, 3, 4) for items in combinations(range(5), size)]
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
        filled(sets),
        8,
        np.array([row for row, _ in rules]),
        np.array([mask for _, mask in rules]),
        confidence,
    )
    assert found.tolist() == expected
