"""On answers that nobody disguised, our rules are mlxtend's."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori, association_rules

from mining.rules import rules
from tests.mining.listed import Listed
from tests.privacy.questionnaires import YES_NO, design, plain

pytestmark = pytest.mark.proof
COLUMNS = {
    "antecedent support": "antecedent_support",
    "consequent support": "consequent_support",
    "support": "share",
    "confidence": "confidence",
    "lift": "lift",
    "representativity": "representativity",
    "leverage": "leverage",
    "conviction": "conviction",
    "zhangs_metric": "zhangs_metric",
    "jaccard": "jaccard",
    "certainty": "certainty",
    "kulczynski": "kulczynski",
}
NAMES = ["a", "b", "c", "d", "e"]
OPENLY = design(plain(*({"name": name, "choices": YES_NO} for name in NAMES)))


def answers() -> Listed:
    rng = np.random.default_rng(5)
    said = rng.random((5, 300)) < np.array([[0.6], [0.5], [0.7], [0.4], [0.8]])
    said[1] |= said[0] & (rng.random(300) < 0.7)
    said[2] |= said[3]  # so a confidence is exactly 1
    return Listed(OPENLY, np.zeros(300, np.int64), said.astype(np.int64))


def test_every_column_agrees(subtests: pytest.Subtests) -> None:
    for min_confidence in [0.0, 0.6, 1.0]:
        with subtests.test(f"{min_confidence}"):
            people = answers()
            table = pd.DataFrame(people.codes.T.astype(bool), columns=NAMES)
            theirs = association_rules(
                apriori(table, 0.05, use_colnames=True), metric="confidence", min_threshold=min_confidence
            )
            itemsets = [
                tuple((place, 1) for place in places)
                for size in range(1, 6)
                for places in combinations(range(5), size)
                if (people.codes[list(places)] == 1).all(axis=0).mean() >= 0.05
            ]
            ours = rules(people, itemsets, min_confidence, max_size=5)
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
                assert np.isnan(ours.conviction[row]) == (rule["conviction"] == np.inf)
                for theirs_, mine in COLUMNS.items():
                    if rule[theirs_] != np.inf:
                        assert getattr(ours, mine)[row] == pytest.approx(rule[theirs_], rel=1e-9, abs=1e-12)


def test_some_confidence_is_exactly_1_and_its_conviction_has_no_value() -> None:
    ours = rules(answers(), [((2, 1), (3, 1))], 1.0, max_size=2)
    assert [ours.sides(row) for row in range(len(ours))] == [((7,), (5,))]
    assert ours.confidence[0] == 1
    assert np.isnan(ours.conviction[0])


def test_of_plain_answers_that_all_apply_the_share_is_the_support() -> None:
    ours = rules(answers(), [((0, 1), (1, 1)), ((2, 1), (3, 1))], 0.0, max_size=2)
    assert ours.share.tolist() == ours.support.tolist()
    assert (ours.base == 300).all()
    assert (ours.eligible == 300).all()
    assert ours.representativity.tolist() == [1.0] * len(ours)
