"""Two runs side by side, and what a run says of others that were asked the same."""

import re
from itertools import chain

import pytest
from django.db.transaction import atomic, set_rollback
from django.test import Client

from accounts.models import Person
from mining.parameters import Parameters
from reports.review import report_links_for_runs
from runs import run_start
from runs.models import Run
from runs.pages import run_comparison
from runs.result_reading_permissions import ReadableRows
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.runs.test_views import page, waiting_run
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
__all__ = ["waiting_run"]


def test_a_reviewer_compares_what_two_runs_found(survey: Survey, ran: Ran, judging: Client) -> None:
    one, other = ran(min_support=0.1), ran(min_support=0.3, estimator="pooled")
    assert one.itemset_count
    assert other.itemset_count
    text = page(judging, f"/app/runs/{one.pk}/compare?other={other.pk}")
    assert "theft=yes" in text
    assert f"Only in {one}" in text
    assert "both groups in one" in text
    for row in (one.itemsets.order_by("place")[0], other.itemsets.order_by("place")[0]):
        assert f"{row.low_listed:.1%} to {row.high_listed:.1%}".replace("%", " %") in text


def test_a_run_says_which_others_that_were_asked_the_same_found_the_same(ran: Ran, judging: Client) -> None:
    one, other = ran(), ran()
    address, compared = f"/app/runs/{one.pk}/", f"/app/runs/{one.pk}/compare?other={other.pk}"
    assert "the same to the last digit" in page(judging, compared)
    assert f'href="/app/runs/{other.pk}/">{other}' in page(judging, address)
    # One that differs is pointed out, but not if it is by another version of the mathematics.
    Run.objects.filter(pk=other.pk).update(digest="f" * 64, version="mining 1, numpy 0")
    text = page(judging, address)
    assert "A run that was asked the same found something else" in text
    assert "mining 1, numpy 0" in text
    # Nor if it used other records, or other numbers of it may be shown.
    for changed in ({"population": "another"}, {"verdict_digest": "0" * 64}):
        with atomic():
            Run.objects.filter(pk=other.pk).update(**changed)
            assert "found something else" not in page(judging, address)
            set_rollback(True)
    Run.objects.filter(pk=other.pk).update(version="mining 2, numpy 2.4.6")
    assert "found something else" not in page(judging, address)
    text = page(judging, compared)
    assert "mining 2, numpy 2.4.6" in text
    assert one.version in text


def test_published_runs_are_compared_by_everybody(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    def first_rows(run: Run) -> ReadableRows:
        return ReadableRows(run.itemsets.filter(place=0), run.rules.none())

    monkeypatch.setattr(report_links_for_runs, "published_rows", first_rows)
    one, other = ran(), ran(min_support=0.2)
    text = page(reading, f"/app/runs/{one.pk}/compare?other={other.pk}")
    assert "In both: 1" in text
    assert "theft=yes" not in text
    assert "age=young" in text


def test_a_number_of_records_that_may_not_be_told_is_a_dash(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    one, other = ran(), ran(min_support=0.2)
    monkeypatch.setattr(Survey, "has_rounded_counts", True)
    monkeypatch.setattr(
        report_links_for_runs, "published_rows", lambda run: readable_rows(run) if run == one else None
    )
    text = " ".join(
        re.sub(r"<[^>]+>", " ", page(reading, f"/app/runs/{one.pk}/compare?other={other.pk}")).split()
    )
    assert f"Records {one.used_records} –" in text


def test_incomparable_runs_are_refused(survey: Survey, owner: Person, ran: Ran, reading: Client) -> None:
    client, run = reading, ran(min_support=0.2)
    for nothing in ("", "0", "x", "99999999999999999999"):
        page(client, f"/app/runs/{run.pk}/compare?other={nothing}", 404)
    other = ran(sealed.survey(owner, sealed.small_design(), [100]))
    waiting = run_start.start_mining_run(survey, owner, Parameters(min_support=0.1, min_confidence=0.5), NOW)
    page(client, f"/app/runs/{run.pk}/compare?other={other.pk}", 404)
    page(client, f"/app/runs/{run.pk}/compare?other={waiting.pk}", 404)
    page(client, f"/app/runs/{waiting.pk}/compare?other={run.pk}", 404)
    page(client, f"/app/runs/{run.pk}/compare?other={run.pk}")


def readable_rows(run: Run) -> ReadableRows:
    return ReadableRows(run.itemsets.all(), run.rules.all())


def test_what_both_found_stands_together_the_largest_difference_first_and_the_rest_apart(ran: Ran) -> None:
    one, other = ran(min_support=0.1), ran(min_support=0.3)
    found = run_comparison.compare_itemsets(sealed.small_design(), readable_rows(one), readable_rows(other))
    keys = [set(run.itemsets.values_list("items", flat=True)) for run in (one, other)]
    assert keys[1] < keys[0]
    assert (len(found.both), len(found.only_second)) == (len(keys[1]), 0)
    assert len(found.only_first) == len(keys[0] - keys[1])
    assert all(row.difference == 0 for row in found.both)
    assert all(row.second is None and row.difference is None for row in found.only_first)
    one, other = ran(), ran(estimator="pooled")
    for compare in (run_comparison.compare_itemsets, run_comparison.compare_rules):
        rows = compare(sealed.small_design(), readable_rows(one), readable_rows(other)).both
        differences = [abs(row.difference or 0) for row in rows]
        assert differences == sorted(differences, reverse=True)
        assert differences[0] > 0


def test_what_only_one_found_stands_in_the_order_of_lists(ran: Ran) -> None:
    """Itemsets by the estimate; rules by p, which is not the order of the confidences."""
    one, other = readable_rows(ran(min_support=0.05)), readable_rows(ran(min_support=0.9))
    numbers, confidences = (
        [
            row.first.number or 0.0
            for row in compare(sealed.small_design(), one, other).only_first
            if row.first
        ]
        for compare in (run_comparison.compare_itemsets, run_comparison.compare_rules)
    )
    assert len(numbers) > 5
    assert numbers == sorted(numbers, reverse=True)
    rows = list(one.rules.order_by("place"))
    assert any(row.both for row in rows)
    expected = [(row.confidence, row.converse) if row.both else (row.confidence,) for row in rows]
    assert confidences == list(chain.from_iterable(expected))


def test_each_value_stands_with_its_interval_in_the_list_named_as_in_the_commands(ran: Ran) -> None:
    run = ran()
    row = run.itemsets.get(items=" 1 ")
    itemsets = run_comparison.compare_itemsets(
        sealed.small_design(), readable_rows(run), readable_rows(run)
    ).both
    rules = run_comparison.compare_rules(sealed.small_design(), readable_rows(run), readable_rows(run)).both
    (found,) = [one for one in itemsets if one.name == "age=old"]
    value = run_comparison.ComparedValue(row.support, row.low_listed, row.high_listed)
    assert found.first == found.second == value
    assert {row.name for row in itemsets} >= {"age=young", "theft=yes", "age=young, theft=yes"}
    assert "theft=yes → age=young" in {row.name for row in rules}
