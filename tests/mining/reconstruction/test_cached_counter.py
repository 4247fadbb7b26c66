"""What is counted once is not counted again, and only what can matter is asked."""

from itertools import combinations

import numpy as np
import pytest

from mining.queries_and_counters import Queries, Query
from mining.reconstruction import ESTIMATORS, CachedCounter, reconstruct
from mining.reconstruction.supports import COLUMNS
from mining.rules import rules
from tests.mining.listed import Listed
from tests.mining.scores import z
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof


def listed(*sections: dict[str, object], n: int = 200, withheld: bool = False) -> Listed:
    of = design(*sections)
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, len(q.choices), n) for q in of.questions])
    return Listed(of, rng.integers(0, 2, n), codes, withheld=withheld)


FIVE = sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(5)))
ITEMS = [(place, 1) for place in range(5)]


def test_a_level_asks_only_what_the_levels_before_it_did_not() -> None:
    counter = listed(FIVE)
    known = CachedCounter(counter)
    reconstruct(known, [(item,) for item in ITEMS])
    # Five items; how many there are in all is known.
    assert len(counter.asked_for) == 5
    reconstruct(known, list(combinations(ITEMS, 2)))
    reconstruct(known, list(combinations(ITEMS, 3)))
    assert len(counter.asked_for) == 5 + 10 + 10
    rules(known, list(combinations(ITEMS, 3)), 0, max_size=3)
    assert len(counter.asked_for) == 5 + 10 + 10
    assert len(set(counter.asked_for)) == len(counter.asked_for)


def test_what_was_held_is_found_where_new_counts_have_moved_it() -> None:
    counter = listed(FIVE)
    known = CachedCounter(counter)
    queries = [Queries.from_queries(counter.design, [Query(items=(item,))]) for item in ITEMS]
    known.count([queries[4]])
    # One of a kind that is held, and one of the same kind that is not and comes before it.
    both = known.count([queries[4], queries[0]])
    assert [counts.tolist() for counts in both] == [
        counter.count(of).tolist() for of in (queries[4], queries[0])
    ]


def test_what_every_device_asks_and_no_rule_hides_is_not_asked_about() -> None:
    counter = listed(FIVE)
    reconstruct(counter, [tuple(ITEMS[:2])])
    assert all(query.asked == query.applies == () for query in counter.asked_for)


def test_where_some_are_not_asked_or_shown_it_is() -> None:
    hidden, drawn = question("a", *HALF, **IF_EMPLOYED), question("b", *HALF)
    counter = listed(
        plain(WORK), sensitive("0.5", hidden, drawn, asked=1), sensitive("0.5", drawn | {"name": "c"})
    )
    reconstruct(counter, [((1, 1), (3, 1))])
    assert set(counter.asked_for[1:]) == {
        Query(asked=(1,)),
        Query(asked=(1,), applies=(1,)),
        Query(items=((1, 1),)),
        # Those to whom the first does not apply are of base(S) too.
        Query(items=((3, 1),), asked=(1,)),
        Query(items=((3, 1),), asked=(1,), applies=(1,)),
        Query(items=((1, 1), (3, 1))),
    }


def test_withheld_plain_answers_are_noticed() -> None:
    sections = (plain(WORK), sensitive("0.5", question("a", *HALF)))
    told, withheld = (
        reconstruct(listed(*sections, withheld=held), [((0, 1),), ((0, 1), (1, 1)), ((1, 1),)])
        for held in (False, True)
    )
    disguised = told.groups[0, 1]
    assert 0 < disguised < 200
    assert told.base.tolist() == [200, disguised, 200]
    # What is not plain is still estimated from everybody.
    assert withheld.base.tolist() == [disguised, disguised, 200]
    assert withheld.groups.tolist() == [[0, disguised], [0, disguised], [200 - disguised, disguised]]


def test_what_joins_plain_and_sensitive_items_is_the_same_whether_open_records_tell_their_plain_answers() -> (
    None
):
    """In runs, pages and files alike it is of people who chose disguise."""
    shown = question("b", *HALF, **IF_EMPLOYED)
    sections = (plain(WORK), sensitive("0.5", question("a", *HALF), shown))
    joining = [((0, 1), (1, 1)), ((0, 0), (2, 1)), ((0, 0), (1, 0), (2, 1))]
    for estimator in ESTIMATORS:
        told, withheld = (
            reconstruct(listed(*sections, n=400, withheld=held), joining, estimator) for held in (False, True)
        )
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(told, name), getattr(withheld, name))
        rules_told, rules_withheld = (
            rules(listed(*sections, n=400, withheld=held), joining, -np.inf, estimator, max_size=3)
            for held in (False, True)
        )
        assert len(rules_told) > 0
        for name in (
            "base",
            "eligible",
            "support",
            "share",
            "confidence",
            "confidence_low",
            "lift_high",
            "p",
        ):
            np.testing.assert_array_equal(getattr(rules_told, name), getattr(rules_withheld, name))


def test_itemsets_too_long_for_a_machine_word() -> None:
    # Fourteen items of a hundred questions: 14 numbers of 8 bits.
    counter = listed(sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(100))), n=60)
    counter.codes[:14, :30] = 1
    long = [tuple((place, 1) for place in range(first, first + 14)) for first in (0, 1)]
    found = reconstruct(counter, [*long, long[0]])
    expected = [z(counter, np.arange(60), itemset).mean() for itemset in long]
    assert found.support == pytest.approx([*expected, expected[0]])
    assert found.observed[0] >= 0.5


def test_no_itemsets_need_no_count() -> None:
    counter = listed(FIVE)
    assert len(reconstruct(counter, [])) == 0
    assert len(rules(counter, [], 0, max_size=3)) == 0
    assert counter.asked_for == []


def test_a_design_with_arms_is_counted_in_its_disguised_arm_alone() -> None:
    """Whatever estimates from counts reads them here: runs, files and reports alike."""
    of = design(plain(WORK), FIVE, open_answers=False, direct="0.5")
    rng = np.random.default_rng(3)
    codes = np.stack([rng.integers(0, len(q.choices), 300) for q in of.questions])
    group = rng.integers(0, 2, 300)
    whole, disguised = Listed(of, group, codes), Listed(of, group[group == 1], codes[:, group == 1])
    itemsets = [((0, 1),), ((1, 1),), ((0, 1), (1, 1)), ((1, 1), (2, 1))]
    known = CachedCounter(whole)
    assert known.n == (0, (group == 1).sum())
    assert known.counter.count([Query(items=((0, 1),))])[0, 0] == 0
    found, alone = reconstruct(known, itemsets), reconstruct(disguised, itemsets)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
