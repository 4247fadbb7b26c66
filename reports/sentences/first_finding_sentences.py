"""Writes the sentences of the first findings of a report, which first_finding_selection.py selects."""

from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from mining.nodes.number_nodes import QuantileStatement
from mining.nodes.report_nodes import Report, Rule
from mining.nodes.study_nodes import ArmDifference, WaveDifference
from reports.answer_labels import Labels
from reports.sentences.arm_differences import arms_finding
from reports.sentences.association_pairs import detectable_difference_sentence, pair_finding
from reports.sentences.changes import change_finding
from reports.sentences.disguise_understanding_check import understanding_difference_finding
from reports.sentences.finding import Finding
from reports.sentences.first_finding_selection import MOST, SelectedResults, Statement, select_first_findings
from reports.sentences.hypotheses import hypothesis_finding
from reports.sentences.sample_population import SharePopulation
from reports.sentences.sensitive_numbers import number_findings
from reports.sentences.sentence_parts import fill_template
from reports.sentences.shares import class_difference_finding, first_share_finding
from ui.number_format import format_count


def headline_findings(report: Report, labels: Labels) -> tuple[Finding, ...]:
    """Returns the first findings of a report in order: hypotheses of the plan, results beyond it, then fixed ones while
    there is room.

    Fixed are the first share, the first number, why no pair may be told, and one pair that shows no association.
    """
    front = select_first_findings(report, labels)
    first = [*_plan_findings(front, report, labels), *_statement_findings(front, report, labels)]
    rest = [*_fixed_findings(front, report, labels)]
    if first or rest or not front.lists_some:
        rest += _first_pair_without_association(front, report, labels)
    said = len(front.hypotheses) + len(front.found)
    return (*first, *rest[: max(MOST - said, 0 if front.found else 1)])


def _plan_findings(front: SelectedResults, report: Report, labels: Labels) -> Iterator[Finding]:
    of_disguised = {share.item for share in report.shares if share.disguised_only}
    for hypothesis in front.hypotheses:
        people = SharePopulation(hypothesis.item in of_disguised, quotas=labels.has_quotas, planned=True)
        yield hypothesis_finding(hypothesis, labels, people)
    if front.more:
        words = ngettext(
            "And %(count)s more hypothesis of the plan; met: %(met)s.",
            "And %(count)s more hypotheses of the plan; met: %(met)s.",
            front.more,
        )
        sentence = fill_template(words, count=format_count(front.more), met=format_count(front.more_met))
        yield Finding("more", front, sentence)


def _statement_findings(front: SelectedResults, report: Report, labels: Labels) -> list[Finding]:
    said = [
        replace(finding, sentence=finding.without_estimate)
        if is_near and finding.without_estimate
        else finding
        for one, is_near in zip(front.found, front.near_limit, strict=True)
        if not (finding := _statement_finding(one, labels)).is_noise
    ]
    if said or not front.shows_none:
        return said
    n = report.about.count_possible_rules(2)
    words = ngettext(
        "No association is shown in the %(count)s pair that was tested.",
        "No association is shown among the %(count)s pairs that were tested.",
        n,
    )
    if report.about.is_one_list:
        words = _("Ways to divide two or more answers that were tested: %(count)s. No association is shown.")
    return [Finding("none", report.about, fill_template(words, count=format_count(n)), verdict=0)]


def _statement_finding(statement: Statement, labels: Labels) -> Finding:
    if isinstance(statement, Rule):
        return pair_finding(statement, labels)
    if isinstance(statement, tuple):
        return class_difference_finding(*statement, labels)
    if isinstance(statement, ArmDifference):
        return arms_finding(statement, labels)
    if isinstance(statement, WaveDifference):
        return change_finding(statement, labels)
    return understanding_difference_finding(statement, labels)


def _fixed_findings(front: SelectedResults, report: Report, labels: Labels) -> Iterator[Finding]:
    """Yields the findings that every report has: the first share, the first number, and why no pair may be told."""
    if front.share:
        yield first_share_finding(report, front.share, labels)
    numbers = [
        finding for node in front.numbers for finding in number_findings(node, labels) if not finding.is_noise
    ]
    yield from sorted(numbers, key=_is_outer_quartile)[:1]
    if front.may_tell_none:
        words = _(
            "No association is stated: a table of any two questions could reveal something about fewer than ten people."
        )
        yield Finding("withheld", report.about, fill_template(words))


def _is_outer_quartile(finding: Finding) -> bool:
    """Returns True for a quantile other than the median, which says more of a number."""
    return isinstance(finding.node, QuantileStatement) and finding.node.q != 0.5


def _first_pair_without_association(
    front: SelectedResults, report: Report, labels: Labels
) -> Iterator[Finding]:
    """Yields the first pair that shows no association, with the difference that would have been found."""
    for rule in front.not_shown:
        if not (finding := pair_finding(rule, labels)).is_noise:
            yield replace(finding, power=detectable_difference_sentence(rule, report.about))
            return
