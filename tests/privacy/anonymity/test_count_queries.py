"""Count queries: exact counts and estimates against plain loops, and by hand."""

from collections import Counter
from math import ceil

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.report.json_codec import dump
from privacy.anonymity import count_queries
from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.count_queries import (
    SELECTIVITY,
    CountQuery,
    EstimatedCounts,
    ExactCounts,
    draw_query,
    query_errors,
)
from privacy.anonymity.tables.table import Column
from tests.privacy.anonymity.sample_tables import specified, table_of
from tests.privacy.anonymity.strategies import outcomes, shown_by_record, texts_of

pytestmark = pytest.mark.proof


def allowed(column: Column, *texts: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([text in texts for text in column.texts])


def test_a_query_worked_out_by_hand() -> None:
    outcome = outcome_from_labels(table_of(), np.array([0, 0, 1, 1]))
    age, _wealth, town = outcome.source.quasi
    illness = outcome.source.sensitive[0]
    # From 31 to 45 in Aa, Bee or Cee with flu: record 45,Cee. Class 30..31, North, with one flu: half · all;
    # class 45..47, South, with one flu: half · half.
    query = CountQuery(
        {0: allowed(age, "31", "45"), 2: allowed(town, "Aa", "Bee", "Cee")}, 0, allowed(illness, "flu")
    )
    assert ExactCounts(outcome.source).count(query) == 1
    assert EstimatedCounts(outcome.table, outcome.partition).estimate([query]).tolist() == pytest.approx(
        [0.75]
    )


@given(outcomes(), st.integers(0, 2**32))
def test_counts_and_estimates_agree_with_plain_loops(outcome: AnonymisedTable, seed: int) -> None:
    draw = np.random.default_rng(seed).random
    exact, estimated = ExactCounts(outcome.source), EstimatedCounts(outcome.table, outcome.partition)
    shown = shown_by_record(outcome)
    for _query in range(4):
        query = draw_query(outcome.source, draw)
        assert query.sensitive is not None
        allowing = {
            at: {text for text, yes in zip(outcome.source.quasi[at].texts, truths, strict=True) if yes}
            for at, truths in query.quasi.items()
        }
        column = outcome.source.sensitive[query.sensitive]
        having = {text for text, yes in zip(column.texts, query.values, strict=True) if yes}
        true = sum(
            texts_of(column)[record] in having
            and all(texts_of(outcome.source.quasi[at])[record] in allowing[at] for at in allowing)
            for record in range(outcome.source.records)
        )
        expected = 0.0
        for cells, value in zip(shown, texts_of(outcome.table.sensitive[query.sensitive]), strict=True):
            share = float(value in having)
            for at, texts in allowing.items():
                share *= sum(text in texts for text in cells[at]) / len(cells[at])
            expected += share
        assert exact.count(query) == true
        assert estimated.estimate([query]).tolist() == pytest.approx([expected])


def test_many_queries_are_estimated_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two classes: three queries at once, and one is left over."""
    outcome = outcome_from_labels(table_of(), np.array([0, 0, 1, 1]))
    draw = np.random.default_rng(1).random
    queries = [draw_query(outcome.source, draw) for _query in range(10)]
    estimated = EstimatedCounts(outcome.table, outcome.partition)
    alone = [estimated.estimate([query])[0] for query in queries]
    monkeypatch.setattr(count_queries, "AT_ONCE", 6)
    assert estimated.estimate(queries).tolist() == alone
    assert len(set(alone)) == 3


@given(outcomes(), st.integers(0, 2**32))
def test_records_that_show_themselves_are_counted_exactly(outcome: AnonymisedTable, seed: int) -> None:
    alone = outcome_from_labels(outcome.source, np.arange(outcome.source.records))
    assert query_errors(alone, np.random.default_rng(seed).random, 5).mean == pytest.approx(0)


def test_queries_allow_neighbours_or_subsets_of_the_size_that_the_selectivity_asks_for() -> None:
    table = table_of(
        [
            f"{age},{'poor' if age % 2 else 'rich'},{town},i{age % 9}"
            for age in range(40)
            for town in ("Aa", "Cee")
        ]
    )
    draw = np.random.default_rng(5).random
    queries = [draw_query(table, draw) for _query in range(300)]
    assert {len(query.quasi) for query in queries} == {1, 2, 3}
    assert Counter(at for query in queries for at in query.quasi).keys() == {0, 1, 2}
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
    outcome = outcome_from_labels(table_of(), np.zeros(4, int))
    first, again, other = (
        query_errors(outcome, np.random.default_rng(seed).random, 100) for seed in (1, 1, 2)
    )
    assert first == again != other
    whole = query_errors(outcome, np.random.default_rng(1).random)
    assert dump(whole) == {"queries": 2000, "median": whole.median, "mean": whole.mean}


def test_errors_are_relative_to_a_thousandth_of_the_records_at_least() -> None:
    said = specified(sensitive=[], quasi_identifiers=[{"name": "age", "kind": "number"}])
    # Of 4,000 records 3,981 are of age 1, and one each of 2 to 20; a query of one column allows one of the 20 ages.
    rows = [f"{age},poor,Aa,flu" for age in [*range(2, 21), *([1] * 3981)]]
    outcome = outcome_from_labels(table_of(rows, said), np.zeros(4000, int))
    # Each age is said to be a twentieth, 200: wrong by 199, relative to 4, where there is one.
    errors = query_errors(outcome, np.random.default_rng(1).random, 400)
    assert errors.median == pytest.approx(199 / 4)


def test_columns_too_large_for_bits_by_value_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of([f"{age % 50},poor,{('Aa', 'Dee')[age % 2]},i{age % 9}" for age in range(101)])
    draw = np.random.default_rng(3).random
    queries = [draw_query(table, draw) for _query in range(50)]
    counts = [ExactCounts(table).count(query) for query in queries]
    monkeypatch.setattr(count_queries, "MOST_BITS", 0)
    assert [ExactCounts(table).count(query) for query in queries] == counts
    assert max(counts) > 0


def test_a_table_without_sensitive_columns_is_asked_too() -> None:
    table = table_of(specification=specified(sensitive=[]))
    query = draw_query(table, np.random.default_rng(1).random)
    assert query.sensitive is None
    assert (
        query_errors(outcome_from_labels(table, np.arange(4)), np.random.default_rng(1).random, 20).mean == 0
    )


def test_fewer_queries_are_asked_where_each_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four records in four columns, and eleven or more values: 16 + 600 times their number."""
    table = table_of()
    values = sum(len(column.texts) for column in (*table.quasi, *table.sensitive))
    monkeypatch.setattr(count_queries, "MOST_WORK", 30 * (16 + 600 * values))
    outcome = outcome_from_labels(table, np.arange(4))
    assert query_errors(outcome, np.random.default_rng(1).random).queries == 30
    assert query_errors(outcome, np.random.default_rng(1).random, 25).queries == 25
    monkeypatch.setattr(count_queries, "MOST_WORK", 0)
    assert query_errors(outcome, np.random.default_rng(1).random).queries == count_queries.FEWEST
