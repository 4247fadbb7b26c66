"""Compares the shares of a survey with those of the survey that it repeats (docs/mathematics.md, Waves).

All numbers come from the two reports as this person may read them, so the comparison reveals nothing more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from mining.inference.share_sum_score_test import ReceivedSide
from mining.nodes.report_nodes import Estimate
from mining.nodes.study_nodes import WaveDifference
from mining.studies.single_answer_score_moments import answer_laws, answer_side
from mining.studies.waves import comparable_questions, wave_differences
from privacy.designs import InputError
from reports.export_table import ExportTable
from reports.models import Review
from reports.review.report_page_data import ReportPage, readable_page

if TYPE_CHECKING:
    from accounts.models import Person

STRATIFIED = "stratified"
NUMBERS = tuple(field.name for field in fields(WaveDifference) if field.name not in ("item", "truth"))


@dataclass(frozen=True)
class WaveComparison:
    """The comparison of a survey with the earlier survey that it repeats (two waves).

    `earlier` is the newest report of the earlier survey; None if the person may read none. `left_out` counts
    answers that cannot be compared. `stratified` is False if either report has another estimator; then nothing is
    compared.
    """

    earlier: ReportPage | None
    rows: list[WaveDifference]
    left_out: int = 0
    stratified: bool = True
    csv_url: str = ""

    @property
    def knows_truth(self) -> bool:
        return any(row.truth is not None for row in self.rows)


def compare_waves(report: ReportPage, person: "Person") -> WaveComparison | None:
    """Compares the report with that of the earlier survey; None if the survey repeats none."""
    if not report.design.follows:
        return None
    before = earlier_report(report.design.follows, person)
    if before is None:
        return WaveComparison(None, [])
    if {before.about.estimator, report.about.estimator} != {STRATIFIED}:
        return WaveComparison(before, [], stratified=False)
    pairs = list(shares_of_common_answers(before, report))
    reports = before, report
    known = [pair for pair in pairs if all(map(is_comparable, reports, pair)) and has_same_population(*pair)]
    differences = difference_rows(report, before, known)
    return WaveComparison(before, differences, len(pairs) - len(differences), csv_url=report.url("waves_csv"))


def waves_table(report: ReportPage, table: WaveComparison) -> ExportTable:
    """Builds the file table of the comparison, with the column names of the command `waves`."""
    numbers = (*NUMBERS, "truth") if table.knows_truth else NUMBERS
    rows = [
        (one.item, report.labels.join_full((one.item,)), *(getattr(one, name) for name in numbers))
        for one in table.rows
    ]
    return ExportTable("waves", ("item", "item_in_words", *numbers), tuple(rows))


def earlier_report(fingerprint: str, person: "Person") -> ReportPage | None:
    """Returns the newest report of a survey with this design that the person may read: one that is published, else
    one that only reviewers, or the people of a rehearsal, read."""
    reviews = Review.objects.visible_to(person).with_surveys().filter(run__survey__design=fingerprint)
    standing = reviews.exclude(state=Review.State.WITHDRAWN)
    for review in sorted(standing, key=lambda each: (each.is_open, -each.pk)):
        if page := readable_page(review, person):
            return page
        if review.may(person, "review"):
            return ReportPage(review, whole=True)
    return None


def shares_of_common_answers(before: ReportPage, after: ReportPage) -> Iterator[tuple[Estimate, Estimate]]:
    """Yields the earlier and the later share of each answer to a question asked in the same words."""
    earlier, later = ({one.items[0]: one for one in report.content.shares} for report in (before, after))
    try:
        questions = comparable_questions(before.mined_design, after.mined_design)
    except InputError:
        return
    for _place, place in questions:
        asked = after.mined_design.questions[place]
        names = [after.labels.name((place, code)) for code in asked.listed_codes if not asked.share_parts]
        yield from ((earlier[name], later[name]) for name in names if name in earlier and name in later)


def is_comparable(report: ReportPage, share: Estimate) -> bool:
    """Returns True if the share has a standard error: it is not withheld, and no condition can hide its question."""
    return share.support is not None and share.se is not None and not report.labels.may_be_hidden(share.items)


def has_same_population(earlier: Estimate, later: Estimate) -> bool:
    """Returns True if both shares are of everybody, or both of those who chose disguise."""
    return earlier.disguised_only == later.disguised_only


def difference_rows(
    report: ReportPage, before: ReportPage, pairs: Sequence[tuple[Estimate, Estimate]]
) -> list[WaveDifference]:
    """Returns the difference of each pair of shares, with its interval; a rehearsal adds the truth."""
    if not pairs:
        return []
    earlier, later = zip(*pairs, strict=True)
    items = [report.labels.item(share.items[0]) for share in later]
    sides = reconstruct_answer_counts(before, earlier), reconstruct_answer_counts(report, later)
    # The later survey says that it repeats the earlier one, so the same people may have answered both.
    differences = wave_differences(report.mined_design, items, *sides, shared=True)
    return [
        replace(one, truth=_true_difference(*pair))
        for one, pair in zip(differences, pairs, strict=True)
        if all(isfinite(getattr(one, name)) for name in NUMBERS)
    ]


def _true_difference(earlier: Estimate, later: Estimate) -> float | None:
    if earlier.truth is None or later.truth is None:
        return None
    return later.truth - earlier.truth


def reconstruct_answer_counts(report: ReportPage, shares: Sequence[Estimate]) -> ReceivedSide:
    """Reconstructs how many open and how many disguised records hold each answer, from its observed share and its
    estimate."""
    items = [report.labels.item(one.items[0]) for one in shares]
    law = answer_laws(report.mined_design, items)
    base, opened = (np.array([getattr(one, name) or 0 for one in shares]) for name in ("n_asked", "n_open"))
    observed, support = (
        np.array([getattr(one, name) for one in shares], np.float64) for name in ("observed", "support")
    )
    is_plain = np.array([not report.labels.is_sensitive([one.items[0]]) for one in shares])
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
