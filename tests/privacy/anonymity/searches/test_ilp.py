"""*ilp*: merging within clusters of sensitive values, and values changed as far as the specification allows."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from privacy.anonymity.searches.sensitive_value_clustering import (
    ValueClusters,
    anonymize_by_published_ilp,
    anonymize_by_value_clusters,
    change_values,
    cluster_values,
    constrained_clusters,
)
from privacy.anonymity.table_anonymisation import anonymize
from privacy.anonymity.tables.specification import Specification
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import PARTS
from tests.privacy.anonymity import brute, sample_tables as samples
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.proof
AGE = {"name": "age", "kind": "number"}
TWO = {"kind": "distinct", "value": 2}


def clusters(places: list[float], cluster: list[int]) -> ValueClusters:
    """Values at these places: changing one into another costs their squared distance."""
    rows = np.array(places)
    return ValueClusters(np.array(cluster), (rows[:, None] - rows) ** 2)


ONE = clusters([0, 1, 3, 7], [0, 0, 0, 0])
PAIRS = clusters([0, 1, 2, 3], [0, 1, 0, 1])


def test_values_that_a_class_has_twice_are_changed_at_least_cost() -> None:
    for known, before, labels, least, most, after in (
        # 1 is the nearest to 0 of the two that are missing.
        (ONE, [0, 0, 0, 3], [0, 0, 0, 0], 3, 9, [0, 0, 1, 3]),
        # 2 for 1 costs 4, 1 for 0 would cost 1 but is there; 2 for 0 costs 9.
        (ONE, [0, 0, 1, 1], [0, 0, 0, 0], 3, 9, [0, 0, 1, 2]),
        # Two of the cheapest ones after each other, and no more than two records can differ.
        (ONE, [0, 0, 0, 0, 0], [0, 0, 0, 1, 1], 3, 9, [0, 2, 1, 0, 1]),
        # 1 is the nearest to 0, but in the other cluster.
        (PAIRS, [0, 0], [0, 0], 2, 9, [0, 2]),
        (PAIRS, [1, 1], [0, 0], 2, 9, [1, 3]),
        # Three may not be changed: the class that lacks one comes first, and another lacking two after it does not fit.
        (ONE, [0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1], 3, 2, [0, 0, 0, 0, 2, 1]),
        (ONE, [0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1], 3, 0, [0, 0, 0, 0, 0, 1]),
        (ONE, [0, 1, 2], [0, 0, 0], 3, 9, [0, 1, 2]),
    ):
        found = change_values(np.array(before, np.int32), np.array(labels), known, least, most)
        assert found.tolist() == after, before


AGES = {"cold": (20, 60), "flu": (22, 23), "gout": (21, 61), "mumps": (24, 24)}
ROWS = [f"{age},poor,Aa,{illness}" for illness, ages in AGES.items() for age in ages]
"""cold and gout occur over 40 years of 41, flu over one year, mumps in one."""


def groups(labels: NDArray[np.int64]) -> list[list[int]]:
    return sorted(np.flatnonzero(labels == label).tolist() for label in np.unique(labels))


def clusters_by_illness(said: Specification) -> dict[str, int]:
    table = samples.table_of(ROWS, said)
    return dict(zip(table.sensitive[0].texts, cluster_values(table, said, 2).cluster.tolist(), strict=True))


def test_values_with_like_weights_are_one_cluster_or_those_that_an_expert_says() -> None:
    said = samples.make_specification(quasi_identifiers=[AGE], l=TWO)
    for weights in ("unit", "data"):
        named = clusters_by_illness(replace(said, weights=weights))
        assert named["cold"] == named["gout"] != named["flu"] == named["mumps"], weights
    expert = {name: {"age": 1 if name in ("cold", "flu") else 5} for name in ("cold", "flu", "gout", "mumps")}
    named = clusters_by_illness(samples.make_specification(quasi_identifiers=[AGE], l=TWO, weights=expert))
    assert named["cold"] == named["flu"] != named["gout"] == named["mumps"]


def test_records_are_merged_with_those_of_their_cluster_or_changed_as_far_as_they_may_be() -> None:
    """Ages 20 to 24 lie side by side: cold with gout, flu with flu, mumps with mumps, although 23 is next to 24."""
    said = samples.make_specification(quasi_identifiers=[AGE], l=TWO, method="ilp")
    table, all_pairs = samples.table_of(ROWS, said), [[0, 4], [1, 5], [2, 3], [6, 7]]
    changing, half = replace(said, falsification=PARTS), replace(said, falsification=PARTS // 4)
    changed = anonymize_by_published_ilp(table, changing)
    for found, labels, falsified in (
        (anonymize_by_published_ilp(table, said), all_pairs, 0),
        (changed, all_pairs, 2),
        # What may not be changed is merged.
        (anonymize(table, said, samples.stop_at_once), [[0, 4], [1, 5], [2, 3, 6, 7]], 0),
        (anonymize(table, half, samples.stop_at_once), all_pairs, 2),
    ):
        assert (groups(found.partition.labels), found.falsified_record_count) == (labels, falsified)
    expected = ["cold", "cold", "flu", "mumps", "gout", "gout", "mumps", "flu"]
    assert samples.texts_of(changed.table.sensitive[0]) == expected


@given(samples.any_rows(), samples.any_said(), st.sampled_from(["0.05", "0.2", "0.5", "0.9999"]))
def test_no_more_is_changed_than_is_allowed_and_the_criteria_hold_of_what_is_published(
    rows: list[str], said: dict[str, Any], share: str
) -> None:
    table, specification = samples.any_table(rows, said, method="ilp", falsification=share)
    try:
        found = anonymize(table, specification, samples.stop_at_once)
    except InputError:
        assert not brute.is_class_allowed(table, specification, list(range(table.records)))
        return
    assert found.left_out_record_count == 0
    assert found.falsified_record_count <= float(share) * table.records
    assert set(found.table.sensitive[0].codes) <= set(table.sensitive[0].codes)
    assert found.table.sensitive[1:] == table.sensitive[1:]
    assert found.table.quasi == table.quasi
    for members in groups(found.partition.labels):
        assert brute.is_class_allowed(found.table, specification, members)
    brute.check_published_file(found, specification)


def test_what_changed_values_do_not_help_and_too_many_values_are_refused() -> None:
    rows = [f"{age},poor,Aa,{'cold' if age == 30 else 'flu'}" for age in range(20, 40)]
    for method in ("bottom-up", "ilp", "k-member", "tree"):
        said = samples.make_specification(max_frequency="0.5", falsification="0.1", method=method)
        refused = refusal(anonymize, samples.table_of(rows, said), said, samples.stop_at_once)
        assert "the whole table as one class does not keep max_frequency" in refused, method
    said = samples.make_specification(l=TWO, method="ilp")
    table = samples.table_of([f"{age % 90},poor,Aa,illness {age}" for age in range(1001)], said)
    assert "ilp takes at most 1000 sensitive values" in refusal(anonymize_by_value_clusters, table, said)


@pytest.mark.night
def test_on_adult_it_loses_as_much_as_an_independent_one() -> None:
    """At k = 10, tests/papers/test_publishing_experiments.py."""
    independent, homogeneous = 0.0909, 0.067
    table, said = samples.adult_table(), samples.adult_specification(k=5, method="ilp")
    papers = anonymize_by_published_ilp(table, said).information_losses(said)
    assert papers.ncp == pytest.approx(independent, rel=0.03)
    assert papers.hasr == pytest.approx(homogeneous, abs=0.002)
    changing = replace(said, falsification=PARTS // 10)
    found = anonymize(table, changing, samples.stop_at_once).information_losses(said)
    assert found.ncp == pytest.approx(independent, rel=0.03)
    assert found.hasr == 0 < found.falsified < 0.06


@pytest.mark.night
def test_changing_values_loses_less_than_keeping_all() -> None:
    table, said = (
        samples.adult_table().take_records(np.arange(6000)),
        samples.adult_specification(k=5, method="ilp"),
    )
    changing = replace(said, falsification=PARTS // 10)
    found, unchanged = (
        anonymize(table, each, samples.stop_at_once).information_losses(said) for each in (changing, said)
    )
    assert unchanged.ncp > found.ncp
    assert unchanged.hasr == unchanged.falsified == 0 < found.falsified


@pytest.mark.night
def test_three_values_cannot_be_had_in_classes_of_two_records() -> None:
    table = samples.adult_table().take_records(np.arange(6000))
    said = replace(samples.adult_specification(k=2), falsification=PARTS)
    papers = anonymize_by_published_ilp(table, said)
    sizes = np.bincount(papers.partition.labels)
    pairs = np.unique(np.stack([papers.partition.labels, papers.table.sensitive[0].codes]), axis=1)
    assert sizes.min() == 2
    assert (np.bincount(pairs[0]) >= np.minimum(sizes, 3)).all()
    assert anonymize(table, said, samples.stop_at_once).partition.sizes.min() == 3


def test_k_means_with_at_least_so_many_rows_in_each_cluster() -> None:
    rows = np.array([[0.0], [10.0], [1.0], [11.0], [2.0], [12.0]])
    assert groups(constrained_clusters(rows, 3)) == [[0, 2, 4], [1, 3, 5]]
    # Centres 6.5 and 1: 3 costs 12.25 instead of 4 with the row 10, and 2 would cost 20.25 instead of 1.
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    assert groups(constrained_clusters(rows, 2)) == [[0, 1, 2], [3, 4]]
    assert sorted(np.bincount(constrained_clusters(np.ones((7, 2)), 3)).tolist()) == [3, 4]


@given(st.data(), st.integers(1, 3), st.integers(3, 7))
def test_no_other_assignment_to_the_centres_costs_less(data: st.DataObject, least: int, count: int) -> None:
    coordinate = st.integers(0, 20).map(float)
    rows = np.array([data.draw(st.tuples(coordinate, coordinate)) for _row in range(count)])
    labels, clusters = constrained_clusters(rows, least), count // least
    centres = np.stack([rows[labels == cluster].mean(0) for cluster in range(clusters)])
    costs = ((rows[:, None] - centres) ** 2).sum(2)
    others = product(range(clusters), repeat=count)
    allowed = (other for other in others if min(map(other.count, range(clusters))) >= least)
    best = min(sum(costs[row, cluster] for row, cluster in enumerate(other)) for other in allowed)
    assert np.bincount(labels, minlength=clusters).min() >= least
    assert costs[np.arange(count), labels].sum() == pytest.approx(best)
