"""Given the exact law of sets of choices, shares, itemsets and rules come back as the truth that they came from."""

import json
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest

from bench.coverage.sets import one_choice
from mining.counting import BitmapCounter
from mining.kinds.number.estimates_by_classes import item_shares
from mining.queries_and_counters import Item
from mining.reconstruction import CachedCounter, reconstruct
from mining.rules import rules
from privacy.designs import parse
from privacy.kinds.subset.law import SubsetLaw
from privacy.kinds.subset.scores import score_table
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch
from tests.mining.listed import Exact, Listed, Person, random_people, sides, true_share
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, plain, question, sensitive, subset, written

CHOICES, SIZE, KEEP = 4, 2, 0.7
SETS = list(combinations(range(CHOICES), SIZE))
SOURCE = written(
    plain(WORK),
    sensitive("0.6", question("theft", "0.4", "0.6")),
    subset(CHOICES, SIZE, str(KEEP), **IF_EMPLOYED),
    open_answers=True,
)
SURVEY = parse(json.dumps(SOURCE))
THEFT, DRUG = 1, 2
NOT_ASKED = len(SETS) + CHOICES
"""What mining sees of somebody to whom the question does not apply."""


def holds(itemset: tuple[Item, ...], person: Person) -> bool:
    return all(person[at] == code for at, code in itemset)


def people(seed: int) -> dict[Person, float]:
    """Work, theft, and the drug."""
    return random_people([*product([0], (0, 1), range(CHOICES)), *product([1], (0, 1), [None])], seed)


@pytest.mark.proof
def test_supports_of_a_choice_alone_and_beside_another_question_are_true(subtests: pytest.Subtests) -> None:
    for k in [0.0, 0.3, 0.9]:
        with subtests.test(f"{k}"):
            opened, disguised = people(1), people(2)
            records = Exact(SOURCE, opened, disguised, k)
            for drug, more in product(
                range(CHOICES), ((), ((THEFT, 1),), ((THEFT, 0),), ((0, 0),), ((0, 0), (THEFT, 1)))
            ):
                itemset = tuple(sorted([(DRUG, drug), *more]))
                # What joins plain and sensitive items is of people who chose disguise.
                openly = 0.0 if (0, 0) in itemset else k
                expected = true_share(opened, disguised, openly, partial(holds, itemset))
                assert reconstruct(records, [itemset]).support[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.proof
@pytest.mark.parametrize("k", [0.0, 0.3])
def test_a_rule_of_a_choice_is_true_of_the_people_it_applies_to(k: float) -> None:
    of = people(3)
    records = Exact(SOURCE, of, of, k)
    for drug in range(CHOICES):
        found = rules(records, [((THEFT, 1), (DRUG, drug))], -np.inf, max_size=2)
        assert len(found) == 2
        for row in range(2):
            a, c, s = (
                true_share(of, of, k, partial(holds, side)) for side in sides(found, row, records.design)
            )
            assert found.antecedent_support[row] == pytest.approx(a, abs=1e-9)
            assert found.confidence[row] == pytest.approx(s / a, abs=1e-9)
            assert found.lift[row] == pytest.approx(s / a / c, abs=1e-9)


def test_counts_of_packed_records_are_those_of_each_record() -> None:
    rng = np.random.default_rng(4)
    n = 700
    group = rng.integers(0, 2, n).astype(np.uint8)
    drug = np.where(group == 1, rng.integers(0, len(SETS), n), len(SETS) + rng.integers(0, CHOICES, n))
    work = rng.integers(0, 2, n)
    codes = np.array([work, rng.integers(0, 2, n), np.where(work == 1, NOT_ASKED, drug)], np.uint8)
    stored = codes.copy()
    stored[DRUG, work == 1] = NOT_ASKED + 1
    packed = columns_from_bytes(SURVEY, pack_batch(SURVEY, group, stored))
    fast = CachedCounter(BitmapCounter(SURVEY.mined, [packed]))
    slow = Listed(SURVEY.mined, group, codes)
    itemsets: list[tuple[Item, ...]] = [((DRUG, drug),) for drug in range(CHOICES)]
    itemsets += [((THEFT, 1), (DRUG, drug)) for drug in range(CHOICES)]
    one, other = reconstruct(fast, itemsets), reconstruct(slow, itemsets)
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


def test_of_one_choice_two_classes_give_the_intervals_of_the_whole_table() -> None:
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
