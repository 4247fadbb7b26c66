"""Given the exact law of the records, the inversion gives back the truth that they came from."""

from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.queries_and_counters import Item
from mining.reconstruction import Estimator, reconstruct
from proof.record_probabilities import hidden_questions
from tests.mining.listed import Exact, People, Person, random_people, true_share, whole_answers
from tests.mining.scores import joins_plain_and_sensitive
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
    plain,
    question,
    sensitive,
    written,
)

pytestmark = pytest.mark.proof
PLAIN_AND_TWO_SECTIONS = written(
    plain(WORK),
    sensitive("0.4", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", *HALF)),
    sensitive("0.7", question("drink", *THIRDS)),
)
THREE_SECTIONS = written(
    sensitive("0.5", question("a", *HALF), question("b", "0.2", "0.8"), question("c", *HALF), asked=2),
    sensitive("0.4", question("d", "0.7", "0.3")),
    sensitive("0.6", question("e", *THIRDS)),
)


INDEBTED = written(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    classes("debt", "0.7", 0, 5, 10, 20, cuts=2, **IF_EMPLOYED),
)


def debtors(seed: int) -> dict[Person, float]:
    """Work, theft, and the debt."""
    return random_people([*product([0], (0, 1), (0, 4, 5, 12, 20)), *product([1], (0, 1), [None])], seed)


def truth(source: dict[str, Any], people: People, itemset: tuple[Item, ...]) -> float:
    """The share of those with these answers to questions that were shown to them."""
    questions = [question for section in source["sections"] for question in section["questions"]]
    return sum(
        share
        for answers, share in people.items()
        if all(answers[place] == code for place, code in itemset)
        and not hidden_questions(questions, answers) & {place for place, _ in itemset}
    )


def all_itemsets(source: dict[str, Any], most: int = 6) -> list[tuple[Item, ...]]:
    """Absences and whole answers included."""
    questions = [question for section in source["sections"] for question in section["questions"]]
    places = range(len(questions))
    chosen = chain.from_iterable(
        combinations(places, size) for size in range(1, min(most, len(questions)) + 1)
    )
    return [
        tuple(zip(of, codes, strict=True))
        for of in chosen
        for codes in product(*(range(len(questions[place]["choices"])) for place in of))
    ]


def assert_given_back(source: dict[str, Any], k: float, estimator: Estimator, seed: int, alike: bool) -> None:
    answers = whole_answers(source)
    disguised = random_people(answers, seed, 0.3)
    opened = disguised if alike else random_people(answers, seed + 1, 0.3)
    records = Exact(source, opened, disguised, k)
    itemsets = all_itemsets(source)
    found = reconstruct(records, itemsets, estimator)
    assert found.enough.any()
    for row in np.flatnonzero(found.enough):
        # What joins plain and sensitive items is of people who chose disguise.
        share = 0.0 if joins_plain_and_sensitive(records, itemsets[row]) else k
        expected = share * truth(source, opened, itemsets[row])
        expected += (1 - share) * truth(source, disguised, itemsets[row])
        assert found.support[row] == pytest.approx(expected, abs=1e-12)


@pytest.mark.at_push(4)
@pytest.mark.parametrize("k", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "source",
    [ONE, TWO, MIXED, TWO_SECTIONS, ROTATING, THREE, TWO_OF_THREE, PLAIN_AND_TWO_SECTIONS, THREE_SECTIONS],
)
def test_stratified_gives_the_truth_back_whoever_is_open(source: dict[str, Any], k: float) -> None:
    assert_given_back(source, k, "stratified", 1, alike=False)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("estimator", ["pooled", "combined"])
@pytest.mark.parametrize("source", [TWO, TWO_SECTIONS, TWO_OF_THREE, PLAIN_AND_TWO_SECTIONS, THREE_SECTIONS])
def test_the_others_give_it_back_where_the_groups_are_alike(
    source: dict[str, Any], estimator: Estimator
) -> None:
    assert_given_back(source, 0.3, estimator, 2, alike=True)


@given(
    source=questionnaires(most_questions=2),
    k=st.sampled_from([0.0, 0.2, 0.9]),
    estimator=st.sampled_from(["stratified", "pooled", "combined"]),
    seed=st.integers(0, 999),
)
def test_any_distribution_comes_back_from_its_exact_law(
    source: dict[str, Any], k: float, estimator: Estimator, seed: int
) -> None:
    if len(whole_answers(source)) > 200:
        return
    assert_given_back(source, k, estimator, seed, alike=estimator != "stratified")


@pytest.mark.parametrize("asked", [1, 2])
def test_a_hidden_items_truth_of_0877_is_0877(asked: int) -> None:
    # Employed are 58 %; theft is asked of them alone, and .0877 of all are employed and steal.
    source = written(
        plain(WORK),
        sensitive(
            "0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drugs", *HALF), asked=asked
        ),
    )
    employed, others = {(0, 1): 0.0877, (0, 0): 0.58 - 0.0877}, {(1, 1): 0.2, (1, 0): 0.22}
    people = {
        (work, theft, drugs): share / 2
        for (work, theft), share in (employed | others).items()
        for drugs in (0, 1)
    }
    found = reconstruct(Exact(source, people, people, 0.25), [((1, 1),)])
    assert found.support[0] == pytest.approx(0.0877, abs=1e-12)
    assert found.pooled[0] == pytest.approx(0.0877, abs=1e-12)


def test_items_of_a_hidden_number_come_back_among_those_to_whom_it_applies(subtests: pytest.Subtests) -> None:
    """Whatever the estimator and whoever is open: itemsets with a number are those of `stratified`."""
    cases_of_estimator: list[Estimator] = ["stratified", "pooled", "combined"]
    for estimator in cases_of_estimator:
        for k in [0.0, 0.3, 1.0]:
            with subtests.test(f"{estimator!r:.60} {k}"):
                opened, disguised = debtors(4), debtors(3)
                # Of the debt: at least 5, 10, 20; from 5 below 10, from 10 below 20; below 5, 10, 20.
                bounds = [(5, 99), (10, 99), (20, 99), (5, 10), (10, 20), (0, 5), (0, 10), (0, 20)]
                itemsets: list[tuple[Item, ...]] = [
                    *(((2, item),) for item in range(8)),
                    *(((1, 1), (2, item)) for item in (0, 4, 6)),
                    ((0, 0), (1, 0), (2, 1)),
                ]
                found = reconstruct(Exact(INDEBTED, opened, disguised, k), itemsets, estimator)
                for row, itemset in enumerate(itemsets):
                    joined = itemset[0][0] == 0
                    if joined and k == 1:
                        assert not found.enough[row]
                        continue
                    debt = dict(itemset)[2]
                    low, high = bounds[debt]

                    def has(person: Any, low: int = low, high: int = high, itemset: Any = itemset) -> bool:
                        others = all(person[place] == code for place, code in itemset if place < 2)
                        return others and low <= person[2] < high

                    expected = true_share(opened, disguised, 0.0 if joined else k, has)
                    assert found.support[row] == pytest.approx(expected, abs=1e-9)
                    # All of base(S) were shown the number.
                    assert found.shown[row] == found.base[row]
                    assert found.share_shown[row] == pytest.approx(found.support[row])
