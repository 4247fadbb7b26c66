"""The components of the styleguide as tags; every template has them without a {% load %}."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.core.paginator import Page
from django.http import HttpRequest
from django.template import Context, Library
from django.template.loader import render_to_string
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import get_language_bidi, gettext as _, pgettext

from ui import context_processors, cookie_and_log_paths, interval_pictures, navigation
from ui.interval_pictures import Interval, Scale, Size
from ui.number_format import format_count, format_exact_percent, format_percent, rounded_odds as odds_of
from ui.statements import parse_statement

register = Library()
register.filter("count", format_count)
register.filter("exact_percent", format_exact_percent)
register.filter("percent", format_percent)
register.simple_tag(context_processors.languages)
register.tag("statement", parse_statement)
MOST_COPIED_LINES = 16
"""Height of a text of many lines that can be copied, which scrolls beyond it."""
BADGES = {"waiting", "active", "done", "stopped", "wrong"}
FINGERPRINT = re.compile(r"^([0-9a-f]{12})[0-9a-f]{52}\b")


@register.simple_tag(takes_context=True)
def repeat_block(context: Context, name: str) -> SafeString:
    """Renders a block of this page a second time, such as the title as the heading."""
    block = context.render_context[BLOCK_CONTEXT_KEY].get_block(name)
    return mark_safe(str(block.nodelist.render(context)))  # noqa: S308 - a template was rendered


@register.filter
def join_names(names: Iterable[object]) -> str:
    """Joins names with the comma of the reader's language."""
    return pgettext("between the names of a list", ", ").join(map(str, names))


@register.filter
def shorten_fingerprint(note: str) -> SafeString:
    """Returns the note of a history entry with the fingerprint at its start shortened to twelve letters."""
    match = FINGERPRINT.match(note)
    return (
        format_html("<code>{}</code> {}", match[1], note[64:].strip()) if match else format_html("{}", note)
    )


@register.filter
def code_in_backticks(text: str) -> SafeString:
    """Sets the words between backticks of a docstring as code."""
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", conditional_escape(text)))  # noqa: S308 - it is escaped


@register.simple_tag(takes_context=True)
def navigation_entries(context: Context) -> list[navigation.NavigationLink]:
    request: HttpRequest | None = context.get("request")
    return navigation.navigation_links(request) if request and hasattr(request, "user") else []


@register.simple_tag(takes_context=True)
def home_address(context: Context) -> str:
    request: HttpRequest | None = context.get("request")
    return (
        context_processors.home_address(request)
        if request and hasattr(request, "user")
        else cookie_and_log_paths.HOME
    )


@register.simple_tag
def themes() -> list[tuple[str, str | Promise]]:
    return list(context_processors.THEMES.items())


@register.simple_block_tag
def breadcrumbs(content: SafeString) -> SafeString:
    """Renders the path to a page: {% breadcrumbs %}{% crumb _("Surveys") "/app/surveys/" %}{% crumb survey.title
    %}{% endbreadcrumbs %}"""
    return render_to_string("components/breadcrumbs.html", {"content": content})


@register.inclusion_tag("components/crumb.html")
def crumb(label: str, url: str = "") -> dict[str, str]:
    return {"label": label, "url": url}


@register.simple_block_tag
def table(content: SafeString, label: str, tall: bool = False, stacks: bool = False) -> SafeString:
    """Renders a table from its head and body, in a frame that scrolls on a narrow screen, also by keyboard.

    `stacks`: on a phone each row is a block of lines; a cell is named there by its `data-label`.
    """
    content = mark_safe(re.sub(r">[^\S\n]*\n\s*<", ">\n<", content))  # noqa: S308 - a tenth of a long table is indentation
    context = {"content": content, "label": label, "tall": tall, "stacks": stacks}
    return render_to_string("components/table.html", context)


@register.simple_block_tag
def tabs(content: SafeString, label: str) -> SafeString:
    return render_to_string("components/tabs.html", {"content": content, "label": label})


@register.inclusion_tag("components/tab.html")
def tab(label: str, url: str, here: bool = False) -> dict[str, object]:
    return {"label": label, "url": url, "here": here}


@register.simple_block_tag
def dialog(content: SafeString, name: str, title: str) -> SafeString:
    """Renders a dialog, opened by <a href="(the page that does the same)" data-dialog="name">."""
    return render_to_string("components/dialog.html", {"content": content, "name": name, "title": title})


@register.simple_block_tag
def notice(content: SafeString, title: str = "", kind: str = "") -> SafeString:
    """Renders a notice; `kind` is empty, "next" (what to do now) or "error"."""
    return render_to_string("components/notice.html", {"content": content, "title": title, "kind": kind})


@register.simple_block_tag
def empty_state(content: SafeString, title: str) -> SafeString:
    return render_to_string("components/empty-state.html", {"content": content, "title": title})


@register.simple_tag
def badge(kind: str, words: str) -> SafeString:
    """Renders a badge; `kind` is waiting, active, done, stopped or wrong.

    The text states the kind too, never the shape alone.
    """
    if kind not in BADGES:
        raise ValueError(f"no badge {kind!r}; there are {', '.join(sorted(BADGES))}")
    return format_html('<span class="badge {}">{}</span>\n', kind, words)


@register.inclusion_tag("components/progress.html")
def progress(fraction: float | None, words: str, label: str = "") -> dict[str, object]:
    """Renders a progress bar; `fraction` from 0 to 1, or None if the duration is not known yet."""
    thousandths = None if fraction is None else round(max(0.0, min(1.0, fraction)) * 1000)
    whole = None if thousandths is None else thousandths // 10
    return {"thousandths": thousandths, "whole": whole, "words": words, "label": label}


@register.inclusion_tag("components/fact.html")
def fact(label: str, value: object) -> dict[str, object]:
    return {"label": label, "value": value}


@register.inclusion_tag("components/copy.html")
def copy(value: str, label: str, name: str = "copy") -> dict[str, str | int]:
    """Renders a text, even markup, with a button that copies it; `name` makes the field's id and must differ on a page
    with two."""
    return {"value": value, "label": label, "name": name, "lines": min(value.count("\n"), MOST_COPIED_LINES)}


@register.inclusion_tag("components/pagination.html", takes_context=True)
def pagination(context: Context, page: Page[object], parameter: str = "page") -> dict[str, object]:
    """Renders links to the other pages of a list, which preserve the rest of the query, for example a filter."""
    request: HttpRequest = context["request"]

    def address(number: int) -> str:
        query = request.GET.copy()
        query[parameter] = str(number)
        return f"{request.path}?{query.urlencode()}"

    return {
        "page": page,
        "before": address(page.number - 1) if page.has_previous() else "",
        "after": address(page.number + 1) if page.has_next() else "",
    }


@register.inclusion_tag("components/legend.html")
def legend() -> dict[str, object]:
    return {}


@register.simple_tag
def interval(
    low: float | None,
    high: float | None,
    scale: Scale,
    size: Size = "row",
    end_label: str = "",
    **more: Any,
) -> SafeString:
    """Draws one interval: {% interval row.low row.high scale estimate=row.share base=row.base state="hollow" %}; see
    `Interval`."""
    return intervals([Interval(low, high, **more)], scale, size, end_label)


@register.simple_tag
def intervals(drawn: Sequence[Interval], scale: Scale, size: Size = "row", end_label: str = "") -> SafeString:
    """Draws several intervals on one line."""
    return interval_pictures.draw_intervals(drawn, scale, size, end_label, mirrored=get_language_bidi())


@register.simple_tag
def interval_axis(scale: Scale, of_shares: bool = True) -> SafeString:
    """Draws the axis at the head of a column of intervals: in percent, or as numbers if the rows are not shares."""
    labels = [
        format_exact_percent(tick)
        if of_shares
        else format_count(int(tick))
        if tick == int(tick)
        else number_format(tick)
        for tick in scale.ticks
    ]
    return interval_pictures.draw_axis(scale, labels, mirrored=get_language_bidi())


@register.simple_tag
def moment(when: datetime) -> SafeString:
    """Renders a time as HTML: a short local time to read, and for programs the time to the second."""
    local = localtime(when)
    return format_html(
        '<time datetime="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        date_format(local, "SHORT_DATETIME_FORMAT"),
    )


@register.filter
def odds(share: float) -> str:
    """Writes a share as odds, "about 7 in 10"; empty at or beyond 0 and 1, where there are no odds."""
    ratio = odds_of(share)
    if ratio is None:
        return ""
    return _("about %(m)s in %(n)s") % {"m": format_count(ratio[0]), "n": format_count(ratio[1])}
