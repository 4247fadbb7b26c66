"""Selects the first findings of a report, its front, from the report alone (docs/mathematics.md, The front of a
report).

The plan's hypotheses come first, in their own order. Other results fill up to seven findings, at least one. Each has a
p of at most .05/F/m: F is the number of families of results, m the number of results in the family. The first of them
is a change since the survey that this one follows, if one is found. The first share, sensitive if any answer is, and
the first number are always there.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from mining.inference.selection_correction import (
    ARMS,
    CHANGES,
    GROUPS,
    UNDERSTANDING,
    critical_z,
    front_page_p_limit,
)
from mining.nodes.number_nodes import NumberNode
from mining.nodes.report_nodes import Estimate, GroupRow, GroupTable, Report, Rule
from mining.nodes.rule_lists import PAIRS, list_of_rule
from mining.nodes.study_nodes import (
    CHANGE,
    SHARE,
    ArmDifference,
    HypothesisResult,
    UnderstandingDifference,
    WaveDifference,
)
from reports.answer_labels import Labels
from reports.sentences.hypotheses import plan_with_share_intervals
from reports.sentences.shares import share_finding

MOST = 7
NEAR = 0.6
"""An estimate nearer to the limit, in standard errors, is not stated (docs/mathematics.md, The front of a report)."""

Statement = Rule | tuple[GroupTable, GroupRow] | ArmDifference | UnderstandingDifference | WaveDifference


@dataclass(frozen=True)
class SelectedResults:
    """The results selected as the first findings of a report.

    `hypotheses` are the first of the plan; `more` counts the others, of which `more_met` are met. `found` are results
    beyond the plan, a change first, then the smallest p; `near_limit` says of each whether its estimate is so near to
    the front's limit that it exaggerates too much. `shows_none`: pairs were tested, and their list shows no
    association; `may_tell_none`: no two questions may be reported together. `not_shown` are pairs that show no
    association, by p; they are not first where the list shows an association (`lists_some`).
    """

    hypotheses: tuple[HypothesisResult, ...]
    more: int
    more_met: int
    found: tuple[Statement, ...]
    near_limit: tuple[bool, ...]
    shows_none: bool
    lists_some: bool
    may_tell_none: bool
    share: Estimate | None
    numbers: tuple[NumberNode, ...]
    not_shown: tuple[Rule, ...]


def select_first_findings(report: Report, labels: Labels) -> SelectedResults:
    whole_plan = plan_with_share_intervals(report)
    plan = whole_plan.published_hypotheses if whole_plan else ()
    planned_shares = {one.item for one in plan if one.kind == SHARE and one.low is not None}
    share = _first_share(report, labels, planned_shares)
    room = MOST - min(len(plan), MOST) - bool(share) - bool(report.numbers)
    statements = report.about.statements
    pairs = (rule for rule in report.rules if list_of_rule(len(rule.items), statements) == PAIRS)
    rules = sorted(pairs, key=lambda rule: rule.number)
    lists_some = any(rule.association for rule in rules)
    unplanned = [rule for rule in rules if hypothesis_for_rule(report, rule) is None]
    found = _first_finding_candidates(report, unplanned, labels)[: max(room, 1)]
    return SelectedResults(
        hypotheses=plan[:MOST],
        more=len(plan[MOST:]),
        more_met=sum(one.met for one in plan[MOST:]),
        found=tuple(one for one, _is_near in found),
        near_limit=tuple(is_near for _one, is_near in found),
        shows_none=bool(report.about.count_possible_rules(2)) and not lists_some,
        lists_some=lists_some,
        may_tell_none=not report.about.family and _may_tell_no_pair(report, labels),
        share=share,
        numbers=report.numbers,
        not_shown=tuple(
            sorted(
                (rule for rule in unplanned if not rule.association),
                key=lambda rule: any(_is_no(name, labels) for name in rule.items),
            )
        ),
    )


def hypothesis_for_rule(report: Report, rule: Rule) -> HypothesisResult | None:
    """Returns the plan's hypothesis about the two sides of this rule, in either direction; None if there is none."""
    sides = {frozenset(rule.antecedent), frozenset(rule.consequent)}
    for one in report.study.plan.hypotheses if report.study.plan else ():
        if one.antecedent and {frozenset(one.antecedent), frozenset(one.consequent)} == sides:
            return one
    return None


def _first_finding_candidates(
    report: Report, rules: Iterable[Rule], labels: Labels
) -> list[tuple[Statement, bool]]:
    """Returns the results that may be first findings, from all families (pairs, groups, arms, understanding, changes):
    the strongest change, then all by p divided by its limit. Each comes with whether it is near its limit.

    A longer rule, a class or a pair with *no* is left out if a pair says the same already.
    """
    by_family: dict[str, list[tuple[float, Statement]]] = {
        PAIRS: [*_pair_statements(report, rules)],
        GROUPS: [*_group_statements(report)],
        ARMS: [*_arm_statements(report)],
        UNDERSTANDING: [*_understanding_statements(report)],
        CHANGES: [*_change_statements(report, labels)],
    }
    told = [
        (p / limit, statement, critical_z(p) - critical_z(limit) <= NEAR)
        for family, statements in by_family.items()
        if (part := front_page_p_limit(report.about.statements, family))
        for p, statement in statements
        if p <= (limit := part / _count_told_classes(statement))
    ]
    pairs = [{*one.items} for _p, one, _is_near in told if isinstance(one, Rule)]
    by_p = [
        (one, is_near)
        for _p, one, is_near in sorted(told, key=lambda row: row[0])
        if not _is_implied_by_pair(one, pairs, labels)
    ]
    lead = next((one for one, _is_near in by_p if isinstance(one, WaveDifference)), None)
    return sorted(by_p, key=lambda row: row[0] is not lead)


def _count_told_classes(statement: Statement) -> int:
    """Returns the number of told classes of a table, which share the limit of its statement; 1 for other statements."""
    if not isinstance(statement, tuple):
        return 1
    return max(sum(cell.share is not None for cell in statement[1].cells), 1)


def _is_implied_by_pair(statement: Statement, pairs: Collection[set[str]], labels: Labels) -> bool:
    """Returns True if one of the pairs already states this difference between classes, or says *yes* for a *no*."""
    if isinstance(statement, Rule):
        with_yes = {f"{name[:-2]}yes" if _is_no(name, labels) else name for name in statement.items}
        return with_yes != {*statement.items} and with_yes in pairs
    if not isinstance(statement, tuple):
        return False
    _table, row = statement
    return row.front is not None and any({row.item, row.front.of_class} <= pair for pair in pairs)


def _pair_statements(report: Report, rules: Iterable[Rule]) -> Iterator[tuple[float, Rule]]:
    numbers = {rule.number for rule in report.rules}
    for rule in rules:
        if rule.association and rule.p is not None and rule.under not in numbers:
            yield rule.p, rule


def _group_statements(report: Report) -> Iterator[tuple[float, tuple[GroupTable, GroupRow]]]:
    for table in report.groups:
        for row in table.rows:
            if row.front:
                yield row.front.p, (table, row)


def _arm_statements(report: Report) -> Iterator[tuple[float, ArmDifference]]:
    planned = (
        {one.item for one in report.study.plan.hypotheses if one.kind == ARMS} if report.study.plan else ()
    )
    for one in report.study.arms.items if report.study.arms else ():
        if one.p is not None and one.item not in planned and _interval_excludes_zero(one):
            yield one.p, one


def _understanding_statements(report: Report) -> Iterator[tuple[float, UnderstandingDifference]]:
    for one in report.study.understanding.items if report.study.understanding else ():
        if one.p is not None and _interval_excludes_zero(one):
            yield one.p, one


def _change_statements(report: Report, labels: Labels) -> Iterator[tuple[float, WaveDifference]]:
    """Yields the changes that no plan names; of a question with two answers one, which says the same as the other."""
    hypotheses = report.study.plan.hypotheses if report.study.plan else ()
    planned = {one.item for one in hypotheses if one.kind == CHANGE}
    for one in report.study.waves.items if report.study.waves else ():
        answers = labels.choices(one.item.partition("=")[0])
        same = sorted(answers, key=lambda name: not _is_no(name, labels)) if len(answers) == 2 else [one.item]
        is_said_by_other = len(same) == 2 and one.item == same[0]
        if one.p is None or is_said_by_other or not planned.isdisjoint(same):
            continue
        if _interval_excludes_zero(one):
            yield one.p, one


def _interval_excludes_zero(tested: ArmDifference | UnderstandingDifference | WaveDifference) -> bool:
    return tested.low is not None and tested.high is not None and (tested.low > 0 or tested.high < 0)


def _is_no(name: str, labels: Labels) -> bool:
    """Returns True for the answer *no* of a question that has *yes* too: what is said first of it is *yes*."""
    return name.endswith("=no") and f"{name[:-2]}yes" in labels.names


def _may_tell_no_pair(report: Report, labels: Labels) -> bool:
    """Returns True if there are several questions, and the report withholds the table of each two."""
    withheld = [frozenset(questions) for questions in report.told.questions]
    pairs = [frozenset(pair) for pair in combinations((one.name for one in labels.design.questions), 2)]
    return bool(pairs) and all(any(one <= pair for one in withheld) for pair in pairs)


def _first_share(report: Report, labels: Labels, planned: Collection[str]) -> Estimate | None:
    """Returns the first sensitive answer of the questionnaire, or of a questionnaire without any the first answer, with
    a share that may be stated and is not `planned`.

    It is fixed before the survey: the interval of the largest share would have to be wider.
    """
    has_sensitive = any(section.sensitive for section in labels.design.sections)
    by_item = {share.item: share for share in report.shares}
    for place, question in enumerate(labels.design.questions):
        names = [labels.name((place, code)) for code in question.listed_codes]
        for name in sorted(names, key=lambda name: _is_no(name, labels)):
            share = by_item.get(name)
            if (
                share is not None
                and name not in planned
                and (labels.is_sensitive([name]) or not has_sensitive)
                and share_finding(share, labels).measured.is_known
            ):
                return share
    return None
