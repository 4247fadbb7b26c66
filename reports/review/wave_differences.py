"""Compares the shares of a report with those of a report of the survey that it repeats (docs/mathematics.md, Waves).

All numbers come from both reports, so the comparison reveals nothing more to somebody who may read both.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from mining.finite_numbers_for_json import finite_or_none
from mining.inference.selection_correction import (
    CHANGES,
    FamilyCriticalZ,
    critical_z,
    front_page_p_limit,
    plan_critical_z,
)
from mining.inference.share_sum_score_test import ReceivedSide
from mining.nodes.report_nodes import Estimate, Report
from mining.nodes.study_nodes import CHANGE, WaveDifference, Waves
from mining.studies.group_comparisons import add_change_results
from mining.studies.single_answer_score_moments import answer_laws, answer_side
from mining.studies.waves import wave_differences
from privacy.designs.repeated_questions import reported_changes
from reports.answer_labels import Labels

STRATIFIED = "stratified"
NUMBERS = ("earlier", "later", "difference", "low", "high", "p")


def add_changes(report: Report, labels: Labels, before: Report, before_labels: Labels) -> Report:
    """Returns the report with the changes since the report of the earlier survey, also in the results of its plan;
    without any if either report has another estimator than the stratified one."""
    if {before.about.estimator, report.about.estimator} != {STRATIFIED}:
        return report
    earlier, later = ({one.item: one for one in content.shares} for content in (before, report))
    pairs = [
        (earlier[name], later[name])
        for _before, item in reported_changes(before_labels.design, labels.design)
        if (name := labels.name(item)) in earlier and name in later
    ]
    known = [pair for pair in pairs if all(map(has_error, pair)) and has_same_population(*pair)]
    rows = _changes(report, labels, before_labels, known)
    if not rows:
        return report
    study, plan = report.study, report.study.plan
    waves = Waves(before.about.records, report.about.records, same_people=True, items=rows)
    return replace(
        report, study=replace(study, waves=waves, plan=add_change_results(plan, rows) if plan else None)
    )


def has_error(share: Estimate) -> bool:
    """Returns True if the share has a standard error, so that it is not withheld."""
    return share.support is not None and share.se is not None


def has_same_population(earlier: Estimate, later: Estimate) -> bool:
    """Returns True if both shares are of everybody, or both of those who chose disguise."""
    return earlier.disguised_only == later.disguised_only


def _changes(
    report: Report, labels: Labels, before_labels: Labels, pairs: Sequence[tuple[Estimate, Estimate]]
) -> tuple[WaveDifference, ...]:
    """Returns the difference of each pair of shares, with its interval; a rehearsal adds the truth."""
    if not pairs:
        return ()
    earlier, later = zip(*pairs, strict=True)
    # The later survey says that it repeats the earlier one, so the same people may have answered both.
    differences = wave_differences(
        labels.design,
        [labels.item(share.item) for share in later],
        reconstruct_answer_counts(before_labels, earlier),
        reconstruct_answer_counts(labels, later),
        shared=True,
        critical_zs=_critical_zs(report, [share.item for share in later]),
    )
    return tuple(
        replace(
            one,
            holm=finite_or_none(one.holm) if one.holm is not None else None,
            disguised_only=after.disguised_only,
            truth=_true_difference(before, after),
        )
        for one, (before, after) in zip(differences, pairs, strict=True)
        if all(isfinite(getattr(one, name)) for name in NUMBERS)
    )


def _critical_zs(report: Report, items: Sequence[str]) -> FamilyCriticalZ:
    """Returns the critical z of the interval of each change: that of the plan, or of the front."""
    hypotheses = report.study.plan.hypotheses if report.study.plan else ()
    planned = {one.item for one in hypotheses if one.kind == CHANGE}
    limit = front_page_p_limit(report.about.statements, CHANGES)
    return FamilyCriticalZ(
        np.array([item in planned for item in items], np.bool_),
        plan_critical_z(len(hypotheses)),
        critical_z(limit) if limit else np.inf,
    )


def _true_difference(earlier: Estimate, later: Estimate) -> float | None:
    if earlier.truth is None or later.truth is None:
        return None
    return later.truth - earlier.truth


def reconstruct_answer_counts(labels: Labels, shares: Sequence[Estimate]) -> ReceivedSide:
    """Reconstructs how many open and how many disguised records hold each answer, from its observed share and its
    estimate."""
    law = answer_laws(labels.design, [labels.item(one.item) for one in shares])
    base, opened = (np.array([getattr(one, name) or 0 for one in shares]) for name in ("n_asked", "n_open"))
    observed, support = (
        np.array([getattr(one, name) for one in shares], np.float64) for name in ("observed", "support")
    )
    is_plain = np.array([not labels.is_sensitive([one.item]) for one in shares])
    opened = np.where(is_plain, base, np.where([one.disguised_only for one in shares], 0, opened))
    records = np.stack([opened, base - opened])
    having = observed * base
    # estimate * base = open + (disguised - chance * records) / keep, and open + disguised = having.
    gain = 1 / np.asarray(law.keep) - 1
    noise = law.chance * records[1] / law.keep
    both = (records > 0).all(axis=0) & (gain > 0)
    disguised = np.where(both, (support * base - having + noise) / np.where(gain > 0, gain, 1.0), having)
    disguised = np.where(opened == base, 0, np.rint(disguised))
    return answer_side(records, np.stack([np.rint(having) - disguised, disguised]), law)
