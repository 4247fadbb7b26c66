"""A study in words: the hypotheses of its plan, and what a publication would leave out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from mining.disclosure.study import withhold_study
from mining.document.study import Arms, DrawTest, HypothesisResult
from privacy.designs import InputError
from reports import measures
from reports.labels import Labels
from reports.review import differencing
from reports.review.withholding import earlier_disclosures, verdict_of
from reports.texts.models import coefficient_text
from surveys.questionnaire.problems import reason_of
from ui.numbers import exact_percent, percent

if TYPE_CHECKING:
    from reports.review.report_page import ReportPage


def drawn_choices(labels: Labels, test: DrawTest) -> list[tuple[str, int]]:
    """Each choice with its records."""
    return [(labels.answer(f"{test.question}={name}").choice, n) for name, n in test.records.items()]


def hypothesis_text(labels: Labels, result: HypothesisResult) -> str:
    said, _estimate = KINDS[result.kind]
    return said(labels, result)


def hypothesis_estimate(result: HypothesisResult) -> str:
    _said, shown = KINDS[result.kind]
    return shown(result)


def reason_text(result: HypothesisResult) -> str:
    """Why it cannot be computed, in the reader's language; empty where only `found.why` is stored."""
    if not result.reason:
        return ""
    return reason_of(InputError(result.name, result.reason["text"], **result.reason["values"]))


# --- the kinds of hypotheses ----------------------------------------------------------------------------


def _said_share(labels: Labels, result: HypothesisResult) -> str:
    said = {"answer": labels.short(result.item), "than": exact_percent(float(result.than))}
    return _("The share of “%(answer)s” is not %(than)s.") % said


def _said_arms(labels: Labels, result: HypothesisResult) -> str:
    return _("“%(answer)s” is not equally common among people asked directly and in disguise.") % {
        "answer": labels.short(result.item)
    }


def _said_version(labels: Labels, result: HypothesisResult) -> str:
    said = {"answer": labels.short(result.item), "by": labels.subject(result.by)}
    return _("The share of “%(answer)s” differs between the versions of “%(by)s”.") % said


def _said_association(labels: Labels, result: HypothesisResult) -> str:
    said = {"one": labels.together(result.antecedent), "other": labels.together(result.consequent)}
    return _("“%(one)s” and “%(other)s” are not independent.") % said


def _said_coefficient(labels: Labels, result: HypothesisResult) -> str:
    said = {"of": coefficient_text(labels, result.of), "answer": labels.short(result.item)}
    if result.model == "logit":
        return _("The coefficient of “%(of)s” in the logit model of “%(answer)s” is not 0.") % said
    return _("The coefficient of “%(of)s” in the linear model of “%(answer)s” is not 0.") % said


def _as_share(result: HypothesisResult) -> str:
    return percent(result.estimate)


def _as_points(result: HypothesisResult) -> str:
    if result.estimate is None:
        return "–"
    return _("%(points)s points") % {"points": measures.points(result.estimate)}


def _as_lift(result: HypothesisResult) -> str:
    return _("lift %(lift)s") % {"lift": measures.decimal(result.estimate)}


def _as_coefficient(result: HypothesisResult) -> str:
    return measures.decimal(result.estimate) if result.model == "logit" else _as_points(result)


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
    run, study = report.review.run, report.content.study
    if not study:
        return []
    kept = withhold_study(study, verdict_of(run, earlier_disclosures(run), report.labels))
    said: list[str] = []
    if study.arms and kept.arms:
        said += _left_out_of_arms(report.labels, study.arms, kept.arms)
    if kept.controls and kept.controls.withheld:
        said.append(
            _("The control item and the corrected shares: fewer than 10 people gave one of its answers.")
        )
    if study.understanding and kept.understanding:
        gone = {one.item for one in study.understanding.items if one.difference is not None}
        gone -= {one.item for one in kept.understanding.items}
        if gone or any(one.share is None for counts in kept.understanding.counts for one in counts.shares):
            said.append(
                _(
                    "Who understood, in part: fewer than 10 people gave one of the answers, or would be told of."
                )
            )
    if kept.plan and differencing.plan_beside(run, kept.plan).withheld:
        said.append(
            _("The plan: one of its results is left out here, and a plan is published whole or not at all.")
        )
    return said


def _left_out_of_arms(labels: Labels, arms: Arms, kept: Arms) -> list[str]:
    shown = {one.item for one in (*kept.items, *kept.controls)}
    gone = [
        one.item
        for one in (*arms.items, *arms.controls)
        if one.item not in shown and one.difference is not None
    ]
    words = _("“%(answer)s” by arm: fewer than 10 people gave one of the answers.")
    return [words % {"answer": labels.short(item)} for item in gone]
