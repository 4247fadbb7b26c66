"""The linear attacker of the product, against small worlds whose counts are worked out by hand or by brute force."""

from itertools import compress, product
from typing import Any

import numpy as np
import pytest

from mining.disclosure import attacker
from mining.disclosure.attacker import (
    DISGUISED,
    KEPT,
    PRIMES,
    UNUSED,
    AttackedRecords,
    PublishedCount,
    PublishedRelease,
    SmallestCount,
    attack_published_counts,
)
from privacy.designs import Design
from tests.privacy import questionnaires

OF_ALL = (DISGUISED, KEPT, UNUSED)


def design(*questions: dict[str, Any]) -> Design:
    return questionnaires.design(questionnaires.plain(*questions), open_answers=False, least=20).mined


AGE = {"name": "age", "choices": ["young", "old", "oldest"]}
TOWN = {"name": "town", "choices": ["a", "b"]}
JOB = {"name": "job", "choices": ["x", "y"], "show_if": {"age": ["young"]}}


def records(of: Design, *kinds: tuple[tuple[int, ...], int, int, int]) -> AttackedRecords:
    """By kind its states, population, batch and how many there are."""
    counts = [count for *_kind, count in kinds]
    states = np.repeat(np.array([states for states, *_rest in kinds]), counts, axis=0).T
    population, batch = (np.repeat([kind[place] for kind in kinds], counts) for place in (1, 2))
    return AttackedRecords(of, dict(enumerate(states)), population, batch)


def cells(place: int, states: int, last_batch: int = 1) -> list[PublishedCount]:
    return [PublishedCount((DISGUISED,), last_batch, {place: frozenset({state})}) for state in range(states)]


def neighbouring_count(age: int, town: int) -> PublishedCount:
    return PublishedCount((DISGUISED,), 1, {0: frozenset({age}), 1: frozenset({town})})


EVERYBODY = PublishedCount((DISGUISED,), 1)
BOTH = [((age, town), DISGUISED, 1, 1 + 20 * (age + town)) for age in range(3) for town in range(2)]
"""Of two questions every cell but the first has many."""
TOGETHER = [neighbouring_count(age, town) for age, town in product(range(3), range(2))]


def smallest_exposed_count(
    world: AttackedRecords, told: list[PublishedCount], *releases: PublishedRelease
) -> SmallestCount | None:
    return attack_published_counts(world, told, releases).smallest


def of_age(count: int, age: int, first_batch: int = 1, *, population: str = "disguised") -> SmallestCount:
    return SmallestCount(count, population, ((0, age),), first_batch, first_batch)


def ages(*counts: int, batch: int = 1) -> list[tuple[tuple[int, ...], int, int, int]]:
    return [((age,), DISGUISED, batch, count) for age, count in enumerate(counts)]


def test_attack_infers_counts_of_nine_but_not_of_ten() -> None:
    for few, finds in ((9, True), (10, False)):
        found = attack_published_counts(records(design(AGE), *ages(few, 20, 30)), [*cells(0, 3), EVERYBODY])
        assert found.smallest == of_age(few, 0)
        assert found.reveals_few is finds


def test_attack_on_one_question_by_hand() -> None:
    """A class that is withheld beside the others and all does, two that are told as one do not."""
    world = records(design(AGE), *ages(4, 20, 30))
    assert smallest_exposed_count(world, [*cells(0, 3)[1:], EVERYBODY]) == of_age(4, 0)
    together = PublishedCount((DISGUISED,), 1, {0: frozenset({0, 1})})
    assert smallest_exposed_count(world, [together, cells(0, 3)[2], EVERYBODY]) == of_age(30, 2)
    # What came between two reports.
    world = records(design(AGE), *ages(20, 20, 30), *ages(3, 20, 20, batch=2))
    assert smallest_exposed_count(world, [*cells(0, 3, 1), *cells(0, 3, 2)]) == of_age(3, 0, 2)


def test_attack_on_two_questions_by_hand() -> None:
    """Two tables of one question each do not tell the cells of both."""
    world = records(design(AGE, TOWN), *BOTH)
    apart = smallest_exposed_count(world, [*cells(0, 3), *cells(1, 2), EVERYBODY])
    assert apart is not None
    assert apart.count == 22
    assert smallest_exposed_count(world, TOGETHER) == SmallestCount(1, "disguised", ((0, 0), (1, 0)), 1, 1)
    # Only the young are asked for a job: the old are those without one, and so the young follow, too.
    kinds = {(0, 0): 30, (0, 1): 7, (1, 2): 40, (2, 2): 50}
    world = records(design(AGE, JOB), *((states, DISGUISED, 1, count) for states, count in kinds.items()))
    told = [cells(0, 3)[0], PublishedCount((DISGUISED,), 1, {1: frozenset({0})})]
    assert smallest_exposed_count(world, told) == SmallestCount(7, "disguised", ((1, 1),), 1, 1)


def test_open_people_are_inferred_from_all_and_the_disguised() -> None:
    world = records(design(AGE), *ages(20, 20, 30), ((0,), KEPT, 1, 20), ((0,), UNUSED, 1, 6))
    told = [*cells(0, 3), PublishedCount(OF_ALL, 1, {0: frozenset({0})})]
    assert smallest_exposed_count(world, told) == of_age(20, 0)
    told.append(PublishedCount((KEPT,), 1, {0: frozenset({0})}))
    assert smallest_exposed_count(world, told) == of_age(20, 0)
    # The open of 26 follow; the 6 that are not used are asked for together with the others alone.
    world = records(design(AGE), *ages(20, 20, 30), ((0,), UNUSED, 1, 6))
    assert attack_published_counts(world, told[:4]).reveals_few
    # The kept of one answer follow from all kept and the rest of them. That the open of this answer are no more than
    # these is not told.
    world = records(design(AGE), *ages(20, 20, 30), ((0,), KEPT, 1, 20), ((1,), KEPT, 1, 9))
    kept = [PublishedCount((KEPT,), 1), PublishedCount((KEPT,), 1, {0: frozenset({0, 2})})]
    assert smallest_exposed_count(world, [*kept, *cells(0, 3), EVERYBODY]) == of_age(9, 1, population="kept")
    assert not attack_published_counts(world, [kept[1], *cells(0, 3), EVERYBODY]).reveals_few


def test_attack_combines_a_release_and_skips_too_large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The class of the young in both batches, less the young of the first, leaves the four of the second."""
    world = records(design(AGE), *ages(20, 20, 30), *ages(4, 20, 20, batch=2))
    assert not attack_published_counts(world, cells(0, 3, 1)).reveals_few
    release = PublishedRelease(2, world.states[0].copy())
    assert smallest_exposed_count(world, cells(0, 3, 1), release) == of_age(4, 0, 2)
    # If it left somebody out of the second batch, nobody knows of what age.
    known = [*cells(0, 3, 1), PublishedCount((DISGUISED,), 2)]
    left_out = world.states[0].copy()
    left_out[np.flatnonzero(world.batch == 2)[0]] = -1
    assert smallest_exposed_count(world, known, PublishedRelease(2, left_out)) == of_age(20, 0)
    assert smallest_exposed_count(world, known, release) == of_age(4, 0, 2)
    # Tables that are too large are left out and named.
    monkeypatch.setattr(attacker, "MOST_KINDS", 12)
    found = attack_published_counts(records(design(AGE, TOWN), *BOTH), [*TOGETHER, *cells(1, 2)])
    assert found.left_out == ((0, 1),)
    assert found.smallest is not None
    assert found.smallest.cell == ((1, 0),)
    for prime in PRIMES:
        assert prime < 2**31
        assert all(prime % divisor for divisor in range(2, int(prime**0.5) + 1))


def test_inferred_counts_hold_in_every_world_with_these_counts() -> None:
    """Brute force over all counts of six kinds up to 4 that give what was told."""
    worlds = np.array(list(product(range(5), repeat=6))).reshape(-1, 3, 2)
    everybody = PublishedCount((DISGUISED,), 1, {0: frozenset(range(3)), 1: frozenset(range(2))})
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = rng.integers(0, 5, (3, 2))
        kinds = [((a, b), DISGUISED, 1, int(counts[a, b])) for a in range(3) for b in range(2)]
        of_age, of_town = (rng.random(size) < 0.7 for size in (3, 2))
        joint = rng.random((3, 2)) < 0.3
        told = [*compress(cells(0, 3), of_age), *compress(cells(1, 2), of_town)]
        told += [*(neighbouring_count(a, b) for a, b in zip(*np.nonzero(joint), strict=True)), everybody]
        found = smallest_exposed_count(records(design(AGE, TOWN), *kinds), told)
        fitting = worlds.sum(axis=(1, 2)) == counts.sum()
        fitting &= ((worlds.sum(axis=2) == counts.sum(axis=1)) | ~of_age).all(axis=1)
        fitting &= ((worlds.sum(axis=1) == counts.sum(axis=0)) | ~of_town).all(axis=1)
        fitting &= ((worlds == counts) | ~joint).all(axis=(1, 2))
        if found is None or not found.cell:
            continue
        states: list[Any] = [slice(None), slice(None)]
        for question, state in found.cell:
            states[question] = [state]
        of_cell = worlds[fitting][:, states[0]][:, :, states[1]].sum(axis=(1, 2))
        assert set(of_cell.tolist()) == {found.count}, seed


def test_pairs_of_three_questions_reveal_two_opposite_combinations_together() -> None:
    """n(no,no,no) + n(yes,yes,yes) follows from the sizes and pairs, here 2 + 3."""
    yes_no = [{"name": name, "choices": ["no", "yes"]} for name in "abc"]
    asked = design(*yes_no)
    counts = dict.fromkeys(product(range(2), repeat=3), 30) | {(0, 0, 0): 2, (1, 1, 1): 3}
    world = records(asked, *((answers, DISGUISED, 1, count) for answers, count in counts.items()))
    told = [EVERYBODY] + [
        PublishedCount((DISGUISED,), 1, {one: frozenset({first}), other: frozenset({second})})
        for one, other in ((0, 1), (0, 2), (1, 2))
        for first, second in product(range(2), repeat=2)
    ]
    found = attack_published_counts(world, told)
    both = ((0, 0), (1, 0), (2, 0)), ((0, 1), (1, 1), (2, 1))
    assert found.smallest_sum == SmallestCount(5, "disguised", both[0], 1, 1, both[1])
    assert found.smallest is not None
    assert found.smallest.count >= 30
    assert not found.reveals_few
    assert attack_published_counts(world, told[:-4]).smallest_sum is None, "without the pairs of the last two"
