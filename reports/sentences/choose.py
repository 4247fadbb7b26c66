"""The findings that a report begins with: at most seven, by the strength of evidence."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from django.utils.translation import ngettext

from mining.document.report import GroupRow, GroupTable, Report, Rule
from reports.labels import Labels
from reports.sentences.arms import of_arms
from reports.sentences.change import change
from reports.sentences.finding import Finding
from reports.sentences.numbers import of_number
from reports.sentences.pairs import of_pair
from reports.sentences.parts import fill
from reports.sentences.shares import of_group, of_share
from reports.sentences.understanding import of_counts
from ui.numbers import count

MOST = 7


def findings(report: Report, labels: Labels) -> tuple[Finding, ...]:
    """Associations in the order of the list, a difference between groups, one share, one number, one difference of
    arms, how many understood the disguise, and one pair that is not shown.

    The pairs here are a list of their own, so each has the interval of its place in it.
    """
    others = [
        *_share(report, labels),
        *_number(report, labels),
        *_arms(report, labels),
        *_understanding(report),
    ]
    rules = sorted(report.rules, key=lambda rule: rule.number)
    differing = sorted(
        ((row.p or 0.0, table, row) for table in report.groups for row in table.rows if row.differs),
        key=lambda one: one[0],
    )
    associations = _associations(rules, labels, MOST - len(others) - 1 - bool(differing))
    groups = _group([(table, row) for _p, table, row in differing], associations, labels)
    not_shown = _not_shown(report, rules, associations, labels)
    first = [*associations, *groups] or _none(report)
    return (*first, *others, *not_shown)[:MOST]


def _associations(rules: Iterable[Rule], labels: Labels, most: int) -> list[Finding]:
    """The first pairs with a badge, without redundant ones."""
    chosen: list[Finding] = []
    for rule in rules:
        if len(chosen) == most:
            break
        # In a shorter list intervals are wider: what has no badge in the whole one has none here.
        if rule.association and not rule.redundant:
            finding = of_pair(rule.at(len(chosen) + 1), labels)
            if finding.is_shown:
                chosen.append(finding)
    return chosen


def _group(
    differing: Iterable[tuple[GroupTable, GroupRow]], associations: Iterable[Finding], labels: Labels
) -> list[Finding]:
    """Of the answer whose difference has the smallest p the first class that differs from all together, if no
    association says so already."""
    said = [{*finding.node.items} for finding in associations]
    for table, row in differing:
        for of_class in table.classes:
            finding = of_group(table, row, of_class, labels)
            if finding.verdict and finding.is_shown and not any({row.item, of_class} <= one for one in said):
                return [finding]
    return []


def _arms(report: Report, labels: Labels) -> list[Finding]:
    """The difference with the smallest p, and what would change it where it is not shown."""
    items = report.study.arms.items if report.study.arms else ()
    for one in sorted((one for one in items if one.p is not None), key=lambda one: one.p or 0.0):
        finding = of_arms(one, labels)
        if not finding.is_noise:
            return [finding if finding.verdict else replace(finding, change=change(one, one.n))]
    return []


def _understanding(report: Report) -> list[Finding]:
    check = report.study.understanding
    finding = of_counts(check.all_disguised) if check else None
    return [finding] if finding else []


def _not_shown(
    report: Report, rules: Iterable[Rule], associations: list[Finding], labels: Labels
) -> Iterator[Finding]:
    """The pair with the smallest p among those without a badge, at the place after the associations."""
    for rule in rules:
        if rule.association:
            continue
        finding = of_pair(rule.at(len(associations) + 1), labels)
        if not finding.is_noise:
            node: Rule = finding.node
            yield replace(finding, change=change(node, report.about.records))
            return


def _none(report: Report) -> list[Finding]:
    n = report.about.family
    if not n:
        return []
    words = ngettext(
        "No association is shown in the %(count)s pair that was tested.",
        "No association is shown among the %(count)s pairs that were tested.",
        n,
    )
    return [Finding("none", report.about, fill(words, count=count(n)), verdict=0)]


def _share(report: Report, labels: Labels) -> list[Finding]:
    """The first sensitive answer of the questionnaire with a share.

    It is chosen before the survey: the interval of the largest one would have to be wider.
    """
    by_item = {share.item: share for share in report.shares}
    for place, question in enumerate(labels.design.questions):
        for code in question.listed:
            share = by_item.get(name := labels.name((place, code)))
            if share is not None and labels.is_sensitive([name]):
                finding = of_share(share, labels)
                if not finding.is_noise:
                    return [finding]
    return []


def _number(report: Report, labels: Labels) -> list[Finding]:
    """The first that is said of the first number."""
    told = (finding for node in report.numbers for finding in of_number(node, labels) if not finding.is_noise)
    return list(islice(told, 1))
