"""Given the exact law of the records, the inversion gives back the truth that they came from."""

import json
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench.coverage.sets import one_choice
from mining.counting import BitmapCounter
from mining.kinds.number.estimates_by_classes import item_shares
from mining.queries_and_counters import Item
from mining.reconstruction import ESTIMATORS, CachedCounter, Estimator, reconstruct_supports
from mining.rules import reconstruct_rules
from privacy.designs import parse_design
from privacy.kinds.subset.law import SubsetLaw
from privacy.kinds.subset.scores import score_table
from proof.record_probabilities import hidden_questions
from tests.mining.listed import (
    Exact,
    Listed,
    People,
    Person,
    joins_plain_and_sensitive,
    pack,
    random_people,
    sides_of_rule,
    true_share,
    whole_answers,
)
from tests.mining.strategies import questionnaires
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    MIXED,
    ONE,
    ROTATING,
    THIRDS,
    THREE,
    TWO,
    TWO_OF_THREE,
    TWO_SECTIONS,
    WORK,
    classes,
    make_design,
    plain,
    question,
    sensitive,
    subset,
)

pytestmark = pytest.mark.proof
PLAIN_AND_TWO_SECTIONS = make_design(
    plain(WORK),
    sensitive("0.4", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", *HALF)),
    sensitive("0.7", question("drink", *THIRDS)),
)
THREE_SECTIONS = make_design(
    sensitive("0.5", question("a", *HALF), question("b", "0.2", "0.8"), question("c", *HALF), asked=2),
    sensitive("0.4", question("d", "0.7", "0.3")),
    sensitive("0.6", question("e", *THIRDS)),
)

INDEBTED = make_design(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    classes("debt", "0.7", 0, 5, 10, 20, cuts=2, **IF_EMPLOYED),
)


def debtors(seed: int) -> dict[Person, float]:
    """Work, theft, and the debt."""
    return random_people([*product([0], (0, 1), (0, 4, 5, 12, 20)), *product([1], (0, 1), [None])], seed)


def true_share_of(source: dict[str, Any], people: People, itemset: tuple[Item, ...]) -> float:
    """The share of those with these answers to questions that were shown to them."""
    questions = [question for section in source["sections"] for question in section["questions"]]
    having = {of: share for of, share in people.items() if all(of[place] == code for place, code in itemset)}
    places = {place for place, _code in itemset}
    return sum(share for of, share in having.items() if not hidden_questions(questions, of) & places)


def all_itemsets(source: dict[str, Any], most: int = 6) -> list[tuple[Item, ...]]:
    """Absences and whole answers included."""
    questions = [question for section in source["sections"] for question in section["questions"]]
    items = [[(at, code) for code in range(len(of["choices"]))] for at, of in enumerate(questions)]
    sizes = range(1, min(most, len(questions)) + 1)
    chosen = chain.from_iterable(combinations(items, size) for size in sizes)
    return [itemset for of in chosen for itemset in product(*of)]


def assert_given_back(source: dict[str, Any], k: float, estimator: Estimator, seed: int, alike: bool) -> None:
    answers = whole_answers(source)
    disguised = random_people(answers, seed, 0.3)
    opened = disguised if alike else random_people(answers, seed + 1, 0.3)
    records = Exact(source, opened, disguised, k)
    itemsets = all_itemsets(source)
    found = reconstruct_supports(records, itemsets, estimator)
    assert found.enough.any()
    for row in np.flatnonzero(found.enough):
        # What joins plain and sensitive items is of people who chose disguise.
        share = 0.0 if joins_plain_and_sensitive(records, itemsets[row]) else k
        expected = share * true_share_of(source, opened, itemsets[row])
        expected += (1 - share) * true_share_of(source, disguised, itemsets[row])
        assert found.support[row] == pytest.approx(expected, abs=1e-12)


@pytest.mark.at_push(4)
@pytest.mark.parametrize("k", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "source",
    [ONE, TWO, MIXED, TWO_SECTIONS, ROTATING, THREE, TWO_OF_THREE, PLAIN_AND_TWO_SECTIONS, THREE_SECTIONS],
)
def test_stratified_expectation_is_the_truth_whoever_is_open(source: dict[str, Any], k: float) -> None:
    assert_given_back(source, k, "stratified", 1, alike=False)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("estimator", ["pooled", "combined"])
@pytest.mark.parametrize("source", [TWO, TWO_SECTIONS, TWO_OF_THREE, PLAIN_AND_TWO_SECTIONS, THREE_SECTIONS])
def test_other_estimators_are_unbiased_where_groups_are_alike(
    source: dict[str, Any], estimator: Estimator
) -> None:
    assert_given_back(source, 0.3, estimator, 2, alike=True)


@given(
    source=questionnaires(most_questions=2),
    k=st.sampled_from([0.0, 0.2, 0.9]),
    estimator=st.sampled_from(["stratified", "pooled", "combined"]),
    seed=st.integers(0, 999),
)
def test_any_law_is_inverted_exactly(
    source: dict[str, Any], k: float, estimator: Estimator, seed: int
) -> None:
    if len(whole_answers(source)) > 200:
        return
    assert_given_back(source, k, estimator, seed, alike=estimator != "stratified")


def test_hidden_item_of_truth_0877_is_estimated_as_0877() -> None:
    # Employed are 58 %; theft is asked of them alone, and .0877 of all are employed and steal.
    shares = {(0, 1): 0.0877, (0, 0): 0.58 - 0.0877, (1, 1): 0.2, (1, 0): 0.22}
    people = {(*of, drugs): share / 2 for of, share in shares.items() for drugs in (0, 1)}
    for asked in (1, 2):
        both = question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", *HALF)
        source = make_design(plain(WORK), sensitive("0.3", *both, asked=asked))
        found = reconstruct_supports(Exact(source, people, people, 0.25), [((1, 1),)])
        assert (found.support[0], found.pooled[0]) == pytest.approx((0.0877, 0.0877), abs=1e-12), asked


def test_items_of_a_hidden_number_are_recovered_among_people_it_applies_to() -> None:
    """Whatever the estimator and whoever is open: itemsets with a number are those of `stratified`."""
    opened, disguised = debtors(4), debtors(3)
    # Of the debt: at least 5, 10, 20; from 5 below 10, from 10 below 20; below 5, 10, 20.
    bounds = [(5, 99), (10, 99), (20, 99), (5, 10), (10, 20), (0, 5), (0, 10), (0, 20)]
    itemsets: list[tuple[Item, ...]] = [((2, item),) for item in range(8)]
    itemsets += [*(((1, 1), (2, item)) for item in (0, 4, 6)), ((0, 0), (1, 0), (2, 1))]

    def person_has_items(itemset: tuple[Item, ...], person: Any) -> bool:
        low, high = bounds[dict(itemset)[2]]
        return all(person[place] == code for place, code in itemset if place < 2) and low <= person[2] < high

    for estimator, k in product(ESTIMATORS, [0.0, 0.3, 1.0]):
        found = reconstruct_supports(Exact(INDEBTED, opened, disguised, k), itemsets, estimator)
        for row, itemset in enumerate(itemsets):
            joined = itemset[0][0] == 0
            if joined and k == 1:
                assert not found.enough[row]
                continue
            expected = true_share(opened, disguised, 0.0 if joined else k, partial(person_has_items, itemset))
            assert found.support[row] == pytest.approx(expected, abs=1e-9), (estimator, k, itemset)
            # All of base(S) were shown the number.
            assert found.shown[row] == found.base[row]
            assert found.share_shown[row] == pytest.approx(found.support[row])


CHOICES, SIZE, KEEP = 4, 2, 0.7
SETS = list(combinations(range(CHOICES), SIZE))
SETS_SOURCE = make_design(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    subset(CHOICES, SIZE, str(KEEP), **IF_EMPLOYED),
    open_answers=True,
)
DRUGS = parse_design(json.dumps(SETS_SOURCE))
STOLE, DRUG = 1, 2
NOT_ASKED = len(SETS) + CHOICES
"""What mining sees of somebody to whom the question does not apply."""


def has_all(itemset: tuple[Item, ...], person: Person) -> bool:
    return all(person[at] == code for at, code in itemset)


def drug_users(seed: int) -> dict[Person, float]:
    """Work, theft, and the drug."""
    return random_people([*product([0], (0, 1), range(CHOICES)), *product([1], (0, 1), [None])], seed)


def test_supports_and_rules_of_a_choice_are_exact_alone_and_combined() -> None:
    beside: list[tuple[Item, ...]] = [(), ((STOLE, 1),), ((STOLE, 0),), ((0, 0),), ((0, 0), (STOLE, 1))]
    for k, drug, more in product([0.0, 0.3, 0.9], range(CHOICES), beside):
        opened, disguised = drug_users(1), drug_users(2)
        itemset = tuple(sorted([(DRUG, drug), *more]))
        # What joins plain and sensitive items is of people who chose disguise.
        openly = 0.0 if (0, 0) in itemset else k
        expected = true_share(opened, disguised, openly, partial(has_all, itemset))
        found = reconstruct_supports(Exact(SETS_SOURCE, opened, disguised, k), [itemset])
        assert found.support[0] == pytest.approx(expected, abs=1e-12), (k, itemset)
    of = drug_users(3)
    for k, drug in product([0.0, 0.3], range(CHOICES)):
        records = Exact(SETS_SOURCE, of, of, k)
        made = reconstruct_rules(records, [((STOLE, 1), (DRUG, drug))], -np.inf, max_size=2)
        assert len(made) == 2
        for row in range(2):
            three = sides_of_rule(made, row, DRUGS.mined)
            a, c, s = (true_share(of, of, k, partial(has_all, side)) for side in three)
            numbers = made["antecedent_support"][row], made["confidence"][row], made["lift"][row]
            assert numbers == pytest.approx((a, s / a, s / a / c), abs=1e-9), (k, drug)


def test_counts_of_packed_records_match_single_records() -> None:
    rng = np.random.default_rng(4)
    n = 700
    group = rng.integers(0, 2, n).astype(np.uint8)
    drug = np.where(group == 1, rng.integers(0, len(SETS), n), len(SETS) + rng.integers(0, CHOICES, n))
    work = rng.integers(0, 2, n)
    codes = np.array([work, rng.integers(0, 2, n), np.where(work == 1, NOT_ASKED, drug)], np.uint8)
    stored = codes.copy()
    stored[DRUG, work == 1] = NOT_ASKED + 1
    fast = CachedCounter(BitmapCounter(DRUGS.mined, [pack(DRUGS, group, stored)]))
    slow = Listed(DRUGS.mined, group, codes)
    itemsets: list[tuple[Item, ...]] = [((DRUG, drug),) for drug in range(CHOICES)]
    itemsets += [((STOLE, 1), (DRUG, drug)) for drug in range(CHOICES)]
    one, other = reconstruct_supports(fast, itemsets), reconstruct_supports(slow, itemsets)
    for name in ("support", "se", "low", "high", "base", "shown", "enough"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-7)
    # By hand: of 700 records the sum of ([b in set] - q) / (p - q), and 1 of whoever says b openly.
    q = (KEEP * (SIZE - 1) + (1 - KEEP) * SIZE) / (CHOICES - 1)
    scores = [
        float(code == len(SETS) + 1) if told == 0 else (float(1 in SETS[code]) - q) / (KEEP - q)
        for code, told in zip(codes[DRUG].tolist(), group.tolist(), strict=True)
        if code != NOT_ASKED
    ]
    assert one.support[1] == pytest.approx(np.mean(scores), abs=1e-9)


def test_one_choice_has_the_same_interval_as_a_two_class_table() -> None:
    """What bench/coverage draws."""
    of = SubsetLaw(CHOICES, SIZE, Fraction(7, 10))
    counts = np.random.default_rng(6).integers(20, 60, (2, len(SETS) + CHOICES))
    counts[0, : len(SETS)] = counts[1, len(SETS) :] = 0
    whole = item_shares(score_table(of), counts)
    with_first = [code for code, members in enumerate(SETS) if 0 in members]
    without = [code for code in range(len(SETS)) if code not in with_first]
    opened = counts[0, len(SETS) :]
    few = [[0, 0, opened[0], opened[1:].sum()], [counts[1, with_first].sum(), counts[1, without].sum(), 0, 0]]
    found = item_shares(one_choice(of), np.array(few))
    for name in ("share", "se", "low", "high"):
        assert getattr(found, name)[0] == pytest.approx(getattr(whole, name)[0], abs=1e-9)
