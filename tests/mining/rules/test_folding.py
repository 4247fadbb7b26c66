"""Which rules fold beneath shorter ones; mlxtend's measures, which are ours on answers that nobody disguised."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from mlxtend.frequent_patterns import apriori, association_rules

from bench.coverage.heads import searched, worlds
from mining.inference.intervals import NORMAL_95
from mining.inference.score_test import SIDES
from mining.inference.selection_correction import LEVEL
from mining.itemsets.frequent import find_frequent_itemsets
from mining.parameters import Parameters
from mining.queries_and_counters import pad_rows
from mining.reconstruction.supports import ESTIMATORS
from mining.rules import measures, reconstruct_rules
from mining.rules.fold_redundant_rules import UNFOLDED, find_shorter_rules
from mining.rules.rule_intervals import confidence_intervals, confidence_intervals_contain
from mining.rules.rules_from_frequent_itemsets import confident_splits
from tests.mining.listed import Listed
from tests.privacy.questionnaires import YES_NO, design, plain

ALL = pad_rows([[0, 2], [1, 2], [0, 1, 2]])
A_TO_C, B_TO_C, BOTH_TO_C = (0, 0b01), (1, 0b01), (2, 0b011)
HALF = 0.05


def rows_to_fold(rules: dict[tuple[int, int], float], half: float = HALF) -> list[int]:
    """Of rules (row of ALL, antecedent as a mask) with their confidences, each interval so wide to both sides."""
    rows, masks = (np.array(column) for column in zip(*rules, strict=True))
    confidence = np.array(list(rules.values()))
    return list(
        find_shorter_rules(ALL, 8, rows, masks, confidence, lambda of, t: np.abs(t - confidence[of]) <= half)
    )


def test_longer_rule_folds_under_the_shorter_with_nearest_confidence() -> None:
    assert rows_to_fold({A_TO_C: 0.47, B_TO_C: 0.52, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED, 1]
    assert rows_to_fold({A_TO_C: 0.49, B_TO_C: 0.52, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED, 0]
    # It stands alone where its interval excludes both, and folds also where it is a little more confident.
    assert rows_to_fold({A_TO_C: 0.4, B_TO_C: 0.6, BOTH_TO_C: 0.5}) == [UNFOLDED] * 3
    assert rows_to_fold({A_TO_C: 0.4, B_TO_C: 0.54, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED, 1]
    assert rows_to_fold({A_TO_C: 0.5, BOTH_TO_C: 0.51}) == [UNFOLDED, 0]
    # Without a shorter rule or an interval nothing folds, and of no rules none.
    assert rows_to_fold({BOTH_TO_C: 0.5}) == [UNFOLDED]
    assert rows_to_fold({A_TO_C: 0.5, BOTH_TO_C: 0.5}, np.nan) == [UNFOLDED, UNFOLDED]
    assert rows_to_fold({A_TO_C: np.nan, BOTH_TO_C: 0.5}) == [UNFOLDED, UNFOLDED]
    nothing = np.empty(0, np.int64)
    found = find_shorter_rules(ALL, 8, nothing, nothing, np.empty(0), lambda rules, _t: rules >= 0)
    assert found.tolist() == []


@pytest.mark.proof
@given(st.integers(0, 10_000), st.sampled_from([8, 1 << 30]))
def test_folding_matches_comparing_all_pairs_of_rules(seed: int, bound: int) -> None:
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

    def contains(of: Any, t: Any) -> Any:
        return np.abs(t - confidence[of]) <= half[of]

    rows, masks = np.array(rules).T
    found = find_shorter_rules(pad_rows(sets), bound, rows, masks, confidence, contains)
    for rule, (antecedent, consequent) in enumerate(sides):
        shorter = [other for other, (a, c) in enumerate(sides) if a < antecedent and c == consequent]
        apart = {abs(confidence[other] - confidence[rule]): other for other in shorter}
        nearest = min(apart, default=np.inf)
        assert found[rule] == (apart[nearest] if nearest <= half[rule] else UNFOLDED)


@pytest.mark.proof
def test_interval_contains_values_between_its_ends() -> None:
    near = 1e-6
    for world in worlds()[:4]:
        records = world.draw(np.random.default_rng(5))
        wanted = Parameters(world.support, world.confidence)
        itemsets = find_frequent_itemsets(records, wanted).supports.itemsets
        for estimator, side in product(ESTIMATORS, SIDES):
            pieces, _columns = confident_splits(records, itemsets, world.confidence, estimator)
            pieces, order = pieces.with_tests_in_memory(), np.arange(len(pieces))[::-1]
            levels = np.full((len(order), 1), NORMAL_95)
            low, high = confidence_intervals(pieces, side, levels, order)[:, 0].T
            for t in (low - near, low + near, (low + high) / 2, high - near, high + near):
                inside = (np.maximum(low, 0) <= t) & (t <= np.minimum(high, 1))
                found = confidence_intervals_contain(pieces, side, order, t)
                assert (found == inside).all(), (world.name, estimator, side)


@pytest.mark.proof
def test_folded_rule_shows_no_association_its_q_does_not() -> None:
    """Where nothing is associated some fold with a small p, and stand behind hundreds of larger ones."""
    nothing = "nothing is associated"
    (world,) = (one for one in worlds() if one.name == nothing and one.sizes == (10_000,))
    for seed in range(3):
        splits = searched(world, np.random.default_rng(seed)).rules.splits
        larger = splits.level_rank[splits.is_larger]
        assert (larger < np.arange(1, len(larger) + 1)).any(), seed
        assert (splits.q[splits.association != 0] <= LEVEL).all(), seed
        assert (splits.q[splits.head_associations.any(axis=1)] <= LEVEL).all(), seed


SAME = "confidence lift representativity leverage conviction zhangs_metric jaccard certainty kulczynski"
COLUMNS = {f"{side} support": f"{side}_support" for side in ("antecedent", "consequent")}
COLUMNS |= {"support": "share"} | {name: name for name in SAME.split()}
NAMES = ["a", "b", "c", "d", "e"]
OPENLY = design(plain(*({"name": name, "choices": YES_NO} for name in NAMES)))


def answers() -> Listed:
    rng = np.random.default_rng(5)
    said = rng.random((5, 300)) < np.array([[0.6], [0.5], [0.7], [0.4], [0.8]])
    said[1] |= said[0] & (rng.random(300) < 0.7)
    said[2] |= said[3]  # so a confidence is exactly 1
    return Listed(OPENLY, np.zeros(300, np.int64), said.astype(np.int64))


@pytest.mark.proof
def test_every_column_of_folded_rules_agrees() -> None:
    people = answers()
    frequent = apriori(pd.DataFrame(people.codes.T.astype(bool), columns=NAMES), 0.05, use_colnames=True)
    every = (of for size in range(1, 6) for of in combinations(range(5), size))
    said = [of for of in every if (people.codes[list(of)] == 1).all(axis=0).mean() >= 0.05]
    itemsets = [tuple((place, 1) for place in of) for of in said]
    for min_confidence in [0.0, 0.6, 1.0]:
        theirs = association_rules(frequent, metric="confidence", min_threshold=min_confidence)
        ours = reconstruct_rules(people, itemsets, min_confidence, max_size=5)
        by_sides = {sides: row for row, sides in enumerate(map(ours.sides, range(len(ours))))}
        assert len(ours) == len(theirs) > 0
        for _, rule in theirs.iterrows():
            # Item 1 of the numbering is a=yes, 3 is b=yes, and so on.
            first, second = (
                tuple(sorted(2 * NAMES.index(name) + 1 for name in rule[side]))
                for side in ("antecedents", "consequents")
            )
            row = by_sides[first, second]
            # Where nobody contradicts a rule its conviction has no value; mlxtend says infinite.
            assert np.isnan(ours["conviction"][row]) == (rule["conviction"] == np.inf)
            for theirs_, mine in COLUMNS.items():
                if rule[theirs_] != np.inf:
                    assert ours[mine][row] == pytest.approx(rule[theirs_], rel=1e-9, abs=1e-12), mine


@pytest.mark.proof
def test_confidence_of_exactly_1_and_only_plain_answers_fold() -> None:
    ours = reconstruct_rules(answers(), [((2, 1), (3, 1))], 1.0, max_size=2)
    assert [ours.sides(row) for row in range(len(ours))] == [((7,), (5,))]
    assert ours["confidence"][0] == 1
    assert np.isnan(ours["conviction"][0])
    # Of plain answers that all apply the share is the support.
    ours = reconstruct_rules(answers(), [((0, 1), (1, 1)), ((2, 1), (3, 1))], 0.0, max_size=2)
    assert ours["share"].tolist() == ours["support"].tolist()
    assert (ours["base"] == 300).all()
    assert (ours["eligible"] == 300).all()
    assert ours["representativity"].tolist() == [1.0] * len(ours)


def number_array(*values: float) -> np.ndarray:
    return np.array(values)


@pytest.mark.proof
def test_conviction_confidence_and_lift_by_hand() -> None:
    # (1 - .4) / (1 - .75); of a consequent that all have it is 0.
    assert measures.conviction(number_array(0.75, 0.9), number_array(0.4, 1.0)) == pytest.approx([2.4, 0.0])
    # Nobody contradicts the rule, but for rounding, too; or noise.
    confidence = number_array(1.0, 1.0 - 1e-14, 1.0 + 1e-14, 1.3, -0.1, 0.5, np.nan)
    consequent = number_array(0.4, 0.4, 0.4, 0.4, 0.4, 1.2, 0.4)
    assert np.isnan(measures.conviction(confidence, consequent)).all()
    # An antecedent of nothing has no confidence, and nothing is clipped.
    assert np.isnan(measures.confidence(number_array(0.1, 0.1, 0.0), number_array(0.0, 1e-12, -1e-12))).all()
    assert measures.confidence(number_array(-0.1, 0.3), number_array(-0.2, 0.2)) == pytest.approx([0.5, 1.5])
    lifts = measures.lift(number_array(0.3, -0.1), number_array(0.2, 0.2), number_array(0.5, 0.5))
    assert lifts == pytest.approx([3.0, -1.0])
