"""The family that a search looks through: as many itemsets, and splits of them, as if they were listed."""

import json
from itertools import combinations, product

import pytest
from hypothesis import given, strategies as st

from mining.disclosure.verdict import Verdict
from mining.itemsets.itemset_intervals import count_itemsets_by_size, count_splits
from mining.queries_and_counters import Item
from privacy.designs import Design, PlainSection, parse
from tests.mining.strategies import questionnaires
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, sensitive


def listed(found: Design, items: list[Item], max_size: int) -> list[list[tuple[Item, ...]]]:
    """Every itemset of each size written out."""
    return [
        [itemset for itemset in combinations(items, size) if askable(found, [place for place, _ in itemset])]
        for size in range(max_size + 1)
    ]


def askable(found: Design, questions: list[int]) -> bool:
    """Whether they are different questions that one device may ask."""
    if len(set(questions)) < len(questions):
        return False
    start = 0
    for section in found.sections:
        of = sum(start <= place < start + len(section.questions) for place in questions)
        if not isinstance(section, PlainSection) and of > section.asked:
            return False
        start += len(section.questions)
    return True


def splits(itemset: tuple[Item, ...]) -> int:
    """Unordered pairs of sides, each with an item at least."""
    return sum(1 for side in product((0, 1), repeat=len(itemset)) if 0 < sum(side) < len(itemset)) // 2


@pytest.mark.proof
@given(data=st.data(), max_size=st.integers(1, 5))
def test_the_family_is_counted_as_if_it_were_listed(data: st.DataObject, max_size: int) -> None:
    found = parse(json.dumps(data.draw(questionnaires(numbers=True)))).mined
    every = [(place, code) for place, q in enumerate(found.questions) for code in range(len(q.choices))]
    items = data.draw(st.lists(st.sampled_from(every), unique=True))
    by_size = listed(found, items, max_size)
    counted = count_itemsets_by_size(Verdict(found), items, max_size)
    # Sizes that no itemset has may be left out.
    assert counted + [0] * (max_size + 1 - len(counted)) == [len(of) for of in by_size]
    assert count_splits(counted) == sum(splits(itemset) for of in by_size for itemset in of)


def test_forty_questions_make_29640_pairs_and_splits_of_triples() -> None:
    found = design(sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(40))))
    counted = count_itemsets_by_size(Verdict(found), [(place, 1) for place in range(40)], 3)
    assert counted == [1, 40, 780, 9_880]
    # Pairs have one split each, triples three.
    assert count_splits(counted) == 780 + 3 * 9_880


def test_questions_never_asked_together_are_in_no_itemset() -> None:
    found = design(
        plain(WORK), sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(3)), asked=1)
    )
    counted = count_itemsets_by_size(Verdict(found), [(place, 1) for place in range(4)], 3)
    assert counted == [1, 4, 3]
    assert count_splits(counted) == 3


def test_splits_by_hand(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[int], int]] = [([1], 0), ([1, 5], 0), ([1, 5, 2], 2), ([1, 0, 0, 1, 1], 3 + 7)]
    for by_size, found in cases:
        with subtests.test(f"{by_size!r:.60} {found!r:.60}"):
            assert count_splits(by_size) == found
