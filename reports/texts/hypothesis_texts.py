"""Texts on the hypotheses of a study's plan, and on their results."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from django.utils.translation import gettext as _

from mining.nodes.study_nodes import ASSOCIATION, SHARE, DrawTest, HypothesisResult
from privacy.designs import InputError
from reports import estimate_texts
from reports.answer_labels import Labels
from reports.texts.regression_texts import coefficient_text
from surveys.questionnaire.problems_and_refusals import reason_text as refusal_text
from ui.number_format import format_exact_percent


def records_by_choice(labels: Labels, test: DrawTest) -> list[tuple[str, int]]:
    """Returns each choice of a drawn question, which the device answers at random, with its number of records."""
    return [(labels.answer(f"{test.question}={name}").choice, n) for name, n in test.records.items()]


def hypothesis_text(labels: Labels, result: HypothesisResult) -> str:
    said, _estimate = KINDS[result.kind]
    return said(labels, result)


def hypothesis_estimate(result: HypothesisResult) -> str:
    _said, shown = KINDS[result.kind]
    return shown(result)


def hypothesis_interval(result: HypothesisResult) -> str:
    """Returns the interval of a hypothesis at the plan's level; a dash for a share, whose interval stands among the
    shares."""
    if result.kind == SHARE:
        return "–"
    if result.kind == ASSOCIATION or result.model == "logit":
        return estimate_texts.interval_text(result.low, result.high, share=False)
    return estimate_texts.points_interval_text(result.low, result.high)


def not_computed_reason_text(result: HypothesisResult) -> str:
    """Returns the reason why a hypothesis cannot be computed, in the reader's language; empty if none is stored."""
    if not result.reason:
        return ""
    return refusal_text(InputError(result.name, result.reason["text"], **result.reason["values"]))


# --- the kinds of hypotheses ----------------------------------------------------------------------------


def _share_hypothesis(labels: Labels, result: HypothesisResult) -> str:
    said = {"answer": labels.short(result.item), "than": format_exact_percent(float(result.than))}
    return _("The share of “%(answer)s” is not %(than)s.") % said


def _arms_hypothesis(labels: Labels, result: HypothesisResult) -> str:
    return _("“%(answer)s” is not equally common among people asked directly and in disguise.") % {
        "answer": labels.short(result.item)
    }


def _version_hypothesis(labels: Labels, result: HypothesisResult) -> str:
    said = {"answer": labels.short(result.item), "by": labels.subject(result.by)}
    return _("The share of “%(answer)s” differs between the versions of “%(by)s”.") % said


def _association_hypothesis(labels: Labels, result: HypothesisResult) -> str:
    said = {"one": labels.join_short(result.antecedent), "other": labels.join_short(result.consequent)}
    return _("“%(one)s” and “%(other)s” are not independent.") % said


def _coefficient_hypothesis(labels: Labels, result: HypothesisResult) -> str:
    said = {"of": coefficient_text(labels, result.of), "answer": labels.short(result.item)}
    if result.model == "logit":
        return _("The coefficient of “%(of)s” in the logit model of “%(answer)s” is not 0.") % said
    return _("The coefficient of “%(of)s” in the linear model of “%(answer)s” is not 0.") % said


def _share_estimate(result: HypothesisResult) -> str:
    return estimate_texts.share_or_too_noisy_text(result.estimate)


def _points_estimate(result: HypothesisResult) -> str:
    if result.estimate is None:
        return "–"
    points = estimate_texts.difference_text(result.estimate, result.low, result.high)
    return _("%(points)s points") % {"points": points}


def _lift_estimate(result: HypothesisResult) -> str:
    lift = estimate_texts.lift_text(result.estimate, result.low, result.high)
    return _("lift %(lift)s") % {"lift": lift}


def _coefficient_estimate(result: HypothesisResult) -> str:
    return (
        estimate_texts.decimal_text(result.estimate) if result.model == "logit" else _points_estimate(result)
    )


HypothesisText = Callable[[Labels, HypothesisResult], str]
EstimateText = Callable[[HypothesisResult], str]
KINDS: Mapping[str, tuple[HypothesisText, EstimateText]] = MappingProxyType(
    {
        "share": (_share_hypothesis, _share_estimate),
        "arms": (_arms_hypothesis, _points_estimate),
        "version": (_version_hypothesis, _points_estimate),
        "association": (_association_hypothesis, _lift_estimate),
        "coefficient": (_coefficient_hypothesis, _coefficient_estimate),
    }
)
