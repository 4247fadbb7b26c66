"""Builds the content of a report from the stored results of its run."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from intake.disclosure.models import Population
from intake.disclosure.record_selection import count_unused_open_unless_few
from intake.rehearsal import true_counts as surveys_truth
from mining.disclosure.verdict import Verdict
from mining.findings.rehearsal_truth import (
    KnownShares,
    TrueShare,
    add_truth_to_answer,
    add_truth_to_groups,
    add_truth_to_rule,
)
from mining.findings.remove_withheld_numbers import withheld_content_from_verdict
from mining.findings.result_row_conversion import estimate_from_row, rule_from_row
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_from_json
from mining.kinds.number.report_node_from_counts import number_truth
from mining.nodes.number_nodes import NumberNode
from mining.nodes.place_nodes import PlaceNode
from mining.nodes.report_nodes import (
    About,
    Estimate,
    GroupTable,
    GroupTest,
    Pair,
    Report,
    Rule,
    Weighted,
)
from mining.nodes.study_nodes import Study
from mining.studies.rehearsal_true_values import add_truth
from reports.answer_labels import Labels
from runs import rehearsal_truth
from runs.models import Itemset as ItemsetRow, Rule as RuleRow, Run
from runs.result_reading_permissions import round_up_to_listed_threshold
from runs.result_storage import read_coherent_supports
from surveys.lifecycle.record_counts import WaitCounts, wait_counts_of_survey


def content_without_itemsets_and_rules(
    run: Run, labels: Labels, true: KnownShares, about: About | None = None
) -> Report:
    """Returns all findings of a run except itemsets and rules, which may be very many; a rehearsal adds the truth."""
    report = content_from_findings(
        run.findings, run.stored_verdict, labels, true, about or build_report_head(run)
    )
    return replace(report, numbers=tuple(number_nodes(run)))


def content_from_findings(
    findings: Mapping[str, Any], verdict: Verdict, labels: Labels, true: KnownShares, about: About
) -> Report:
    """Builds the content from the findings of a run; sensitive numbers are built without their truth."""
    weighted = findings.get("weighted")
    return Report(
        about=about,
        shares=tuple(
            add_truth_to_answer(node_from_json(Estimate, row), labels, true) for row in findings["answers"]
        ),
        compared=tuple(node_from_json(GroupTest, row) for row in findings["alike"]),
        groups=tuple(
            add_truth_to_groups(node_from_json(GroupTable, row), labels, true) for row in findings["groups"]
        ),
        itemsets=(),
        pairs=tuple(node_from_json(Pair, row) for row in findings["pairs"]),
        numbers=tuple(node_from_json(NumberNode, row) for row in findings.get("numbers") or []),
        places=tuple(node_from_json(PlaceNode, row) for row in findings.get("places") or []),
        study=add_truth(node_from_json(Study, findings), labels, true.known),
        weighted=node_from_json(Weighted, weighted) if weighted else None,
        told=withheld_content_from_verdict(verdict, labels),
    )


def content_to_publish(
    run: Run,
    labels: Labels,
    true: KnownShares,
    itemsets: Sequence[Estimate],
    accepted: Sequence[Rule],
    group_questions: Collection[str],
) -> Report:
    """Returns the content of a publication: shares, numbers, places, and the given rules and itemsets.

    Shares and numbers are also given in the classes of `group_questions`.
    """
    report = content_without_itemsets_and_rules(run, labels, true)
    listed = {frozenset(one.items) for one in itemsets}
    return replace(
        report,
        about=replace(report.about, fits=round_up_to_listed_threshold(report.about.fits)),
        groups=tuple(table for table in report.groups if table.question in group_questions),
        itemsets=tuple(itemsets),
        pairs=tuple(pair for pair in report.pairs if frozenset(pair.items) in listed),
        rules=tuple(accepted),
        numbers=tuple(
            replace(
                one, groups=tuple(classes for classes in one.groups if classes.question in group_questions)
            )
            for one in report.numbers
        ),
    )


def build_report_head(run: Run) -> About:
    """Builds the head of the report: records, parameters and engine of its run."""
    wanted = run.search_parameters
    is_finished = run.population == Population.USED
    waited = wait_counts_of_survey(run.survey) if is_finished else WaitCounts()
    return About(
        run=run.number,
        fingerprint=run.design,
        rehearsal=run.content.rehearsal,
        day=run.day.isoformat(),
        records=(run.n_open or 0) + (run.disguised or 0),
        n_open=run.n_open or 0,
        disguised=run.disguised or 0,
        estimator=wanted.estimator,
        engine=wanted.engine,
        exact=wanted.exact,
        min_support=wanted.min_support,
        min_confidence=wanted.min_confidence,
        max_size=wanted.max_size,
        absences=wanted.absences,
        version=run.version,
        family=run.findings["family"],
        disguised_only=run.content.offers_choice and not run.n_open,
        finished=is_finished,
        left_out=count_unused_open_records(run),
        stopped_at=run.stopped["size"] if run.stopped else None,
        fits=run.stopped["fits"] if run.stopped else None,
        asked_to_wait=waited.asked,
        not_returned=waited.people_who_did_not_return,
        statements=run.findings.get("statements", {}),
        host=run.content.host,
    )


def count_unused_open_records(run: Run) -> int:
    """Returns the number of open records of a finished survey that are not used, 0 where it may not be published."""
    has_open = run.population == Population.USED and run.content.has_group_open
    if not has_open or run.survey.is_rehearsal:
        return 0
    return count_unused_open_unless_few(run.survey)


def true_shares(run: Run, labels: AnswerNames) -> KnownShares:
    """Returns the true shares of answers, which only rehearsals have."""
    return KnownShares(labels, rehearsal_truth.read_truth(run))


def build_itemsets(
    rows: Iterable[ItemsetRow], run: Run, labels: AnswerNames, true: TrueShare
) -> list[Estimate]:
    """Converts stored itemsets to `Estimate` objects of the report; a rehearsal adds the truth."""
    fitted = read_coherent_supports(run)
    n_open = run.n_open or 0
    estimates = (estimate_from_row(row, n_open, labels, fitted.get(row.item_numbers)) for row in rows)
    return [add_truth_to_answer(one, labels, true) for one in estimates]


def number_nodes(run: Run) -> Iterator[NumberNode]:
    """Yields the results of the sensitive numbers in the order of the design; a rehearsal adds the truth."""
    nodes = [node_from_json(NumberNode, row) for row in run.findings.get("numbers") or []]
    if not nodes or not run.content.rehearsal:
        yield from nodes
        return
    true = surveys_truth.read_true_sums_and_counts(run.survey, disguised=not run.n_open)
    sections = {section.questions[0].name: section for section in run.content.sections}
    for one in nodes:
        truth = true.get(one.question)
        is_told = one.all_records.n_asked is not None
        yield (
            replace(one, truth=number_truth(one, sections[one.question], truth)) if truth and is_told else one
        )


def build_rules(rows: Iterable[RuleRow], run: Run, labels: AnswerNames, true: TrueShare) -> list[Rule]:
    """Converts stored rules, with their itemsets, to `Rule` objects of the report."""
    n_open = run.n_open or 0
    return [add_truth_to_rule(rule_from_row(row, n_open, labels), true) for row in rows]
