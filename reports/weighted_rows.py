"""The rows of weighted shares on the page of answers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mining.document.weighted import WeightedShare
from reports import page_rows
from reports.content import Estimate

if TYPE_CHECKING:
    from reports.report_page import ReportPage


@dataclass(frozen=True)
class WeightedRow:
    """A weighted share beside the unweighted one."""

    words: str
    weighted: WeightedShare
    share: Estimate


def rows(report: "ReportPage") -> list[WeightedRow]:
    """Of the answers that the page lists."""
    weighted = {one.item: one for one in report.content.weighted.shares} if report.content.weighted else {}
    return [
        WeightedRow(report.naming.short(item), weighted[item], share)
        for share in page_rows.sensitive_shares(report)
        for item in share.items
        if item in weighted
    ]
