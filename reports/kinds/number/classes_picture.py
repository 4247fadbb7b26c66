"""A number by classes: the shares above its limits as dots on their intervals, the classes as bars with theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from mining.document.numbers import NumberEstimates, NumberShare
from reports.kinds.number.shown import NumberGroup, ShownNumber
from reports.measures import is_outside, possible_part
from reports.pictures import drawing as d
from reports.pictures.axes import share_marks
from reports.pictures.labels import interval, text_width
from reports.pictures.picture import Picture, PictureColumn
from reports.pictures.shares import impossible_about

Truth = Mapping[str, float | None]
"""The true share by answer; empty where nobody knows it."""

MOST_ROWS = 80
"""The most rows that are drawn by group."""
ROW, HEAD, GAP = 28, 24, 10
"""Pixels of a row, of the heading of several, and between these."""
LABELS, BEHIND, SLACK = 0.5, 12, 1.1
"""The largest part of the width that labels take, the pixels behind them, and how much wider a font may be."""
GRID = 18


@dataclass(frozen=True)
class Block:
    """Rows of shares with a heading, empty where there is one block; each row has the label of its share."""

    heading: str
    rows: Sequence[tuple[str, NumberShare]]


@dataclass(frozen=True)
class Part:
    """What is drawn: the shares above limits, or those of `classes`."""

    number: ShownNumber
    is_of_classes: bool

    @property
    def name(self) -> str:
        return "-classes" if self.is_of_classes else ""

    @property
    def title(self) -> str:
        if self.number.is_scale:
            return _("Distribution")
        return _("Shares of classes") if self.is_of_classes else _("Shares above limits")

    @property
    def about(self) -> str:
        if self.is_of_classes:
            return _("Solid bar: the estimated share of people in each class. Line: its 95 % interval.")
        return _(
            "One row for each limit: the estimated share of people whose number is at the limit or above, as a dot on "
            "its 95 % interval."
        )

    def known(self, estimates: NumberEstimates) -> list[NumberShare]:
        return [
            one
            for one in (estimates.classes if self.is_of_classes else estimates.shares)
            if one.share is not None
        ]


def parts(number: ShownNumber) -> list[Part]:
    """The pictures of a number; a scale has only its distribution."""
    return [Part(number, is_of_classes) for is_of_classes in ([True] if number.is_scale else [False, True])]


def picture(part: Part, truth: Truth) -> Picture | None:
    number = part.number
    known = part.known(number.all_records)
    if not known:
        return None
    knows_truth = any(truth.get(number.item(one)) is not None for one in known)
    said = _("A diamond marks the true value (simulated).")
    block = Block("", [(number.said(one).choice, one) for one in known])
    return Picture(
        name=f"number-{number.place}{part.name}",
        title=f"{part.title} · {number.text}",
        about=part.about + (f" {said}" if knows_truth else "") + noise_about(known),
        columns=columns() + ([PictureColumn("truth", _("Truth"))] if knows_truth else []),
        rows=[[*row(number, one), truth.get(number.item(one))] for one in known],
        draw=lambda width: draw(part, [block], truth, width),
    )


def by_group(part: Part, group: NumberGroup) -> Picture | None:
    """A block for each limit, or class, so that the classes of the plain question stand below one another."""
    number = part.number
    known = [(one, shares) for one in group.classes if (shares := part.known(one.node))]
    if not known:
        return None
    by_item: dict[str, list[tuple[str, NumberShare]]] = {}
    for one, shares in known:
        for share in shares:
            by_item.setdefault(number.item(share), []).append((one.words, share))
    blocks = [Block(number.said(rows[0][1]).choice, rows) for rows in by_item.values()]
    drawn = blocks[: max(1, MOST_ROWS // len(known))]
    return Picture(
        name=f"number-{number.place}-{group.place}{part.name}",
        title=f"{part.title} · {number.text} · {group.text}",
        about=part.about + noise_about([share for _one, shares in known for share in shares]),
        columns=[PictureColumn("class", group.text, "words"), *columns()],
        rows=[[one.words, *row(number, share)] for one, shares in known for share in shares],
        draw=lambda width: draw(part, drawn, {}, width),
        omitted=sum(len(block.rows) for block in blocks[len(drawn) :]),
    )


def noise_about(shares: Sequence[NumberShare]) -> str:
    is_noise = any(is_outside(one.share or 0.0, one.low, one.high) for one in shares)
    return impossible_about() if is_noise else ""


def columns() -> list[PictureColumn]:
    return [
        PictureColumn("at_least", _("From"), "count"),
        PictureColumn("below", _("Below"), "count"),
        PictureColumn("answer", _("Answer"), "words"),
        PictureColumn("records", _("Records"), "count"),
        PictureColumn("support", _("Estimate")),
        PictureColumn("low", _("Interval from")),
        PictureColumn("high", _("Interval to")),
    ]


def row(number: ShownNumber, one: NumberShare) -> list[Any]:
    return [one.at_least, one.below, number.said(one).choice, one.n_asked, one.share, one.low, one.high]


# --- the drawing ------------------------------------------------------------------------------------------


def draw(part: Part, blocks: Sequence[Block], truth: Truth, width: int) -> dict[str, Any]:
    rows, headings, height = placed(part.number, blocks, truth)
    widest = max(text_width(one["label"], d.SMALL + 1) for one in rows)
    room = min(LABELS * width, 2 * BEHIND + SLACK * widest)
    marks = share_marks([one[name] for one in rows for name in ("share", "low", "high", "truth")])
    scale = alt.Scale(domain=[marks[0], marks[-1]], range=[room, width - 12], nice=False, clamp=True)
    x = alt.X("share:Q", scale=scale, axis=d.x_axis("", orient="top", offset=6, values=marks, **d.percent()))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False, zero=False))
    grid = d.base({"share": mark, "y": one["y"]} for one in rows for mark in marks)
    dots = d.base(rows)
    estimates = bars(rows, x, y) if part.is_of_classes else dots_on_intervals(rows, x, y)
    layers = [
        grid.mark_tick(orient="vertical", thickness=1, size=GRID, color=d.RULE).encode(x=x, y=y),
        *estimates,
        *d.truth_marks(dots, alt.X("truth:Q"), y),
        text(rows, y, room - BEHIND / 2, fontSize=d.SMALL + 1),
        *([text(headings, y, width, fontWeight="bold")] if headings else []),
    ]
    return d.finished(alt.layer(*layers), width, height, "")


def placed(
    number: ShownNumber, blocks: Sequence[Block], truth: Truth
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """The rows and the headings with their y in pixels from the top, and the height of all."""
    rows, headings, top = list[dict[str, Any]](), list[dict[str, Any]](), 0
    for block in blocks:
        if block.heading:
            headings.append({"label": block.heading, "y": top + HEAD / 2})
            top += HEAD
        for label, one in block.rows:
            rows.append(
                {
                    "label": label,
                    "y": top + ROW / 2,
                    "share": possible_part(one.share or 0.0, one.low, one.high),
                    "low": one.low,
                    "high": one.high,
                    "truth": truth.get(number.item(one)),
                    "says": f"{label}: {interval(one.share, one.low, one.high)}",
                }
            )
            top += ROW
        top += GAP
    return rows, headings, top - GAP


def dots_on_intervals(rows: Sequence[dict[str, Any]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    known = d.base(one for one in rows if one["low"] is not None)
    dot = d.base({**one, "fill": d.GROUND if one["low"] is None else d.INK} for one in rows)
    return [
        known.mark_rule(stroke=d.INTERVAL, strokeWidth=7, strokeCap="round").encode(
            x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y
        ),
        dot.mark_circle(stroke=d.INK, strokeWidth=1.5, size=80, opacity=1).encode(
            x=x, y=y, fill=alt.Fill("fill:N", scale=None), tooltip=alt.Tooltip("says:N")
        ),
    ]


def bars(rows: Sequence[dict[str, Any]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    known = [one for one in rows if one["low"] is not None]
    sides = [(one["y"], one["share"], one["low"], one["high"]) for one in known]
    whiskers = d.base(
        {"y": at, **piece} for at, *interval in sides for piece in d.whisker_segments(*interval)
    )
    ends = d.base({"y": at, **end} for at, *interval in sides for end in d.end_marks(*interval))
    ink = alt.condition("datum.over", alt.value(d.ON_INK), alt.value(d.INK))
    return [
        d.base({**one, "zero": 0} for one in rows)
        .mark_bar(fill=d.INK, height=15, orient="horizontal")
        .encode(x=x, x2=alt.X2("zero:Q"), y=y, tooltip=alt.Tooltip("says:N")),
        whiskers.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q"), x2=alt.X2("to:Q"), y=y, color=ink),
        ends.mark_tick(orient="vertical", thickness=2, size=9).encode(x=alt.X("at:Q"), y=y, color=ink),
    ]


def text(rows: Sequence[dict[str, Any]], y: alt.Y, room: float, **how: Any) -> alt.Chart:
    chart: alt.Chart = d.base(rows).mark_text(align="left", baseline="middle", limit=room, **how)
    return chart.encode(x=alt.value(0), y=y, text=alt.Text("label:N"))
