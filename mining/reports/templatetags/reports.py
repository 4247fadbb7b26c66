"""Numbers of reports: {% load reports %}."""

from typing import Any

from django.template import Library

from look.templatetags.look import count, percent
from mining.reports import measures
from mining.reports.content import outside
from mining.reports.models import Review
from mining.reports.pictures.picture import Column

register = Library()
BADGES = {"waiting": "waiting", "in-review": "active", "published": "done", "withdrawn": "stopped"}
register.filter("is_noise", outside)
register.filter("decimal", measures.decimal)


@register.inclusion_tag("components/badge.html")
def review_badge(review: Review) -> dict[str, str]:
    return {"kind": BADGES[review.state], "words": review.get_state_display()}


@register.filter
def of_hundred(value: float | None) -> str:
    """What is in per cent already."""
    return percent(None if value is None else value / 100)


@register.simple_tag
def between(low: float | None, high: float | None) -> str:
    """An interval of shares."""
    return measures.between(low, high, share=True)


@register.simple_tag
def between_numbers(low: float | None, high: float | None) -> str:
    return measures.between(low, high, share=False)


@register.simple_tag
def backtest_caveat() -> str:
    from mining.error.backtest import caveat

    return caveat()


@register.simple_tag
def cell(column: Column, value: Any) -> str:
    """A cell of a picture's table."""
    if column.kind == "words":
        return str(value)
    if column.kind == "share":
        return percent(value)
    if column.kind == "count":
        return count(None if value is None else round(value))
    return measures.decimal(value)
