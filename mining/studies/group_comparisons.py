"""Compares the published answers and classes of a report: differences, and p corrected by Holm's method."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.finite_numbers_for_json import finite_or_none
from mining.inference.intervals import two_sided_p
from mining.inference.selection_correction import LEVEL, critical_z, holm
from mining.inference.share_differences import intervals_by_row
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.nodes.report_nodes import ClassDifference, GroupRow, GroupTable, GroupTest
from mining.nodes.study_nodes import CHANGE, MORE, SHARE, HypothesisResult, PlanResult, WaveDifference
from mining.reconstruction.shares_by_group import holm_class_difference_p, share_interval_of_all_classes


def correct_group_tests_by_holm(answers: Iterable[GroupTest]) -> tuple[GroupTest, ...]:
    """Returns the group tests with each p replaced by the p corrected by Holm over all of them, in the same order."""
    tests = tuple(answers)
    adjusted = holm(np.array([one.p for one in tests], np.float64)).tolist()
    return tuple(replace(one, p=p) for one, p in zip(tests, adjusted, strict=True))


def add_class_comparison(table: GroupTable) -> GroupTable:
    """Returns a table of shares by group with, for each answer, its share in all published classes together, and Holm's
    p that the classes are equal."""

    def column(name: str) -> NDArray[Any]:
        return np.array([[getattr(cell, name) for cell in row.cells] for row in table.rows], np.float64)

    columns = [*map(column, ("share", "second", "slope", "n_asked"))]
    *compared, records = share_interval_of_all_classes(*columns)
    explored = np.array([row.met is None for row in table.rows], np.bool_)
    p = np.full(len(explored), np.nan)
    p[explored] = holm_class_difference_p(*(one[explored] for one in columns))
    numbers = zip(*(one.tolist() for one in (*compared, p)), strict=True)
    rows = zip(
        table.rows, (map(finite_or_none, row) for row in numbers), records.astype(int).tolist(), strict=True
    )
    fronts = strongest_class_differences(table)
    return replace(
        table,
        rows=tuple(
            replace(_compare_row(row, *numbers_of_row, n_asked=n), front=front)
            for (row, numbers_of_row, n), front in zip(rows, fronts, strict=True)
        ),
    )


def _compare_row(
    row: GroupRow,
    together: float | None,
    low: float | None,
    high: float | None,
    p: float | None,
    *,
    n_asked: int,
) -> GroupRow:
    p = p if row.met is None else row.p
    return replace(row, together=together, low=low, high=high, p=p, n_asked=n_asked)


def strongest_class_differences(table: GroupTable) -> list[ClassDifference | None]:
    """Returns, for each answer, the difference between one class and all other published classes together: of the
    classes whose difference lies in its interval, that with the smallest p.

    An estimate outside its interval is impossible, which only noise can cause. None if no p is small enough for the
    front page: the limit is `part` of the table, divided by the number of published classes. One score test gives p and
    interval.
    """
    fronts: list[ClassDifference | None] = [None] * len(table.rows)
    tested = [
        (row, codes, code)
        for row, codes in enumerate(map(_comparable_classes, table.rows))
        if len(codes) > 1
        for code in codes.tolist()
    ]
    if not table.part or not tested:
        return fronts
    sides = [_class_and_others(table.rows[row], codes, code) for row, codes, code in tested]
    mine, others = (_make_side(np.stack(received, axis=1)) for received in zip(*sides, strict=True))
    test = SumOfShares.from_difference(others, mine)
    p = two_sided_p(test.z(np.zeros(len(test))))
    parts = np.array([table.part / len(codes) for _row, codes, _code in tested])
    small = np.flatnonzero(p <= parts)
    few = test.take(small)
    ends = intervals_by_row(few, np.array([*map(critical_z, parts[small].tolist())]))
    columns = (small, few.point_estimate(), *ends, p[small])
    for at, estimate, low, high, chance in zip(*(column.tolist() for column in columns), strict=True):
        row, _codes, code = tested[at]
        before = fronts[row]
        can_be_said = low <= estimate <= high and (low > 0 or high < 0)
        if can_be_said and (before is None or chance < before.p):
            fronts[row] = ClassDifference(table.classes[code], estimate, low, high, chance)
    return fronts


def _comparable_classes(row: GroupRow) -> NDArray[np.intp]:
    """Returns the codes of the classes that can be compared: published with their received counts.

    A row that belongs to a plan has none.
    """
    cells = enumerate(row.cells) if row.met is None else ()
    return np.array([code for code, cell in cells if cell.share is not None and cell.received], np.intp)


def _class_and_others(
    row: GroupRow, codes: NDArray[np.intp], code: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns two arrays of received counts: those of the class `code`, and those of all other published classes."""
    received = np.array([row.cells[other].received for other in codes.tolist()])
    others = received[codes != code]
    counts = others[:, :4].sum(axis=0)
    return received[codes == code][0], np.concatenate([counts, others[0, 4:]])


def _make_side(received: NDArray[np.float64]) -> ReceivedSide:
    """Returns the received counts as a side of a comparison: open and disguised groups, a row per class."""
    keep, chance = received[4:]
    return ReceivedSide(
        received[:2],
        received[2:4],
        np.stack([np.ones_like(keep), keep]),
        np.stack([np.zeros_like(chance), chance]),
    )


def decide_hypotheses(results: Sequence[HypothesisResult]) -> tuple[HypothesisResult, ...]:
    """Returns the results of all h hypotheses of a plan with the decision whether each is met, and with p corrected by
    Holm.

    A hypothesis is met if its interval at 1 - .05/h excludes no effect, one about a change if it lies in the direction,
    one about a share if p <= .05/h. A p that could not be computed, or is withheld, counts as 1.
    """
    chances = [None if one.p is None else finite_or_none(one.p) for one in results]
    adjusted = holm(np.array([1.0 if p is None else p for p in chances])).tolist()
    return tuple(
        replace(one, p=p, holm=after, met=_is_met(replace(one, p=p), len(results)))
        for one, p, after in zip(results, chances, adjusted, strict=True)
    )


def _is_met(result: HypothesisResult, hypotheses: int) -> bool:
    if result.p is None:
        return False
    if result.kind == SHARE:
        return result.p <= LEVEL / hypotheses
    above = result.low is not None and result.low > result.value_without_effect
    below = result.high is not None and result.high < result.value_without_effect
    if result.kind == CHANGE:
        return above if result.direction == MORE else below
    return above or below


def add_change_results(plan: PlanResult, changes: Iterable[WaveDifference]) -> PlanResult:
    """Returns the plan with the results of its hypotheses about changes, which a run does not have, from the changes
    that the reports of both surveys tell."""
    by_item = {one.item: one for one in changes}
    results = [
        replace(
            one,
            estimate=change.difference,
            **{name: getattr(change, name) for name in ("p", "low", "high", "n_earlier", "n_later")},
            withheld=False,
        )
        if one.kind == CHANGE and (change := by_item.get(one.item))
        else one
        for one in plan.hypotheses
    ]
    return replace(plan, hypotheses=decide_hypotheses(results))


def remove_withheld_results(plan: PlanResult, allowed: Sequence[bool]) -> PlanResult:
    """Returns the plan without the results that are not `allowed`; in Holm's correction of the others they count as p =
    1."""
    hypotheses = [
        one if is_allowed else one.without_result
        for one, is_allowed in zip(plan.hypotheses, allowed, strict=True)
    ]
    return plan if all(allowed) else replace(plan, hypotheses=decide_hypotheses(hypotheses))
