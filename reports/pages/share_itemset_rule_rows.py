"""Builds the rows of a report's tables of shares, itemsets and rules."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from django.db.models import F, QuerySet

from mining.findings.result_row_conversion import item_numbers
from mining.nodes.report_nodes import Estimate, Rule, WeightedShare
from mining.nodes.rule_lists import places_in_lists
from mining.studies.comparison_with_truth import SizeComparison
from reports.review.question_shares import sensitive_shares
from runs import rehearsal_truth
from runs.models import Itemset as ItemsetTable, Rule as RuleRow

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage


def has_other_pooled_estimate(rows: Iterable[Estimate]) -> bool:
    """Returns True if the pooled estimator gives another share than the run's estimator in some row."""
    return any(row.pooled_if_different is not None for row in rows)


def weighted_shares(report: "ReportPage") -> list[tuple[Estimate, WeightedShare]]:
    """Returns the unweighted and the weighted share of each listed answer; empty without weighting."""
    if not report.content.weighted:
        return []
    known = {one.item: one for one in report.content.weighted.shares}
    return [
        (share, known[item]) for share in sensitive_shares(report) for item in share.items if item in known
    ]


BY_SUPPORT = F("support").desc(nulls_last=True), "place"


def requested_itemset_size(parameters: Mapping[str, str]) -> int | None:
    """Returns the size of itemsets that the address asks for; None for all."""
    return int(parameters["size"]) if re.fullmatch(r"\d{1,4}", parameters.get("size", "")) else None


def itemset_rows(report: "ReportPage", size: int | None) -> QuerySet[ItemsetTable]:
    """Returns the itemsets of a page, by support: all, or those of this `size`."""
    every = report.itemsets
    return (every if size is None else every.filter(size=size)).order_by(*BY_SUPPORT)


def itemset_sizes(report: "ReportPage") -> list[int]:
    return list(report.itemsets.order_by("size").values_list("size", flat=True).distinct())


def ranked_itemsets(report: "ReportPage", rows: Iterable[ItemsetTable], first_rank: int) -> list[Estimate]:
    """Returns stored itemsets as `Estimate` objects, with intervals that allow for their rank in the list; ranks start
    at `first_rank`."""
    return [one.at_rank(place) for place, one in enumerate(report.read_itemsets(rows), first_rank)]


def compare_itemsets_with_truth(report: "ReportPage") -> tuple[SizeComparison, ...]:
    """Returns the comparison of the itemsets with the true answers, by size; empty unless it is a rehearsal."""
    comparison = rehearsal_truth.compare_with_truth(report.review.run, report.itemsets)
    return comparison.sizes if comparison else ()


def ranked_rules(
    report: "ReportPage", every: QuerySet[RuleRow], first: int, most: int
) -> list[tuple[Rule, str]]:
    """Returns `most` of `every` stored rule from the one at index `first` on, as `Rule` objects, with intervals that
    allow for their place in the list of pairs or of larger itemsets.

    Each comes with its last verdict, empty if undecided.
    """
    listed, places = list(every[first : first + most]), rule_places(report, every, first, most)
    verdicts = [getattr(row, "verdict", None) or "" for row in listed]
    ranked = [
        rule.at_rank(rank) for rule, (_list, rank) in zip(report.read_rules(listed), places, strict=True)
    ]
    return list(zip(ranked, verdicts, strict=True))


def rule_places(
    report: "ReportPage", every: QuerySet[RuleRow], first: int, most: int
) -> list[tuple[str, int]]:
    """Returns the places (list, number in it) of these rules among `every`."""
    sizes = every.values_list("itemset__size", flat=True)[: first + most]
    return list(islice(places_in_lists(sizes, report.about.statements), first, None))


def associated_pairs(report: "ReportPage") -> set[frozenset[str]]:
    """Returns the pairs of answers whose association the list of rules shows."""
    if not report.whole:
        rules = report.published_content_with_rules.rules
        return {frozenset(rule.items) for rule in rules if rule.association and len(rule.items) == 2}
    rows = report.rules.filter(itemset__size=2).exclude(association=0)
    texts = rows.values_list("items", flat=True)
    return {frozenset(map(report.labels.name_of_number, item_numbers(items))) for items in texts}
