"""Hierarchies: the leaves below every node are neighbours, and each node has its share."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from tests.privacy.anonymity.brute import height, node_at, nodes_to_root
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.proof
WORK = (("State", ("Federal", "Local")), ("Private", ("Firm", ("Self", ("Inc", "Not inc")))))


def labels_below(hierarchy: Hierarchy, node: int) -> list[str]:
    return list(hierarchy.labels[hierarchy.first[node] : hierarchy.last[node] + 1])


def test_a_given_hierarchy() -> None:
    found = hierarchies.build_hierarchy(WORK, "work")
    assert found.labels[: found.leaves] == ("Federal", "Local", "Firm", "Inc", "Not inc")
    assert labels_below(found, found.labels.index("Private")) == ["Firm", "Inc", "Not inc"]
    common = [found.lowest_common_node(*pair) for pair in ((3, 4), (2, 4), (0, 4))]
    assert [found.labels[node] for node in common] == ["Self", "Private", "*"]
    assert found.penalties[[0, *common]].tolist() == [0, 0.4, 0.6, 1]
    above = range(height(found) + 1)
    levels = [[found.labels[node_at(found, leaf, level)] for level in above] for leaf in (3, 0)]
    assert levels == [["Inc", "Self", "Private", "*"], ["Federal", "Federal", "State", "*"]]
    twice: list[tuple[hierarchies.Branch, ...]] = [("a", "a"), ("a", ("a", ("b",))), ("a", "*")]
    for branches in [*twice, (("x", ("a",)), ("x", ("b",)))]:
        assert "appears twice" in refusal(hierarchies.build_hierarchy, branches, "work"), branches


def test_proposed_hierarchies() -> None:
    shares, numbers = np.array([0, 0.1, 0.2, 0.9, 1.0]), ["20", "22", "24", "38", "40"]
    ages = hierarchies.build_interval_hierarchy(shares, numbers, "age")
    assert ages.labels == (*numbers, "20..24", "20..22", "38..40", "*")
    grades = hierarchies.build_pairing_hierarchy(["a", "b", "c", "d", "e"], "grade")
    assert grades.labels[grades.leaves :] == ("a..d", "a..b", "c..d", "*")
    codes = hierarchies.build_prefix_hierarchy(["1012", "1013", "1020", "9"], "code")
    node = codes.lowest_common_node(0, 1)
    assert (labels_below(codes, node), codes.labels[node]) == (["1012", "1013"], "101*")
    # Numbers that no halving parts stand side by side: as shares of a range of a million million, 1 and 2 are nearly
    # one place; three numbers that are one place too.
    far = hierarchies.build_interval_hierarchy(np.array([0, 1e-12, 1.0]), ["1", "2", "1000000000000"], "n")
    same = hierarchies.build_interval_hierarchy(np.array([0.5, 0.5, 0.5]), ["1", "2", "3"], "n")
    assert (far.labels[3:], same.labels[3:], height(same)) == (("1..2", "*"), ("*",), 1)


def test_a_missing_value_stands_beside_all_others() -> None:
    days = hierarchies.build_calendar_hierarchy(["2023-12-31", "2024-01-06"], "day", ["missing"])
    assert days.labels[-2:] == ("* but missing", "*")
    # One known value needs no class of its own.
    day = hierarchies.build_calendar_hierarchy(["2024-01-05"], "day", ["missing"])
    assert day.labels == ("2024-01-05", "missing", "*")


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
            assert nodes_to_root(found, leaf)[-1] == found.root
            assert node_at(found, leaf, 0) == leaf
