from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.counts import Item
from mining.rules import rules
from mining.rules.family import family_size, q_values
from privacy.designs import Design, PlainSection, parse
from tests.mining.listed import Listed
from tests.mining.strategies import questionnaires
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, sensitive


def listed_family(found: Design, items: list[Item], max_size: int) -> int:
    """Every itemset written out, every split of it."""
    count = 0
    for size in range(2, max_size + 1):
        for itemset in combinations(items, size):
            questions = [place for place, _ in itemset]
            if len(set(questions)) == size and askable(found, questions):
                count += sum(1 for side in product((0, 1), repeat=size) if 0 < sum(side) < size) // 2
    return count


def askable(found: Design, questions: list[int]) -> bool:
    start = 0
    for section in found.sections:
        of = sum(start <= place < start + len(section.questions) for place in questions)
        if not isinstance(section, PlainSection) and of > section.asked:
            return False
        start += len(section.questions)
    return True


@settings(max_examples=60, deadline=None)
@given(data=st.data(), max_size=st.integers(1, 5))
def test_the_family_is_counted_as_if_it_were_listed(data: st.DataObject, max_size: int) -> None:
    import json

    found = parse(json.dumps(data.draw(questionnaires())))
    every = [(place, code) for place, q in enumerate(found.questions) for code in range(len(q.choices))]
    items = data.draw(st.lists(st.sampled_from(every), unique=True))
    assert family_size(found, items, max_size) == listed_family(found, items, max_size)


def test_forty_questions_make_29640_pairs_and_splits_of_triples() -> None:
    found = design(sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(40))))
    # 780 pairs with one split each, 9,880 triples with three.
    assert family_size(found, [(place, 1) for place in range(40)], 3) == 780 + 3 * 9_880


def test_questions_never_asked_together_make_no_rule() -> None:
    found = design(
        plain(WORK), sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(3)), asked=1)
    )
    assert family_size(found, [(place, 1) for place in range(4)], 3) == 3


def test_q_by_hand() -> None:
    # Family of 10: .001 x 10/1, .02 x 10/2, .03 x 10/3, .9 x 10/4.
    q = q_values(np.array([0.9, 0.02, 0.001, 0.03]), 10)
    assert q == pytest.approx([1, 0.1, 0.01, 0.1])


def test_rules_left_out_count_as_p_1() -> None:
    p = np.array([0.001, 0.02])
    whole = q_values(np.concatenate([p, np.ones(8)]), 10)
    assert q_values(p, 10) == pytest.approx(whole[:2])


@pytest.mark.parametrize("family", [0, 1, 3])
def test_a_family_is_no_smaller_than_what_is_found_of_it(family: int) -> None:
    # .2 x 3/1, .5 x 3/2, .9 x 3/3.
    assert q_values(np.array([0.5, 0.9, 0.2]), family) == pytest.approx([0.75, 0.9, 0.6])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 40))
def test_no_q_is_below_its_p(p: list[float], family: int) -> None:
    assert (q_values(np.array(p), family) >= np.array(p) * (1 - 1e-12)).all()


@pytest.mark.parametrize("alone", [[], [(0, 1)], [(0, 1), (1, 1), (2, 1)]])
def test_items_of_an_itemset_that_are_not_frequent_alone_are_in_the_family(alone: list[Item]) -> None:
    found = design(sensitive("0.5", *(question(name, *HALF) for name in "abc")))
    codes = np.array(list(product((0, 1), repeat=3))).T
    listed = Listed(found, np.ones(8, np.int64), codes, np.array([90, 40, 40, 50, 40, 50, 50, 140]))
    itemsets = [*((item,) for item in alone), ((0, 1), (1, 1)), ((0, 1), (2, 1))]
    made = rules(listed, itemsets, -np.inf, max_size=3)
    # Three pairs, and three splits of the three; both pairs look alike.
    assert made.splits.p[0] == pytest.approx(made.splits.p[1])
    assert 0 < made.splits.p[0] < 1 / 6
    assert made.splits.q == pytest.approx(made.splits.p * 6 / 2)


def test_no_rules_no_q() -> None:
    assert len(q_values(np.empty(0), 10)) == 0
