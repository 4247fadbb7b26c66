"""Compares the direct arm with the disguised arm of a study (docs/mathematics.md, Arms).

Arrays are group by row: group 0 is the direct arm, group 1 the disguised one, a row per answer. All counts of an answer
are among E(S). That a larger share is nearer to the truth is an assumption that these numbers cannot test.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95, Interval, exact_interval, share_interval, two_sided_p
from mining.inference.score_test import support_test
from mining.inference.selection_correction import FamilyCriticalZ
from mining.inference.share_differences import Differences, compare_side_shares, detectable_differences
from mining.nodes.study_nodes import ArmDifference, Arms, Completion
from mining.queries_and_counters import Counter, Item
from mining.reconstruction import CachedCounter
from mining.reconstruction.shares_by_group import reported_sensitive_answers
from mining.studies.single_answer_score_moments import (
    AnswerCounts,
    AnswerLaw,
    answer_table,
    control_items,
    enough_in_both_groups,
    group_sides,
    nodes_by_answer,
)
from privacy.designs import InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.json_node import PARTS

ARMS = 2


def compare_arms(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw, critical_zs: FamilyCriticalZ | None = None
) -> Differences:
    """Returns, for each answer, the share in the disguised arm less that in the direct arm, with test and interval."""
    return compare_side_shares(
        *group_sides(records, having, law), enough_in_both_groups(records), critical_zs=critical_zs
    )


def detectable_arm_differences(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw, differences: Differences
) -> tuple[Floats, Floats]:
    """Returns, for each answer, the smallest differences between the arms, upwards and downwards, that would have been
    found with 80 % power."""
    return detectable_differences(*group_sides(records, having, law), differences.first)


def worst_case_difference_bounds(direct: Floats, disguised: Floats, completion: Floats) -> Interval:
    """Returns the least and largest difference of the arms, whatever people who left because of their arm would have
    answered.

    `completion` is q, the direct arm's completion rate over the disguised arm's. The bounds hold if nobody leaves only
    because of the arm that loses fewer people; they leave sampling error out.
    """
    direct, disguised = np.clip(direct, 0.0, 1.0), np.clip(disguised, 0.0, 1.0)
    lost = 1 - np.minimum(completion, 1 / completion)
    fewer_direct = completion < 1
    larger = np.where(fewer_direct, disguised, direct)
    least = np.maximum(0.0, (larger - lost) / (1 - lost))
    most = np.minimum(1.0, larger / (1 - lost))
    low = np.where(fewer_direct, least - direct, disguised - most)
    return low, np.where(fewer_direct, most - direct, disguised - least)


def compare_completion_rates(
    direct: NDArray[Any], disguised: NDArray[Any], share: float
) -> dict[str, Floats]:
    """Compares the completion rates of the arms, from the numbers of records in each arm.

    `share` is d, the stated share of the direct arm. Returns by name: `completion`, q, the direct arm's completion rate
    over the disguised arm's; the ends `low` and `high` of its 95 % interval, NaN where an arm has no record; `z` and
    `p`, which test q = 1.
    """
    direct, disguised = np.asarray(direct, np.float64), np.asarray(disguised, np.float64)
    n = direct + disguised
    with np.errstate(divide="ignore", invalid="ignore"):
        completion = direct * (1 - share) / (disguised * share)
        error = np.sqrt(1 / direct + 1 / disguised)
        low, high = completion * np.exp(-NORMAL_95 * error), completion * np.exp(NORMAL_95 * error)
        z = (direct - n * share) / np.sqrt(n * share * (1 - share))
    known = (direct > 0) & (disguised > 0)
    low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
    return {"completion": completion, "low": low, "high": high, "z": z, "p": two_sided_p(z)}


def compared_answers(counter: Counter | CachedCounter, verdict: Verdict) -> list[Item]:
    """Returns the sensitive answers in which the arms are compared, as far as the `verdict` lets them be published.

    Places with cells outside their regions are left out: such cells are sent undisguised, so the comparison would be a
    plain count.
    """
    questions = counter.design.questions
    return [
        item
        for item in reported_sensitive_answers(counter)
        if not questions[item[0]].scored and _may_compare(item, verdict)
    ]


def analyse_arms(
    counter: Counter, verdict: Verdict | None = None, critical_zs: FamilyCriticalZ | None = None
) -> Arms:
    """Compares the arms in all sensitive answers and control items; `counter` counts both arms.

    Numbers of too few records are NaN. `holm` is p corrected over all sensitive answers that the `verdict` lets be
    published (without one, all), except those that a plan names. `critical_zs` has the critical z of each of
    `compared_answers`.
    """
    design = counter.design
    verdict = verdict or Verdict(design)
    if not design.has_arms:
        raise InputError("direct", _("the design has no direct arm, so there is nothing to compare"))
    items = compared_answers(counter, verdict)
    counts = AnswerCounts.from_counter(counter, items)
    differences = compare_arm_counts(counts, critical_zs)
    more, fewer = detectable_arm_differences(counts.records, counts.having, counts.law, differences)
    direct, disguised = counter.n
    left = compare_completion_rates(np.array(direct), np.array(disguised), design.direct_parts / PARTS)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = worst_case_difference_bounds(differences.first, differences.second, left["completion"])
    compared = nodes_by_answer(
        ArmDifference,
        design,
        items,
        **_node_columns(counts, differences),
        holm=differences.holm,
        smallest_more=more,
        smallest_fewer=fewer,
    )
    controls = [item for item in control_items(design) if _may_compare(item, verdict)]
    of_controls = AnswerCounts.from_counter(counter, controls)
    return Arms(
        direct,
        disguised,
        design.direct_parts / PARTS,
        Completion(*(float(left[name]) for name in ("completion", "low", "high", "p"))),
        tuple(
            replace(one, bounds=ends)
            for one, ends in zip(compared, zip(*map(np.ndarray.tolist, bounds), strict=True), strict=True)
        ),
        nodes_by_answer(
            ArmDifference, design, controls, **_node_columns(of_controls, compare_arm_counts(of_controls))
        ),
    )


def _may_compare(item: Item, verdict: Verdict) -> bool:
    """Returns True if the arms may be compared in this item; a comparison can reveal counts of plain answers, so the
    `verdict` must allow it."""
    return not verdict.has_outside_cells(item[0]) and verdict.allows_comparing_open_and_disguised(item)


def _node_columns(counts: AnswerCounts, differences: Differences) -> dict[str, NDArray[Any]]:
    is_known = np.isfinite(differences.difference)
    (direct_low, direct_high), (disguised_low, disguised_high) = arm_intervals(counts, is_known)
    n_direct, n_disguised = np.where(is_known, counts.records.astype(object), np.array(None))
    return {
        "direct": differences.first,
        "disguised": differences.second,
        "difference": differences.difference,
        "low": differences.low,
        "high": differences.high,
        "p": differences.p,
        "n_direct": n_direct,
        "direct_low": direct_low,
        "direct_high": direct_high,
        "n_disguised": n_disguised,
        "disguised_low": disguised_low,
        "disguised_high": disguised_high,
    }


def arm_intervals(counts: AnswerCounts, is_known: NDArray[np.bool_]) -> Floats:
    """Returns the interval of each arm's share: arm by end by answer; NaN where not `is_known`.

    For a sensitive answer it is the interval of a support, as in the report; for a plain answer that of Clopper and
    Pearson.
    """
    at = np.flatnonzero(is_known)
    records, having = counts.records[:, at], counts.having[:, at]
    table = answer_table(counts.records, counts.having, counts.law).take(at)
    is_plain = table.keep[0] == 1
    ends = np.full((ARMS, 2, len(is_known)), np.nan)
    for arm in range(ARMS):
        alone = table.at_least * (np.arange(ARMS) == arm)[:, None]
        estimated = share_interval(support_test(replace(table, at_least=alone)))
        ends[arm][:, at] = np.where(is_plain, exact_interval(having[arm], records[arm]), estimated)
    return ends


def compare_arm_counts(counts: AnswerCounts, critical_zs: FamilyCriticalZ | None = None) -> Differences:
    return compare_arms(counts.records, counts.having, counts.law, critical_zs)


def arm_differences(
    counter: Counter, items: Sequence[Item], critical_zs: FamilyCriticalZ | None = None
) -> Differences:
    """Returns the differences between both arms in these answers; p is corrected by Holm's method over them."""
    return compare_arm_counts(AnswerCounts.from_counter(counter, items), critical_zs)
