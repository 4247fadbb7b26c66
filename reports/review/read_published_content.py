"""Reads the published results of a run, as every reader of its survey sees them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from mining.findings.result_row_conversion import Columns, item_numbers, row_at
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_from_json
from mining.nodes.report_nodes import Report, Rule, report_from_json
from reports.models import Publication, Review
from reports.review import rule_decisions
from runs.models import Itemset

ENDS = ("low", "high")
ITEMSET_MEMBERS = {
    "n_asked": "base",
    "n_open": "n_open",
    "shown": "shown",
    **{name: name for name in ("observed", "support", "se", "pooled", "expected_w", "share_shown", *ENDS)},
}
"""Columns of the stored itemset by member of the published one."""
RULE_MEMBERS = {
    "n_asked": "base",
    "n_shown_all": "eligible",
    **{
        name: name
        for name in (
            *(
                "support",
                "antecedent_support",
                "consequent_support",
                "confidence",
                "converse",
                "lift",
                "p",
                "q",
            ),
            *(f"{of}_{end}" for of in ("confidence", "converse", "lift") for end in ENDS),
        )
    },
}


def is_changed(review: Review, itemsets: Columns, rules: Columns) -> bool:
    """Returns True if the published itemsets and rules are not as the rows of the run are now."""
    publication = Publication.objects.values_list("content", "rules").get(run=review.run_id)
    content, published = publication
    names = AnswerNames(review.run.mined_design)
    stored = {
        frozenset(map(names.name_of_number, item_numbers(items))): row_at(itemsets, place)
        for place, items in enumerate(itemsets["items"])
    }
    sides = zip(rules["antecedent"], rules["consequent"], strict=True)
    stored_rules = {
        tuple(frozenset(map(names.name_of_number, item_numbers(side))) for side in both): row_at(rules, place)
        for place, both in enumerate(sides)
    }
    return not (
        all(
            _is_same(node, stored.get(frozenset(node["items"])), ITEMSET_MEMBERS)
            for node in content["itemsets"]
        )
        and all(
            _is_same(
                node,
                stored_rules.get((frozenset(node["antecedent"]), frozenset(node["consequent"]))),
                RULE_MEMBERS,
            )
            for node in published
        )
    )


def _is_same(node: Mapping[str, Any], row: Any, columns: Mapping[str, str]) -> bool:
    return row is not None and all(
        node.get(member) is None or node[member] == getattr(row, column) for member, column in columns.items()
    )


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
