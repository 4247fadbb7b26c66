"""What a sensitive number says: its mean, its quartiles, and its shares above limits."""

from collections.abc import Iterator
from math import inf

from django.utils.translation import gettext as _

from mining.document.numbers import MeanEstimate, NumberNode, NumberShare, QuantileStatement
from privacy.kinds.scored_items import ScoredItems
from reports.labels import Labels
from reports.sentences import number_format
from reports.sentences.finding import UNKNOWN, Finding, Measured, People
from reports.sentences.sentence_parts import Part, Sentence, fill, question
from reports.sentences.shares import said_of
from ui.quantities import append_unit, decimal_places_for, format_quantity

ANYTHING = (-inf, inf)
"""An average may be any number: its interval always excludes some."""


def of_number(node: NumberNode, labels: Labels) -> tuple[Finding, ...]:
    """Of everybody: the mean, then each quantile, then the shares above its limits, as far as they are estimated."""
    return tuple(_findings(node, labels))


def _findings(node: NumberNode, labels: Labels) -> Iterator[Finding]:
    estimates = node.all_records
    if estimates.mean:
        yield of_mean(node, estimates.mean, labels)
    for one in estimates.quantiles:
        if one.at_least is not None or one.below is not None:
            yield of_quantile(node, one, labels)
    for share in estimates.shares:
        if share.share is not None:
            yield of_number_share(node, share, labels)


def of_mean(node: NumberNode, mean: MeanEstimate, labels: Labels) -> Finding:
    """In the number's unit; ends of the range that meet say that random error has carried it past them."""
    measured = Measured(mean.value, mean.low, mean.high, everything=ANYTHING)
    is_noise = mean.low >= mean.high or not measured.is_known
    if is_noise:
        sentence = fill(
            _("It is too noisy to say what the average of %(question)s is."),
            question=question(node.question, labels),
        )
    else:
        places = decimal_places_for(mean.se)
        ends = (number_format.decimal(end, places) for end in (mean.low, mean.high))
        value = _in_unit(number_format.decimal(mean.value, places), node, labels)
        estimate = (Part(value, strong=True), Part(" "), *number_format.interval(*ends))
        sentence = fill(
            _("The average of %(question)s is %(mean)s."),
            question=question(node.question, labels),
            mean=estimate,
        )
    return _of_node(node, mean, sentence, labels, is_noise=is_noise, measured=measured)


def of_quantile(node: NumberNode, one: QuantileStatement, labels: Labels) -> Finding:
    """The limits between which a quantile lies, which are the interval; of a scale its values."""
    values: dict[str, str | Sentence] = {
        "quantile": _name(one.q),
        "question": question(node.question, labels),
    }
    low, high = one.at_least, one.below
    step = _step(node, labels)
    if step and high is not None:
        high -= step
    values |= {"low": _limit(low, node, labels), "high": _limit(high, node, labels)}
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
    return _of_node(node, one, fill(words, **values), labels)


def of_number_share(node: NumberNode, share: NumberShare, labels: Labels) -> Finding:
    measured = Measured(share.share, share.low, share.high)
    name = f"{node.question}={share.item}"
    sentence = said_of(name, measured, _people(node, labels), labels)
    return _of_node(node, share, sentence, labels, is_noise=not measured.is_known, measured=measured)


def _of_node(
    node: NumberNode,
    node_part: MeanEstimate | QuantileStatement | NumberShare,
    sentence: Sentence,
    labels: Labels,
    *,
    is_noise: bool = False,
    measured: Measured = UNKNOWN,
) -> Finding:
    beneath = _people(node, labels).told(node.all_records.n_asked or 0)
    return Finding("number", node_part, sentence, beneath, is_noise=is_noise, measured=measured)


def _people(node: NumberNode, labels: Labels) -> People:
    """Where a rule hides a number, it is of those who were shown it."""
    names = labels.choices(node.question)[:1]
    return People(
        node.all_records.disguised_only,
        labels.may_be_hidden(names) and labels.is_asked_if_shown(names[0]),
    )


def _step(node: NumberNode, labels: Labels) -> int:
    """The step of a scale, of which every value is a class; 0 of other numbers."""
    question = labels.design.questions[labels.place(node.question)]
    return question.scale_step if isinstance(question, ScoredItems) else 0


def _unit(node: NumberNode, labels: Labels) -> str:
    return labels.unit(labels.design.questions[labels.place(node.question)])


def _in_unit(number: str, node: NumberNode, labels: Labels) -> str:
    return append_unit(number, _unit(node, labels)).replace(" ", number_format.NO_BREAK_SPACE)


def _limit(limit: int | None, node: NumberNode, labels: Labels) -> str:
    return (
        ""
        if limit is None
        else format_quantity(limit, _unit(node, labels)).replace(" ", number_format.NO_BREAK_SPACE)
    )


def _name(q: float) -> str:
    names = {0.25: _("The lower quartile"), 0.5: _("The median"), 0.75: _("The upper quartile")}
    return names.get(q) or _("The %(share)s quantile") % {"share": number_format.percent(q)}
