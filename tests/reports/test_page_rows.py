"""Which rows the pages get; read from the database, and no more than are shown."""

from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from mining.report.report_nodes import GroupTable
from reports.answer_labels import Labels
from reports.models import Decision, Review
from reports.review import rule_decisions
from reports.review.report_page_data import ReportPage
from runs.models import Itemset, Rule, Run
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


def counting(read: list[Any], from_db: Any, _model: type, *row: Any, **more: Any) -> Itemset:
    read.append(from_db(*row, **more))
    return read[-1]  # type: ignore[no-any-return]


def test_no_page_of_the_desk_reads_more_itemsets_than_it_shows(
    whole: ReportPage, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    run = whole.review.run
    Itemset.objects.bulk_create(made.itemset(run, 4 + n, (3, 5), 0.2) for n in range(600))
    read: list[Any] = []
    monkeypatch.setattr(Itemset, "from_db", classmethod(partial(counting, read, Itemset.from_db)))
    found = {}
    for page in ("report", "groups", "itemsets", "rules?verdict=any", "pictures/error-keep.svg", "publish"):
        read.clear()
        assert judging.get(f"/app/admin/reports/review/{run.pk}/{page}").status_code == 200
        found[page] = len(read)
    # Four rules have each their itemset with them, among the findings of the front too.
    assert found == {
        "report": 4,
        "groups": 0,
        "itemsets": 50,
        "rules?verdict=any": 4,
        "pictures/error-keep.svg": 0,
        "publish": 0,
    }


def test_the_pages_of_itemsets_follow_each_other(whole: ReportPage, judging: Client) -> None:
    run = whole.review.run
    Itemset.objects.bulk_create(made.itemset(run, 4 + n, (3, 5), 0.15) for n in range(100))
    page = judging.get(f"/app/admin/reports/review/{run.pk}/itemsets?size=2&page=3").content.decode()
    assert page.count("<strong>15.0 %</strong>") == 1
    assert "size=2&amp;page=2" in page


def test_a_tally_is_counted_by_the_database(whole: ReportPage, reviewer: Person) -> None:
    run = whole.review.run
    more_rules(run, 300)
    rules = rule_decisions.rules_with_verdicts(run)
    rule_decisions.decide_rules(
        whole.review, reviewer, rules.filter(place__lt=9), Decision.Verdict.MORE_DATA, "", NOW
    )
    rule_decisions.decide_rules(
        whole.review, reviewer, rules.filter(place__lt=2), Decision.Verdict.ACCEPT, "", NOW
    )
    with CaptureQueriesContext(connection) as asked:
        assert rule_decisions.count_by_verdict(run) == {
            "accept": 2,
            "reject": 0,
            "more_data": 7,
            "undecided": 295,
        }
    (query,) = asked
    assert "GROUP BY" in query["sql"]


def test_classes_of_an_option_are_headed_by_the_option_too() -> None:
    labels = Labels(asked.written(SUBSTANCES))
    found = GroupTable("used-tea", ("used-tea=no", "used-tea=yes"), (), False)
    assert labels.heading(found) == "What have you used? Tea"
