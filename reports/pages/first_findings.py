"""Selects the first findings of a report, at most seven, and adds the picture of each one's interval."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from django.http import HttpRequest
from django.utils.translation import gettext as _

from mining.nodes.report_nodes import Report
from reports.pages.row_interval_pictures import finding_interval_picture
from reports.review.report_page_data import ReportPage
from reports.sentences.finding import Finding, MeasuredValue, share_without_interval
from reports.sentences.first_finding_sentences import headline_findings
from reports.texts.report_facts import Fact
from surveys.phrases.languages import SHIPPED
from ui.interval_pictures import Interval, Scale

SHOWN_READ, OTHERS_READ = 40, 10
"""Largest numbers of rules read for a reviewer's report: with an association shown, and without."""
NUMBER = "number"
NO_SHARES = frozenset({NUMBER, "arms", "group", "understanding-difference", "hypothesis"})
"""Kinds of findings that are no shares: each has its own scale."""


@dataclass(frozen=True)
class FindingRow:
    """A finding with its picture.

    Shares have one common scale, other findings each their own. `evidence`: facts that a reader can unfold.
    """

    finding: Finding
    scale: Scale | None
    pictures: tuple[Interval, ...] = ()
    evidence: tuple[Fact, ...] = ()


def requested_language_or_empty(request: HttpRequest) -> str:
    """Returns the language that the address asks for; empty if it names none that Candor has."""
    language = request.GET.get("lang", "")
    return language if language in SHIPPED else ""


def first_findings(report: ReportPage) -> list[FindingRow]:
    """Returns the first findings of a report, each with the picture of its interval; all shares have one scale."""
    told = headline_findings(_report_with_first_rules(report), report.labels)
    shares = Scale.covering(chain.from_iterable(map(values_on_scale, filter(_is_share, told))), most=1.0)
    return [finding_row(finding, shares if _is_share(finding) else None) for finding in told]


def _report_with_first_rules(report: ReportPage) -> Report:
    if not report.whole:
        return report.published_content_with_rules
    rules = report.rules.order_by("place")
    shown = rules.filter(under=None).exclude(association=0)[:SHOWN_READ]
    rows = [*shown, *rules.filter(association=0)[:OTHERS_READ]]
    return replace(report.content, rules=tuple(report.read_rules(rows)))


def finding_row(finding: Finding, scale: Scale | None = None) -> FindingRow:
    """Returns a finding with its picture: on this `scale`, or on a scale of its own if the finding is no share."""
    own = scale or _own_scale(finding)
    drawn = finding_interval_picture(finding, own)
    if drawn is None or drawn.estimate is None:
        return FindingRow(finding, None)
    label = share_without_interval(finding.measured) if scale else ""
    base_label = ""
    if scale and drawn.base is not None:
        base_label = _("of all %(share)s") % {"share": share_without_interval(finding.base)}
    return FindingRow(finding, own, (replace(drawn, label=label, base_label=base_label),))


def _own_scale(finding: Finding) -> Scale:
    """Returns the scale of a finding that is no share: from 0 for a number, symmetric around 0 for a difference."""
    if finding.kind == NUMBER:
        return Scale.covering(values_on_scale(finding))
    measured = finding.measured
    scale = Scale.covering(abs(end) for end in (measured.low, measured.high) if end is not None)
    return replace(scale, start=-scale.end)


def _is_share(finding: Finding) -> bool:
    return finding.kind not in NO_SHARES


def values_on_scale(finding: Finding) -> Iterable[float | None]:
    """Returns the values that a scale must include to show the finding."""
    known: list[MeasuredValue] = [each for each in (finding.measured, finding.base) if each.is_known]
    return (value for each in known for value in (each.value, each.high))
