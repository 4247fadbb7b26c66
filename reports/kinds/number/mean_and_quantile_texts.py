"""Writes the mean and the quantiles of a sensitive number as text."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from mining.nodes.number_nodes import MeanEstimate, NumberEstimates, QuantileStatement
from privacy.grammar.question import Question
from privacy.kinds.number.number_question import NumberQuestion
from reports.answer_labels import Labels
from reports.kinds.number.shown_number import NumberGroup, ShownNumber
from reports.kinds.shown_question import ShownClass
from ui.number_format import format_count, format_percent
from ui.quantity_format import append_unit, decimal_places_for, format_quantity, format_rounded

QUARTILES: dict[float, str | Promise] = {
    0.25: gettext_lazy("Lower quartile"),
    0.5: gettext_lazy("Median"),
    0.75: gettext_lazy("Upper quartile"),
}
PARTS: dict[float, str | Promise] = {
    0.25: gettext_lazy("a quarter"),
    0.5: gettext_lazy("half"),
    0.75: gettext_lazy("three quarters"),
}


def range_text(question: Question, labels: Labels) -> str:
    """Returns the lowest and the highest number that can be answered; empty if the question is no number."""
    if not isinstance(question, NumberQuestion):
        return ""
    ends = {
        "low": format_count(question.low),
        "high": format_quantity(question.high, labels.in_language_of_reader(question.unit)),
    }
    return _("%(low)s to %(high)s") % ends


def average_text(number: ShownNumber) -> str:
    return mean_text(number, number.all_records.mean) if number.all_records.mean else ""


def mean_text(number: ShownNumber, mean: MeanEstimate) -> str:
    if mean.is_noise:
        return _("No average can be given: random error has carried the estimate past the ends.")
    places = decimal_places_for(mean.se)
    said = {
        "low": format_rounded(mean.low, places),
        "high": append_unit(format_rounded(mean.high, places), number.unit),
        "estimate": format_rounded(mean.value, places),
    }
    words = _("The average lies between %(low)s and %(high)s (95 %% interval; the estimate is %(estimate)s).")
    return words % said


def true_average_text(number: ShownNumber) -> str:
    """Returns the true average of a rehearsal's simulated people; empty in a real survey."""
    truth, mean = number.node.truth, number.all_records.mean
    if mean is None or truth is None or truth.mean is None:
        return ""
    return append_unit(format_rounded(truth.mean, decimal_places_for(mean.se)), number.unit)


def distribution_resolution_text(number: ShownNumber) -> str:
    """Returns the narrowest width that the blurred distribution can still show, with the unit."""
    window, distribution = number.window, number.all_records.distribution
    if window is None or distribution is None:
        return ""
    width = window.values * window.step / (distribution.modes + 1)
    return append_unit(format_rounded(width, max(decimal_places_for(width), 0)), number.unit)


def range_ends_explanation(number: ShownNumber) -> str:
    """Returns the sentence that explains the lowest and the highest answer, on which a mean depends."""
    question = number.question
    words = _(
        "%(low)s means “or less” and %(high)s “or more”. In the average, people beyond an end "
        "count as if they were at it."
    )
    return words % {"low": number.with_unit(question.low), "high": number.with_unit(question.high)}


def mean_cells_or_empty(mean: MeanEstimate | None) -> tuple[str, str]:
    """Returns the estimated mean and its interval for a table; both empty where there is none, or only noise."""
    if mean is None or mean.is_noise:
        return "", ""
    places = decimal_places_for(mean.se)
    ends = {"low": format_rounded(mean.low, places), "high": format_rounded(mean.high, places)}
    return format_rounded(mean.value, places), _("%(low)s to %(high)s") % ends


def quantile_label(q: float) -> str:
    known = QUARTILES.get(q)
    return str(known) if known else _("%(share)s quantile") % {"share": format_percent(q, 0)}


def fraction_text(share: float) -> str:
    known = PARTS.get(round(share, 9))
    return str(known) if known else format_percent(share, 0)


def quantile_scale_values(number: ShownNumber, quantile: QuantileStatement) -> tuple[int, int]:
    """Returns the lowest and the highest value of a scale between which a quantile lies, both included."""
    question = number.question
    high = question.high if quantile.below is None else quantile.below - question.step
    return (question.low if quantile.at_least is None else quantile.at_least), high


def quantile_text(number: ShownNumber, quantile: QuantileStatement) -> str:
    """Returns the sentence on the limits between which a quantile lies, and on their meaning."""
    said = {
        "low": "" if quantile.at_least is None else number.with_unit(quantile.at_least),
        "high": "" if quantile.below is None else number.with_unit(quantile.below),
        "above": fraction_text(1 - quantile.q),
        "under": fraction_text(quantile.q),
    }
    if quantile.at_least is None and quantile.below is None:
        return _("Nothing can be said of it from these answers.")
    if number.is_scale:
        low, high = quantile_scale_values(number, quantile)
        ends = {"low": format_count(low), "high": number.with_unit(high)}
        return number.with_unit(low) if low == high else _("%(low)s to %(high)s") % ends
    if quantile.below is None:
        return _("%(low)s or more: for at least %(above)s of the people it is that much or more.") % said
    if quantile.at_least is None:
        return _("Below %(high)s: for at least %(under)s of the people it is less than that.") % said
    words = _(
        "At least %(low)s and below %(high)s: for at least %(above)s of the people it is %(low)s or more, for at least "
        "%(under)s below %(high)s."
    )
    return words % said


def quantile_texts(number: ShownNumber) -> list[tuple[str, str]]:
    """Returns each quantile of all records as its name and its text."""
    return [(quantile_label(one.q), quantile_text(number, one)) for one in number.all_records.quantiles]


def quantile_cells(number_class: ShownClass[NumberEstimates], group: NumberGroup) -> list[tuple[str, str]]:
    """Returns the quantiles of one class for the table by group, each as its name and its short text."""
    stated = {one.q: quantile_cell(group.number, one) for one in number_class.node.quantiles}
    return [(quantile_label(q), stated.get(q, "–")) for q in group.quantiles]


def quantile_cell(number: ShownNumber, quantile: QuantileStatement) -> str:
    """Returns the short text of a quantile for a table, without the unit."""
    if number.is_scale and (quantile.at_least, quantile.below) != (None, None):
        low, high = quantile_scale_values(number, quantile)
        return (
            format_count(low)
            if low == high
            else _("%(low)s to %(high)s") % {"low": format_count(low), "high": format_count(high)}
        )
    if quantile.at_least is None:
        return (
            "–"
            if quantile.below is None
            else _("below %(number)s") % {"number": format_count(quantile.below)}
        )
    if quantile.below is None:
        return _("%(low)s or more") % {"low": format_count(quantile.at_least)}
    return _("%(low)s to below %(high)s") % {
        "low": format_count(quantile.at_least),
        "high": format_count(quantile.below),
    }
