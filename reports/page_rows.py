"""The rows that the pages of a report list."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Case, F, QuerySet, When

from mining.document.report import Cell, Estimate, GroupRow, Groups, ReportedRule, in_order, outside
from mining.document.weighted import WeightedShare
from mining.truth import OfSize
from reports import among
from reports.among import Among
from reports.deciding import UNDECIDED
from reports.models import Decision
from reports.naming import AnswerText, Naming, asked_and_answered
from runs import rehearsal_truth
from runs.models import Itemset as ItemsetTable, Rule as RuleRow

if TYPE_CHECKING:
    from reports.report_page import ReportPage

POINTS = 400
"""The most points of one picture."""


@dataclass(frozen=True)
class ShareRow:
    answer: AnswerText
    share: Estimate

    @property
    def among(self) -> list[Among]:
        return among.with_denominators(self.share)


@dataclass(frozen=True)
class QuestionShares:
    name: str
    text: str
    rows: tuple[ShareRow, ...]
    may_be_hidden: bool
    is_asked_if_shown: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether a rule hid it from some who were asked."""
        return any(len(row.among) > 1 for row in self.rows)


def shares(report: "ReportPage", *, sensitive: bool) -> list[QuestionShares]:
    by_item = {one.items[0]: one for one in report.content.shares}
    found = []
    for name, items in listed_answers(report, sensitive=sensitive).items():
        rows = tuple(ShareRow(report.naming.answer(item), by_item[item]) for item in items if item in by_item)
        if rows:
            hidden = report.naming.may_be_hidden([rows[0].answer.name])
            is_asked_if_shown = report.naming.is_asked_if_shown(items[0])
            found.append(QuestionShares(name, rows[0].answer.question, rows, hidden, is_asked_if_shown))
    return found


def listed_answers(report: "ReportPage", *, sensitive: bool) -> dict[str, list[str]]:
    """By question the answers that a page lists."""
    naming, found, place = report.naming, dict[str, list[str]](), 0
    for section in report.mined.sections:
        for question in section.questions:
            if section.sensitive == sensitive:
                found[question.name] = [naming.name((place, code)) for code in question.listed]
            place += 1
    return found


def knows_pooled(rows: Iterable[Estimate]) -> bool:
    """Whether the pooled estimate of one of these is another number than its estimate."""
    return any(row.other_pooled is not None for row in rows)


def sensitive_shares(report: "ReportPage") -> list[Estimate]:
    return [row.share for question in shares(report, sensitive=True) for row in question.rows]


def weighted(report: "ReportPage") -> list[tuple[Estimate, WeightedShare]]:
    """Of the answers that the page lists the unweighted and the weighted share."""
    known = {one.item: one for one in report.content.weighted.shares} if report.content.weighted else {}
    return [
        (share, known[item]) for share in sensitive_shares(report) for item in share.items if item in known
    ]


@dataclass(frozen=True)
class GroupTable:
    name: str
    text: str
    classes: tuple[str, ...]
    rows: tuple[tuple[AnswerText, GroupRow, tuple["GroupCell", ...]], ...]
    """Each with its cells by class."""
    disguised_alone: bool


@dataclass(frozen=True)
class GroupCell:
    """`never_shown`: the rules of the questionnaire hide the question from the whole class."""

    of_class: str
    cell: Cell
    never_shown: bool

    @property
    def is_hidden(self) -> bool:
        """Whether a rule hid the question from some of the class."""
        return self.cell.shown is not None and self.cell.shown != self.cell.base


def groups(report: "ReportPage") -> list[GroupTable]:
    return [group_table(table, report.naming) for table in report.content.groups]


def group_table(table: Groups, naming: Naming) -> GroupTable:
    classes = tuple(naming.answer(of).choice for of in table.classes)

    def cells(row: GroupRow) -> Iterator[GroupCell]:
        question = naming.item(row.item)[0]
        for of, words, cell in zip(table.classes, classes, row.cells, strict=True):
            yield GroupCell(words, cell, not naming.routing.allowed[question, naming.number(of)])

    rows = tuple((naming.answer(row.item), row, tuple(cells(row))) for row in table.rows)
    answer = naming.answer(table.classes[-1])
    is_option = naming.design.questions[naming.place(table.question)].form == "many"
    text = asked_and_answered(answer.question, answer.choice) if is_option else answer.question
    return GroupTable(table.question, text, classes, rows, table.disguised_alone)


@dataclass(frozen=True)
class ItemsetRow:
    answers: tuple[AnswerText, ...]
    itemset: Estimate

    @property
    def is_hidden(self) -> bool:
        """Whether a rule hid one of its questions from some who were asked."""
        return self.itemset.shown is not None and self.itemset.shown != self.itemset.base


@dataclass(frozen=True)
class Itemsets:
    """The itemsets that a page lists, by the estimated support, of this `size`; there are itemsets of `sizes`."""

    chosen: QuerySet[ItemsetTable]
    sizes: list[int]
    size: int | None


BY_SUPPORT = F("support").desc(nulls_last=True), "place"


def itemsets(report: "ReportPage", wanted: Mapping[str, str]) -> Itemsets:
    every = report.itemsets
    size = int(wanted["size"]) if re.fullmatch(r"\d{1,4}", wanted.get("size", "")) else None
    chosen = every if size is None else every.filter(size=size)
    sizes = list(every.order_by("size").values_list("size", flat=True).distinct())
    return Itemsets(chosen.order_by(*BY_SUPPORT), sizes, size)


def itemset_rows(report: "ReportPage", rows: Iterable[ItemsetTable], first: int) -> list[ItemsetRow]:
    """The rows of a list from its place `first`, counted from 1, on."""
    words = report.naming.answer
    return [
        ItemsetRow(tuple(map(words, one.items)), one.at(place))
        for place, one in enumerate(report.read_itemsets(rows), first)
    ]


def against_truth(report: "ReportPage") -> tuple[OfSize, ...]:
    """By size the distance of the listed itemsets from a rehearsal's true answers; empty for a real survey."""
    found = rehearsal_truth.compared(report.review.run, report.itemsets)
    return found.sizes if found else ()


def most_common(report: "ReportPage") -> tuple[list[Estimate], list[Estimate], int]:
    """All shares; the itemsets that fit into a picture beside them, single answers first, then in the order of lists;
    and how many more there are."""
    shares = sensitive_shares(report)
    beside = [f" {report.naming.number(one.items[0])} " for one in shares]
    rows = report.itemsets.exclude(support=None).exclude(items__in=beside)
    alone_first = Case(When(size=1, then=0), default=1)
    room = max(POINTS - len(shares), 0)
    drawn = report.read_itemsets(rows.order_by(alone_first, *BY_SUPPORT)[:room])
    return shares, drawn, rows.count() - len(drawn)


@dataclass(frozen=True)
class RuleWords:
    rule: ReportedRule
    antecedent: tuple[AnswerText, ...]
    consequent: tuple[AnswerText, ...]
    judged: str
    """The last verdict; empty where the rule is undecided."""
    url: str

    @property
    def verdict(self) -> str:
        return str(Decision.Verdict(self.judged or UNDECIDED).label)

    @property
    def is_noise(self) -> bool:
        shares = (self.rule.confidence, self.rule.converse, self.rule.support)
        return any(map(outside, shares))

    @property
    def quiet_rule(self) -> bool:
        """Whether the rule stands beside its converse, which alone is said."""
        return self.rule.said == "converse"

    @property
    def quiet_converse(self) -> bool:
        return self.rule.said == "rule"

    @property
    def among(self) -> str:
        return among.of_rule(self.rule)


def rules(report: "ReportPage", rows: Iterable[RuleRow], first: int) -> list[RuleWords]:
    """The rows of a list from its place `first`, counted from 1, on."""
    listed = list(rows)
    verdicts = {row.place + 1: getattr(row, "verdict", None) for row in listed}
    return [
        rule_words(report, rule.at(place), verdicts[rule.number])
        for place, rule in enumerate(report.read_rows(listed), first)
    ]


def rule_words(report: "ReportPage", rule: ReportedRule, verdict: str | None) -> RuleWords:
    words = report.naming.answer
    return RuleWords(
        rule,
        tuple(map(words, rule.antecedent)),
        tuple(map(words, rule.consequent)),
        verdict or "",
        report.url("rule", rule.number),
    )


def top_rules(report: "ReportPage", most: int) -> tuple[list[ReportedRule], int]:
    """The first rules of the list that have a support and a confidence; and how many more there are."""
    return _top_rules(report, report.rules.exclude(support=None).exclude(confidence=None), most)


def top_irredundant_rules(report: "ReportPage", most: int) -> tuple[list[ReportedRule], int]:
    """The first rules of the list that have a lift, without redundant ones if there are others; and how many more."""
    known = report.rules.exclude(lift=None)
    apart = known.filter(redundant=False)
    return _top_rules(report, apart if apart.exists() else known, most)


def _top_rules(report: "ReportPage", rows: QuerySet[RuleRow], most: int) -> tuple[list[ReportedRule], int]:
    found = report.read_rows(rows.order_by("place")[:most])
    return list(in_order(found)), report.rule_count - len(found)
