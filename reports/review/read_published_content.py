"""Reads the published results of a run, as every reader of its survey sees them."""

from typing import Any

from django.db.models import QuerySet

from mining.json_codec import node_from_json
from mining.nodes.report_nodes import Report, Rule, report_from_json
from reports.models import Publication, Review
from reports.review import rule_decisions
from runs.models import Itemset


def published_rules(review: Review) -> QuerySet[Any]:
    """Selects the accepted rules of a report."""
    return rule_decisions.accepted_rules(review.run)


def published_itemsets(review: Review) -> QuerySet[Itemset]:
    """Selects the itemsets of the accepted rules of a report."""
    return review.run.itemsets.filter(rule_decisions.itemsets_of_rules_condition(published_rules(review)))


def published_answers(review: Review) -> QuerySet[Itemset]:
    """Selects the frequent single answers of a report's run."""
    return review.run.itemsets.filter(size=1)


def published_report_without_rules(review: Review) -> Report:
    """Returns the published content without its rules."""
    content = Publication.objects.values_list("content", flat=True).get(run=review.run_id)
    return report_from_json(content)


def published_rule_nodes(review: Review) -> tuple[Rule, ...]:
    """Returns the published rules, which are stored apart since most pages need none."""
    rows = Publication.objects.values_list("rules", flat=True).get(run=review.run_id)
    return tuple(node_from_json(Rule, row) for row in rows)
