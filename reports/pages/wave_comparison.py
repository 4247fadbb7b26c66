"""The comparison with the earlier survey on the page of a study, as far as its reader may read a report of both."""

from dataclasses import dataclass

from mining.nodes.study_nodes import WaveDifference
from privacy.designs.repeated_questions import comparable_results
from reports.review.report_page_data import ReportPage
from reports.review.wave_differences import STRATIFIED


@dataclass(frozen=True)
class WaveComparison:
    """The comparison of a survey with the earlier survey that it repeats (two waves).

    `earlier` is the newest report of the earlier survey; None if the person may read none. `left_out` counts
    answers that cannot be compared. `stratified` is False if either report has another estimator; then nothing is
    compared.
    """

    earlier: ReportPage | None
    rows: tuple[WaveDifference, ...] = ()
    left_out: int = 0
    stratified: bool = True
    csv_url: str = ""

    @property
    def knows_truth(self) -> bool:
        return any(row.truth is not None for row in self.rows)


def compare_waves(report: ReportPage) -> WaveComparison | None:
    """Compares the report with that of the earlier survey; None if the survey repeats none."""
    if not report.design.follows:
        return None
    before, waves = report.earlier, report.content.study.waves
    if before is None:
        return WaveComparison(None)
    if {before.about.estimator, report.about.estimator} != {STRATIFIED}:
        return WaveComparison(before, stratified=False)
    rows = waves.items if waves else ()
    compared = comparable_results(before.mined_design, report.mined_design)
    return WaveComparison(before, rows, len(compared) - len(rows), csv_url=report.url("waves_csv"))
