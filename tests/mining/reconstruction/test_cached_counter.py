"""What is counted once is not counted again, only what can matter is asked; supports that are made to fit together."""

from itertools import combinations

import numpy as np
import pytest

from mining.queries_and_counters import Item, Queries, Query
from mining.reconstruction import ESTIMATORS, CachedCounter, Estimator, least_count, reconstruct_supports
from mining.reconstruction.coherent_supports import (
    coherent_supports,
    fit_coherent_shares,
    nearest_distribution,
)
from mining.reconstruction.supports import COLUMNS
from mining.rules import reconstruct_rules
from privacy.designs import Design
from tests.mining.listed import Exact, Listed, assert_same_columns, random_people, score_rows, whole_answers
from tests.mining.reconstruction.test_exact_law import INDEBTED, debtors
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    design,
    make_design,
    plain,
    question,
    sensitive,
)

pytestmark = pytest.mark.proof


def list_random_records(*sections: dict[str, object], n: int = 200, withheld: bool = False) -> Listed:
    of = design(*sections)
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, len(q.choices), n) for q in of.questions])
    return Listed(of, rng.integers(0, 2, n), codes, withheld=withheld)


FIVE = sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(5)))
ITEMS = [(place, 1) for place in range(5)]


def test_cached_counter_counts_only_what_matters_and_once() -> None:
    counter = list_random_records(FIVE)
    known = CachedCounter(counter)
    reconstruct_supports(known, [(item,) for item in ITEMS])
    # Five items; how many there are in all is known.
    assert len(counter.asked_for) == 5
    reconstruct_supports(known, list(combinations(ITEMS, 2)))
    reconstruct_supports(known, list(combinations(ITEMS, 3)))
    assert len(counter.asked_for) == 5 + 10 + 10
    reconstruct_rules(known, list(combinations(ITEMS, 3)), 0, max_size=3)
    assert len(counter.asked_for) == 5 + 10 + 10
    assert len(set(counter.asked_for)) == len(counter.asked_for)
    # What every device asks and no rule hides is not asked about.
    counter = list_random_records(FIVE)
    reconstruct_supports(counter, [tuple(ITEMS[:2])])
    assert all(query.asked == query.applies == () for query in counter.asked_for)
    # No itemsets need no count.
    counter = list_random_records(FIVE)
    assert len(reconstruct_supports(counter, [])) == 0
    assert len(reconstruct_rules(counter, [], 0, max_size=3)) == 0
    assert counter.asked_for == []


def test_cached_counts_are_found_after_new_ones_moved_them() -> None:
    counter = list_random_records(FIVE)
    known = CachedCounter(counter)
    queries = [Queries.from_queries(counter.design, [Query(items=(item,))]) for item in ITEMS]
    known.count([queries[4]])
    # One of a kind that is held, and one of the same kind that is not and comes before it.
    both = known.count([queries[4], queries[0]])
    alone = [counter.count(of).tolist() for of in (queries[4], queries[0])]
    assert [counts.tolist() for counts in both] == alone


def test_cached_counter_handles_questions_not_asked_or_shown() -> None:
    hidden, drawn = question("a", *HALF, **IF_EMPLOYED), question("b", *HALF)
    other = sensitive("0.5", drawn | {"name": "c"})
    counter = list_random_records(plain(WORK), sensitive("0.5", hidden, drawn, asked=1), other)
    reconstruct_supports(counter, [((1, 1), (3, 1))])
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
    itemsets = [((0, 1),), ((0, 1), (1, 1)), ((1, 1),)]
    both = (list_random_records(*sections, withheld=held) for held in (False, True))
    told, withheld = (reconstruct_supports(records, itemsets) for records in both)
    disguised = told.groups[0, 1]
    assert 0 < disguised < 200
    assert told.base.tolist() == [200, disguised, 200]
    # What is not plain is still estimated from everybody.
    assert withheld.base.tolist() == [disguised, disguised, 200]
    assert withheld.groups.tolist() == [[0, disguised], [0, disguised], [200 - disguised, disguised]]


def test_plain_answers_of_open_records_do_not_affect_joined_itemsets() -> None:
    """In runs, pages and files alike it is of people who chose disguise."""
    shown = question("b", *HALF, **IF_EMPLOYED)
    sections = (plain(WORK), sensitive("0.5", question("a", *HALF), shown))
    joining = [((0, 1), (1, 1)), ((0, 0), (2, 1)), ((0, 0), (1, 0), (2, 1))]
    told, withheld = (list_random_records(*sections, n=400, withheld=held) for held in (False, True))
    of_rules = ["base", "eligible", "support", "share", "confidence", "confidence_low", "lift_high", "p"]
    for estimator in ESTIMATORS:
        supports = [reconstruct_supports(of, joining, estimator) for of in (told, withheld)]
        assert_same_columns(supports[0], supports[1], COLUMNS)
        found = [reconstruct_rules(of, joining, -np.inf, estimator, max_size=3) for of in (told, withheld)]
        assert len(found[0]) > 0
        assert_same_columns(found[0], found[1], of_rules)


def test_itemsets_too_long_for_a_machine_word_are_counted() -> None:
    # Fourteen items of a hundred questions: 14 numbers of 8 bits.
    counter = list_random_records(
        sensitive("0.5", *(question(f"q{place}", *HALF) for place in range(100))), n=60
    )
    counter.codes[:14, :30] = 1
    long = [tuple((place, 1) for place in range(first, first + 14)) for first in (0, 1)]
    found = reconstruct_supports(counter, [*long, long[0]])
    expected = [score_rows(counter, np.arange(60), itemset).mean() for itemset in long]
    assert found.support == pytest.approx([*expected, expected[0]])
    assert found.observed[0] >= 0.5


def test_design_with_arms_counts_its_disguised_arm_alone() -> None:
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
    found, alone = reconstruct_supports(known, itemsets), reconstruct_supports(disguised, itemsets)
    assert_same_columns(found, alone, COLUMNS)


THREE_YES_NO = sensitive("0.4", *(question(name, *HALF) for name in "abc"))
FOUR = make_design(THREE_YES_NO, sensitive("0.6", question("d", *THIRDS)))


def test_consistent_supports_are_unchanged() -> None:
    people = random_people(whole_answers(FOUR), 1)
    records = Exact(FOUR, people, people, 0.3)
    items = [(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)]
    found = fit_coherent_shares(records, items)
    every = (of for size in (1, 2, 3) for of in combinations(items, size) if len(dict(of)) == size)
    for itemset in every:
        raw = reconstruct_supports(records, [itemset]).support[0]
        assert found.support(itemset) == pytest.approx(raw, abs=1e-6)
    assert found.support([(3, 1), (3, 2)]) == 0


def test_adjusted_supports_are_in_0_to_1_in_itemset_order() -> None:
    one = design(sensitive("0.2", *(question(f"q{place}", *HALF) for place in range(6))))
    listed = Listed(one, np.ones(200, np.int64), np.random.default_rng(1).random((6, 200)) < 0.45)
    items = [(place, 1) for place in range(6)]
    pairs = list(combinations(items, 2))
    itemsets = [*[(item,) for item in pairs[0]], *pairs]
    assert reconstruct_supports(listed, itemsets).support.min() < 0
    whole, found = fit_coherent_shares(listed, items), coherent_supports(listed, itemsets)
    assert whole.shares.min() >= 0
    assert whole.shares.sum() == pytest.approx(1)
    assert found is not None
    assert found.min() >= 0
    assert found[2] <= found[:2].min()
    assert found.tolist() == [whole.support(itemset) for itemset in itemsets]


def test_adjustment_is_the_nearest_distribution() -> None:
    # One item, raw support -.2: nothing nearer than 0. Then 1.3: nothing nearer than 1.
    contained = np.array([[False, True]])
    assert nearest_distribution(contained, np.array([-0.2]), np.ones(1)) == pytest.approx([1, 0])
    assert nearest_distribution(contained, np.array([1.3]), np.ones(1)) == pytest.approx([0, 1])
    # a, b and both, where both came out at .5 and a at .3 with a tenth of the variance: a takes ten shares of eleven.
    contained = np.array([[False, True, False, True], [False, False, False, True]])
    found = nearest_distribution(contained, np.array([0.3, 0.5]), np.sqrt([10.0, 1.0]))
    assert found[1] == pytest.approx(0, abs=1e-9)
    assert found[3] == pytest.approx((10 * 0.3 + 0.5) / 11)
    rng = np.random.default_rng(3)
    contained = rng.random((7, 8)) < 0.5
    supports, weight = rng.normal(0.3, 0.4, 7), rng.uniform(0.5, 3, 7)

    def distance(shares: np.ndarray) -> float:
        return float((weight**2 * (contained @ shares - supports) ** 2).sum())

    best = nearest_distribution(contained, supports, weight)
    for other in rng.dirichlet(np.full(8, 0.3), 3_000):
        assert distance(best) <= distance(other) + 1e-12
        assert distance(best) <= distance(0.999 * best + 0.001 * other) + 1e-12


def test_exhaustive_choices_sum_to_one() -> None:
    records = Exact(FOUR, {}, {(0, 0, 0, 1): 1.0}, 0.0)
    found = fit_coherent_shares(records, [(3, 0), (3, 1), (3, 2)])
    assert found.patterns.sum(axis=1).tolist() == [1, 1, 1]


def test_adjustment_skips_many_items_few_records_and_no_itemsets() -> None:
    many = design(sensitive("0.2", *(question(f"q{place}", *HALF) for place in range(13))))
    listed = Listed(many, np.ones(100, np.int64), np.zeros((13, 100)))
    with pytest.raises(ValueError, match="13 items"):
        fit_coherent_shares(listed, [(place, 1) for place in range(13)])
    assert coherent_supports(listed, [((place, 1),) for place in range(13)]) is None
    assert coherent_supports(listed, [((place, 1),) for place in range(12)]) is not None
    few = coherent_supports(Listed(many, np.ones(49, np.int64), np.zeros((13, 49))), [((0, 1),)])
    assert few is not None
    assert np.isnan(few).all()
    nothing = coherent_supports(listed, [])
    assert nothing is not None
    assert len(nothing) == 0


def test_chosen_estimator_is_adjusted_and_number_itemsets_are_unchanged() -> None:
    opened, disguised = (random_people(whole_answers(FOUR), seed) for seed in (1, 2))
    records = Exact(FOUR, opened, disguised, 0.5)
    found = coherent_supports(records, [((0, 1),)], "pooled")
    assert found == pytest.approx(reconstruct_supports(records, [((0, 1),)], "pooled").support, abs=1e-6)
    assert found != pytest.approx(reconstruct_supports(records, [((0, 1),)]).support, abs=1e-3)
    # Itemsets with a number are left as they are.
    numbers = Exact(INDEBTED, {}, debtors(3), 0.0)
    # Theft, the debt at least 10, and both.
    itemsets: list[tuple[Item, ...]] = [((1, 1),), ((2, 1),), ((1, 1), (2, 1))]
    told = coherent_supports(numbers, itemsets)
    assert told is not None
    raw = reconstruct_supports(numbers, itemsets).support
    assert told == pytest.approx(raw, abs=1e-6)


QUESTIONS = 30


THIRTY = design(sensitive("0.5", *[question(f"q{place}", *HALF) for place in range(QUESTIONS)]))


def least(max_size: int, estimator: Estimator = "stratified", of: Design = THIRTY) -> int:
    """Of 250 open and 1,000 disguised records, at a support of .1."""
    places = range(len(of.questions))
    records = Listed(of, np.repeat([0, 1], [250, 1_000]), np.zeros((len(places), 1_250), np.uint8))
    return least_count(records, [(place, 1) for place in places], max_size, estimator, 0.1)


def test_adjustment_reduces_noise_of_the_disguised() -> None:
    # Nobody open has it: 1000 (.5 / 2^size) of noise, and .5 for each of the 125 of a support of .1.
    assert [least(size) for size in (1, 2, 3, QUESTIONS)] == [313, 188, 125, 63]
    # P* = .1 (.2 + .8 * .5) + .8 * .5 / 2^size of 1,250 records.
    assert [least(size, "pooled") for size in (1, 3)] == [325, 138]
    # A tenth of the open ones alone.
    assert least(1, "combined") == 25
    # Noise says yes to b in 50 of 1,000, to both in 45; 62.5 more are wanted.
    two = design(sensitive("0.5", question("a", "0.1", "0.9"), question("b", "0.9", "0.1")))
    assert [least(size, of=two) for size in (1, 2)] == [113, 108]
