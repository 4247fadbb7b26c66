"""The eleven rows of document 001, and the lattice of race and ZIP; the page of them: test_pages.py."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from papers.k_anonymity import lattice
from papers.k_anonymity.document import lattice_figure
from papers.k_anonymity.eleven_example_rows import CLASSES, ROWS, CriterionResult, apply_criteria


@pytest.fixture(scope="module")
def rows() -> list[CriterionResult]:
    return apply_criteria()


@pytest.mark.proof
def test_two_of_the_five_classes_tell_their_value(rows: list[CriterionResult]) -> None:
    assert len(ROWS) == 11
    assert [len(set(problems)) for problems in CLASSES.values()] == [2, 1, 2, 3, 1]
    assert (rows[0].classes, rows[0].ncp, rows[0].hasr) == (5, 0, 2 / 5)


@pytest.mark.proof
def test_every_further_criterion_joins_them_to_the_same_three_classes(rows: list[CriterionResult]) -> None:
    """Births of 1965 and 1964 together for four, 1964 and 1967 for five: (4 * 1/3 + 5 * 1) / 44."""
    criteria = ["l = 2", "l = 2, entropy", "l = 2, recursive, c = 2", "t = .4", "rho .2, .6"]
    assert [row.criterion for row in rows[1:]] == criteria
    for row in rows[1:]:
        assert (row.classes, row.hasr) == (3, 0)
        assert row.ncp == pytest.approx((4 / 3 + 5) / 44)
        assert round(row.ncp, 4) == 0.1439
        assert [cells[1] for cells in row.rows] == ["1965"] * 2 + ["1964..1965"] * 4 + ["1964..1967"] * 5


def case(name: str, k: int, most: int) -> list[lattice.LatticeNode]:
    (found,) = [one for one in lattice.CASES if (one.name, one.k, one.most) == (name, k, most)]
    return lattice.select_case_nodes(found, lattice.all_nodes())


def test_the_minimal_generalisations() -> None:
    for name, k, most, minimal in (
        ("twelve rows", 2, 0, {"R0Z1", "R1Z0"}),
        ("twelve rows", 3, 0, {"R1Z0", "R0Z2"}),
        ("nine rows", 2, 0, {"R0Z2", "R1Z1"}),
        ("nine rows", 2, 2, {"R0Z1", "R1Z0"}),
    ):
        every = case(name, k, most)
        assert [node.name for node in every] == ["R0Z0", "R0Z1", "R1Z0", "R0Z2", "R1Z1", "R1Z2"]
        assert {node.name for node in every if node.minimal} == minimal, (name, k, most)
        assert [node.height for node in every] == [0, 1, 1, 2, 2, 3]


def test_classes_by_counting_what_the_rows_show() -> None:
    """Minimal are those admitted with none admitted below."""
    assert (len(set(lattice.EVEN)), len(lattice.UNEVEN)) == (12, 9)
    for one in lattice.CASES:
        every = lattice.select_case_nodes(one, lattice.all_nodes())
        for node in every:
            race, code = node.distance
            counts = Counter((("*",) * race or (row[0],), row[1][: (5, 4, 0)[code]]) for row in one.rows)
            assert node.sizes == tuple(sorted(counts.values(), reverse=True))
            assert node.below == sum(size for size in counts.values() if size < one.k)
            assert node.admitted == (node.below <= one.most)
            smaller = [each for each in every if all(map(int.__le__, each.distance, node.distance))]
            below = [other for other in smaller if other is not node]
            assert node.minimal == (node.admitted and not any(other.admitted for other in below))


def test_distance_vectors_of_the_nine_rows() -> None:
    """asian 94142 beside asian 94141: one level of ZIP; beside black 94138: all levels; rows 3 to 5 are the same."""
    found = {row.records: row.distance for row in lattice.record_distances()}
    assert len(found) == 9 * 8 / 2
    by_hand = {(1, 2): (0, 1), (1, 3): (0, 2), (1, 6): (1, 2), (3, 4): (0, 0), (3, 8): (1, 0), (6, 7): (0, 1)}
    assert {pair: found[pair] for pair in by_hand} == by_hand


def test_strategies_are_the_paths_through_the_lattice() -> None:
    """One step of race among two of ZIP: three orders."""
    assert lattice.paths_to_top((1, 2)) == [
        [(0, 0), (1, 0), (1, 1), (1, 2)],
        [(0, 0), (0, 1), (1, 1), (1, 2)],
        [(0, 0), (0, 1), (0, 2), (1, 2)],
    ]


@pytest.mark.proof
def test_the_lattice_is_drawn_with_a_box_for_each_node_and_a_line_for_each_step() -> None:
    for one in lattice.CASES:
        nodes = lattice.select_case_nodes(one, lattice.all_nodes())
        drawn = lattice_figure(one, nodes).svg
        paths = ET.fromstring(drawn).findall("path")
        shapes = [(path, part.strip()) for path in paths for part in path.attrib["d"].split("M")[1:]]
        boxes = [(path, part) for path, part in shapes if part.endswith("z") and path.get("stroke")]
        assert len(boxes) == len(nodes) == 6
        assert len([part for _path, part in shapes if not part.endswith("z")]) == 7
        for (path, part), node in zip(boxes, nodes, strict=True):
            assert (path.get("fill") == "var(--minimal)") == node.minimal
            assert (path.get("stroke-dasharray") is not None) == (not node.admitted)
            assert min(float(number) for number in part.removesuffix("z").split()) >= 0
        assert "R0Z1 [0, 1]" in drawn
