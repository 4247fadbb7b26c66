from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench.coverage.heads import searched, worlds
from mining.inference.intervals import NORMAL_95
from mining.inference.score_test import SIDES
from mining.inference.selection_correction import LEVEL
from mining.itemsets.frequent import find_frequent_itemsets
from mining.parameters import Parameters
from mining.queries_and_counters import pad_rows
from mining.reconstruction.supports import ESTIMATORS
from mining.rules.fold_redundant_rules import UNFOLDED, fold_rules
from mining.rules.rule_intervals import confidence_intervals, confidence_intervals_contain
from mining.rules.table import confident_splits

ALL = pad_rows([[0, 2], [1, 2], [0, 1, 2]])
A_TO_C, B_TO_C, BOTH_TO_C = (0, 0b01), (1, 0b01), (2, 0b011)
HALF = 0.05


def under(rules: dict[tuple[int, int], float], half: float = HALF) -> list[int]:
    """Of rules (row of ALL, antecedent as a mask) with their confidences, each interval so wide to both sides."""
    rows, masks = (np.array(column) for column in zip(*rules, strict=True))
    confidence = np.array(list(rules.values()))
    return list(fold_rules(ALL, 8, rows, masks, confidence, lambda of, t: np.abs(t - confidence[of]) <= half))


def test_a_longer_rule_folds_beneath_the_shorter_one_with_the_nearest_confidence() -> None:
    assert under({A_TO_C: 0.47, B_TO_C: 0.52, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED, 1]
    assert under({A_TO_C: 0.49, B_TO_C: 0.52, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED, 0]


def test_it_stands_alone_where_its_interval_excludes_both() -> None:
    assert under({A_TO_C: 0.4, B_TO_C: 0.6, BOTH_TO_C: 0.5}) == [UNFOLDED] * 3
    assert under({A_TO_C: 0.4, B_TO_C: 0.54, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED, 1]


def test_it_folds_also_where_it_is_a_little_more_confident() -> None:
    assert under({A_TO_C: 0.5, BOTH_TO_C: 0.51}) == [UNFOLDED, 0]


def test_without_a_shorter_rule_or_an_interval_nothing_folds() -> None:
    assert under({BOTH_TO_C: 0.5}) == [UNFOLDED]
    assert under({A_TO_C: 0.5, BOTH_TO_C: 0.5}, np.nan) == [UNFOLDED, UNFOLDED]
    assert under({A_TO_C: np.nan, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED]


def test_of_no_rules_none_folds() -> None:
    nothing = np.empty(0, np.int64)
    none = np.empty(0)
    assert fold_rules(ALL, 8, nothing, nothing, none, lambda rules, _t: rules >= 0).tolist() == []


@pytest.mark.proof
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
    confidence, half = rng.random(len(rules)), rng.uniform(0, 0.3, len(rules))
    sides = []
    for row, mask in rules:
        antecedent = {item for place, item in enumerate(sets[row]) if mask >> place & 1}
        sides.append((antecedent, set(sets[row]) - antecedent))
    found = fold_rules(
        pad_rows(sets),
        bound,
        np.array([row for row, _ in rules]),
        np.array([mask for _, mask in rules]),
        confidence,
        lambda of, t: np.abs(t - confidence[of]) <= half[of],
    )
    for rule, (antecedent, consequent) in enumerate(sides):
        inside = {
            abs(confidence[other] - confidence[rule]): other
            for other, (shorter, same) in enumerate(sides)
            if shorter < antecedent
            and same == consequent
            and abs(confidence[other] - confidence[rule]) <= half[rule]
        }
        assert found[rule] == (inside[min(inside)] if inside else UNFOLDED)


def test_an_interval_contains_what_lies_between_its_ends(subtests: pytest.Subtests) -> None:
    near = 1e-6
    for world in worlds()[:4]:
        records = world.draw(np.random.default_rng(5))
        itemsets = find_frequent_itemsets(
            records, Parameters(world.support, world.confidence)
        ).supports.itemsets
        for estimator in ESTIMATORS:
            with subtests.test(f"{world.name}, {estimator}"):
                pieces, _columns = confident_splits(records, itemsets, world.confidence, estimator)
                pieces, order = pieces.with_tests_in_memory(), np.arange(len(pieces))[::-1]
                for side in SIDES:
                    levels = np.full((len(order), 1), NORMAL_95)
                    low, high = confidence_intervals(pieces, side, levels, order)[:, 0].T
                    for t in (low - near, low + near, (low + high) / 2, high - near, high + near):
                        inside = (np.maximum(low, 0) <= t) & (t <= np.minimum(high, 1))
                        assert (confidence_intervals_contain(pieces, side, order, t) == inside).all()


def test_no_rule_that_folds_shows_an_association_that_its_q_does_not(subtests: pytest.Subtests) -> None:
    """Where nothing is associated some fold with a small p, and stand behind hundreds of larger ones."""
    for seed in range(3):
        with subtests.test(f"{seed}"):
            (world,) = (
                one for one in worlds() if one.name == "nothing is associated" and one.sizes == (10_000,)
            )
            splits = searched(world, np.random.default_rng(seed)).rules.splits
            ranks = np.arange(1, len(splits) + 1)
            assert (splits.level_rank < ranks).any()
            assert (splits.q[splits.association != 0] <= LEVEL).all()
            assert (splits.q[splits.head_associations.any(axis=1)] <= LEVEL).all()
