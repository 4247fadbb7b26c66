"""The front of a report in words (reports/sentences/front_selection.py decides what stands on it)."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from django.utils.translation import ngettext

from mining.document.report import Report, Rule
from mining.document.study import ArmDifference
from reports.labels import Labels
from reports.sentences.arm_differences import of_arms
from reports.sentences.association_pairs import of_pair, what_is_found
from reports.sentences.finding import Finding
from reports.sentences.front_selection import MOST, Front, Statement, front_of
from reports.sentences.hypotheses import of_hypothesis
from reports.sentences.sensitive_numbers import of_number
from reports.sentences.sentence_parts import fill
from reports.sentences.shares import of_class_difference, of_share
from reports.sentences.understanding_check import of_difference
from ui.numbers import format_count


def findings(report: Report, labels: Labels) -> tuple[Finding, ...]:
    """The hypotheses of the plan, with how many there are more; what was found beyond it; then, as far as there is
    room, the share and the number that stand there by design, and one pair that is not shown."""
    front = front_of(report, labels)
    first = [*_of_plan(front, labels), *_of_statements(front, report, labels)]
    rest = [*_by_design(front, labels), *_not_shown(front, report, labels)]
    said = len(front.hypotheses) + len(front.found)
    return (*first, *rest[: max(MOST - said, 0 if front.found else 1)])


def _of_plan(front: Front, labels: Labels) -> Iterator[Finding]:
    for hypothesis in front.hypotheses:
        yield of_hypothesis(hypothesis, labels)
    if front.more:
        words = ngettext(
            "And %(count)s more hypothesis of the plan; met: %(met)s.",
            "And %(count)s more hypotheses of the plan; met: %(met)s.",
            front.more,
        )
        sentence = fill(words, count=format_count(front.more), met=format_count(front.more_met))
        yield Finding("more", front, sentence)


def _of_statements(front: Front, report: Report, labels: Labels) -> list[Finding]:
    said = [finding for one in front.found if not (finding := _of_statement(one, labels)).is_noise]
    if said or not front.shows_none:
        return said
    n = report.about.family
    words = ngettext(
        "No association is shown in the %(count)s pair that was tested.",
        "No association is shown among the %(count)s pairs that were tested.",
        n,
    )
    return [Finding("none", report.about, fill(words, count=format_count(n)), verdict=0)]


def _of_statement(statement: Statement, labels: Labels) -> Finding:
    if isinstance(statement, Rule):
        return of_pair(statement, labels)
    if isinstance(statement, tuple):
        return of_class_difference(*statement, labels)
    if isinstance(statement, ArmDifference):
        return of_arms(statement, labels)
    return of_difference(statement, labels)


def _by_design(front: Front, labels: Labels) -> Iterator[Finding]:
    if front.share:
        yield of_share(front.share, labels)
    numbers = (
        finding for node in front.numbers for finding in of_number(node, labels) if not finding.is_noise
    )
    yield from islice(numbers, 1)


def _not_shown(front: Front, report: Report, labels: Labels) -> Iterator[Finding]:
    for rule in front.not_shown:
        if not (finding := of_pair(rule, labels)).is_noise:
            yield replace(finding, power=what_is_found(rule, report.about))
            return
