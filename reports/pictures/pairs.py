"""A heatmap of the lift of pairs of answers."""

from collections.abc import Iterable, Sequence
from math import log2
from typing import Any

import altair as alt
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from mining.document.report import Pair
from reports.labels import Labels
from reports.pictures import drawing as d
from reports.pictures.labels import wrapped
from reports.pictures.picture import Picture, PictureColumn, lift_columns

MOST = 24
"""The most answers on a side."""
DARKEST = 2.0
"""|log2 lift| of the darkest cell: four times as often."""
READABLE, ROOMY, LARGEST = 22, 34, 64
"""The side of a cell in pixels: the least for a number, for one in the usual size, and the most."""
NUMBER_ROOM, LINE = 26, 16
"""Pixels for the number of a row, and of a line of text."""


def picture(pairs: Sequence[Pair], labels: Labels) -> Picture | None:
    known = [pair for pair in pairs if pair.lift is not None]
    if not known:
        return None
    names = most_paired(known, labels)
    drawn = [pair for pair in known if set(pair.items) <= set(names)]
    return Picture(
        name="pairs",
        title=_("Which answers go together"),
        about=_(
            "One square for each pair of answers. Filled: together more often than if they were independent, the "
            "darker the more. Framed: less often. Empty: not reported. The table shows the lift of each pair."
        )
        + " "
        + _("Lift is among the people who were shown both questions."),
        columns=[
            PictureColumn("first", _("Answer"), "words"),
            PictureColumn("second", _("and answer"), "words"),
            *lift_columns(),
            PictureColumn("eligible", _("Shown both"), "count"),
        ],
        rows=[
            [
                *(labels.in_full([item]) for item in pair.items),
                pair.lift,
                pair.lift_low,
                pair.lift_high,
                pair.n_shown_all,
            ]
            for pair in known
        ],
        draw=lambda width: draw(drawn, names, labels, width),
        omitted=len(known) - len(drawn),
    )


def most_paired(pairs: Sequence[Pair], labels: Labels) -> list[str]:
    """The answers that stand in most pairs, in the order in which they are asked."""
    often: dict[str, int] = {}
    for pair in pairs:
        for name in pair.items:
            often[name] = often.get(name, 0) + 1
    chosen = sorted(often, key=lambda name: (-often[name], labels.number(name)))[:MOST]
    return sorted(chosen, key=labels.number)


def draw(pairs: Sequence[Pair], names: Sequence[str], labels: Labels, width: int) -> dict[str, Any]:
    is_narrow = width < d.NARROW
    room = NUMBER_ROOM if is_narrow else round(width * 0.42)
    rows = {
        name: str(place) if is_narrow else wrapped(numbered, room - 10, d.SMALL + 1, 1)[0]
        for place, (name, numbered) in enumerate(numbered_answers(names, labels).items(), 1)
    }
    side = min((width - room) / len(names), LARGEST)
    cells = [
        cell(pair, pair.lift, labels, *sides)
        for pair in pairs
        if pair.lift is not None
        for sides in (pair.items, pair.items[::-1])
    ]
    for one in cells:
        one["row"], one["column"] = rows[one["row"]], str(names.index(one["column"]) + 1)
    x = alt.X(
        "column:O",
        sort=None,
        scale=alt.Scale(
            domain=[str(place) for place in range(1, len(names) + 1)], paddingInner=0.06, paddingOuter=0
        ),
        axis=alt.Axis(title=None, orient="top", labelAngle=0, domain=False, ticks=False, labelOverlap=True),
    )
    y = alt.Y(
        "row:O",
        sort=None,
        scale=alt.Scale(domain=list(rows.values()), paddingInner=0.06, paddingOuter=0),
        axis=alt.Axis(title=None, domain=False, ticks=False, labelLimit=room - 8, labelFontSize=d.SMALL + 1),
    )
    whole = min(width, round(room + side * len(names)))
    height = round(max(side, READABLE) * len(names)) + 20
    note = numbers_note() if side >= READABLE and any(one["number"] for one in cells) else ""
    drawing = alt.layer(*squares(d.base(cells), x, y, side))
    if is_narrow:
        drawing = drawing.properties(title=key_below(numbered_answers(names, labels).values(), width))
    return d.finished(drawing, whole, height, "", note)


def squares(chart: alt.Chart, x: alt.X, y: alt.Y, side: float) -> list[alt.Chart]:
    """The squares, filled or framed, with their numbers where there is room."""
    layers = [
        chart.mark_rect(fill=d.INK)
        .transform_filter("datum.more")
        .encode(x=x, y=y, opacity=alt.Opacity("depth:Q", scale=None), tooltip=alt.Tooltip("says:N")),
        chart.mark_rect(fill="transparent", stroke=d.INK)
        .transform_filter("!datum.more")
        .encode(x=x, y=y, strokeWidth=alt.StrokeWidth("frame:Q", scale=None), tooltip=alt.Tooltip("says:N")),
    ]
    if side >= READABLE:
        ink = alt.condition("datum.depth > 0.55 && datum.more", alt.value(d.ON_INK), alt.value(d.INK))
        size = d.SMALL if side >= ROOMY else d.SMALL - 2
        numbers = chart.transform_filter("datum.number != ''").mark_text(fontSize=size)
        layers.append(
            numbers.encode(x=x, y=y, text=alt.Text("number:N"), color=ink, tooltip=alt.Tooltip("says:N"))
        )
    return layers


def numbered_answers(names: Sequence[str], labels: Labels) -> dict[str, str]:
    return {name: f"{place} {labels.answer(name).marked}" for place, name in enumerate(names, 1)}


def key_below(numbered: Iterable[str], width: int) -> alt.TitleParams:
    """What the numbers mean, below the squares: a narrow page has no room for words beside them."""
    lines = [line for one in numbered for line in wrapped(one, width, d.SMALL + 1, 2)]
    return alt.TitleParams(
        lines,
        orient="bottom",
        anchor="start",
        frame="group",
        offset=12,
        color=d.INK,
        fontSize=d.SMALL + 1,
        fontWeight="normal",
        lineHeight=LINE,
    )


def numbers_note() -> str:
    return _("The number in a square is its lift; a square without one has an interval that includes 1.")


def depth(lift: float) -> float:
    """How dark: from 0.06 to 1. A lift that noise has pushed to 0 or below is as dark as the farthest from 1."""
    return round(0.06 + 0.94 * degree(lift), 3)


def degree(lift: float) -> float:
    return min(abs(log2(lift)), DARKEST) / DARKEST if lift > 0 else 1.0


def cell(pair: Pair, lift: float, labels: Labels, row: str, column: str) -> dict[str, Any]:
    number = str(number_format(lift, 1 if abs(lift) < 100 else 0)).replace("-", "−")
    return {
        "row": row,
        "column": column,
        "more": lift >= 1,
        "depth": depth(lift),
        "frame": round(0.5 + 3 * degree(lift), 2),
        "number": "" if pair.may_be_chance else number,
        "says": f"{labels.answer(row).marked} + {labels.answer(column).marked}: {number}",
    }
