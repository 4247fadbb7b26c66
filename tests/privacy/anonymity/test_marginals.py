"""Distances of marginals against plain loops, and by hand."""

import numpy as np
import pytest
from hypothesis import given

from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_with_changed_values,
    outcome_without_left_out_records,
)
from privacy.anonymity.count_queries import marginal_distances
from privacy.anonymity.tables.table import Column
from tests.privacy.anonymity.sample_tables import table_of
from tests.privacy.anonymity.strategies import outcomes, shown_by_record, texts_of


def test_a_class_spreads_evenly_over_the_values_it_shows() -> None:
    # Ages 30, 31, 45, 47 in one class and wealth in two: ages come back evenly. In North and South the towns too.
    found = marginal_distances(outcome_from_labels(table_of(), np.array([0, 0, 1, 1])))
    assert found == pytest.approx({"age": 0, "wealth": 0, "town": 0, "illness": 0})
    # Poor, poor, rich, rich in one class: a third is said to be middling.
    assert marginal_distances(outcome_from_labels(table_of(), np.zeros(4, int)))["wealth"] == pytest.approx(
        1 / 3
    )


def test_all_leaves_of_a_node_count_those_that_occur_in_no_record_too() -> None:
    # North stands for Aa and Bee, and Aa alone occurs twice in a class with Dee: * is a fourth of each.
    table = table_of(["30,poor,Aa,flu", "30,poor,Aa,flu", "30,poor,Dee,flu", "30,poor,Dee,flu"])
    assert marginal_distances(outcome_from_labels(table, np.array([0, 1, 0, 1])))["town"] == pytest.approx(
        0.5
    )


def test_changed_values_and_left_out_records_move_sensitive_marginals() -> None:
    table = table_of()
    illness = table.sensitive[0]
    changed = Column(illness.name, illness.texts, np.array([1, 1, 1, 2], np.int32))
    # cold, flu, flu, gout becomes flu, flu, flu, gout.
    labels = np.zeros(4, int)
    assert marginal_distances(outcome_with_changed_values(table, labels, (changed,)))[
        "illness"
    ] == pytest.approx(0.25)
    kept = np.array([0, 2])
    partition = outcome_from_labels(table.take_records(kept), np.array([0, 0])).partition
    assert marginal_distances(outcome_without_left_out_records(table, kept, partition))[
        "illness"
    ] == pytest.approx(0.5)


@pytest.mark.proof
@given(outcomes())
def test_distances_agree_with_plain_loops(outcome: AnonymisedTable) -> None:
    found = marginal_distances(outcome)
    shown, records = shown_by_record(outcome), len(outcome.kept)
    for at, column in enumerate(outcome.source.quasi):
        true, distance = texts_of(column), 0.0
        for text in column.texts:
            expected = sum((text in cells[at]) / len(cells[at]) for cells in shown)
            distance += abs(expected / records - true.count(text) / len(true)) / 2
        assert found[column.name] == pytest.approx(distance)
    for before, after in zip(outcome.source.sensitive, outcome.table.sensitive, strict=True):
        true, published = texts_of(before), texts_of(after)
        difference = sum(
            abs(published.count(text) / records - true.count(text) / len(true)) for text in before.texts
        )
        assert found[before.name] == pytest.approx(difference / 2)
