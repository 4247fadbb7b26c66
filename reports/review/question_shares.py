"""The shares of each question's answers in a report, as its pages and its workbook list them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mining.nodes.number_nodes import NumberNode, NumberShare
from mining.nodes.report_nodes import Estimate
from mining.nodes.study_nodes import SHARE

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


def sensitive_shares(report: "ReportPage") -> list[Estimate]:
    return [share for question in question_shares(report, sensitive=True) for share in question.shares]
