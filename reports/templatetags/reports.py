"""Tags and filters for the numbers of reports: {% load reports %}."""

from collections.abc import Callable
from typing import Any

from django.template import Context, Library
from django.utils.html import format_html
from django.utils.translation import gettext as _

from look.numbers import count, percent
from reports import measures
from reports.content import outside
from reports.models import Review
from reports.pictures.picture import PictureColumn
from runs.result_texts import backtest_caveat

register = Library()
SMALL_PLACES = 3
BADGES = {"waiting": "waiting", "in-review": "active", "published": "done", "withdrawn": "stopped"}
register.simple_tag(backtest_caveat)
register.filter("is_noise", outside)
register.filter("decimal", measures.decimal)
register.filter("chance", measures.chance)
register.filter("signed_points", measures.points)
register.simple_tag(measures.between_points)
register.simple_tag(measures.between_uncut)
register.filter("whole_count", lambda value: count(None if value is None else round(value)))


@register.inclusion_tag("components/badge.html")
def review_badge(review: Review) -> dict[str, str]:
    return {"kind": BADGES[review.state], "words": review.get_state_display()}


@register.filter
def of_hundred(value: float | None) -> str:
    """A value that is in per cent already."""
    return percent(None if value is None else value / 100)


@register.filter
def unsigned_points(value: float | None) -> str:
    return measures.decimal(None if value is None else 100 * value, 1)


@register.simple_tag
def between(low: float | None, high: float | None) -> str:
    """An interval of shares."""
    return measures.between(low, high, share=True)


@register.simple_tag
def between_numbers(low: float | None, high: float | None) -> str:
    return measures.between(low, high, share=False)


@register.simple_tag(takes_context=True)
def after(context: Context, low: float | None, high: float | None) -> str:
    """An interval of shares after the search, on its own line."""
    return after_the_search(context, low, high, share=True)


@register.simple_tag(takes_context=True)
def after_numbers(context: Context, low: float | None, high: float | None) -> str:
    return after_the_search(context, low, high, share=False)


def after_the_search(context: Context, low: float | None, high: float | None, *, share: bool) -> str:
    interval = format_html('<span class="unbroken">{}</span>', measures.between(low, high, share=share))
    words = format_html(_("after the search %(interval)s") % {"interval": "{}"}, interval)
    return format_html('<span class="beside folded">{}</span>', words)


@register.simple_tag(takes_context=True)
def cell(context: Context, column: PictureColumn, value: Any) -> str:
    """A cell of a picture's table."""
    if column.kind == "rule":
        return format_html('<a href="{}">{}</a>', context["report"].url("rule", value), count(value))
    return CELLS[column.kind](value)


CELLS: dict[str, Callable[[Any], str]] = {
    "words": str,
    "share": percent,
    "small-share": lambda value: percent(value, SMALL_PLACES),
    "count": lambda value: count(None if value is None else round(value)),
    "number": measures.decimal,
}
