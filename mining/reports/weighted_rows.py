"""The rows of weighted shares on the page of answers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mining.reports.weighted import WeightedEstimate

if TYPE_CHECKING:
    from mining.reports.report_page import ReportPage


@dataclass(frozen=True)
class WeightedRow:
    """A weighted share beside the unweighted one, where the report has that."""

    words: str
    weighted: WeightedEstimate
    share: float | None
    low: float | None
    high: float | None


def rows(report: "ReportPage") -> list[WeightedRow]:
    weighted = report.content.weighted
    if weighted is None:
        return []
    beside = {one.items[0]: one for one in report.content.shares}
    return [
        WeightedRow(
            report.naming.short(one.item),
            one,
            *((of.support, of.low, of.high) if (of := beside.get(one.item)) else (None, None, None)),
        )
        for one in weighted.shares
    ]
