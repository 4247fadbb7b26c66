"""The linear attacker of the product, against small worlds whose counts are worked out by hand or by brute force."""

import json
from itertools import product
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
from privacy.designs import Design, parse

OF_ALL = (DISGUISED, KEPT, UNUSED)


def design(*questions: dict[str, Any]) -> Design:
    sections = [{"kind": "plain", "questions": list(questions)}]
    said = {"format": "candor-design/1", "least": 20, "title": {"en": "Attacked"}, "sections": sections}
    return parse(json.dumps(said)).mined


AGE = {"name": "age", "choices": ["young", "old", "oldest"]}
TOWN = {"name": "town", "choices": ["a", "b"]}
JOB = {"name": "job", "choices": ["x", "y"], "show_if": {"age": ["young"]}}


def records(of: Design, *kinds: tuple[tuple[int, ...], int, int, int]) -> AttackedRecords:
    """By kind its states, population, batch and how many there are."""
    counts = [count for *_kind, count in kinds]
    states = np.repeat(np.array([states for states, *_rest in kinds]), counts, axis=0).T
    population, batch = (np.repeat([kind[place] for kind in kinds], counts) for place in (1, 2))
    return AttackedRecords(of, dict(enumerate(states)), population, batch)


def cells(
    place: int, states: int, last_batch: int = 1, *, population: int = DISGUISED
) -> list[PublishedCount]:
    return [PublishedCount((population,), last_batch, {place: frozenset({state})}) for state in range(states)]


def beside(age: int, town: int) -> PublishedCount:
    return PublishedCount((DISGUISED,), 1, {0: frozenset({age}), 1: frozenset({town})})


def every(last_batch: int = 1) -> PublishedCount:
    return PublishedCount((DISGUISED,), last_batch)


def ages(*counts: int, batch: int = 1) -> list[tuple[tuple[int, ...], int, int, int]]:
    return [((age,), DISGUISED, batch, count) for age, count in enumerate(counts)]


@pytest.mark.parametrize(("few", "finds"), [(9, True), (10, False)])
def test_nine_are_found_and_ten_are_not(few: int, finds: bool) -> None:
    found = attack_published_counts(records(design(AGE), *ages(few, 20, 30)), [*cells(0, 3), every()])
    assert found.smallest == SmallestCount(few, "disguised", ((0, 0),), 1, 1)
    assert found.reveals_few is finds


def test_a_class_that_is_withheld_beside_the_others_and_all_follows() -> None:
    found = attack_published_counts(records(design(AGE), *ages(4, 20, 30)), [*cells(0, 3)[1:], every()])
    assert found.smallest == SmallestCount(4, "disguised", ((0, 0),), 1, 1)


def test_two_classes_that_are_told_as_one_do_not() -> None:
    together = PublishedCount((DISGUISED,), 1, {0: frozenset({0, 1})})
    found = attack_published_counts(
        records(design(AGE), *ages(4, 20, 30)), [together, cells(0, 3)[2], every()]
    )
    assert found.smallest == SmallestCount(30, "disguised", ((0, 2),), 1, 1)


def test_what_came_between_two_reports_follows() -> None:
    world = records(design(AGE), *ages(20, 20, 30), *ages(3, 20, 20, batch=2))
    found = attack_published_counts(world, [*cells(0, 3, 1), *cells(0, 3, 2)])
    assert found.smallest == SmallestCount(3, "disguised", ((0, 0),), 2, 2)


def test_two_tables_of_one_question_each_do_not_tell_the_cells_of_both() -> None:
    both = [((age, town), DISGUISED, 1, 1 + 20 * (age + town)) for age in range(3) for town in range(2)]
    world = records(design(AGE, TOWN), *both)
    apart = attack_published_counts(world, [*cells(0, 3), *cells(1, 2), every()])
    assert apart.smallest is not None
    assert apart.smallest.count == 22
    together = [
        PublishedCount((DISGUISED,), 1, {0: frozenset({a}), 1: frozenset({b})})
        for a, b in product(range(3), range(2))
    ]
    assert attack_published_counts(world, together).smallest == SmallestCount(
        1, "disguised", ((0, 0), (1, 0)), 1, 1
    )


def test_a_rule_makes_cells_impossible() -> None:
    """Only the young are asked for a job: the old are those without one, and so the young follow, too."""
    kinds = [
        ((0, 0), DISGUISED, 1, 30),
        ((0, 1), DISGUISED, 1, 7),
        ((1, 2), DISGUISED, 1, 40),
        ((2, 2), DISGUISED, 1, 50),
    ]
    world = records(design(AGE, JOB), *kinds)
    told = [cells(0, 3)[0], PublishedCount((DISGUISED,), 1, {1: frozenset({0})})]
    assert attack_published_counts(world, told).smallest == SmallestCount(7, "disguised", ((1, 1),), 1, 1)


def test_open_people_follow_from_all_and_the_disguised() -> None:
    world = records(design(AGE), *ages(20, 20, 30), ((0,), KEPT, 1, 20), ((0,), UNUSED, 1, 6))
    told = [*cells(0, 3), PublishedCount(OF_ALL, 1, {0: frozenset({0})})]
    assert attack_published_counts(world, told).smallest == SmallestCount(20, "disguised", ((0, 0),), 1, 1)
    told.append(PublishedCount((KEPT,), 1, {0: frozenset({0})}))
    found = attack_published_counts(world, told).smallest
    assert found == SmallestCount(20, "disguised", ((0, 0),), 1, 1)
    # The open of 26 follow; the 6 that are not used are asked for together with the others alone.
    assert attack_published_counts(
        records(design(AGE), *ages(20, 20, 30), ((0,), UNUSED, 1, 6)), told[:4]
    ).reveals_few


def test_the_kept_of_one_answer_follow_from_all_kept_and_the_rest_of_them() -> None:
    """That the open of this answer are no more than these is not told."""
    world = records(design(AGE), *ages(20, 20, 30), ((0,), KEPT, 1, 20), ((1,), KEPT, 1, 9))
    told = [
        PublishedCount((KEPT,), 1),
        PublishedCount((KEPT,), 1, {0: frozenset({0, 2})}),
        *cells(0, 3),
        every(),
    ]
    assert attack_published_counts(world, told).smallest == SmallestCount(9, "kept", ((0, 1),), 1, 1)
    assert not attack_published_counts(world, told[1:]).reveals_few


def test_a_release_of_later_batches_beside_an_earlier_table() -> None:
    """The class of the young in both batches, less the young of the first, leaves the four of the second."""
    world = records(design(AGE), *ages(20, 20, 30), *ages(4, 20, 20, batch=2))
    classes = world.states[0].copy()
    assert not attack_published_counts(world, cells(0, 3, 1)).reveals_few
    found = attack_published_counts(world, cells(0, 3, 1), [PublishedRelease(2, classes)])
    assert found.smallest == SmallestCount(4, "disguised", ((0, 0),), 2, 2)


def test_tables_that_are_too_large_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacker, "MOST_KINDS", 12)
    both = [((age, town), DISGUISED, 1, 1 + 20 * (age + town)) for age in range(3) for town in range(2)]
    told = [
        PublishedCount((DISGUISED,), 1, {0: frozenset({a}), 1: frozenset({b})})
        for a, b in product(range(3), range(2))
    ]
    found = attack_published_counts(records(design(AGE, TOWN), *both), [*told, *cells(1, 2)])
    assert found.left_out == ((0, 1),)
    assert found.smallest is not None
    assert found.smallest.cell == ((1, 0),)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_said_to_follow_is_the_same_in_every_world_with_these_counts(seed: int) -> None:
    """Brute force over all counts of six kinds up to 4 that give what was told."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, (3, 2))
    kinds = [((a, b), DISGUISED, 1, int(counts[a, b])) for a in range(3) for b in range(2)]
    of_age, of_town = (rng.random(size) < 0.7 for size in (3, 2))
    joint = rng.random((3, 2)) < 0.3
    told = [cell for cell, is_told in zip(cells(0, 3), of_age, strict=True) if is_told]
    told += [cell for cell, is_told in zip(cells(1, 2), of_town, strict=True) if is_told]
    told += [beside(a, b) for a, b in zip(*np.nonzero(joint), strict=True)]
    told.append(PublishedCount((DISGUISED,), 1, {0: frozenset(range(3)), 1: frozenset(range(2))}))
    found = attack_published_counts(records(design(AGE, TOWN), *kinds), told).smallest
    worlds = np.array(list(product(range(5), repeat=6))).reshape(-1, 3, 2)
    fitting = worlds.sum(axis=(1, 2)) == counts.sum()
    fitting &= ((worlds.sum(axis=2) == counts.sum(axis=1)) | ~of_age).all(axis=1)
    fitting &= ((worlds.sum(axis=1) == counts.sum(axis=0)) | ~of_town).all(axis=1)
    fitting &= ((worlds == counts) | ~joint).all(axis=(1, 2))
    if found is None or not found.cell:
        return
    chosen: Any = [slice(None), slice(None)]
    for question, state in found.cell:
        chosen[question] = [state]
    of_cell = worlds[fitting][:, chosen[0]][:, :, chosen[1]].sum(axis=(1, 2))
    assert set(of_cell.tolist()) == {found.count}


def test_both_moduli_are_primes() -> None:
    for prime in PRIMES:
        assert prime < 2**31
        assert all(prime % divisor for divisor in range(2, int(prime**0.5) + 1))
