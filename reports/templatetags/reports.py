"""Template tags and filters for the numbers of reports: {% load reports %}."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from mining.nodes.report_nodes import Cell, GroupRow, GroupTable
from reports import estimate_texts, rule_measures
from reports.answer_labels import Labels
from reports.kinds.number import mean_and_quantile_texts
from reports.models import Review
from reports.pages import row_interval_pictures
from reports.pictures.picture import PictureColumn
from reports.review.report_page_data import ReportPage
from reports.sentences.hypotheses import hypothesis_words
from reports.sentences.sentence_parts import as_html
from reports.texts import design_sentences, hypothesis_texts
from reports.texts.regression_texts import coefficient_text, term_text
from ui.interval_pictures import Interval, Scale
from ui.number_format import format_count, format_percent
from ui.templatetags.ui import badge, intervals

register = Library()
SMALL_PLACES = 3
BADGES = {"waiting": "waiting", "in-review": "active", "published": "done", "withdrawn": "stopped"}
register.simple_tag(as_html, name="sentence")
register.tag("design_sentence", design_sentences.parse_design_sentence)
register.simple_tag(design_sentences.say)
register.simple_tag(ReportPage.url, name="report_url")
register.filter("decimal", estimate_texts.decimal_text)
register.filter("chance", estimate_texts.p_value_text)
register.filter("signed_points", estimate_texts.points_text)
register.simple_tag(estimate_texts.points_interval_text, name="between_points")
register.simple_tag(estimate_texts.uncut_interval_text, name="between_uncut")
register.filter("short", Labels.short)
register.filter("subject", Labels.subject)
register.simple_tag(hypothesis_words, name="hypothesis_words")
register.filter("hypothesis_estimate", hypothesis_texts.hypothesis_estimate)
register.filter("hypothesis_interval", hypothesis_texts.hypothesis_interval)
register.filter("reason_text", hypothesis_texts.not_computed_reason_text)
register.filter("drawn_choices", hypothesis_texts.records_by_choice)
register.filter("coefficient_text", coefficient_text)
register.filter("term_text", term_text)
register.filter("average", mean_and_quantile_texts.average_text)
register.filter("true_average", mean_and_quantile_texts.true_average_text)
register.filter("ends", mean_and_quantile_texts.range_ends_explanation)
register.filter("quantiles", mean_and_quantile_texts.quantile_texts)
register.filter("finest", mean_and_quantile_texts.distribution_resolution_text)
register.filter("average_cell", mean_and_quantile_texts.mean_cells_or_empty)
register.filter("quantile_label", mean_and_quantile_texts.quantile_label)
register.filter("quantile_cells", mean_and_quantile_texts.quantile_cells)
register.filter("whole_count", lambda value: format_count(None if value is None else round(value)))


@register.simple_tag
def share_interval(
    scale: Scale, low: float | None, share: float | None, high: float | None, **more: Any
) -> SafeString:
    """Draws an interval; nothing if the share is impossible: {% share_interval scale low share high received=…
    truth=… %}."""
    return _interval_html(row_interval_pictures.interval_picture(scale, low, share, high, **more), scale)


@register.simple_tag
def say_paragraph(place: str, report: ReportPage, css_class: str = "") -> SafeString:
    """Returns what a place says of a report as a paragraph; empty if nothing of it is true."""
    text = design_sentences.say(place, report)
    return format_html('<p class="{}">{}</p>', css_class, text) if text else SafeString()


@register.simple_tag
def scale_of(rows: Iterable[Any]) -> Scale:
    """Returns a common scale for rows: tuples (words, share, truth) of a number, or regions of a place."""
    shares = ((row[1], row[2]) if isinstance(row, tuple) else (row.node, row.node.truth) for row in rows)
    ends = ((share.high, truth) for share, truth in shares)
    return Scale.covering(chain.from_iterable(ends), most=1.0)


@register.simple_tag
def cell_interval(scale: Scale, row: GroupRow, cell: Cell) -> SafeString:
    return _interval_html(row_interval_pictures.cell_interval_picture(row, cell, scale), scale)


def _interval_html(interval: Interval | None, scale: Scale) -> SafeString:
    return intervals([interval], scale) if interval else SafeString()


@register.simple_tag
def review_badge(review: Review) -> SafeString:
    return badge(BADGES[review.state], review.get_state_display())


register.filter("answer", Labels.answer)
register.filter("answers", Labels.answers)
register.filter("heading", Labels.heading)
register.filter("denominator", rule_measures.among_whom_text)
register.simple_tag(Labels.is_hidden_from_class, name="is_hidden_from_class")


@register.filter
def cells_of(table: GroupTable, row: GroupRow) -> list[tuple[str, Cell]]:
    """Returns each class of the table with the row's cell."""
    return list(zip(table.classes, row.cells, strict=True))


@register.filter
def question_label(labels: Labels, name: str) -> str:
    """Returns the short label of the question to which the answer with this name belongs."""
    return labels.answer(name).asked


@register.filter
def coefficient(value: float, is_logit: bool) -> str:
    """Formats a coefficient of a model: in log odds if `is_logit`, else in percentage points."""
    return estimate_texts.decimal_text(value) if is_logit else unsigned_points(value)


@register.filter
def percent_number(value: float | None) -> str:
    """Formats a value that is a percentage already."""
    return format_percent(None if value is None else value / 100)


@register.filter
def unsigned_points(value: float | None) -> str:
    return estimate_texts.decimal_text(None if value is None else 100 * value, 1)


@register.simple_tag
def interval_in_words(low: float | None, high: float | None) -> str:
    """Returns an interval of shares in words."""
    return estimate_texts.interval_text(low, high, share=True)


@register.simple_tag
def number_interval_text(low: float | None, high: float | None) -> str:
    return estimate_texts.interval_text(low, high, share=False)


@register.simple_tag
def estimate(value: float | None, low: float | None, high: float | None) -> str:
    """Formats a share; if it lies outside its own interval, "at most" or "at least" an end of the interval."""
    return estimate_texts.share_text(value, low, high)


register.simple_tag(estimate_texts.lift_text, name="lift")
register.simple_tag(estimate_texts.difference_text, name="difference")
register.simple_tag(estimate_texts.difference_or_too_noisy_text, name="difference_or_noise")


@register.simple_tag
def share_or_noise(value: float | None) -> str:
    """Formats a share that has no interval beside it; "too noisy to say" if it is impossible."""
    return estimate_texts.share_or_too_noisy_text(value)


@register.simple_tag
def cell(column: PictureColumn, value: Any) -> str:
    """Returns the text of a cell of a picture's table."""
    return CELLS[column.kind](value)


CELLS: dict[str, Callable[[Any], str]] = {
    "words": str,
    "share": format_percent,
    "estimate": estimate_texts.share_or_too_noisy_text,
    "small-share": lambda value: format_percent(value, SMALL_PLACES),
    "count": lambda value: format_count(None if value is None else round(value)),
    "number": estimate_texts.decimal_text,
}
