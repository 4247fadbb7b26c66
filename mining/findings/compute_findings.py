"""Findings of a run besides itemsets and rules: computed from the same counts, and stored in `Run.findings`.

Nothing here imports Django. Arms, control items, a plan and a check of understanding have members of their own, the
first three as the JSON of the commands `arms`, `controls` and `plan`. Arms are compared only once the survey is
finished: before that no direct record is handed out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.engines.candor_engine import MiningResult
from mining.error.forged_record_bounds import bound_forged_supports
from mining.findings.remove_withheld_numbers import withhold_answer, withhold_groups, withhold_node
from mining.inference.selection_correction import GROUPS, PAIRS, front_page_p_limit
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

ESTIMATES = (
    *("observed", "support", "se", "low", "high", "pooled", "expected_w"),
    *("share_shown", "low_shown", "high_shown"),
)
CELLS = ("share", "low", "high", "share_shown", "low_shown", "high_shown", "second", "slope")
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


def compute_results(
    parameters: Parameters,
    counter: CachedCounter,
    verdict: Verdict,
    plan: Plan | None,
    nodes: Mapping[str, Sequence[CountedNode]],
    mine: Callable[..., MiningResult],
) -> tuple[MiningResult, dict[str, Json]]:
    """Computes the itemsets and rules of a run, and all its other findings.

    `mine` searches itemsets and rules; its argument `front` is the `RulePairCorrection` of the pairs
    (mining/studies/front_page_statements.py). `nodes`: the counted results of number and place questions. `verdict`:
    what may be disclosed.
    """
    precount_single_answers(counter, parameters)
    statements = Statements(counter, plan, verdict)
    found = mine(front=statements.pairs())
    family, itemsets = found.rules.splits.family, found.frequent.itemsets
    many = {PAIRS: family, **statements.count_by_family}
    names = AnswerNames(counter.design)
    planned = plan_result(plan, PlannedRecords.from_counter(counter), verdict) if plan else None
    by_name = {hypothesis.name: hypothesis for hypothesis in planned.hypotheses} if planned else {}
    front = GroupFindingLimits(
        front_page_p_limit(many, GROUPS),
        {cell: by_name[name] for cell, name in statements.planned_groups.items()},
    )
    return found, {
        "family": family,
        "statements": many,
        **{
            member: [node_to_json(withhold_node(node, names, verdict)) for node in of_member]
            for member, of_member in nodes.items()
        },
        **study_findings(counter, plan, planned, verdict, statements, many),
        "answers": [
            node_to_json(withhold_answer(answer, names, verdict))
            for answer in answer_shares(counter, parameters)
        ],
        "alike": [*map(node_to_json, open_against_disguised_tests(counter, verdict))],
        "coherent": input_of_coherent_fit(counter, parameters, itemsets, verdict),
        "groups": [*map(node_to_json, group_tables(counter, verdict, front))],
        "pairs": [*map(node_to_json, pair_lifts(counter, parameters, itemsets))],
    }


def precount_single_answers(counter: CachedCounter, parameters: Parameters) -> None:
    """Counts all single answers at once before the search, since every count may read all records."""
    singles = single_items(counter.design, counter.numbering, absences=True)
    estimate_supports_without_intervals(counter, singles, parameters.estimator)
    if counter.withheld.any():
        # The group test counts the plain answers of open records, too.
        estimate_supports_without_intervals(CachedCounter(counter.whole), singles, parameters.estimator)


def answer_shares(counter: CachedCounter, parameters: Parameters) -> list[Estimate]:
    """Returns the share of each single answer by item number, with bounds for 1 % of forged records."""
    names = AnswerNames(counter.design)
    singles = single_items(counter.design, counter.numbering, absences=True)
    supports, moved = (
        reconstruct_supports(counter, singles, parameters.estimator),
        bound_forged_supports(counter, singles),
    )
    columns: dict[str, list[Any]] = {name: floats_or_none(getattr(supports, name)) for name in ESTIMATES}
    columns |= {"n_asked": supports.base.tolist(), "n_open": supports.groups[:, 0].tolist()}
    columns |= {"shown": supports.shown.tolist()}
    columns |= {"forged_low": floats_or_none(moved.low), "forged_high": floats_or_none(moved.high)}
    estimates = []
    for index, number in enumerate(supports.itemsets[:, 0].tolist()):
        items = (names.name_of_number(number),)
        values = {name: column[index] for name, column in columns.items()}
        values["observed"] = None if names.has_scores(items) else values["observed"]
        alone = names.leaves_out_open_records(items, counter.n[0])
        estimates.append(Estimate(items=items, disguised_only=alone, **values))
    return estimates


def open_against_disguised_tests(counter: CachedCounter, verdict: Verdict) -> tuple[GroupTest, ...]:
    """Tests, for each answer that may be disclosed, whether open and disguised records differ.

    Open records are those of people who chose no disguise; they count with their plain answers.
    """
    test, names = run_group_test(CachedCounter(counter.whole)), AnswerNames(counter.design)
    p_alone = test.p if test.raw is None else test.raw
    columns = map(floats_or_none, (test.open, test.disguised, p_alone, test.more, test.fewer))
    rows = zip(test.items, *columns, strict=True)
    return correct_group_tests_by_holm(
        GroupTest(names.name(item), *row)
        for item, *row in rows
        if verdict.allows_comparing_open_and_disguised(item)
    )


def pair_lifts(counter: CachedCounter, parameters: Parameters, itemsets: Numbers) -> list[Pair]:
    """Returns the lift of every reported pair of answers, also of pairs without a confident rule."""
    of_two = itemsets[(itemsets != NONE).sum(axis=1) == 2]
    if not len(of_two):
        return []
    lifts, names = estimate_pair_lifts(counter, of_two, parameters.estimator), AnswerNames(counter.design)
    columns = map(floats_or_none, (lifts.lift, lifts.low, lifts.high))
    numbers = of_two[lifts.itemset][:, :2].tolist()
    rows = []
    for row, lift, low, high, eligible in zip(numbers, *columns, lifts.eligible.tolist(), strict=True):
        items = tuple(map(names.name_of_number, row))
        rows.append(
            Pair(items, lift, low, high, eligible, names.leaves_out_open_records(items, counter.n[0]))
        )
    return rows


def input_of_coherent_fit(
    counter: CachedCounter, parameters: Parameters, itemsets: Numbers, verdict: Verdict
) -> dict[str, Json]:
    """Returns the input for computing coherent supports, which all fit together, of the best connected answers.

    `shown`: the reported itemsets of these answers, by item numbers, each with the share of records to which its
    numbers and places apply.
    """
    some = best_connected_answers(counter, itemsets)
    within = itemsets[np.isin(itemsets, [NONE, *some]).all(axis=1)]
    within = within[estimate_supports_without_intervals(counter, within, parameters.estimator).enough]
    if not len(within):
        return {}
    items = map(counter.numbering.item, np.unique(within[within != NONE]).tolist())
    fit = prepare_coherent_fit(counter, [*items], parameters.estimator, verdict)
    rows = [[number for number in row if number != NONE] for row in within.tolist()]
    shares = share_shown_numbers_and_places(counter, within).tolist()
    return {"fit": node_to_json(fit), "shown": [list(row) for row in zip(rows, shares, strict=True)]}


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


def best_connected_answers(counter: CachedCounter, itemsets: Numbers) -> list[int]:
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
    questions = plain_questions(counter)
    if not questions or not reported_sensitive_answers(counter):
        return []
    precount_group_tables(counter)
    names = AnswerNames(counter.design)
    return [withhold_groups(group_table(counter, names, index, front), names, verdict) for index in questions]


def precount_group_tables(counter: CachedCounter) -> None:
    """Counts at once everything that the group tables need, since every count may read all records."""
    classes = [
        (index, code)
        for index in plain_questions(counter)
        for code in range(counter.design.questions[index].codes)
    ]
    joined = [
        tuple(sorted((item, answer))) for item in classes for answer in reported_sensitive_answers(counter)
    ]
    count_for_supports(
        counter, list(group_by_shape(counter, as_item_numbers(counter.numbering, joined))), within_plain=True
    )


def group_table(
    counter: CachedCounter, names: AnswerNames, index: int, front: GroupFindingLimits
) -> GroupTable:
    """Returns the table of the plain question at `index`; its classes are not compared yet."""
    shares = shares_by_group(counter, index)
    received = received_counts_by_class(counter, index)
    question = counter.design.questions[index]
    classes = tuple(names.name((index, code)) for code in range(question.codes))
    tables: dict[str, list[list[Any]]] = {
        name: [floats_or_none(row) for row in getattr(shares, name)] for name in CELLS
    }
    tables |= {"n_asked": shares.base.tolist(), "shown": shares.shown.tolist()}
    alone = names.leaves_out_open_records((*classes[:1], *map(names.name, shares.answers)), counter.n[0])
    rows = tuple(
        GroupRow(
            name,
            tuple(
                Cell(
                    disguised_only=alone,
                    received=received[row][code],
                    **{column: table[row][code] for column, table in tables.items()},
                )
                for code in range(len(classes))
            ),
            together=None,
            p=result.holm if (result := front.planned.get((name, question.name))) else None,
            met=result.met if result else None,
        )
        for row, name in enumerate(map(names.name, shares.answers))
    )
    part = None if index == counter.design.understanding_index else front.part
    return GroupTable(question.name, classes, rows, alone, part)


def floats_or_none(values: NDArray[Any]) -> list[float | None]:
    """Returns floats for JSON and the database: None in place of NaN and infinity."""
    cells = values.astype(object)
    cells[~np.isfinite(values)] = None
    floats: list[float | None] = cells.tolist()
    return floats


def study_findings(
    counter: CachedCounter,
    plan: Plan | None,
    planned: PlanResult | None,
    verdict: Verdict,
    statements: Statements,
    statement_counts: Mapping[str, int],
) -> dict[str, Json]:
    """Returns the findings of a study: arms, control items, understanding and plan, as far as `verdict` allows.

    `statement_counts`: number of statements by family, including the pairs.
    """
    results: dict[str, Json] = {}
    if counter.design.has_arms and counter.whole.n[0]:
        arms = analyse_arms(counter.whole, verdict, statements.arm_critical_z(statement_counts))
        # A planned difference has Holm's p of the plan.
        holm = {hypothesis.name: hypothesis.holm for hypothesis in planned.hypotheses} if planned else {}
        names = statements.planned_arms
        items = (replace(row, holm=holm[names[row.item]]) if row.item in names else row for row in arms.items)
        results[ARMS] = dump_brief(
            replace(
                arms,
                items=with_estimated_difference(items),
                controls=with_estimated_difference(arms.controls),
            )
        )
    try:
        results[CONTROLS] = dump_brief(analyse_controls(counter, verdict))
    except InputError as refusal:
        if refusal.path != PATH_WITHOUT_CONTROL:
            # Too few records for the control item.
            results[CONTROLS] = dump_brief(Controls(too_few=True))
    if counter.design.understanding:
        checked = analyse_understanding(
            counter, verdict, statements.understanding_critical_z(statement_counts)
        )
        results[UNDERSTANDING] = dump_brief(replace(checked, items=with_estimated_difference(checked.items)))
    if plan and planned:
        results[PLAN] = dump_brief(replace(planned, plan=plan.as_json()))
    return results


def with_estimated_difference(compared: Iterable[Compared]) -> tuple[Compared, ...]:
    """Returns the rows whose difference could be estimated; others have too few records."""
    return tuple(row for row in compared if row.difference is not None and isfinite(row.difference))
