"""*ilp*: merging within clusters of sensitive values, and values changed as far as the specification allows."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from privacy.anonymity.methods import anonymize
from privacy.anonymity.published_file import write
from privacy.anonymity.searches.sensitive_value_clustering import (
    ValueClusters,
    change_values,
    cluster_values,
    ilp,
    ilp_as_published,
)
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import PARTS
from tests.privacy.anonymity import brute, kernels, strategies
from tests.privacy.anonymity.sample_tables import (
    METHODS,
    adult,
    adult_specification,
    csv_of,
    specified,
    table_of,
)
from tests.privacy.anonymity.second_opinion import check

pytestmark = pytest.mark.proof
AGE = {"name": "age", "kind": "number"}
TWO = {"kind": "distinct", "value": 2}


def clusters(places: list[float], cluster: list[int]) -> ValueClusters:
    """Values at these places: changing one into another costs their squared distance."""
    rows = np.array(places)
    return ValueClusters(np.array(cluster), (rows[:, None] - rows) ** 2)


ONE = clusters([0, 1, 3, 7], [0, 0, 0, 0])
PAIRS = clusters([0, 1, 2, 3], [0, 1, 0, 1])


def test_values_that_a_class_has_twice_are_changed_at_least_cost(subtests: pytest.Subtests) -> None:
    cases: list[tuple[ValueClusters, list[int], list[int], int, int, list[int]]] = [
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
    ]
    for known, before, labels, least, most, after in cases:
        with subtests.test(f"{known!r:.60} {before!r:.60}"):
            found = change_values(np.array(before, np.int32), np.array(labels), known, least, most)
            assert found.tolist() == after


ILLNESSES = ["cold", "flu", "gout", "mumps"]
ROWS = [
    *(f"{age},poor,Aa,cold" for age in (20, 60)),
    *(f"{age},poor,Aa,flu" for age in (22, 23)),
    *(f"{age},poor,Aa,gout" for age in (21, 61)),
    *(f"{age},poor,Aa,mumps" for age in (24, 24)),
]
"""cold and gout occur over 40 years of 41, flu over one year, mumps in one."""


def groups(labels: NDArray[np.int64]) -> list[list[int]]:
    return sorted(np.flatnonzero(labels == label).tolist() for label in np.unique(labels))


def test_values_with_like_weights_are_one_cluster_whatever_the_weights_of_the_loss() -> None:
    said = specified(quasi_identifiers=[AGE], l=TWO)
    table = table_of(ROWS, said)
    for weights in ("unit", "data"):
        found = cluster_values(table, replace(said, weights=weights), 2).cluster
        named = dict(zip(table.sensitive[0].texts, found.tolist(), strict=True))
        assert named["cold"] == named["gout"] != named["flu"]
        assert named["flu"] == named["mumps"]


def test_an_expert_says_which_values_are_alike() -> None:
    weights = {name: {"age": 1 if name in ("cold", "flu") else 5} for name in ILLNESSES}
    said = specified(quasi_identifiers=[AGE], l=TWO, weights=weights)
    table = table_of(ROWS, said)
    found = cluster_values(table, said, 2).cluster
    named = dict(zip(table.sensitive[0].texts, found.tolist(), strict=True))
    assert named["cold"] == named["flu"] != named["gout"] == named["mumps"]


def test_records_are_merged_with_those_of_their_cluster() -> None:
    """Ages 20 to 24 lie side by side: cold with gout, flu with flu, mumps with mumps, although 23 is next to 24."""
    said = specified(quasi_identifiers=[AGE], l=TWO, method="ilp")
    table = table_of(ROWS, said)
    found = ilp_as_published(table, said)
    assert groups(found.partition.labels) == [[0, 4], [1, 5], [2, 3], [6, 7]]
    assert found.falsified_count == 0
    changed = ilp_as_published(table, replace(said, falsification=PARTS))
    assert groups(changed.partition.labels) == [[0, 4], [1, 5], [2, 3], [6, 7]]
    assert [changed.table.sensitive[0].texts[code] for code in changed.table.sensitive[0].codes] == (
        ["cold", "cold", "flu", "mumps", "gout", "gout", "mumps", "flu"]
    )
    assert changed.falsified_count == 2


def test_what_may_not_be_changed_is_merged() -> None:
    said = specified(quasi_identifiers=[AGE], l=TWO, method="ilp")
    table = table_of(ROWS, said)
    kept = anonymize(table, said, kernels.stop)
    assert groups(kept.partition.labels) == [[0, 4], [1, 5], [2, 3, 6, 7]]
    assert kept.falsified_count == 0
    half = anonymize(table, replace(said, falsification=PARTS // 4), kernels.stop)
    assert groups(half.partition.labels) == [[0, 4], [1, 5], [2, 3], [6, 7]]
    assert half.falsified_count == 2


@given(strategies.rows(), strategies.said(), st.sampled_from(["0.05", "0.2", "0.5", "0.9999"]))
def test_no_more_is_changed_than_is_allowed_and_the_criteria_hold_of_what_is_published(
    rows: list[str], said: dict[str, Any], share: str
) -> None:
    document = json.dumps({**said, "method": "ilp", "falsification": share})
    specification = read_specification(document, "spec", METHODS)
    table = read_table(csv_of(rows, strategies.HEADER), "t.csv", specification)
    try:
        found = anonymize(table, specification, kernels.stop)
    except InputError:
        assert not brute.keeps(table, specification, list(range(table.records)))
        return
    assert found.suppressed_count == 0
    assert found.falsified_count <= float(share) * table.records
    assert set(found.table.sensitive[0].codes) <= set(table.sensitive[0].codes)
    assert found.table.sensitive[1:] == table.sensitive[1:]
    assert found.table.quasi == table.quasi
    for members in groups(found.partition.labels):
        assert brute.keeps(found.table, specification, members)
    file, order = io.StringIO(), np.arange(table.records)
    write(file, found, order)
    check(io.BytesIO(file.getvalue().encode()), "out.csv", found, specification, order)


def test_what_changed_values_do_not_help_is_refused(subtests: pytest.Subtests) -> None:
    for method in ["bottom-up", "ilp", "k-member", "tree"]:
        with subtests.test(f"{method}"):
            said = specified(max_frequency="0.5", falsification="0.1", method=method)
            table = table_of(
                [f"{age},poor,Aa,{'cold' if age == 30 else 'flu'}" for age in range(20, 40)], said
            )
            with pytest.raises(InputError, match="the whole table as one class does not keep max_frequency"):
                anonymize(table, said, kernels.stop)


def test_too_many_values_are_refused() -> None:
    said = specified(l=TWO, method="ilp")
    table = table_of([f"{age % 90},poor,Aa,illness {age}" for age in range(1001)], said)
    with pytest.raises(InputError, match="ilp takes at most 1000 sensitive values"):
        ilp(table, said)


@pytest.mark.night
@pytest.mark.parametrize(("k", "independent", "homogeneous"), [(5, 0.0909, 0.067), (50, 0.3393, 0.006)])
def test_on_adult_it_loses_as_much_as_an_independent_one(
    k: int, independent: float, homogeneous: float
) -> None:
    """At k = 10, tests/papers/test_publishing_experiments.py."""
    table, said = adult(), adult_specification(k=k, method="ilp")
    papers = ilp_as_published(table, said).information_losses(said)
    assert papers.ncp == pytest.approx(independent, rel=0.03)
    assert papers.hasr == pytest.approx(homogeneous, abs=0.002)
    changing = replace(said, falsification=PARTS // 10)
    found = anonymize(table, changing, kernels.stop).information_losses(said)
    assert found.ncp == pytest.approx(independent, rel=0.03)
    assert found.hasr == 0 < found.falsified < 0.06
    unchanged = anonymize(table, said, kernels.stop).information_losses(said)
    assert unchanged.ncp > found.ncp
    assert (unchanged.hasr, unchanged.falsified) == (0, 0)


@pytest.mark.night
def test_three_values_cannot_be_had_in_classes_of_two_records() -> None:
    table = adult().take_records(np.arange(6000))
    said = replace(adult_specification(k=2), falsification=PARTS)
    papers = ilp_as_published(table, said)
    sizes = np.bincount(papers.partition.labels)
    pairs = np.unique(np.stack([papers.partition.labels, papers.table.sensitive[0].codes]), axis=1)
    assert sizes.min() == 2
    assert (np.bincount(pairs[0]) >= np.minimum(sizes, 3)).all()
    found = anonymize(table, said, kernels.stop)
    assert found.partition.sizes.min() == 3
