"""Builds the rows of a report's tables of shares, itemsets and rules."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from django.db.models import F, QuerySet

from mining.findings.result_row_conversion import item_numbers
from mining.nodes.number_nodes import NumberNode, NumberShare
from mining.nodes.report_nodes import Estimate, Rule, WeightedShare
from mining.nodes.rule_lists import places_in_lists
from mining.nodes.study_nodes import SHARE
from mining.studies.comparison_with_truth import SizeComparison
from runs import rehearsal_truth
from runs.models import Itemset as ItemsetTable, Rule as RuleRow

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage


@dataclass(frozen=True)
class QuestionShares:
    """The shares of one question's answers, in the order of the page.

    Of a number by classes they are of its classes, which add up to 1; `above` are those above each of its limits.
    """

    name: str
    shares: tuple[Estimate, ...]
    may_be_hidden: bool
    is_asked_if_shown: bool
    is_sensitive: bool
    above: tuple[Estimate, ...] = ()

    @property
    def every(self) -> tuple[Estimate, ...]:
        return (*self.shares, *self.above)

    @property
    def is_hidden(self) -> bool:
        """True if a rule of the questionnaire hid the question from some people who would have been asked it."""
        return any(share.is_hidden for share in self.shares)


def question_shares(report: "ReportPage", *, sensitive: bool) -> list[QuestionShares]:
    """Returns the shares of the sensitive, or of the plain, questions that have any, in the order of the page."""
    labels, by_item = report.labels, {share.item: share for share in report.content.shares}
    nodes = {node.question: node for node in report.content.numbers if node.all_records.classes}
    rows = []
    for name, items in listed_answers(report, sensitive=sensitive).items():
        listed, above = tuple(by_item[item] for item in items if item in by_item), tuple[Estimate, ...]()
        if listed:
            hidden, of_shown = labels.may_be_hidden(listed[0].items), labels.is_asked_if_shown(items[0])
            if node := nodes.get(name):
                listed, above = (
                    tuple(_share_of_number(report, node, one, by_item) for one in parts)
                    for parts in (node.all_records.classes, node.all_records.shares)
                )
            rows.append(QuestionShares(name, listed, hidden, of_shown, sensitive, above))
    return rows


def _share_of_number(
    report: "ReportPage", node: NumberNode, part: NumberShare, by_item: Mapping[str, Estimate]
) -> Estimate:
    """Returns the share of a class, or above a limit, as the number's distribution has it; a share that a plan states
    is that of the plan."""
    name, plan = f"{node.question}={part.item}", report.content.study.plan
    before = by_item.get(name) or Estimate((name,), part.n_asked, shown=part.n_asked)
    if any(one.kind == SHARE and one.item == name for one in (plan.hypotheses if plan else ())):
        return before
    return replace(before, support=part.share, low=part.low, high=part.high)


def listed_answers(report: "ReportPage", *, sensitive: bool) -> dict[str, list[str]]:
    """Returns the answers that a page lists, by question."""
    labels, names, place = report.labels, dict[str, list[str]](), 0
    for section in report.mined_design.sections:
        for question in section.questions:
            if section.sensitive == sensitive:
                names[question.name] = [labels.name((place, code)) for code in question.listed_codes]
            place += 1
    return names


def has_other_pooled_estimate(rows: Iterable[Estimate]) -> bool:
    """Returns True if the pooled estimator gives another share than the run's estimator in some row."""
    return any(row.pooled_if_different is not None for row in rows)


def sensitive_shares(report: "ReportPage") -> list[Estimate]:
    return [share for question in question_shares(report, sensitive=True) for share in question.shares]


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
