"""Selects the first findings of a report, at most seven, and adds the picture of each one's interval.

The first of them is the report's headline, wherever the report is named.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from mining.nodes.report_nodes import Report
from reports.pages.row_interval_pictures import finding_interval_picture
from reports.review.report_page_data import ReportPage
from reports.sentences.finding import Finding, MeasuredValue, share_without_interval
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.sentence_parts import Sentence, as_visible_text, fill_template, join_sentences
from reports.texts.report_facts import Fact
from surveys.phrases.languages import SHIPPED
from ui.interval_pictures import Interval, Scale
from ui.templatetags.ui import intervals

SHOWN_READ, OTHERS_READ = 40, 10
"""Largest numbers of rules read for a reviewer's report: with an association shown, and without."""
NUMBER = "number"


@dataclass(frozen=True)
class FindingRow:
    """A finding with its picture.

    Shares have one common scale, other findings each their own. `evidence`: facts that a reader can unfold.
    """

    finding: Finding
    scale: Scale | None
    pictures: tuple[Interval, ...] = ()
    evidence: tuple[Fact, ...] = ()

    @property
    def is_share(self) -> bool:
        return self.finding.measured.is_share

    @property
    def is_ratio(self) -> bool:
        return self.finding.measured.is_ratio

    @property
    def axis(self) -> Scale | None:
        """The scale as its figures are written: a difference in percentage points."""
        if self.scale is None or self.is_share or self.is_ratio or self.finding.kind == NUMBER:
            return self.scale
        return Scale(100 * self.scale.end, 100 * self.scale.step, 100 * self.scale.start)


@dataclass(frozen=True)
class Headline:
    """The first finding of a report, `first`, as every page says it that names the report."""

    first: FindingRow | None
    is_rehearsal: bool

    @classmethod
    def of_report(cls, report: ReportPage) -> "Headline":
        return cls(next(iter(first_findings(report)), None), report.about.rehearsal)

    @property
    def sentence(self) -> Sentence:
        nothing = fill_template(_("Nothing is estimated: too few people answered."))
        finding = self.first.finding.sentence if self.first else nothing
        if self.is_rehearsal:
            return join_sentences(fill_template(_("Simulated answers.")), finding)
        return finding

    @property
    def text(self) -> str:
        return as_visible_text(self.sentence)

    @property
    def picture(self) -> SafeString | str:
        first = self.first
        return intervals(first.pictures, first.scale, "sentence") if first and first.scale else ""


def requested_language_or_empty(request: HttpRequest) -> str:
    """Returns the language that the address asks for; empty if it names none that Candor has."""
    language = request.GET.get("lang", "")
    return language if language in SHIPPED else ""


def first_findings(report: ReportPage) -> list[FindingRow]:
    """Returns the first findings of a report, each with the picture of its interval; all shares have one scale."""
    told = headline_findings(_report_with_first_rules(report), report.labels)
    of_shares = (finding for finding in told if finding.measured.is_share)
    shares = Scale.covering(chain.from_iterable(map(values_on_scale, of_shares)), most=1.0)
    return [finding_row(finding, shares if finding.measured.is_share else None) for finding in told]


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
    if drawn is None:
        return FindingRow(finding, None)
    label = base_label = ""
    if scale:
        label = share_without_interval(finding.measured)
    if drawn.base is not None:
        base_label = _("no difference") if finding.measured.is_ratio else share_without_interval(finding.base)
    return FindingRow(finding, own, (replace(drawn, label=label, base_label=base_label),))


def _own_scale(finding: Finding) -> Scale:
    """Returns the scale of a finding that is no share: from 0 for a number or a ratio, symmetric around 0 for a
    difference."""
    measured = finding.measured
    if finding.kind == NUMBER or measured.is_ratio:
        return Scale.covering(values_on_scale(finding))
    scale = Scale.covering(abs(end) for end in (measured.low, measured.high) if end is not None)
    return replace(scale, start=-scale.end)


def values_on_scale(finding: Finding) -> Iterable[float | None]:
    """Returns the values that a scale must include to show the finding."""
    known: list[MeasuredValue] = [each for each in (finding.measured, finding.base) if each.is_known]
    return (value for each in known for value in (each.value, each.high) if value != inf)
