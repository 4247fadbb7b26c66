from itertools import combinations

import numpy as np
import pytest

from mining.queries_and_counters import Item
from mining.reconstruction import reconstruct
from mining.reconstruction.coherent_supports import (
    coherent_supports,
    fit_coherent_shares,
    nearest_distribution,
)
from tests.mining.listed import Exact, Listed, random_people, whole_answers
from tests.mining.reconstruction.test_exact_law import INDEBTED, debtors
from tests.privacy.questionnaires import HALF, THIRDS, design, question, sensitive, written

pytestmark = pytest.mark.proof
FOUR = written(
    sensitive("0.4", *(question(name, *HALF) for name in "abc")), sensitive("0.6", question("d", *THIRDS))
)


def test_supports_that_fit_together_stay_as_they_are() -> None:
    people = random_people(whole_answers(FOUR), 1)
    records = Exact(FOUR, people, people, 0.3)
    items = [(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)]
    found = fit_coherent_shares(records, items)
    for size in (1, 2, 3):
        for itemset in combinations(items, size):
            if len({place for place, _ in itemset}) == size:
                raw = reconstruct(records, [itemset]).support[0]
                assert found.support(itemset) == pytest.approx(raw, abs=1e-6)
    assert found.support([(3, 1), (3, 2)]) == 0


def test_nothing_is_below_0_and_all_is_1() -> None:
    rng = np.random.default_rng(1)
    one = design(sensitive("0.2", *(question(f"q{place}", *HALF) for place in range(6))))
    listed = Listed(one, np.ones(200, np.int64), rng.random((6, 200)) < 0.45)
    items = [(place, 1) for place in range(6)]
    assert (reconstruct(listed, [(a, b) for a, b in combinations(items, 2)]).support < 0).any()
    found = fit_coherent_shares(listed, items)
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
    assert found.support(items[:2]) <= found.support(items[:1])


def test_it_is_the_nearest_by_hand() -> None:
    # One item, raw support -.2: nothing nearer than 0. Then 1.3: nothing nearer than 1.
    contained = np.array([[False, True]])
    assert nearest_distribution(contained, np.array([-0.2]), np.ones(1)) == pytest.approx([1, 0])
    assert nearest_distribution(contained, np.array([1.3]), np.ones(1)) == pytest.approx([0, 1])
    # a, b and both, where both came out at .5 and a at .3 with a tenth of the variance: a takes ten shares of eleven.
    contained = np.array([[False, True, False, True], [False, False, False, True]])
    found = nearest_distribution(contained, np.array([0.3, 0.5]), np.sqrt([10.0, 1.0]))
    assert found[1] == pytest.approx(0, abs=1e-9)
    assert found[3] == pytest.approx((10 * 0.3 + 0.5) / 11)


def test_no_other_distribution_is_nearer() -> None:
    rng = np.random.default_rng(3)
    contained = rng.random((7, 8)) < 0.5
    supports, weight = rng.normal(0.3, 0.4, 7), rng.uniform(0.5, 3, 7)

    def distance(shares: np.ndarray) -> float:
        return float((weight**2 * (contained @ shares - supports) ** 2).sum())

    best = nearest_distribution(contained, supports, weight)
    for other in rng.dirichlet(np.full(8, 0.3), 3_000):
        assert distance(best) <= distance(other) + 1e-12
        assert distance(best) <= distance(0.999 * best + 0.001 * other) + 1e-12


def test_whoever_must_have_one_of_the_choices_has_one() -> None:
    records = Exact(FOUR, {}, {(0, 0, 0, 1): 1.0}, 0.0)
    found = fit_coherent_shares(records, [(3, 0), (3, 1), (3, 2)])
    assert found.patterns.sum(axis=1).tolist() == [1, 1, 1]


def test_more_than_twelve_items_are_too_many() -> None:
    many = design(sensitive("0.2", *(question(f"q{place}", *HALF) for place in range(13))))
    listed = Listed(many, np.ones(100, np.int64), np.zeros((13, 100)))
    with pytest.raises(ValueError, match="13 items"):
        fit_coherent_shares(listed, [(place, 1) for place in range(13)])


def test_the_supports_of_itemsets_come_in_their_order_and_fit_together() -> None:
    rng = np.random.default_rng(1)
    one = design(sensitive("0.2", *(question(f"q{place}", *HALF) for place in range(6))))
    listed = Listed(one, np.ones(200, np.int64), rng.random((6, 200)) < 0.45)
    pairs = list(combinations([(place, 1) for place in range(6)], 2))
    itemsets = [*[(item,) for item in pairs[0]], *pairs]
    raw = reconstruct(listed, itemsets).support
    found = coherent_supports(listed, itemsets)
    assert found is not None
    assert raw.min() < 0 <= found.min()
    assert found[2] <= found[:2].min()
    whole = fit_coherent_shares(listed, [(place, 1) for place in range(6)])
    assert found.tolist() == [whole.support(itemset) for itemset in itemsets]


def test_the_estimator_that_was_asked_for_is_made_to_fit() -> None:
    opened, disguised = (random_people(whole_answers(FOUR), seed) for seed in (1, 2))
    records = Exact(FOUR, opened, disguised, 0.5)
    found = coherent_supports(records, [((0, 1),)], "pooled")
    assert found is not None
    assert found[0] == pytest.approx(reconstruct(records, [((0, 1),)], "pooled").support[0], abs=1e-6)
    assert found[0] != pytest.approx(reconstruct(records, [((0, 1),)]).support[0], abs=1e-3)


def test_itemsets_of_more_than_twelve_items_have_no_coherent_supports() -> None:
    many = design(sensitive("0.2", *(question(f"q{place}", *HALF) for place in range(13))))
    listed = Listed(many, np.ones(100, np.int64), np.zeros((13, 100)))
    assert coherent_supports(listed, [((place, 1),) for place in range(13)]) is None
    assert coherent_supports(listed, [((place, 1),) for place in range(12)]) is not None


def test_where_too_few_were_asked_nothing_is_made_to_fit() -> None:
    one = design(sensitive("0.2", question("q", *HALF)))
    found = coherent_supports(Listed(one, np.ones(49, np.int64), np.zeros((1, 49))), [((0, 1),)])
    assert found is not None
    assert np.isnan(found).all()


def test_no_itemsets_have_no_supports() -> None:
    one = design(sensitive("0.2", question("q", *HALF)))
    found = coherent_supports(Listed(one, np.ones(100, np.int64), np.zeros((1, 100))), [])
    assert found is not None
    assert len(found) == 0


def test_itemsets_with_a_number_are_left_as_they_are() -> None:
    records = Exact(INDEBTED, {}, debtors(3), 0.0)
    # Theft, the debt at least 10, and both.
    itemsets: list[tuple[Item, ...]] = [((1, 1),), ((2, 1),), ((1, 1), (2, 1))]
    told = coherent_supports(records, itemsets)
    assert told is not None
    raw = reconstruct(records, itemsets).support
    assert told == pytest.approx(raw, abs=1e-6)
