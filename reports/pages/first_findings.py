"""What the front of a report says first: at most seven findings, each a sentence with its interval as a picture."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import get_language, gettext as _

from intake.pages.languages import native_language_name
from mining.document.report import Report
from reports.pages.row_intervals import interval_of
from reports.review.report_page import ReportPage
from reports.sentences.choose import findings
from reports.sentences.figures import percent
from reports.sentences.finding import Finding, Measured
from surveys.phrases.languages import SHIPPED, text_direction
from ui.interval_pictures import Interval, Scale

SHOWN_READ, OTHERS_READ = 40, 10
"""A reviewer's report may have very many rules; the strongest, and the next of those that show nothing, are first."""
NUMBER = "number"
NO_SHARES = frozenset({NUMBER, "arms", "group", "understanding-difference", "hypothesis"})
"""Findings that are no shares: each has a scale of its own."""


@dataclass(frozen=True)
class FindingRow:
    """A finding with its picture on the scale of all shares, or on one of its own."""

    finding: Finding
    scale: Scale | None
    pictures: tuple[Interval, ...] = ()


def requested_language(request: HttpRequest) -> str:
    """The language that an address asks for; empty where it names none that we have."""
    language = request.GET.get("lang", "")
    return language if language in SHIPPED else ""


def spoken_findings(request: HttpRequest, report: ReportPage) -> dict[str, Any]:
    """For the template: findings in one of the languages of everybody, which may be another than the page's."""
    language = requested_language(request) or get_language() or "en"
    with translation.override(language):
        rows = first_findings(report)
    languages = [(code, native_language_name(code)) for code in SHIPPED]
    return {"rows": rows, "language": language, "direction": text_direction(language), "languages": languages}


def first_findings(report: ReportPage) -> list[FindingRow]:
    told = findings(_with_rules(report), report.labels)
    shares = Scale.above(chain.from_iterable(map(interval_ends, filter(_is_share, told))), most=1.0)
    return [_row(finding, shares if _is_share(finding) else None) for finding in told]


def _with_rules(report: ReportPage) -> Report:
    if not report.whole:
        return report.with_rules
    rules = report.rules.order_by("place")
    shown = rules.filter(under=None).exclude(association=0)[:SHOWN_READ]
    rows = [*shown, *rules.filter(association=0)[:OTHERS_READ]]
    return replace(report.content, rules=tuple(report.read_rows(rows)))


def _row(finding: Finding, scale: Scale | None) -> FindingRow:
    own = scale or _own_scale(finding)
    drawn = interval_of(finding, own)
    if drawn is None or drawn.estimate is None:
        return FindingRow(finding, None)
    label = percent(drawn.estimate) if scale else ""
    base_label = (
        _("of all %(share)s") % {"share": percent(drawn.base)} if scale and drawn.base is not None else ""
    )
    return FindingRow(finding, own, (replace(drawn, label=label, base_label=base_label),))


def _own_scale(finding: Finding) -> Scale:
    """Of a number from 0 on; of a difference to both sides of 0."""
    if finding.kind == NUMBER:
        return Scale.above(interval_ends(finding))
    measured = finding.measured
    scale = Scale.above(abs(end) for end in (measured.low, measured.high) if end is not None)
    return replace(scale, start=-scale.end)


def _is_share(finding: Finding) -> bool:
    return finding.kind not in NO_SHARES


def interval_ends(finding: Finding) -> Iterable[float | None]:
    known: list[Measured] = [each for each in (finding.measured, finding.base) if each.is_known]
    return (value for each in known for value in (each.value, each.high))
