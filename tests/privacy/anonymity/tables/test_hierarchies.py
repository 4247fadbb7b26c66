"""Hierarchies: the leaves below every node are neighbours, and each node has its share."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity.brute import chain, height, node_at

pytestmark = pytest.mark.proof
WORK = (("State", ("Federal", "Local")), ("Private", ("Firm", ("Self", ("Inc", "Not inc")))))


def below(hierarchy: Hierarchy, node: int) -> list[str]:
    return list(hierarchy.labels[hierarchy.first[node] : hierarchy.last[node] + 1])


def test_a_given_hierarchy() -> None:
    found = hierarchies.build_hierarchy(WORK, "work")
    assert found.labels[: found.leaves] == ("Federal", "Local", "Firm", "Inc", "Not inc")
    assert {label: below(found, node) for node, label in enumerate(found.labels)}["Private"] == [
        "Firm",
        "Inc",
        "Not inc",
    ]
    assert found.labels[found.lowest_common_node(3, 4)] == "Self"
    assert found.labels[found.lowest_common_node(2, 4)] == "Private"
    assert found.labels[found.lowest_common_node(0, 4)] == "*"
    assert found.penalties[
        [0, found.lowest_common_node(3, 4), found.lowest_common_node(2, 3), found.root]
    ].tolist() == [
        0,
        0.4,
        0.6,
        1,
    ]
    assert [found.labels[node_at(found, 3, level)] for level in range(height(found) + 1)] == [
        "Inc",
        "Self",
        "Private",
        "*",
    ]
    assert [found.labels[node_at(found, 0, level)] for level in range(height(found) + 1)] == [
        "Federal",
        "Federal",
        "State",
        "*",
    ]


def test_what_stands_twice_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[hierarchies.Branch, ...]] = [
        ("a", "a"),
        ("a", ("a", ("b",))),
        ("a", "*"),
        (("x", ("a",)), ("x", ("b",))),
    ]
    for branches in cases:
        with subtests.test(f"{branches!r:.60}"), pytest.raises(InputError, match="appears twice"):
            hierarchies.build_hierarchy(branches, "work")


def test_proposed_hierarchies() -> None:
    ages = hierarchies.build_interval_hierarchy(
        np.array([0, 0.1, 0.2, 0.9, 1.0]), ["20", "22", "24", "38", "40"], "age"
    )
    assert ages.labels == ("20", "22", "24", "38", "40", "20..24", "20..22", "38..40", "*")
    grades = hierarchies.build_pairing_hierarchy(["a", "b", "c", "d", "e"], "grade")
    assert grades.labels[grades.leaves :] == ("a..d", "a..b", "c..d", "*")
    codes = hierarchies.build_prefix_hierarchy(["1012", "1013", "1020", "9"], "code")
    assert below(codes, codes.lowest_common_node(0, 1)) == ["1012", "1013"]
    assert codes.labels[codes.lowest_common_node(0, 1)] == "101*"


def test_numbers_that_no_halving_parts_stand_side_by_side() -> None:
    """As shares of a range of a million million, 1 and 2 are nearly one place; three numbers that are one place too."""
    found = hierarchies.build_interval_hierarchy(np.array([0, 1e-12, 1.0]), ["1", "2", "1000000000000"], "n")
    assert found.labels[3:] == ("1..2", "*")
    same = hierarchies.build_interval_hierarchy(np.array([0.5, 0.5, 0.5]), ["1", "2", "3"], "n")
    assert (same.labels[3:], height(same)) == (("*",), 1)


@given(st.sets(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=30))
def test_every_proposal_is_a_hierarchy(values: set[str]) -> None:
    ordered = sorted(values)
    positions = np.linspace(0, 1, len(ordered))
    for found in (
        hierarchies.build_prefix_hierarchy(ordered, ""),
        hierarchies.build_pairing_hierarchy(ordered, ""),
        hierarchies.build_interval_hierarchy(positions, ordered, ""),
        hierarchies.build_flat_hierarchy(ordered, ""),
    ):
        assert sorted(found.labels[: found.leaves]) == ordered
        for node in range(len(found.labels) - 1):
            above = found.parent[node]
            assert above > node or above >= found.leaves
            assert found.first[above] <= found.first[node] <= found.last[node] <= found.last[above]
        for leaf in range(found.leaves):
            assert chain(found, leaf)[-1] == found.root
            assert node_at(found, leaf, 0) == leaf
