"""Findings of a run besides itemsets and rules: computed from the same counts, and stored in `Run.findings`.

Nothing here imports Django. Arms, control items, a plan and a check of understanding have members of their own, the
first three as the JSON of the commands `arms`, `controls` and `plan`. Arms are compared only once the survey is
finished: before that no direct record is handed out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.engines.candor_engine import MiningResult
from mining.error.forged_record_bounds import bound_forged_supports
from mining.findings.remove_withheld_numbers import withhold_answer, withhold_groups, withhold_node
from mining.inference.selection_correction import GROUPS, front_page_p_limit
from mining.itemsets.answer_names import AnswerNames
from mining.itemsets.candidates import single_items
from mining.json_codec import dump_brief, node_from_json, node_to_json
from mining.kinds.counted_kind import CountedNode
from mining.nodes.report_nodes import Cell, Estimate, GroupRow, GroupTable, GroupTest, Pair
from mining.nodes.study_nodes import (
    ArmDifference,
    Controls,
    HypothesisResult,
    PlanResult,
    UnderstandingDifference,
)
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Numbering, Numbers
from mining.reconstruction import CachedCounter, estimate_supports_without_intervals, reconstruct_supports
from mining.reconstruction.coherent_supports import (
    MOST_ITEMS,
    SMALLEST_SHARE,
    CoherentFit,
    prepare_coherent_fit,
    share_shown_numbers_and_places,
)
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers, group_by_shape
from mining.reconstruction.open_versus_disguised_test import run_group_test
from mining.reconstruction.score_moments_by_group import count_for_supports
from mining.reconstruction.shares_by_group import (
    plain_questions,
    received_counts_by_class,
    reported_sensitive_answers,
    shares_by_group,
)
from mining.rules import pair_lifts as estimate_pair_lifts
from mining.studies.control_item_correction import analyse_controls
from mining.studies.direct_disguised_arm_comparison import analyse_arms
from mining.studies.front_page_statements import Statements
from mining.studies.group_comparisons import correct_group_tests_by_holm
from mining.studies.hypothesis_tests import PlannedRecords, plan_result
from mining.studies.understanding_check import analyse_understanding
from privacy.designs import Design, InputError
from privacy.designs.hypothesis_plan import Plan

Json = dict[str, Any] | list[Any] | bool | int | None

ARMS, CONTROLS, PLAN, UNDERSTANDING = "arms", "controls", "plan", "understanding"
Compared = TypeVar("Compared", ArmDifference, UnderstandingDifference)
PATH_WITHOUT_CONTROL = "known"
"""`InputError.path` of the refusal of a design without control items."""


@dataclass(frozen=True)
class GroupFindingLimits:
    """Limits for listing differences between groups among the first findings of a report.

    `part`: largest p of a listed difference. `planned`: results of planned hypotheses, by answer and plain question.
    """

    part: float | None = None
    planned: Mapping[tuple[str, str], HypothesisResult] = field(default_factory=dict)


NO_FRONT = GroupFindingLimits()


def count_single_answers(counter: CachedCounter, parameters: Parameters) -> Numbers:
    """Returns the item numbers of all single answers, and counts them at once: every count may read all records."""
    singles = single_items(counter.design, counter.numbering, absences=True)
    estimate_supports_without_intervals(counter, singles, parameters.estimator)
    if counter.withheld.any():
        # The group test counts the plain answers of open records, too.
        estimate_supports_without_intervals(CachedCounter(counter.whole), singles, parameters.estimator)
    return singles


def compute_findings(
    parameters: Parameters,
    statements: Statements,
    found: MiningResult,
    plan: Plan | None,
    nodes: Mapping[str, Sequence[CountedNode]],
) -> dict[str, Json]:
    """Returns all findings of a run besides the itemsets and rules that were `found` with `statements.pairs()`.

    `nodes`: the counted results of number and place questions.
    """
    counter, verdict = statements.known, statements.verdict
    itemsets, names = found.frequent.itemsets, AnswerNames(counter.design)
    families = found.rules.splits.families
    counts = {**families, **statements.count_by_family}
    planned = plan_result(plan, PlannedRecords.from_counter(counter), verdict) if plan else None
    front = GroupFindingLimits(front_page_p_limit(counts, GROUPS), _planned_groups(planned, statements))
    answers = [withhold_answer(answer, names, verdict) for answer in answer_shares(counter, parameters)]
    return {
        "family": sum(families.values()),
        "statements": counts,
        **{
            name: _as_json(withhold_node(node, names, verdict) for node in many)
            for name, many in nodes.items()
        },
        **study_findings(plan, planned, statements, counts),
        "answers": _as_json(answers),
        "alike": _as_json(open_against_disguised_tests(counter, verdict)),
        "coherent": input_of_coherent_fit(counter, parameters, itemsets, verdict),
        "groups": _as_json(group_tables(counter, verdict, front)),
        "pairs": _as_json(pair_lifts(counter, parameters, itemsets)),
    }


def _as_json(nodes: Iterable[Any]) -> list[Any]:
    return [node_to_json(node) for node in nodes]


def _planned_groups(
    planned: PlanResult | None, statements: Statements
) -> dict[tuple[str, str], HypothesisResult]:
    results = {hypothesis.name: hypothesis for hypothesis in planned.hypotheses} if planned else {}
    return {cell: results[name] for cell, name in statements.planned_groups.items()}


# --- columns


def floats_or_none(values: NDArray[Any]) -> list[float | None]:
    """Returns floats for JSON and the database: None in place of NaN and infinity."""
    cells = values.astype(object)
    cells[~np.isfinite(values)] = None
    floats: list[float | None] = cells.tolist()
    return floats


def rows_of_columns(columns: object, *names: str, **more: NDArray[Any]) -> Iterator[dict[str, Any]]:
    """Yields each row of these columns: attributes of `columns`, and `more`; None for NaN."""
    arrays = {name: getattr(columns, name) for name in names} | more
    lists = [
        array.tolist() if array.dtype.kind in "biu" else floats_or_none(array) for array in arrays.values()
    ]
    return (dict(zip(arrays, row, strict=True)) for row in zip(*lists, strict=True))


# --- findings


def answer_shares(counter: CachedCounter, parameters: Parameters) -> list[Estimate]:
    """Returns the share of each single answer by item number, with bounds for 1 % of forged records."""
    names, singles = AnswerNames(counter.design), count_single_answers(counter, parameters)
    supports = reconstruct_supports(counter, singles, parameters.estimator)
    forged = bound_forged_supports(counter, singles)
    rows = rows_of_columns(
        supports,
        *("observed", "support", "se", "low", "high", "pooled", "expected_w"),
        *("share_shown", "low_shown", "high_shown", "shown"),
        n_asked=supports.base,
        n_open=supports.groups[:, 0],
        forged_low=forged.low,
        forged_high=forged.high,
    )
    estimates = []
    for number, row in zip(supports.itemsets[:, 0].tolist(), rows, strict=True):
        items = (names.name_of_number(number),)
        if names.has_scores(items):
            row["observed"] = None
        alone = names.leaves_out_open_records(items, counter.n[0])
        estimates.append(Estimate(items, disguised_only=alone, **row))
    return estimates


def open_against_disguised_tests(counter: CachedCounter, verdict: Verdict) -> tuple[GroupTest, ...]:
    """Tests, for each answer that may be disclosed, whether open and disguised records differ.

    Open records are those of people who chose no disguise; they count with their plain answers.
    """
    test, names = run_group_test(CachedCounter(counter.whole)), AnswerNames(counter.design)
    p_alone = test.p if test.raw is None else test.raw
    rows = rows_of_columns(test, "disguised", "more", "fewer", opened=test.open, p=p_alone)
    return correct_group_tests_by_holm(
        GroupTest(names.name(item), **row)
        for item, row in zip(test.items, rows, strict=True)
        if verdict.allows_comparing_open_and_disguised(item)
    )


def pair_lifts(counter: CachedCounter, parameters: Parameters, itemsets: Numbers) -> list[Pair]:
    """Returns the lift of every reported pair of answers, also of pairs without a confident rule."""
    of_two = itemsets[(itemsets != NONE).sum(axis=1) == 2]
    if not len(of_two):
        return []
    lifts, names = estimate_pair_lifts(counter, of_two, parameters.estimator), AnswerNames(counter.design)
    rows = rows_of_columns(
        lifts, "lift", lift_low=lifts.low, lift_high=lifts.high, n_shown_all=lifts.eligible
    )
    pairs = []
    for numbers, row in zip(of_two[lifts.itemset][:, :2].tolist(), rows, strict=True):
        items = tuple(map(names.name_of_number, numbers))
        alone = names.leaves_out_open_records(items, counter.n[0])
        pairs.append(Pair(items, disguised_only=alone, **row))
    return pairs


def input_of_coherent_fit(
    counter: CachedCounter, parameters: Parameters, itemsets: Numbers, verdict: Verdict
) -> dict[str, Json]:
    """Returns the input for computing coherent supports, which all fit together, of the best connected answers.

    `shown`: the reported itemsets of these answers, by item numbers, each with the share of records to which its
    numbers and places apply.
    """
    within = itemsets[np.isin(itemsets, [NONE, *_best_connected_answers(counter, itemsets)]).all(axis=1)]
    within = within[estimate_supports_without_intervals(counter, within, parameters.estimator).enough]
    if not len(within):
        return {}
    items = map(counter.numbering.item, np.unique(within[within != NONE]).tolist())
    fit = prepare_coherent_fit(counter, [*items], parameters.estimator, verdict)
    shares = share_shown_numbers_and_places(counter, within).tolist()
    shown: list[Any] = [
        [[number for number in row if number != NONE], share]
        for row, share in zip(within.tolist(), shares, strict=True)
    ]
    return {"fit": node_to_json(fit), "shown": shown}


def solve_coherent_supports(
    fit_input: Mapping[str, Any], design: Design
) -> list[tuple[tuple[int, ...], float]]:
    """Computes the coherent supports, which all fit together; returns item numbers and support of each itemset.
    `fit_input`: from `input_of_coherent_fit`."""
    if not fit_input:
        return []
    item, shares = Numbering(design).item, node_from_json(CoherentFit, fit_input["fit"]).solve(design)
    return [
        (tuple(numbers), shares.support([*map(item, numbers)]) / max(shown, SMALLEST_SHARE))
        for numbers, shown in fit_input["shown"]
    ]


def _best_connected_answers(counter: CachedCounter, itemsets: Numbers) -> list[int]:
    """Returns the numbers of at most `MOST_ITEMS` answers: sensitive ones first, then by how many itemsets contain
    them."""
    sensitive = {counter.numbering.number(item) for item in reported_sensitive_answers(counter)}
    often = np.bincount(itemsets[itemsets != NONE], minlength=len(counter.numbering))
    is_scored = counter.numbering.scored[counter.numbering.question]
    wanted = np.flatnonzero((often > 0) & ~is_scored).tolist()
    wanted.sort(key=lambda number: (number not in sensitive, -often[number], number))
    return wanted[:MOST_ITEMS]


def group_tables(
    counter: CachedCounter, verdict: Verdict, front: GroupFindingLimits = NO_FRONT
) -> list[GroupTable]:
    """Returns a table for each plain question: the shares of the sensitive answers by class that may be disclosed."""
    questions, answers = plain_questions(counter), reported_sensitive_answers(counter)
    if not questions or not answers:
        return []
    # All that the tables need is counted at once, since every count may read all records.
    classes = [(index, code) for index in questions for code in range(counter.design.questions[index].codes)]
    joined = [tuple(sorted((item, answer))) for item in classes for answer in answers]
    groups = [*group_by_shape(counter, as_item_numbers(counter.numbering, joined))]
    count_for_supports(counter, groups, within_plain=True)
    names = AnswerNames(counter.design)
    return [
        withhold_groups(_group_table(counter, names, index, front), names, verdict) for index in questions
    ]


def _group_table(
    counter: CachedCounter, names: AnswerNames, index: int, front: GroupFindingLimits
) -> GroupTable:
    """Returns the table of the plain question at `index`; its classes are not compared yet."""
    shares, question = shares_by_group(counter, index), counter.design.questions[index]
    received = received_counts_by_class(counter, index)
    classes = tuple(names.name((index, code)) for code in range(question.codes))
    answers = [*map(names.name, shares.answers)]
    alone = names.leaves_out_open_records((*classes[:1], *answers), counter.n[0])
    by_answer: Any = {
        name: getattr(shares, name)
        for name in (
            "share",
            "low",
            "high",
            "share_shown",
            "low_shown",
            "high_shown",
            "second",
            "slope",
            "shown",
        )
    } | {"n_asked": shares.base}
    rows = []
    for row, name in enumerate(answers):
        columns = {column: table[row] for column, table in by_answer.items()}
        cells = tuple(
            Cell(disguised_only=alone, received=sent, **cell)
            for sent, cell in zip(received[row], rows_of_columns(shares, **columns), strict=True)
        )
        result = front.planned.get((name, question.name))
        p, met = (result.holm, result.met) if result else (None, None)
        rows.append(GroupRow(name, cells, together=None, p=p, met=met))
    part = None if index == counter.design.understanding_index else front.part
    return GroupTable(question.name, classes, tuple(rows), alone, part)


def study_findings(
    plan: Plan | None, planned: PlanResult | None, statements: Statements, counts: Mapping[str, int]
) -> dict[str, Json]:
    """Returns the findings of a study: arms, control items, understanding and plan, as far as they may be disclosed.

    `counts`: number of statements by family, including the pairs.
    """
    counter, verdict = statements.known, statements.verdict
    results: dict[str, Json] = {}
    if counter.design.has_arms and counter.whole.n[0]:
        arms = analyse_arms(counter.whole, verdict, statements.arm_critical_z(counts))
        # A planned difference has Holm's p of the plan.
        holm = {hypothesis.name: hypothesis.holm for hypothesis in planned.hypotheses} if planned else {}
        names = statements.planned_arms
        items = (replace(row, holm=holm[names[row.item]]) if row.item in names else row for row in arms.items)
        controls = _with_estimated_difference(arms.controls)
        results[ARMS] = dump_brief(replace(arms, items=_with_estimated_difference(items), controls=controls))
    try:
        results[CONTROLS] = dump_brief(analyse_controls(counter, verdict))
    except InputError as refusal:
        if refusal.path != PATH_WITHOUT_CONTROL:
            # Too few records for the control item.
            results[CONTROLS] = dump_brief(Controls(too_few=True))
    if counter.design.understanding:
        check = analyse_understanding(counter, verdict, statements.understanding_critical_z(counts))
        results[UNDERSTANDING] = dump_brief(replace(check, items=_with_estimated_difference(check.items)))
    if plan and planned:
        results[PLAN] = dump_brief(replace(planned, plan=plan.as_json()))
    return results


def _with_estimated_difference(compared: Iterable[Compared]) -> tuple[Compared, ...]:
    """Returns the rows whose difference could be estimated; others have too few records."""
    return tuple(row for row in compared if row.difference is not None and isfinite(row.difference))
