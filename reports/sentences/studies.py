"""A study in words: the hypotheses of its plan, and what a publication would leave out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from look.numbers import exact_percent, percent
from mining.disclosure.study import withhold_study
from mining.document.study import Arms, DrawTest, HypothesisResult
from privacy.designs import InputError
from reports import measures
from reports.labels import Labels
from reports.review import differencing
from reports.review.withholding import earlier_disclosures, verdict_of
from reports.sentences.models import coefficient_text
from surveys.questionnaire.problems import reason_of

if TYPE_CHECKING:
    from reports.review.report_page import ReportPage


def drawn_choices(labels: Labels, found: DrawTest) -> list[tuple[str, int]]:
    """Each choice with its records."""
    return [(labels.answer(f"{found.question}={name}").choice, n) for name, n in found.records.items()]


def hypothesis_text(labels: Labels, found: HypothesisResult) -> str:
    said, _estimate = KINDS[found.kind]
    return said(labels, found)


def hypothesis_estimate(found: HypothesisResult) -> str:
    _said, shown = KINDS[found.kind]
    return shown(found)


def reason_text(found: HypothesisResult) -> str:
    """Why it cannot be computed, in the reader's language; empty where only `found.why` is stored."""
    if not found.reason:
        return ""
    return reason_of(InputError(found.name, found.reason["text"], **found.reason["values"]))


# --- the kinds of hypotheses ----------------------------------------------------------------------------


def _said_share(labels: Labels, found: HypothesisResult) -> str:
    said = {"answer": labels.short(found.item), "than": exact_percent(float(found.than))}
    return _("The share of “%(answer)s” is not %(than)s.") % said


def _said_arms(labels: Labels, found: HypothesisResult) -> str:
    return _("“%(answer)s” is not equally common among people asked directly and in disguise.") % {
        "answer": labels.short(found.item)
    }


def _said_version(labels: Labels, found: HypothesisResult) -> str:
    said = {"answer": labels.short(found.item), "by": labels.subject(found.by)}
    return _("The share of “%(answer)s” differs between the versions of “%(by)s”.") % said


def _said_association(labels: Labels, found: HypothesisResult) -> str:
    said = {"one": labels.together(found.antecedent), "other": labels.together(found.consequent)}
    return _("“%(one)s” and “%(other)s” are not independent.") % said


def _said_coefficient(labels: Labels, found: HypothesisResult) -> str:
    said = {"of": coefficient_text(labels, found.of), "answer": labels.short(found.item)}
    if found.model == "logit":
        return _("The coefficient of “%(of)s” in the logit model of “%(answer)s” is not 0.") % said
    return _("The coefficient of “%(of)s” in the linear model of “%(answer)s” is not 0.") % said


def _as_share(found: HypothesisResult) -> str:
    return percent(found.estimate)


def _as_points(found: HypothesisResult) -> str:
    if found.estimate is None:
        return "–"
    return _("%(points)s points") % {"points": measures.points(found.estimate)}


def _as_lift(found: HypothesisResult) -> str:
    return _("lift %(lift)s") % {"lift": measures.decimal(found.estimate)}


def _as_coefficient(found: HypothesisResult) -> str:
    return measures.decimal(found.estimate) if found.model == "logit" else _as_points(found)


Said = Callable[[Labels, HypothesisResult], str]
Shown = Callable[[HypothesisResult], str]
KINDS: Mapping[str, tuple[Said, Shown]] = MappingProxyType(
    {
        "share": (_said_share, _as_share),
        "arms": (_said_arms, _as_points),
        "version": (_said_version, _as_points),
        "association": (_said_association, _as_lift),
        "coefficient": (_said_coefficient, _as_coefficient),
    }
)


# --- what would be left out -----------------------------------------------------------------------------


def left_out(report: "ReportPage") -> list[str]:
    """What a publication now would leave out of the study, and why."""
    run, found = report.review.run, report.content.study
    if not found:
        return []
    kept = withhold_study(found, verdict_of(run, earlier_disclosures(run), report.labels))
    said: list[str] = []
    if found.arms and kept.arms:
        said += _left_out_of_arms(report.labels, found.arms, kept.arms)
    if kept.controls and kept.controls.withheld:
        said.append(
            _("The control item and the corrected shares: fewer than 10 people gave one of its answers.")
        )
    if kept.plan and differencing.plan_beside(run, kept.plan).withheld:
        said.append(
            _("The plan: one of its results is left out here, and a plan is published whole or not at all.")
        )
    return said


def _left_out_of_arms(labels: Labels, found: Arms, kept: Arms) -> list[str]:
    shown = {one.item for one in (*kept.items, *kept.controls)}
    gone = [
        one.item
        for one in (*found.items, *found.controls)
        if one.item not in shown and one.difference is not None
    ]
    words = _("“%(answer)s” by arm: fewer than 10 people gave one of the answers.")
    return [words % {"answer": labels.short(item)} for item in gone]
