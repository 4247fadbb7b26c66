"""The style of all pictures as Vega-Lite, in the page's own colours.

Colours are custom properties and patterns of the page, resolved by the browser, so that one drawing serves light, dark
and paper. There are no colour legends: things differ in shape and have labels.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
from altair.utils.schemapi import disable_debug_mode
from django.utils.translation import gettext as _

INK, SOFT, RULE, GROUND = (f"var(--{name})" for name in ("ink", "soft", "rule", "ground"))
STIPPLE = "url(#stipple)"

NARROW = 520
"""Pixels below which labels get less room."""

SMALL, TEXT = 13, 14

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


def finished(chart: Any, width: int, height: int, about: str) -> dict[str, Any]:
    """The specification; `width` is that of the whole picture.

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
    return specification
