"""Which rows the pictures get, and how many more there are; read from the database, and no more than are shown."""

from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from mining.document.report import GroupTable
from people.models import Person
from reports.labels import Labels
from reports.models import Decision, Review
from reports.pages import page_rows
from reports.review import deciding, publishing
from reports.review.report_page import ReportPage
from runs.models import Itemset, Rule, Run
from tests.cast import As
from tests.intake import asked
from tests.reports import made
from tests.reports.test_labels import SUBSTANCES
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def whole(review: Review) -> ReportPage:
    return ReportPage(review, whole=True)


def more_rules(run: Run, count: int, **values: Any) -> None:
    """So many more like rule 1, but for what is said."""
    kept = list(Itemset.objects.filter(run=run).order_by("place"))
    rows = [made.rule(run, 4 + n, kept, **made.RULES[0]) for n in range(count)]
    for row in rows:
        for name, value in values.items():
            setattr(row, name, value)
    Rule.objects.bulk_create(rows)
    Run.objects.filter(pk=run.pk).update(rule_count=4 + count)
    run.refresh_from_db()


def numbers(found: tuple[list[Any], int]) -> tuple[list[int], int]:
    rules, more = found
    return [rule.number for rule in rules], more


def test_the_surest_rules_come_first_and_all_others_are_counted(whole: ReportPage) -> None:
    assert numbers(page_rows.top_rules(whole, 3)) == ([1, 2, 3], 1)
    more_rules(whole.review.run, 700, q=0.001, lift=1.2)
    found, more = numbers(page_rows.top_rules(ReportPage(whole.review, whole=True), 40))
    assert found[:5] == [1, 2, 3, 4, 5]
    assert (len(found), more) == (40, 664)


def test_a_rule_without_a_confidence_is_not_drawn_but_counted(whole: ReportPage) -> None:
    more_rules(whole.review.run, 1, q=0.0, confidence=None)
    assert numbers(page_rows.top_rules(ReportPage(whole.review, whole=True), 40)) == ([1, 2, 3, 4], 1)


def test_the_graph_leaves_out_what_says_no_more_than_a_shorter_rule(whole: ReportPage) -> None:
    assert numbers(page_rows.top_irredundant_rules(whole, 20)) == ([1, 2, 3], 1)


def test_a_graph_of_redundant_rules_alone_is_drawn_all_the_same(survey: Any, reviewer: Person) -> None:
    run = made.run(survey, rules=0)
    kept = list(Itemset.objects.filter(run=run).order_by("place"))
    Rule.objects.bulk_create([made.rule(run, 3, kept, **made.RULES[3])])
    Run.objects.update(rule_count=1)
    publishing.add_finished_runs(NOW)
    assert numbers(page_rows.top_irredundant_rules(ReportPage(Review.objects.get(), whole=True), 20)) == (
        [4],
        0,
    )


def test_of_a_published_report_only_its_own_rules_are_counted(review: Review, reviewer: Person) -> None:
    rules = deciding.with_verdicts(review.run).filter(place__lt=3)
    deciding.decide(review, reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)
    publishing.publish(review, reviewer, [], "", NOW)
    assert numbers(page_rows.top_rules(ReportPage(review, whole=False), 2)) == ([1, 2], 1)


def test_the_most_common_itemsets_stand_beside_the_shares_and_the_rest_is_counted(whole: ReportPage) -> None:
    more = [made.itemset(whole.review.run, 4 + n, (3, 5), 0.001 * n) for n in range(500)]
    Itemset.objects.bulk_create(more)
    shares, itemsets, rarer = page_rows.most_common(whole)
    assert [one.items for one in shares] == [("theft=yes",), ("late=yes",), ("cash=yes",)]
    assert (len(itemsets), rarer) == (397, 105)
    assert [round(one.support or 0, 3) for one in itemsets[:3]] == [0.499, 0.498, 0.497]


def counting(read: list[Any], from_db: Any, _model: type, *row: Any, **more: Any) -> Itemset:
    read.append(from_db(*row, **more))
    return read[-1]  # type: ignore[no-any-return]


def test_no_page_of_the_desk_reads_more_itemsets_than_it_shows(
    whole: ReportPage, reviewer: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = whole.review.run
    Itemset.objects.bulk_create(made.itemset(run, 4 + n, (3, 5), 0.2) for n in range(600))
    read: list[Any] = []
    monkeypatch.setattr(Itemset, "from_db", classmethod(partial(counting, read, Itemset.from_db)))
    client = signed_in_as(reviewer)
    found = {}
    for page in (
        "report",
        "groups",
        "itemsets",
        "rules?verdict=any",
        "pictures/shares.json",
        "pictures/observed.json",
        "publish",
    ):
        read.clear()
        assert client.get(f"/admin/reports/review/{run.pk}/{page}").status_code == 200
        found[page] = len(read)
    # Four rules have each their itemset with them, among the findings of the front too.
    assert found == {
        "report": 4,
        "groups": 0,
        "itemsets": 50,
        "rules?verdict=any": 4,
        "pictures/shares.json": 0,
        "pictures/observed.json": 397,
        # The two single answers that are frequent: what would be published is held beside what was told.
        "publish": 2,
    }


def test_the_pages_of_itemsets_follow_each_other(
    whole: ReportPage, reviewer: Person, signed_in_as: As
) -> None:
    run = whole.review.run
    Itemset.objects.bulk_create(made.itemset(run, 4 + n, (3, 5), 0.15) for n in range(100))
    client = signed_in_as(reviewer)
    page = client.get(f"/admin/reports/review/{run.pk}/itemsets?size=2&page=3").content.decode()
    assert page.count("<strong>15.0 %</strong>") == 1
    assert "size=2&amp;page=2" in page


def test_a_tally_is_counted_by_the_database(whole: ReportPage, reviewer: Person) -> None:
    run = whole.review.run
    more_rules(run, 300)
    rules = deciding.with_verdicts(run)
    deciding.decide(whole.review, reviewer, rules.filter(place__lt=9), Decision.Verdict.MORE_DATA, "", NOW)
    deciding.decide(whole.review, reviewer, rules.filter(place__lt=2), Decision.Verdict.ACCEPT, "", NOW)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert deciding.tally(run) == {"accept": 2, "reject": 0, "more_data": 7, "undecided": 295}
    (query,) = asked
    assert "GROUP BY" in query["sql"]


def test_classes_of_an_option_are_headed_by_the_option_too() -> None:
    labels = Labels(asked.written(SUBSTANCES))
    found = GroupTable("used-tea", ("used-tea=no", "used-tea=yes"), (), False)
    assert labels.heading(found) == "What have you used? Tea"
