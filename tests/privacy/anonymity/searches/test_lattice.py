"""Levels, lattice and distance vectors of full-domain generalisation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.searches.lattice import Lattice, build_lattice, column_hierarchy, level_domains
from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.table import Codes, Table, read_table
from tests.privacy.anonymity import brute, strategies
from tests.privacy.anonymity.sample_tables import csv_of, specified, table_of


def of_rows(rows: list[str]) -> Table:
    said = specified(quasi_identifiers=strategies.QUASI, sensitive=[])
    return read_table(csv_of(rows, strategies.HEADER), "t.csv", said)


def test_hierarchies_by_kind() -> None:
    age, wealth, town = (column_hierarchy(column) for column in table_of().quasi)
    # 30 to 47 is halved at 38.5, then on both sides.
    assert age.labels == ("30", "31", "45", "47", "30..31", "45..47", "*")
    assert wealth.labels == ("poor", "middling", "rich", "poor..middling", "*")
    assert town.labels[4:] == ("North", "South", "*")


def test_the_lattice_of_a_table() -> None:
    lattice = build_lattice(table_of())
    assert (lattice.top, lattice.height, lattice.size) == ((2, 2, 2), 6, 27)
    assert [lattice.count_shown_nodes(1, level) for level in range(3)] == [2, 2, 1]
    # Four records; those of the North are poor, those of the South rich.
    assert lattice.classes((0, 0, 0)).tolist() == [0, 1, 2, 3]
    assert lattice.classes((1, 0, 1)).tolist() == [0, 0, 1, 1]
    assert lattice.classes((2, 2, 2)).tolist() == [0, 0, 0, 0]
    assert lattice.distance_vector(0, 1) == (1, 0, 1)
    assert lattice.distance_vector(0, 3) == (2, 2, 2)
    assert lattice.distance_vector(2, 2) == (0, 0, 0)


def test_a_class_shows_the_whole_range_of_its_nodes() -> None:
    table = table_of()
    found = build_lattice(table).partition((1, 1, 1), np.array([1, 2, 3]))
    assert found.labels.tolist() == [0, 1, 1]
    shown = [
        [column.cell_text(low, high) for column, low, high in zip(table.quasi, lows, highs, strict=True)]
        for lows, highs in zip(found.lows.tolist(), found.highs.tolist(), strict=True)
    ]
    assert shown == [["30..31", "poor..middling", "North"], ["45..47", "rich", "South"]]


@pytest.mark.proof
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40, unique=True), st.booleans())
def test_domains_are_the_levels_of_a_hierarchy(numbers: list[int], by_prefix: bool) -> None:
    texts = sorted(map(str, numbers))
    found = (
        hierarchies.build_prefix_hierarchy(texts, "")
        if by_prefix
        else hierarchies.build_pairing_hierarchy(texts, "")
    )
    domains = level_domains(found)
    assert len(domains) == brute.height(found) + 1
    for level, domain in enumerate(domains):
        for leaf in range(found.leaves):
            node, place = brute.node_at(found, leaf, level), domain.nodes[leaf]
            assert (domain.lows[place], domain.highs[place]) == (found.first[node], found.last[node])
        assert sorted(set(domain.nodes.tolist())) == list(range(len(domain.lows)))


@pytest.mark.proof
@given(strategies.rows(most=14), st.data())
def test_two_records_show_the_same_where_no_level_is_below_their_distance(
    rows: list[str], data: st.DataObject
) -> None:
    table = of_rows(rows)
    lattice = build_lattice(table)
    assert lattice.top == brute.tops(table)
    levels = tuple(data.draw(st.integers(0, top)) for top in lattice.top)
    classes, shown = lattice.classes(levels), brute.shown(table, levels)
    for one in range(table.records):
        for other in range(table.records):
            near = all(
                distance <= level
                for distance, level in zip(lattice.distance_vector(one, other), levels, strict=True)
            )
            assert near == (classes[one] == classes[other]) == (shown[one] == shown[other])


@pytest.mark.parametrize("columns", [1, 12])
def test_many_values_in_many_columns_are_told_apart(columns: int) -> None:
    """Twelve columns of 300 values: more combinations than an integer counts."""
    random = np.random.default_rng(3)
    codes: Codes = random.integers(0, 300, (500, columns)).astype(np.int32)
    codes[:20] = codes[20:40]
    domains = level_domains(hierarchies.build_flat_hierarchy([str(number) for number in range(300)], ""))
    classes = Lattice(codes, (domains,) * columns).classes((0,) * columns)
    _rows, expected = np.unique(codes, axis=0, return_inverse=True)
    pairs = set(zip(classes.tolist(), expected.ravel().tolist(), strict=True))
    assert len(pairs) == len(set(classes.tolist())) == len(set(expected.ravel().tolist()))
    assert sorted(set(classes.tolist())) == list(range(len(pairs)))


def test_numbers_of_one_value_have_nothing_to_generalise() -> None:
    table = table_of(["30,poor,Aa,flu", "30,rich,Aa,flu"])
    found = build_lattice(table).partition(build_lattice(table).top, np.array([0, 1]))
    assert table.quasi[0].cell_text(int(found.lows[0, 0]), int(found.highs[0, 0])) == "30"
