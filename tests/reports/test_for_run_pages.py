import pytest
from django.test import Client

from accounts.models import Person
from reports.models import Review
from reports.review import rule_decisions
from runs.models import Run
from runs.result_reading_permissions import readable_rows
from tests.cast import As
from tests.reports import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def page(client: Client, run: Run) -> str:
    return client.get(f"/app/runs/{run.pk}/").content.decode()


def publish(review: Review, reviewer: Person) -> str:
    """With the first rule that is accepted; that rule."""
    rule = rule_decisions.rules_with_verdicts(review.run).order_by("place").first()
    assert rule
    only = rule_decisions.rules_with_verdicts(review.run).filter(pk=rule.pk)
    rule_decisions.decide_rules(review, reviewer, only, rule_decisions.Verdict.ACCEPT, "", NOW)
    made.publish(review, reviewer)
    return str(rule)


def test_a_run_leads_its_reviewer_to_the_review(review: Review, judging: Client) -> None:
    address = f"/app/admin/reports/review/{review.pk}/"
    assert f'href="{address}' in page(judging, review.run)


def test_a_run_leads_nobody_else_anywhere_before_it_is_published(
    review: Review, reviewer: Person, owner: Person, partial: Person, signed_in_as: As, reading: Client
) -> None:
    for person in (owner, partial):
        assert "/app/reports/" not in page(signed_in_as(person), review.run).split("<h3", 1)[1]
    publish(review, reviewer)
    assert f'href="/app/reports/{review.pk}/"' in page(reading, review.run)


def test_what_was_published_is_what_everybody_may_compare(
    review: Review, reviewer: Person, owner: Person
) -> None:
    run = review.run
    assert readable_rows(run, owner) is None
    rule = publish(review, reviewer)
    mine, theirs = readable_rows(run, owner), readable_rows(run, reviewer)
    assert mine
    assert theirs
    assert [str(row) for row in mine.rules] == [rule]
    row = mine.rules[0]
    larger = {itemset.items for itemset in mine.itemsets if itemset.size > 1}
    assert larger == {
        items for items in (row.items, row.antecedent, row.consequent) if len(items.split()) > 1
    }
    assert theirs.rules.count() == run.rule_count
    assert run.rule_count != 1
