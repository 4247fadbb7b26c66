"""Findings: what a report says beyond itemsets and rules, computed from the same counts and stored with the run.

Nothing here imports Django. Arms, control items, a plan and a check of understanding have members of their own in
`Run.findings`, the first three as the JSON of the commands `arms`, `controls` and `plan`. The arms are compared once
the survey is finished: before that no direct record is handed out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Numbers
from mining.disclosure.verdict import Verdict
from mining.disclosure.withhold import withhold_answer, withhold_groups, withhold_node
from mining.document.codec import dump, dump_brief
from mining.document.comparisons import compare_groups
from mining.document.names import Names
from mining.document.report import Cell, Estimate, GroupRow, GroupTable, GroupTest, Pair
from mining.document.study import (
    ArmDifference,
    Controls,
    HypothesisResult,
    PlanResult,
    UnderstandingDifference,
)
from mining.engines.candor_engine import MiningResult
from mining.error.forged_records import bound_forged_supports
from mining.inference.selection import GROUPS, PAIRS, front_p_limit
from mining.itemsets.candidates import single_items
from mining.kinds.counted_kind import CountedNode
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, estimate_supports, reconstruct
from mining.reconstruction.coherent import MOST_ITEMS, coherent_supports
from mining.reconstruction.group_test import alike
from mining.reconstruction.itemset_groups import as_item_numbers, group_by_shape
from mining.reconstruction.moments import count_tallies
from mining.reconstruction.shares import (
    plain_questions,
    received_by_class,
    sensitive_answers,
    shares_by_group,
)
from mining.rules import pair_lifts as estimate_pair_lifts
from mining.studies.arms import analyse_arms
from mining.studies.control_items import analyse_controls
from mining.studies.plans import PlannedRecords, plan_result
from mining.studies.statements import Statements
from mining.studies.understanding import analyse_understanding
from privacy.designs import InputError
from privacy.designs.plan import Plan

Json = dict[str, Any] | list[Any] | bool | int | None

ESTIMATES = (
    *("observed", "support", "se", "low", "high", "pooled", "expected_w"),
    *("share_shown", "low_shown", "high_shown"),
)
CELLS = ("share", "low", "high", "share_shown", "low_shown", "high_shown", "second", "slope")
ARMS, CONTROLS, PLAN, UNDERSTANDING = "arms", "controls", "plan", "understanding"
Compared = TypeVar("Compared", ArmDifference, UnderstandingDifference)
NO_CONTROL = "known"
"""The place in the refusal of a design without control items."""


@dataclass(frozen=True)
class GroupFront:
    """The p up to which an answer by a plain question stands on the front, and the results of a plan on such, by answer
    and question."""

    part: float | None = None
    planned: Mapping[tuple[str, str], HypothesisResult] = field(default_factory=dict)


NO_FRONT = GroupFront()


def compute_results(
    wanted: Parameters,
    known: CachedCounter,
    verdict: Verdict,
    plan: Plan | None,
    counted: Mapping[str, Sequence[CountedNode]],
    find: Callable[..., MiningResult],
) -> tuple[MiningResult, dict[str, Json]]:
    """All results of a run: the itemsets and rules of `find`, which takes the `front` of pairs, and `Run.findings`.

    `counted`: the nodes of numbers and places. The verdict decides what may be told.
    """
    count_singles(known, wanted)
    statements = Statements(known, plan, verdict)
    found = find(front=statements.pairs())
    family, itemsets = found.rules.splits.family, found.frequent.itemsets
    many = {PAIRS: family, **statements.by_family}
    names = Names(known.design)
    planned = plan_result(plan, PlannedRecords.from_counter(known), verdict) if plan else None
    by_name = {hypothesis.name: hypothesis for hypothesis in planned.hypotheses} if planned else {}
    front = GroupFront(
        front_p_limit(many, GROUPS),
        {cell: by_name[name] for cell, name in statements.planned_groups.items()},
    )
    return found, {
        "family": family,
        "statements": many,
        **{
            member: [dump(withhold_node(node, names, verdict)) for node in of_member]
            for member, of_member in counted.items()
        },
        **study_findings(known, plan, planned, verdict, statements, many),
        "answers": [dump(withhold_answer(answer, names, verdict)) for answer in answer_shares(known, wanted)],
        "alike": [*map(dump, group_tests(known, verdict))],
        "coherent": coherent_itemsets(known, wanted, itemsets, verdict),
        "groups": [*map(dump, group_tables(known, verdict, front))],
        "pairs": [*map(dump, pair_lifts(known, wanted, itemsets))],
    }


def count_singles(known: CachedCounter, wanted: Parameters) -> None:
    """Count every single answer before the search: all of them at once, since every count may read all records."""
    singles = single_items(known.design, known.numbering, absences=True)
    estimate_supports(known, singles, wanted.estimator)
    if known.withheld.any():
        # The group test counts the plain answers of open records, too.
        estimate_supports(CachedCounter(known.whole), singles, wanted.estimator)


def answer_shares(known: CachedCounter, wanted: Parameters) -> list[Estimate]:
    """The shares of all single answers, in the order of their numbers, and their bounds with 1 % of forged records."""
    names = Names(known.design)
    singles = single_items(known.design, known.numbering, absences=True)
    supports, moved = reconstruct(known, singles, wanted.estimator), bound_forged_supports(known, singles)
    columns: dict[str, list[Any]] = {name: finite(getattr(supports, name)) for name in ESTIMATES}
    columns |= {"n_asked": supports.base.tolist(), "n_open": supports.groups[:, 0].tolist()}
    columns |= {"shown": supports.shown.tolist()}
    columns |= {"forged_low": finite(moved.low), "forged_high": finite(moved.high)}
    estimates = []
    for index, number in enumerate(supports.itemsets[:, 0].tolist()):
        items = (names.name_of_number(number),)
        values = {name: column[index] for name, column in columns.items()}
        values["observed"] = None if names.has_scores(items) else values["observed"]
        alone = names.is_disguised_only(items, known.n[0])
        estimates.append(Estimate(items=items, disguised_only=alone, **values))
    return estimates


def group_tests(known: CachedCounter, verdict: Verdict) -> tuple[GroupTest, ...]:
    """Tests of open against disguised records, answer by answer, of those that may be told.

    Open records count with their plain answers.
    """
    test, names = alike(CachedCounter(known.whole)), Names(known.design)
    p_alone = test.p if test.raw is None else test.raw
    columns = map(finite, (test.open, test.disguised, p_alone, test.more, test.fewer))
    rows = zip(test.items, *columns, strict=True)
    return compare_groups(
        GroupTest(names.name(item), *row) for item, *row in rows if verdict.allows_comparison(item)
    )


def pair_lifts(known: CachedCounter, wanted: Parameters, itemsets: Numbers) -> list[Pair]:
    """The lift of every reported pair of answers, also of pairs without a confident rule."""
    of_two = itemsets[(itemsets != NONE).sum(axis=1) == 2]
    if not len(of_two):
        return []
    lifts, names = estimate_pair_lifts(known, of_two, wanted.estimator), Names(known.design)
    columns = map(finite, (lifts.lift, lifts.low, lifts.high))
    numbers = of_two[lifts.itemset][:, :2].tolist()
    rows = []
    for row, lift, low, high, eligible in zip(numbers, *columns, lifts.eligible.tolist(), strict=True):
        items = tuple(map(names.name_of_number, row))
        rows.append(Pair(items, lift, low, high, eligible, names.is_disguised_only(items, known.n[0])))
    return rows


def coherent_itemsets(
    known: CachedCounter, wanted: Parameters, itemsets: Numbers, verdict: Verdict
) -> list[dict[str, Any]]:
    """The coherent supports of the reported itemsets of the best connected answers, by numbers of items."""
    some = best_connected_answers(known, itemsets)
    within = itemsets[np.isin(itemsets, [NONE, *some]).all(axis=1)]
    if not len(within):
        return []
    supports = coherent_supports(known, within, wanted.estimator, verdict)
    rows = [[number for number in row if number != NONE] for row in within.tolist()]
    values = [None] * len(rows) if supports is None else finite(supports)
    return [{"items": items, "support": value} for items, value in zip(rows, values, strict=True)]


def best_connected_answers(known: CachedCounter, itemsets: Numbers) -> list[int]:
    """At most `MOST_ITEMS` answers, none of scores: sensitive ones first, then by the number of itemsets with them."""
    sensitive = {known.numbering.number(item) for item in sensitive_answers(known)}
    often = np.bincount(itemsets[itemsets != NONE], minlength=len(known.numbering))
    is_scored = known.numbering.scored[known.numbering.question]
    wanted = np.flatnonzero((often > 0) & ~is_scored).tolist()
    wanted.sort(key=lambda number: (number not in sensitive, -often[number], number))
    return wanted[:MOST_ITEMS]


def group_tables(known: CachedCounter, verdict: Verdict, front: GroupFront = NO_FRONT) -> list[GroupTable]:
    """A table for each plain question: the share of every sensitive answer in each class, where it may be told."""
    questions = plain_questions(known)
    if not questions or not sensitive_answers(known):
        return []
    precount_groups(known)
    names = Names(known.design)
    return [withhold_groups(group_table(known, names, index, front), names, verdict) for index in questions]


def precount_groups(known: CachedCounter) -> None:
    """Count at once what all tables need, since every count may read all records."""
    classes = [
        (index, code)
        for index in plain_questions(known)
        for code in range(known.design.questions[index].codes)
    ]
    joined = [tuple(sorted((item, answer))) for item in classes for answer in sensitive_answers(known)]
    count_tallies(
        known, list(group_by_shape(known, as_item_numbers(known.numbering, joined))), within_plain=True
    )


def group_table(known: CachedCounter, names: Names, index: int, front: GroupFront) -> GroupTable:
    """The table of the plain question at this index; its classes are not compared yet."""
    shares = shares_by_group(known, index)
    received = received_by_class(known, index)
    question = known.design.questions[index]
    classes = tuple(names.name((index, code)) for code in range(question.codes))
    tables: dict[str, list[list[Any]]] = {
        name: [finite(row) for row in getattr(shares, name)] for name in CELLS
    }
    tables |= {"n_asked": shares.base.tolist(), "shown": shares.shown.tolist()}
    alone = names.is_disguised_only((*classes[:1], *map(names.name, shares.answers)), known.n[0])
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
    part = None if index == known.design.understood else front.part
    return GroupTable(question.name, classes, rows, alone, part)


def finite(values: NDArray[Any]) -> list[float | None]:
    """Floats for JSON and the database: None in the place of NaN and infinity."""
    return [value if isfinite(value) else None for value in values.tolist()]


def study_findings(
    known: CachedCounter,
    plan: Plan | None,
    planned: PlanResult | None,
    verdict: Verdict,
    statements: Statements,
    many: Mapping[str, int],
) -> dict[str, Json]:
    """The members of `Run.findings` about a study: arms, control items, understanding and plan, as the verdict allows.

    `many`: the number of statements by family, the pairs' included.
    """
    results: dict[str, Json] = {}
    if known.design.has_arms and known.whole.n[0]:
        arms = analyse_arms(known.whole, verdict, statements.arm_levels(many))
        # A planned difference has Holm's p of the plan.
        holm = {hypothesis.name: hypothesis.holm for hypothesis in planned.hypotheses} if planned else {}
        names = statements.planned_arms
        items = (replace(row, holm=holm[names[row.item]]) if row.item in names else row for row in arms.items)
        results[ARMS] = dump_brief(
            replace(arms, items=with_known_difference(items), controls=with_known_difference(arms.controls))
        )
    try:
        results[CONTROLS] = dump_brief(analyse_controls(known, verdict))
    except InputError as refusal:
        if refusal.path != NO_CONTROL:
            # Too few records for the control item.
            results[CONTROLS] = dump_brief(Controls(too_few=True))
    if known.design.understanding:
        checked = analyse_understanding(known, verdict, statements.understanding_levels(many))
        results[UNDERSTANDING] = dump_brief(replace(checked, items=with_known_difference(checked.items)))
    if plan and planned:
        results[PLAN] = dump_brief(replace(planned, plan=plan.as_json()))
    return results


def with_known_difference(compared: Iterable[Compared]) -> tuple[Compared, ...]:
    """The rows with a difference; where records are too few there is none."""
    return tuple(row for row in compared if row.difference is not None and isfinite(row.difference))
