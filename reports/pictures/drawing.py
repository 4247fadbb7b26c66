"""The style of all pictures as Vega-Lite, in the page's own colours.

Colours are custom properties and patterns of the page, resolved by the browser, so that one drawing serves light, dark
and paper. There are no colour legends: things differ in shape and have labels.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
from altair.utils.schemapi import disable_debug_mode
from django.utils.translation import gettext as _

from look.numbers import count
from mining.document.report import Rule
from reports.labels import Labels
from reports.pictures.picture import RuleUrl

INK, SOFT, RULE, GROUND, ON_INK, INTERVAL = (
    f"var(--{name})" for name in ("ink", "soft", "rule", "ground", "on-ink", "iv")
)
STIPPLE = "url(#stipple)"

NARROW = 520
"""Pixels below which labels get less room."""

SMALL, TEXT = 12, 14

Rows = Iterable[Mapping[str, Any]]

# Altair would check every part as it is made; tests check the whole. It also looks a channel up in the whole schema
# that is only a string: "says:N" takes much longer than alt.Tooltip("says:N").
disable_debug_mode()


def base(rows: Rows) -> alt.Chart:
    # With each step Altair copies what is in a list; a tuple stays the same.
    return alt.Chart(alt.InlineData(values=tuple(rows)))


def x_axis(title: str, **more: Any) -> alt.Axis:
    usual: dict[str, Any] = {"grid": False, "tickCount": 6, "labelOverlap": True, "labelFlush": True}
    usual["labelSeparation"] = 6
    return alt.Axis(title=title, **usual | more)


def y_axis(title: str, **more: Any) -> alt.Axis:
    """A vertical axis with its title flat above it, where it takes no width."""
    flat: dict[str, Any] = {
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleY": -14,
        "titleX": 0,
    }
    return alt.Axis(title=title, tickCount=6, domain=False, ticks=False, **flat | more)


def percent(written: str = ".0f") -> dict[str, str]:
    """Labels of an axis of shares, written as the rest of the page writes them."""
    before, after = (_("%(number)s %%") % {"number": "|"}).split("|")
    return {"labelExpr": f"'{before}' + format(datum.value * 100, '{written}') + '{after}'"}


def share_scale(values: Sequence[float | None]) -> alt.Scale:
    """From 0, or from the noise below it, to the largest value, in whole steps; what is above 100 % ends there."""
    known = [value for value in values if value is not None]
    low, high = min([0.0, *known]), max([0.05, *known])
    return alt.Scale(domain=[low, min(high, 1.0)], nice=True, zero=True, clamp=True)


LINKED = "linked"
"""The name of a layer whose marks are links: over each, the page lays one (static/reports/pictures.js)."""


def linked(rows: Rows, **how: Any) -> alt.Chart:
    """Points that lead to pages; each row has the fields of `link_to`."""
    usual: dict[str, Any] = {"stroke": INK, "strokeWidth": 1.5, "size": 70, "opacity": 1}
    chart: alt.Chart = base(rows).properties(name=LINKED).mark_point(**usual | how)
    return chart


def fill(rule: Rule) -> str:
    """Of the point of a rule: empty where no association is shown."""
    return INK if rule.association else GROUND


def link_to(rule: Rule, labels: Labels, url: RuleUrl, measured: str) -> dict[str, str]:
    """A link to the page of a rule, and its words on hover and focus."""
    words = {
        "number": count(rule.number),
        "rule": labels.rule_in_full(rule.antecedent, rule.consequent),
        "measured": measured,
    }
    return {"href": url(rule.number), "says": _("Rule %(number)s: %(rule)s; %(measured)s") % words}


def whisker_segments(support: float, low: float, high: float) -> list[dict[str, Any]]:
    """The segments of a whisker on a bar from 0; `over`: on the bar, so drawn in the background colour."""
    bar = sorted((0.0, support))
    inside = (max(low, bar[0]), min(high, bar[1]))
    if inside[0] >= inside[1]:
        return [{"from": low, "to": high, "over": False}]
    pieces = [(low, inside[0], False), (*inside, True), (inside[1], high, False)]
    return [{"from": start, "to": stop, "over": over} for start, stop, over in pieces if stop > start]


def end_marks(support: float, low: float, high: float) -> list[dict[str, Any]]:
    bar = sorted((0.0, support))
    return [{"at": end, "over": bar[0] < end < bar[1]} for end in (low, high)]


def truth_marks(points: alt.Chart, x: Any, y: Any, **place: Any) -> list[alt.Chart]:
    """The diamond of the truth, with a halo in the background colour."""
    known = points.transform_filter("datum.truth != null").encode(x=x, y=y, tooltip=alt.Tooltip("says:N"))
    return [
        known.mark_point(shape="diamond", size=190, filled=True, fill=GROUND, opacity=1, **place),
        known.mark_point(
            shape="diamond", size=80, fill=GROUND, stroke=INK, strokeWidth=2, opacity=1, **place
        ),
    ]


def text_with_halo(chart: alt.Chart, **how: Any) -> list[alt.Chart]:
    """Text with a halo, so that it is legible on lines."""
    return [chart.mark_text(stroke=GROUND, strokeWidth=4, strokeJoin="round", **how), chart.mark_text(**how)]


CONFIG: dict[str, Any] = {
    "aria": False,
    "view": {"stroke": None, "fill": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": SOFT,
        "tickColor": SOFT,
        "gridColor": RULE,
        "labelFontSize": SMALL,
        "titleFontSize": SMALL + 1,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "text": {"color": INK, "fontSize": TEXT},
}


def finished(chart: Any, width: int, height: int, about: str, note: str = "") -> dict[str, Any]:
    """The specification; `width` is that of the whole picture. `note` says what only a drawing of this width shows.

    What holds for the whole is added at the end: with each step Altair copies the chart, and to check it takes as long.
    """
    specification: dict[str, Any] = chart.to_dict(validate=False)
    specification["datasets"] = {name: list(rows) for name, rows in specification["datasets"].items()}
    specification["config"] = {**CONFIG, "view": {**specification["config"]["view"], **CONFIG["view"]}}
    specification |= {
        "width": width,
        "height": height,
        "description": about,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        "padding": {"left": 0, "right": 2, "top": 4, "bottom": 0},
    }
    return specification | ({"usermeta": {"note": note}} if note else {})
