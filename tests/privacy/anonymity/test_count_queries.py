"""Count queries and marginals: counts, estimates and distances against plain loops, and by hand."""

from collections.abc import Iterable
from itertools import product
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.json_codec import node_to_json
from privacy.anonymity import count_query_errors
from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_with_changed_values,
)
from privacy.anonymity.count_query_errors import (
    SELECTIVITY,
    CountQuery,
    EstimatedCounts,
    ExactCounts,
    draw_query,
    marginal_distances,
    query_errors,
)
from privacy.anonymity.tables.table import Column
from tests.privacy.anonymity import sample_tables as samples

pytestmark = pytest.mark.proof


def allowed_values(column: Column, *texts: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([text in texts for text in column.texts])


def test_a_query_worked_out_by_hand() -> None:
    outcome = outcome_from_labels(samples.table_of(), np.array([0, 0, 1, 1]))
    age, _wealth, town = outcome.source.quasi
    illness = outcome.source.sensitive[0]
    # From 31 to 45 in Aa, Bee or Cee with flu: record 45,Cee. Class 30..31, North, with one flu: half · all;
    # class 45..47, South, with one flu: half · half.
    quasi = {0: allowed_values(age, "31", "45"), 2: allowed_values(town, "Aa", "Bee", "Cee")}
    query = CountQuery(quasi, 0, allowed_values(illness, "flu"))
    assert ExactCounts(outcome.source).count(query) == 1
    estimated = EstimatedCounts(outcome.table, outcome.partition).estimate([query])
    assert estimated.tolist() == pytest.approx([0.75])


@given(samples.outcomes(), st.integers(0, 2**32))
def test_counts_and_estimates_agree_with_plain_loops(outcome: AnonymisedTable, seed: int) -> None:
    draw = np.random.default_rng(seed).random
    exact, estimated = ExactCounts(outcome.source), EstimatedCounts(outcome.table, outcome.partition)
    shown = samples.shown_by_record(outcome)
    for _query in range(4):
        query = draw_query(outcome.source, draw)
        assert query.sensitive is not None
        asked: list[tuple[Column, Any]] = [(outcome.source.quasi[at], of) for at, of in query.quasi.items()]
        asked.append((outcome.source.sensitive[query.sensitive], query.values))
        allowing = [{text for text, yes in zip(of.texts, truths, strict=True) if yes} for of, truths in asked]
        *of_quasi, having = allowing
        texts = zip(*(samples.texts_of(of) for of, _truths in asked), strict=True)
        true = sum(all(text in of for text, of in zip(row, allowing, strict=True)) for row in texts)
        expected = 0.0
        published = samples.texts_of(outcome.table.sensitive[query.sensitive])
        for cells, value in zip(shown, published, strict=True):
            share = float(value in having)
            for at, own in zip(query.quasi, of_quasi, strict=True):
                share *= sum(text in own for text in cells[at]) / len(cells[at])
            expected += share
        assert exact.count(query) == true
        assert estimated.estimate([query]).tolist() == pytest.approx([expected])


def test_many_queries_are_estimated_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two classes: three queries at once, and one is left over."""
    outcome = outcome_from_labels(samples.table_of(), np.array([0, 0, 1, 1]))
    draw = np.random.default_rng(1).random
    queries = [draw_query(outcome.source, draw) for _query in range(10)]
    estimated = EstimatedCounts(outcome.table, outcome.partition)
    alone = [estimated.estimate([query])[0] for query in queries]
    monkeypatch.setattr(count_query_errors, "AT_ONCE", 6)
    assert estimated.estimate(queries).tolist() == alone
    assert len(set(alone)) == 3


@given(samples.outcomes(), st.integers(0, 2**32))
def test_records_that_show_themselves_are_counted_exactly(outcome: AnonymisedTable, seed: int) -> None:
    alone = outcome_from_labels(outcome.source, np.arange(outcome.source.records))
    assert query_errors(alone, np.random.default_rng(seed).random, 5).mean == pytest.approx(0)


def test_queries_allow_neighbours_or_subsets_of_the_size_that_the_selectivity_asks_for() -> None:
    people = product(range(40), ("Aa", "Cee"))
    table = samples.table_of([f"{age},{('rich', 'poor')[age % 2]},{town},i{age % 9}" for age, town in people])
    draw = np.random.default_rng(5).random
    queries = [draw_query(table, draw) for _query in range(300)]
    assert {len(query.quasi) for query in queries} == {1, 2, 3}
    assert {at for query in queries for at in query.quasi} == {0, 1, 2}
    for query in queries:
        share = SELECTIVITY ** (1 / (len(query.quasi) + 1))
        for truths in query.quasi.values():
            assert truths.sum() == ceil(share * len(truths))
        assert query.values.sum() == ceil(share * 9)
        for at in {0, 1} & query.quasi.keys():
            assert np.ptp(np.flatnonzero(query.quasi[at])) == query.quasi[at].sum() - 1
    towns = [query.quasi[2] for query in queries if 2 in query.quasi and query.quasi[2].sum() == 2]
    assert any(truths[0] and truths[3] for truths in towns)


def test_one_seed_gives_the_same_errors() -> None:
    outcome = outcome_from_labels(samples.table_of(), np.zeros(4, int))
    draws = (np.random.default_rng(seed).random for seed in (1, 1, 2))
    first, again, other = (query_errors(outcome, draw, 100) for draw in draws)
    assert first == again != other
    whole = query_errors(outcome, np.random.default_rng(1).random)
    assert node_to_json(whole) == {"queries": 2000, "median": whole.median, "mean": whole.mean}


def test_errors_are_relative_to_a_thousandth_of_the_records_at_least() -> None:
    said = samples.make_specification(sensitive=[], quasi_identifiers=[{"name": "age", "kind": "number"}])
    # Of 4,000 records 3,981 are of age 1, and one each of 2 to 20; a query of one column allows one of the 20 ages.
    rows = [f"{age},poor,Aa,flu" for age in [*range(2, 21), *([1] * 3981)]]
    outcome = outcome_from_labels(samples.table_of(rows, said), np.zeros(4000, int))
    # Each age is said to be a twentieth, 200: wrong by 199, relative to 4, where there is one.
    assert query_errors(outcome, np.random.default_rng(1).random, 400).median == pytest.approx(199 / 4)


def test_columns_too_large_for_bits_by_value_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    table = samples.table_of([f"{age % 50},poor,{('Aa', 'Dee')[age % 2]},i{age % 9}" for age in range(101)])
    draw = np.random.default_rng(3).random
    queries = [draw_query(table, draw) for _query in range(50)]
    counts = [ExactCounts(table).count(query) for query in queries]
    monkeypatch.setattr(count_query_errors, "MOST_BITS", 0)
    assert [ExactCounts(table).count(query) for query in queries] == counts
    assert max(counts) > 0


def test_a_table_without_sensitive_columns_is_asked_too() -> None:
    table = samples.table_of(specification=samples.make_specification(sensitive=[]))
    draw = np.random.default_rng(1).random
    assert draw_query(table, draw).sensitive is None
    assert query_errors(outcome_from_labels(table, np.arange(4)), draw, 20).mean == 0


def test_fewer_queries_are_asked_where_each_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four records in four columns, and eleven or more values: 16 + 600 times their number."""
    table = samples.table_of()
    values = sum(len(column.texts) for column in (*table.quasi, *table.sensitive))
    monkeypatch.setattr(count_query_errors, "MOST_WORK", 30 * (16 + 600 * values))
    outcome = outcome_from_labels(table, np.arange(4))
    assert query_errors(outcome, np.random.default_rng(1).random).queries == 30
    assert query_errors(outcome, np.random.default_rng(1).random, 25).queries == 25
    monkeypatch.setattr(count_query_errors, "MOST_WORK", 0)
    assert query_errors(outcome, np.random.default_rng(1).random).queries == count_query_errors.FEWEST


# --- marginals


def marginals(rows: Iterable[str], *labels: int) -> dict[str, float]:
    return marginal_distances(outcome_from_labels(samples.table_of(rows), np.array(labels)))


def test_distances_of_marginals_by_hand() -> None:
    # Ages 30, 31, 45, 47 in one class and wealth in two: ages come back evenly. In North and South the towns too.
    even = {"age": 0, "wealth": 0, "town": 0, "illness": 0}
    assert marginals(samples.ROWS, 0, 0, 1, 1) == pytest.approx(even)
    # Poor, poor, rich, rich in one class: a third is said to be middling.
    assert marginals(samples.ROWS, 0, 0, 0, 0)["wealth"] == pytest.approx(1 / 3)
    # North stands for Aa and Bee, and Aa alone occurs twice in a class with Dee: * is a fourth of each.
    towns = ["30,poor,Aa,flu", "30,poor,Aa,flu", "30,poor,Dee,flu", "30,poor,Dee,flu"]
    assert marginals(towns, 0, 1, 0, 1)["town"] == pytest.approx(0.5)
    # cold, flu, flu, gout becomes flu, flu, flu, gout.
    table = samples.table_of()
    changed = samples.with_codes(table.sensitive[0], [1, 1, 1, 2])
    both = [outcome_with_changed_values(table, np.zeros(4, int), (changed,))]
    both.append(samples.without_the_others(table, np.array([0, 2]), np.array([0, 0])))
    assert [marginal_distances(each)["illness"] for each in both] == pytest.approx([0.25, 0.5])


@given(samples.outcomes())
def test_distances_agree_with_plain_loops(outcome: AnonymisedTable) -> None:
    found = marginal_distances(outcome)
    shown, records = samples.shown_by_record(outcome), len(outcome.kept)
    for at, column in enumerate(outcome.source.quasi):
        true, distance = samples.texts_of(column), 0.0
        for text in column.texts:
            expected = sum((text in cells[at]) / len(cells[at]) for cells in shown)
            distance += abs(expected / records - true.count(text) / len(true)) / 2
        assert found[column.name] == pytest.approx(distance)
    for before, after in zip(outcome.source.sensitive, outcome.table.sensitive, strict=True):
        true, published = samples.texts_of(before), samples.texts_of(after)
        moved = (published.count(text) / records - true.count(text) / len(true) for text in before.texts)
        assert found[before.name] == pytest.approx(sum(map(abs, moved)) / 2)
