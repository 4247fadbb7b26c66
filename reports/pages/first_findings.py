"""What the front of a report says first: at most seven findings, each a sentence with its interval as a picture."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from django.utils.translation import gettext as _

from look.intervals import Interval, Scale
from mining.document.report import Report
from reports.review.report_page import ReportPage
from reports.sentences.choose import findings
from reports.sentences.figures import percent
from reports.sentences.finding import Finding, Measured

RULES_READ = 200
"""A reviewer's report may have very many rules; the strongest are first in the list."""
OF_NUMBERS = "number"


@dataclass(frozen=True)
class FindingRow:
    """A finding with its picture on the scale of all shares, or on one of its own."""

    finding: Finding
    scale: Scale | None
    pictures: tuple[Interval, ...] = ()


def first_findings(report: ReportPage) -> list[FindingRow]:
    told = findings(_with_rules(report), report.labels)
    shares = Scale.above(chain.from_iterable(map(_ends, filter(_is_share, told))), most=1.0)
    return [_row(finding, shares if _is_share(finding) else None) for finding in told]


def _with_rules(report: ReportPage) -> Report:
    if not report.whole:
        return report.with_rules
    rows = report.rules.order_by("place")[:RULES_READ]
    return replace(report.content, rules=tuple(report.read_rows(rows)))


def _row(finding: Finding, scale: Scale | None) -> FindingRow:
    measured = finding.measured
    if measured.value is None or not measured.is_known or measured.value < 0:
        return FindingRow(finding, None)
    is_share, base = scale is not None, finding.base.value if finding.base.is_known else None
    scale = scale or Scale.above(_ends(finding))
    picture = Interval(
        low=_within(measured.low, scale),
        high=measured.high,
        estimate=measured.value,
        base=base,
        state="filled" if finding.is_shown else "hollow",
        label=percent(measured.value) if is_share else "",
        base_label=_("of all %(share)s") % {"share": percent(base)} if base is not None else "",
    )
    return FindingRow(finding, scale, (picture,))


def _is_share(finding: Finding) -> bool:
    return finding.kind != OF_NUMBERS


def _ends(finding: Finding) -> Iterable[float | None]:
    known: list[Measured] = [each for each in (finding.measured, finding.base) if each.is_known]
    return (value for each in known for value in (each.value, each.high))


def _within(end: float | None, scale: Scale) -> float | None:
    """Below its start an end is drawn at the start: the sentence has the number."""
    return None if end is None else max(end, scale.start)
