"""Builds the rows of a reviewer's list of rules: a sentence, an interval on a common scale, and the ratio (lift)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from mining.nodes.report_nodes import About, Rule
from mining.nodes.rule_lists import LARGER, list_of_rule
from reports.answer_labels import Labels
from reports.models import Decision
from reports.pages.first_findings import values_on_scale
from reports.pages.row_interval_pictures import finding_interval_picture
from reports.review.rule_decisions import UNDECIDED
from reports.rule_measures import LIST_TITLES
from reports.sentences.association_pairs import (
    detectable_difference_sentence,
    pair_finding_without_ratio,
    true_share_of_first_direction,
)
from reports.sentences.finding import Finding
from ui.interval_pictures import Interval, Scale


@dataclass(frozen=True)
class ReviewerRuleRow:
    """A rule to judge.

    `judged` is the last verdict, empty if undecided. The `finding` has no ratio, which has a column of its own;
    `intervals` is empty where nothing can be drawn.
    """

    rule: Rule
    judged: str
    finding: Finding
    intervals: tuple[Interval, ...]
    list_title: str
    """Empty where there is one list."""

    @property
    def verdict(self) -> str:
        return str(Decision.Verdict(self.judged or UNDECIDED).label)


def reviewer_rule_rows(
    rows: Iterable[tuple[Rule, str]], labels: Labels, about: About
) -> tuple[Sequence[ReviewerRuleRow], Scale]:
    """Returns the rows and their common scale, which runs from 0 to above the longest interval."""
    findings = [(rule, judged, _finding_with_power(rule, labels, about)) for rule, judged in rows]
    scale = Scale.covering(
        chain.from_iterable(values_on_scale(finding) for *_row, finding in findings), most=1.0
    )
    return [_rule_row(*row, labels, scale, about) for row in findings], scale


def _finding_with_power(rule: Rule, labels: Labels, about: About) -> Finding:
    finding = pair_finding_without_ratio(rule, labels)
    return finding if finding.verdict else replace(finding, power=detectable_difference_sentence(rule, about))


def _rule_row(
    rule: Rule, judged: str, finding: Finding, labels: Labels, scale: Scale, about: About
) -> ReviewerRuleRow:
    drawn, truth = finding_interval_picture(finding, scale), true_share_of_first_direction(rule, labels)
    is_drawn = truth is not None and scale.start <= truth <= scale.end
    intervals = (replace(drawn, truth=truth if is_drawn else None),) if drawn else ()
    has_two_lists = about.statements.get(LARGER)
    title = str(LIST_TITLES[list_of_rule(len(rule.items), about.statements)]) if has_two_lists else ""
    return ReviewerRuleRow(rule, judged, finding, intervals, title)
