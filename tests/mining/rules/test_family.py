from itertools import product

import numpy as np
import pytest

from mining.queries_and_counters import Item
from mining.rules import rules
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, design, question, sensitive

pytestmark = pytest.mark.proof


def test_items_of_an_itemset_that_are_not_frequent_alone_are_in_the_family(subtests: pytest.Subtests) -> None:
    cases: list[list[Item]] = [[], [(0, 1)], [(0, 1), (1, 1), (2, 1)]]
    for alone in cases:
        with subtests.test(f"{alone!r:.60}"):
            found = design(sensitive("0.5", *(question(name, *HALF) for name in "abc")))
            codes = np.array(list(product((0, 1), repeat=3))).T
            listed = Listed(found, np.ones(8, np.int64), codes, np.array([90, 40, 40, 50, 40, 50, 50, 140]))
            itemsets = [*((item,) for item in alone), ((0, 1), (1, 1)), ((0, 1), (2, 1))]
            made = rules(listed, itemsets, -np.inf, max_size=3)
            # Three pairs, and three splits of the three; both pairs look alike.
            assert made.splits.p[0] == pytest.approx(made.splits.p[1])
            assert 0 < made.splits.p[0] < 1 / 6
            assert made.splits.q == pytest.approx(made.splits.p * 6 / 2)
