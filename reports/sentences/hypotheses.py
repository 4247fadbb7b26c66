"""Sentences on the h hypotheses of a plan: estimate, direction, and interval at 1 - .05/h; of a share at 95 %."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isclose
from types import MappingProxyType

from django.utils.translation import gettext as _

from mining.nodes.report_nodes import Estimate, Report
from mining.nodes.study_nodes import (
    ASSOCIATION,
    CHANGE,
    MORE,
    SHARE,
    TOO_FEW,
    HypothesisResult,
    PlanResult,
)
from mining.studies.model_request_and_columns import ARM_NAME, TIMES
from reports.answer_labels import Labels
from reports.estimate_texts import decimal_text, p_value_text
from reports.sentences import number_format
from reports.sentences.arm_differences import (
    DIFFERENCE,
    decimal_places,
    estimate_phrase,
    points_text,
)
from reports.sentences.association_pairs import measured_ratio, possible_ratio_sentence
from reports.sentences.changes import change_sentence, change_sign
from reports.sentences.finding import NO_RATIO, UNKNOWN, Finding, MeasuredValue
from reports.sentences.sample_population import EVERYBODY, SharePopulation
from reports.sentences.sentence_parts import (
    Part,
    Sentence,
    embolden_first,
    fill_template,
    join_answer_sentences,
    join_sentences,
    people_phrase,
    predicate_phrase,
    question_phrase,
    quoted_answers,
)
from reports.sentences.shares import share_sentence
from ui.number_format import format_exact_percent

SentenceMaker = Callable[[HypothesisResult, int, Labels], Sentence]


def plan_with_share_intervals(report: Report) -> PlanResult | None:
    """Returns the plan, in which a result about a share has the interval that the report gives this share; none if
    both have not one estimate."""
    plan, shares = report.study.plan, {share.item: share for share in report.shares}
    if plan is None:
        return None
    return replace(
        plan, hypotheses=tuple(_with_interval(one, shares.get(one.item)) for one in plan.hypotheses)
    )


def _with_interval(result: HypothesisResult, share: Estimate | None) -> HypothesisResult:
    if result.kind != SHARE or share is None or result.estimate is None or share.support is None:
        return result
    is_same = isclose(result.estimate, share.support, abs_tol=1e-6)
    return replace(result, low=share.low, high=share.high) if is_same else result


def hypothesis_finding(
    result: HypothesisResult, labels: Labels, people: SharePopulation = EVERYBODY
) -> Finding:
    """Returns the finding about a planned hypothesis; differences, shares and ratios that are shown have a picture.
    `people`: those of a share."""
    has_points = result.kind in ("arms", "version", CHANGE) or (
        result.kind == "coefficient" and result.model != "logit"
    )
    measured, base = measured_difference(result) if has_points else UNKNOWN, UNKNOWN
    if result.kind == SHARE:
        measured = MeasuredValue(result.estimate, result.low, result.high)
    elif result.kind == ASSOCIATION and result.met:
        measured, base = measured_ratio(result.estimate, result.low, result.high), NO_RATIO
    return Finding(
        kind="hypothesis",
        node=result,
        sentence=_sentence(result, measured, people, labels),
        beneath=_plan_sentence(result, labels),
        verdict=hypothesis_verdict(result),
        is_noise=result.p is None,
        measured=measured,
        base=base,
    )


def hypothesis_verdict(result: HypothesisResult) -> int:
    """Returns 1 if the estimate is shown to be above no effect, -1 if below, else 0; of a change also where that is the
    other direction than planned."""
    if result.kind == CHANGE:
        return change_sign(result)
    if not result.met or result.estimate is None:
        return 0
    return 1 if result.estimate > result.value_without_effect else -1


def measured_difference(result: HypothesisResult) -> MeasuredValue:
    return MeasuredValue(result.estimate, result.low, result.high, everything=DIFFERENCE)


def _sentence(
    result: HypothesisResult, measured: MeasuredValue, people: SharePopulation, labels: Labels
) -> Sentence:
    if result.p is None and result.why == TOO_FEW:
        return fill_template(_("This hypothesis could not be tested: too few people answered."))
    if result.p is None:
        return fill_template(_("This hypothesis could not be tested."))
    if result.kind == SHARE:
        return _share_sentence(result, measured, people, labels)
    if result.kind == CHANGE:
        return change_sentence(result, measured, labels, disguised_only=people.disguised_only)
    return KINDS[result.kind](result, hypothesis_verdict(result), labels)


def _plan_sentence(result: HypothesisResult, labels: Labels) -> Sentence:
    hypothesis = hypothesis_words(result, labels)
    if result.p is None:
        return fill_template(_("Planned before the survey opened: %(hypothesis)s"), hypothesis=hypothesis)
    words = (
        _("Planned before the survey opened: %(hypothesis)s Met; p %(p)s after Holm.")
        if result.met
        else _("Planned before the survey opened: %(hypothesis)s Not met; p %(p)s after Holm.")
    )
    return fill_template(words, hypothesis=hypothesis, p=p_value_text(result.holm))


def hypothesis_words(result: HypothesisResult, labels: Labels) -> Sentence:
    """Returns what a hypothesis of the plan claims."""
    if result.kind == ASSOCIATION:
        return fill_template(
            _("Of %(people)s, more or fewer %(did)s than expected by chance."),
            people=people_phrase(result.antecedent, labels),
            did=predicate_phrase(result.consequent, labels),
        )
    words = {
        SHARE: _("The share of %(people)s is not %(than)s."),
        "arms": _("The share of %(people)s is not the same with disguise as when asked directly."),
        "version": _("The share of %(people)s is not the same in both versions of %(question)s."),
        CHANGE: _("More %(did)s than in the earlier round.")
        if result.direction == MORE
        else _("Fewer %(did)s than in the earlier round."),
        "linear": _("In the linear model of %(people)s, the coefficient of %(of)s is not 0."),
        "logit": _("In the logit model of %(people)s, the coefficient of %(of)s is not 0."),
    }
    return fill_template(
        words[result.model or result.kind],
        people=people_phrase([result.item], labels),
        did=predicate_phrase([result.item], labels),
        than=_number_compared_with(result),
        question=question_phrase(result.by, labels) if result.kind == "version" else (),
        of=_coefficient_phrase(result, labels) if result.kind == "coefficient" else (),
    )


def _number_compared_with(result: HypothesisResult) -> str:
    than = format_exact_percent(float(result.than)) if result.than else ""
    return than.replace(" ", number_format.NO_BREAK_SPACE)


def _share_sentence(
    result: HypothesisResult, measured: MeasuredValue, people: SharePopulation, labels: Labels
) -> Sentence:
    shown, than = hypothesis_verdict(result), _number_compared_with(result)
    if measured.is_known:
        words = {
            1: _("That is above %(than)s."),
            -1: _("That is below %(than)s."),
            0: _("That this differs from %(than)s is not shown."),
        }
        share = share_sentence(result.item, measured, people, labels)
        return join_sentences(share, fill_template(words[shown], than=than))
    words = {
        1: _("The share of %(people)s is above %(than)s."),
        -1: _("The share of %(people)s is below %(than)s."),
        0: _("It is not shown that the share of %(people)s differs from %(than)s."),
    }
    return fill_template(words[shown], people=people_phrase([result.item], labels), than=than)


def _arms_sentence(result: HypothesisResult, shown: int, labels: Labels) -> Sentence:
    return _difference_sentence(
        result,
        shown,
        _("With disguise, %(difference)s %(did)s than when asked directly."),
        _(
            "No difference with disguise is shown in the share of %(people)s; anything between %(low)s fewer and "
            "%(high)s more is possible."
        ),
        did=predicate_phrase([result.item], labels),
        people=people_phrase([result.item], labels),
    )


def _version_sentence(result: HypothesisResult, shown: int, labels: Labels) -> Sentence:
    return _difference_sentence(
        result,
        shown,
        _("In the second version of %(question)s, %(difference)s answered %(answer)s than in the first."),
        _(
            "No difference between the versions of %(question)s is shown for %(answer)s: anything between %(low)s "
            "fewer and %(high)s more is possible."
        ),
        answer=quoted_answers([result.item], labels),
        question=question_phrase(result.by, labels),
    )


def _difference_sentence(
    result: HypothesisResult, sign: int, shown: str, none: str, **values: Sentence
) -> Sentence:
    low, high, difference = result.low, result.high, measured_difference(result)
    if low is None or high is None or not difference.is_known:
        if sign:
            return fill_template(_("A difference is shown, but it is too noisy to say how large it is."))
        return fill_template(_("This hypothesis could not be tested: the result is too noisy."))
    if sign:
        return fill_template(shown, difference=estimate_phrase(difference), **values)
    return fill_template(none, low=points_text(-low), high=points_text(high), **values)


def _association_sentence(result: HypothesisResult, shown: int, labels: Labels) -> Sentence:
    ratio = measured_ratio(result.estimate, result.low, result.high)
    if shown and (ratio.low is None or ratio.high is None):
        words = (
            _(
                "%(one)s and %(other)s go together more often than by chance; how many times as often cannot be said."
            )
            if shown > 0
            else _(
                "%(one)s and %(other)s go together less often than by chance; how many times as often cannot be said."
            )
        )
        one, other = (quoted_answers(side, labels) for side in (result.antecedent, result.consequent))
        return fill_template(words, one=one, other=other)
    sides = {
        "people": people_phrase(result.antecedent, labels),
        "did": predicate_phrase(result.consequent, labels),
    }
    if not shown:
        words = _("It is not shown that more or fewer of %(people)s %(did)s than expected by chance.")
        return join_sentences(fill_template(words, **sides), possible_ratio_sentence(result.low, result.high))
    words = (
        _("Of %(people)s, more %(did)s than expected by chance, %(times)s.")
        if shown > 0
        else _("Of %(people)s, fewer %(did)s than expected by chance, %(times)s.")
    )
    # An association that is shown and has no ratio returned above.
    times = number_format.times_as_many(ratio.value or 0.0, ratio.low or 0.0, ratio.high or 0.0)
    return fill_template(words, times=times, **sides)


def _coefficient_sentence(result: HypothesisResult, shown: int, labels: Labels) -> Sentence:
    low, high = result.low, result.high
    if result.estimate is None or low is None or high is None:
        return fill_template(_("This hypothesis could not be tested: the result is too noisy."))
    if result.model != "logit" and result.of in labels.names:
        return _class_coefficient_sentence(result, shown, labels)
    values: dict[str, str | Sentence] = {
        "answer": people_phrase([result.item], labels),
        "of": _coefficient_phrase(result, labels),
    }
    places = 2 if result.model == "logit" else decimal_places(result.estimate, low, high)

    def coefficient_text(value: float) -> str:
        return decimal_text(value) if result.model == "logit" else points_text(value, places)

    if not shown:
        words = _(
            "In the model of %(answer)s, no effect of %(of)s is shown; its coefficient may be anything between "
            "%(low)s and %(high)s."
        )
        return fill_template(words, low=coefficient_text(low), high=coefficient_text(high), **values)
    words = _("In the model of %(answer)s, the coefficient of %(of)s is %(value)s.")
    scale = 1 if result.model == "logit" else 100
    ends = number_format.bracketed_interval(*(decimal_text(scale * end, places) for end in (low, high)))
    value = embolden_first((Part(coefficient_text(result.estimate)), Part(" "), *ends))
    return fill_template(words, value=value, **values)


def _class_coefficient_sentence(result: HypothesisResult, shown: int, labels: Labels) -> Sentence:
    """Returns the sentence on the difference between a class and the reference of its question, its first choice."""
    sentence = _difference_sentence(
        result,
        shown,
        _("Of %(people)s, %(difference)s %(did)s than of %(reference)s."),
        _(
            "It is not shown that more or fewer of %(people)s %(did)s than of %(reference)s; anything between %(low)s "
            "fewer and %(high)s more is possible."
        ),
        people=people_phrase([result.of], labels),
        did=predicate_phrase([result.item], labels),
        reference=_reference_phrase(result.of, labels),
    )
    if len(result.covariates) < 2:
        return sentence
    return join_sentences(
        sentence, fill_template(_("The compared people are alike in all else that the model holds."))
    )


def _reference_phrase(name: str, labels: Labels) -> Sentence:
    return people_phrase([labels.name((labels.question_index(name.partition("=")[0]), 0))], labels)


def _coefficient_phrase(result: HypothesisResult, labels: Labels) -> Sentence:
    return join_answer_sentences(_factor_phrase(labels, name) for name in result.of.split(TIMES))


def _factor_phrase(labels: Labels, name: str) -> Sentence:
    if name in labels.names:
        return fill_template(
            _("%(people)s compared with %(reference)s"),
            people=people_phrase([name], labels),
            reference=_reference_phrase(name, labels),
        )
    if name == ARM_NAME and name not in {one.name for one in labels.design.questions}:
        return (Part(_("the disguised arm")),)
    return question_phrase(name, labels)


KINDS: Mapping[str, SentenceMaker] = MappingProxyType(
    {
        "arms": _arms_sentence,
        "version": _version_sentence,
        "association": _association_sentence,
        "coefficient": _coefficient_sentence,
    }
)
