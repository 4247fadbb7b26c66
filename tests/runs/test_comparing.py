from itertools import chain

import pytest

from runs.models import Run
from runs.number_permissions import ReadableRows
from runs.pages import run_comparison
from tests.runs import sealed
from tests.runs.conftest import Ran

pytestmark = pytest.mark.page


def whole(run: Run) -> ReadableRows:
    return ReadableRows(run.itemsets.all(), run.rules.all(), whole=True)


def test_what_both_found_stands_together_and_the_rest_apart(ran: Ran) -> None:
    one, other = ran(min_support=0.1), ran(min_support=0.3)
    found = run_comparison.compare_itemsets(sealed.small(), whole(one), whole(other))
    keys = [set(run.itemsets.values_list("items", flat=True)) for run in (one, other)]
    assert keys[1] < keys[0]
    assert (len(found.both), len(found.only_second)) == (len(keys[1]), 0)
    assert len(found.only_first) == len(keys[0] - keys[1])
    assert all(row.difference == 0 for row in found.both)
    assert all(row.second is None and row.difference is None for row in found.only_first)


def test_the_largest_difference_stands_first(ran: Ran) -> None:
    one, other = ran(), ran(estimator="pooled")
    for compare in (run_comparison.compare_itemsets, run_comparison.compare_rules):
        rows = compare(sealed.small(), whole(one), whole(other)).both
        differences = [abs(row.difference or 0) for row in rows]
        assert differences == sorted(differences, reverse=True)
        assert differences[0] > 0


def test_what_only_one_found_stands_in_the_order_of_lists(ran: Ran) -> None:
    """Itemsets by the estimate; rules by p, which is not the order of the confidences."""
    one, other = ran(min_support=0.05), ran(min_support=0.9)
    found = [
        [
            row.first.number
            for row in compare(sealed.small(), whole(one), whole(other)).only_first
            if row.first
        ]
        for compare in (run_comparison.compare_itemsets, run_comparison.compare_rules)
    ]
    numbers, confidences = ([number or 0.0 for number in column] for column in found)
    assert len(numbers) > 5
    assert numbers == sorted(numbers, reverse=True)
    rows = list(one.rules.order_by("place"))
    assert any(row.both for row in rows)
    expected = [(row.confidence, row.converse) if row.both else (row.confidence,) for row in rows]
    assert confidences == list(chain.from_iterable(expected))


def test_each_value_stands_with_its_interval_in_the_list_named_as_in_the_commands(ran: Ran) -> None:
    run = ran()
    row = run.itemsets.get(items=" 1 ")
    (found,) = [
        one
        for one in run_comparison.compare_itemsets(sealed.small(), whole(run), whole(run)).both
        if one.name == "age=old"
    ]
    assert found.first == found.second
    assert found.first
    assert found.first == run_comparison.ComparedValue(row.support, row.low_listed, row.high_listed)
    itemsets = run_comparison.compare_itemsets(sealed.small(), whole(run), whole(run))
    rules = run_comparison.compare_rules(sealed.small(), whole(run), whole(run))
    assert {row.name for row in itemsets.both} >= {"age=young", "theft=yes", "age=young, theft=yes"}
    assert "theft=yes → age=young" in {row.name for row in rules.both}
