"""Texts on the hypotheses of a study's plan, and on their results."""

from django.utils.translation import gettext as _

from mining.nodes.study_nodes import ASSOCIATION, SHARE, DrawTest, HypothesisResult
from privacy.designs import InputError
from reports import estimate_texts
from reports.answer_labels import Labels
from surveys.questionnaire.problems_and_refusals import reason_text as refusal_text


def records_by_choice(labels: Labels, test: DrawTest) -> list[tuple[str, int]]:
    """Returns each choice of a drawn question, which the device answers at random, with its number of records."""
    return [(labels.answer(f"{test.question}={name}").choice, n) for name, n in test.records.items()]


def hypothesis_estimate(result: HypothesisResult) -> str:
    if result.kind == SHARE:
        return estimate_texts.share_or_too_noisy_text(result.estimate)
    if result.kind == ASSOCIATION:
        lift = estimate_texts.lift_text(result.estimate, result.low, result.high)
        return _("lift %(lift)s") % {"lift": lift}
    if result.model == "logit":
        return estimate_texts.decimal_text(result.estimate)
    if result.estimate is None:
        return "–"
    points = estimate_texts.difference_text(result.estimate, result.low, result.high)
    return _("%(points)s points") % {"points": points}


def hypothesis_interval(result: HypothesisResult) -> str:
    """Returns the interval of a hypothesis at the plan's level; of a share the one that stands among all shares, a dash
    if there is none."""
    if result.kind == SHARE and result.low is None:
        return "–"
    if result.kind in (ASSOCIATION, SHARE) or result.model == "logit":
        return estimate_texts.interval_text(result.low, result.high, share=result.kind == SHARE)
    return estimate_texts.points_interval_text(result.low, result.high)


def not_computed_reason_text(result: HypothesisResult) -> str:
    """Returns the reason why a hypothesis cannot be computed, in the reader's language; empty if none is stored."""
    if not result.reason:
        return ""
    return refusal_text(InputError(result.name, result.reason["text"], **result.reason["values"]))
