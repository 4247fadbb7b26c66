"""Sentences on a sensitive number: mean, quantiles, and shares above limits."""

from collections.abc import Iterator
from math import inf

from django.utils.translation import gettext as _

from mining.nodes.number_nodes import MeanEstimate, NumberNode, NumberShare, QuantileStatement
from privacy.kinds.scored_items import ScoredItems
from reports.answer_labels import Labels
from reports.sentences import number_format
from reports.sentences.finding import UNKNOWN, Finding, MeasuredValue
from reports.sentences.sample_population import SharePopulation
from reports.sentences.sentence_parts import Part, Sentence, fill_template, question_phrase
from reports.sentences.shares import share_sentence
from ui.quantity_format import append_unit, decimal_places_for, format_quantity

ANYTHING = (-inf, inf)
"""Range of an average, so that its interval always excludes some values."""


def number_findings(node: NumberNode, labels: Labels) -> tuple[Finding, ...]:
    """Returns the findings among all records: the mean, each quantile, each share above a limit, if estimated."""
    return tuple(_findings(node, labels))


def _findings(node: NumberNode, labels: Labels) -> Iterator[Finding]:
    estimates = node.all_records
    if estimates.mean:
        yield mean_finding(node, estimates.mean, labels)
    for one in estimates.quantiles:
        if one.at_least is not None or one.below is not None:
            yield quantile_finding(node, one, labels)
    for share in estimates.shares:
        if share.share is not None:
            yield number_share_finding(node, share, labels)


def mean_finding(node: NumberNode, mean: MeanEstimate, labels: Labels) -> Finding:
    """Returns the finding about the mean in the number's unit."""
    measured = MeasuredValue(mean.value, mean.low, mean.high, everything=ANYTHING)
    if mean.is_noise:
        sentence = fill_template(
            _("It is too noisy to say what the average of %(question)s is."),
            question=question_phrase(node.question, labels),
        )
    else:
        places = decimal_places_for(mean.se)
        ends = (number_format.decimal(end, places) for end in (mean.low, mean.high))
        value = _with_unit(number_format.decimal(mean.value, places), node, labels)
        estimate = (Part(value, strong=True), Part(" "), *number_format.bracketed_interval(*ends))
        sentence = fill_template(
            _("The average of %(question)s is %(mean)s."),
            question=question_phrase(node.question, labels),
            mean=estimate,
        )
    return _number_finding(node, mean, sentence, labels, is_noise=mean.is_noise, measured=measured)


def quantile_finding(node: NumberNode, quantile: QuantileStatement, labels: Labels) -> Finding:
    """Returns the finding about a quantile: the limits between which it lies; for a rating scale, the values."""
    values: dict[str, str | Sentence] = {
        "quantile": _quantile_name(quantile.q),
        "question": question_phrase(node.question, labels),
    }
    low, high = quantile.at_least, quantile.below
    step = _scale_step_or_zero(node, labels)
    if step and high is not None:
        high -= step
    values |= {
        "low": _limit_text_or_empty(low, node, labels),
        "high": _limit_text_or_empty(high, node, labels),
    }
    if low is None:
        words = (
            _("%(quantile)s of %(question)s is %(high)s or less.")
            if step
            else _("%(quantile)s of %(question)s is below %(high)s.")
        )
    elif high is None:
        words = _("%(quantile)s of %(question)s is %(low)s or more.")
    elif low == high:
        words = _("%(quantile)s of %(question)s is %(low)s.")
    elif step:
        words = _("%(quantile)s of %(question)s is at least %(low)s and at most %(high)s.")
    else:
        words = _("%(quantile)s of %(question)s is at least %(low)s and below %(high)s.")
    return _number_finding(node, quantile, fill_template(words, **values), labels)


def number_share_finding(node: NumberNode, share: NumberShare, labels: Labels) -> Finding:
    measured = MeasuredValue(share.share, share.low, share.high)
    name = f"{node.question}={share.item}"
    sentence = share_sentence(name, measured, _people(node, labels), labels)
    return _number_finding(node, share, sentence, labels, is_noise=not measured.is_known, measured=measured)


def _number_finding(
    node: NumberNode,
    node_part: MeanEstimate | QuantileStatement | NumberShare,
    sentence: Sentence,
    labels: Labels,
    *,
    is_noise: bool = False,
    measured: MeasuredValue = UNKNOWN,
) -> Finding:
    beneath = _people(node, labels).answer_count_sentence(node.all_records.n_asked or 0)
    return Finding("number", node_part, sentence, beneath, is_noise=is_noise, measured=measured)


def _people(node: NumberNode, labels: Labels) -> SharePopulation:
    """Returns the people that a number is about: where a rule hides it, those who were shown it."""
    names = labels.choices(node.question)[:1]
    return SharePopulation(
        node.all_records.disguised_only,
        labels.may_be_hidden(names) and labels.is_asked_if_shown(names[0]),
        quotas=labels.has_quotas,
    )


def _scale_step_or_zero(node: NumberNode, labels: Labels) -> int:
    """Returns the step between values if each value is a class, else 0."""
    question = labels.design.questions[labels.question_index(node.question)]
    return question.scale_step if isinstance(question, ScoredItems) else 0


def _unit(node: NumberNode, labels: Labels) -> str:
    return labels.unit(labels.design.questions[labels.question_index(node.question)])


def _with_unit(number: str, node: NumberNode, labels: Labels) -> str:
    return append_unit(number, _unit(node, labels)).replace(" ", number_format.NO_BREAK_SPACE)


def _limit_text_or_empty(limit: int | None, node: NumberNode, labels: Labels) -> str:
    return (
        ""
        if limit is None
        else format_quantity(limit, _unit(node, labels)).replace(" ", number_format.NO_BREAK_SPACE)
    )


def _quantile_name(q: float) -> str:
    names = {0.25: _("The lower quartile"), 0.5: _("The median"), 0.75: _("The upper quartile")}
    return names.get(q) or _("The %(share)s quantile") % {"share": number_format.percent(q)}
