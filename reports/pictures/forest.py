"""A forest plot: the lift of the first rules of the list, each with its intervals, on an axis of ratios."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log2
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from look.numbers import count
from mining.document.report import Rule
from reports import measures
from reports.labels import Labels
from reports.pictures import drawing as d
from reports.pictures.labels import wrapped
from reports.pictures.picture import Picture, PictureColumn, RuleUrl, lift_columns
from reports.pictures.rules import not_drawn

MOST = 20
FARTHEST = 16.0
"""Lifts and ends of intervals beyond it, or below one over it, are drawn as triangles at the edge."""
BESIDE = 620
"""The least width in pixels with the labels beside the plot; else each is above its interval."""
LINE, PAD, BAND = 16, 8, 22
"""Pixels of a line of text, between two rules, and of an interval below its label."""
LINES = 3
"""The most lines of a label, so that all rules fit on a printed page."""


def picture(rules: Sequence[Rule], more: int, labels: Labels, url: RuleUrl) -> Picture | None:
    """`rules` have a lift; the report has so many `more`."""
    if not rules:
        return None
    return Picture(
        name="forest",
        title=_("Lift with intervals (forest plot)"),
        about=_(
            "One row for each rule: the point is its lift, the line the 95 % interval at its place in the list. The "
            "axis shows ratios: half as often is as far from 1 as twice as often. At 1 there is no association."
        )
        + beyond_about(rules)
        + not_drawn(more),
        columns=[
            PictureColumn("number", _("Rule"), "rule"),
            PictureColumn("rule", _("If … then"), "words"),
            *lift_columns(),
        ],
        rows=[
            [
                rule.number,
                labels.rule_in_full(rule.antecedent, rule.consequent),
                measures.known_lift(rule),
                rule.lift_low_listed,
                rule.lift_high_listed,
            ]
            for rule in rules
        ],
        draw=lambda width: draw(rules, labels, url, width),
    )


def beyond_about(rules: Sequence[Rule]) -> str:
    if all(within(value) == value for rule in rules for value in values(rule)):
        return ""
    return " " + _("A triangle at the edge: the value is further out. The table shows it.")


Ends = tuple[float, float] | tuple[()]


def interval(rule: Rule) -> Ends:
    return ends(rule.lift_low_listed, rule.lift_high_listed)


def ends(low: float | None, high: float | None) -> Ends:
    """Nothing without a lower end; a lift without an upper end is "the lower end or more"."""
    return () if low is None else (low, inf if high is None else high)


def values(rule: Rule) -> list[float]:
    """All that is drawn of a rule."""
    return [measures.drawn_lift(rule), *interval(rule)]


def within(lift: float) -> float:
    return min(max(lift, 1 / FARTHEST), FARTHEST)


# --- where things are ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForestRow:
    """Pixels from the top: the first line of the label, the middle of the interval, and the ends of its grid lines."""

    lines: Sequence[str]
    label: float
    middle: float
    top: float
    bottom: float


@dataclass(frozen=True)
class ForestLayout:
    """The columns in pixels: labels up to `room`, the plot from `left` to `right`, the numbers up to the width."""

    width: int
    is_beside: bool

    @property
    def room(self) -> float:
        return self.width * 0.50 if self.is_beside else self.width

    @property
    def left(self) -> float:
        return self.width * 0.53 if self.is_beside else 6.0

    @property
    def right(self) -> float:
        return self.width * 0.81 if self.is_beside else self.width * 0.60

    def places(self, labels: Sequence[tuple[str, str]]) -> Iterator[ForestRow]:
        top = 0.0 if self.is_beside else PAD
        for label in labels:
            lines = both_wrapped(*label, self.room)
            words = LINE * len(lines)
            if self.is_beside:
                height = max(words, BAND) + PAD
                first = top + (height - words) / 2 + LINE / 2
                yield ForestRow(lines, first, top + height / 2, top, top + height)
            else:
                height = words + BAND + PAD
                at = top + words + BAND / 2
                yield ForestRow(lines, top + LINE / 2, at, at - BAND / 2, at + BAND / 2)
            top += height


def both_wrapped(first: str, then: str, room: float) -> list[str]:
    """The sides of a rule in LINES together: each has one at least."""
    size = d.SMALL + 1
    after = wrapped(then, room, size, LINES - 1)
    before = wrapped(first, room, size, max(LINES - len(after), LINES - 1))
    return [*before, *wrapped(then, room, size, LINES - len(before))]


def ticks(rules: Sequence[Rule]) -> list[float]:
    """Powers of 2 around everything that is drawn, and around 1."""
    drawn = [within(value) for rule in rules for value in values(rule)]
    low, high = floor(log2(min(drawn))), ceil(log2(max(drawn)))
    return [2.0**power for power in range(min(low, -1), max(high, 1) + 1)]


# --- the drawing ------------------------------------------------------------------------------------------


def draw(rules: Sequence[Rule], labels: Labels, url: RuleUrl, width: int) -> dict[str, Any]:
    layout, marks = ForestLayout(width, is_beside=width >= BESIDE), ticks(rules)
    sides = [both_sides(rule, labels) for rule in rules]
    placed = list(zip(rules, layout.places(sides), strict=True))
    height = round(placed[-1][1].bottom + 4)
    scale = alt.Scale(
        type="log", domain=[marks[0], marks[-1]], range=[layout.left, layout.right], nice=False, clamp=True
    )
    x = alt.X("lift:Q", scale=scale, axis=d.x_axis(_("lift"), orient="top", values=marks, format="~g"))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False, zero=False))
    grid = [
        {"lift": mark, "y": place.top, "y2": place.bottom, "is_one": mark == 1}
        for _rule, place in placed
        for mark in marks
    ]
    ink = alt.condition("datum.is_one", alt.value(d.INK), alt.value(d.RULE))
    layers = [
        d.base(grid).mark_rule().encode(x=x, y=y, y2=alt.Y2("y2:Q"), color=ink),
        line(placed, interval, 3).encode(x=x, x2=alt.X2("to:Q"), y=y),
        *edges(placed, x, y),
        *texts(placed, layout, y),
        d.linked([point(rule, place, labels, url) for rule, place in placed]).encode(
            x=x, y=y, shape=alt.Shape("shape:N", scale=None), fill=alt.Fill("fill:N", scale=None)
        ),
    ]
    return d.finished(alt.layer(*layers), width, height, "")


Placed = Sequence[tuple[Rule, ForestRow]]


def line(placed: Placed, ends_of: Callable[[Rule], Ends], thickness: int) -> alt.Chart:
    """The intervals as lines of this thickness; `of` gives both ends of a rule's, or nothing."""
    rows = [
        {"lift": within(limits[0]), "to": within(limits[1]), "y": place.middle}
        for rule, place in placed
        if (limits := ends_of(rule))
    ]
    drawn: alt.Chart = d.base(rows).mark_rule(stroke=d.INK, strokeWidth=thickness)
    return drawn


def edges(placed: Placed, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Triangles where an interval goes on beyond the axis."""
    points = {
        (within(end), place.middle) for rule, place in placed for end in interval(rule) if within(end) != end
    }
    rows = [
        {"lift": end, "y": at, "shape": "triangle-right" if end > 1 else "triangle-left"}
        for end, at in sorted(points)
    ]
    if not rows:
        return []
    triangles = d.base(rows).mark_point(fill=d.GROUND, stroke=d.INK, size=55, opacity=1)
    return [triangles.encode(x=x, y=y, shape=alt.Shape("shape:N", scale=None))]


def texts(placed: Placed, layout: ForestLayout, y: alt.Y) -> list[alt.Chart]:
    """The labels, and the lift of each rule in numbers."""
    size = d.SMALL + 1
    lines = [
        {"y": place.label + LINE * number, "label": words}
        for _rule, place in placed
        for number, words in enumerate(place.lines)
    ]
    numbers = [{"y": place.middle, "label": said(rule)} for rule, place in placed]
    left, right = alt.value(0), alt.value(layout.width - 2)
    return [
        d.base(lines)
        .mark_text(align="left", baseline="middle", fontSize=size, limit=layout.room)
        .encode(x=left, y=y, text=alt.Text("label:N")),
        d.base(numbers)
        .mark_text(align="right", baseline="middle", fontSize=size)
        .encode(x=right, y=y, text=alt.Text("label:N")),
    ]


def both_sides(rule: Rule, labels: Labels) -> tuple[str, str]:
    first = _("%(number)s. If %(answers)s")
    return (
        first % {"number": count(rule.number), "answers": labels.marked(rule.antecedent)},
        _("then %(answers)s") % {"answers": labels.marked(rule.consequent)},
    )


def said(rule: Rule) -> str:
    lift = measures.lift(rule.lift, rule.lift_low_listed, rule.lift_high_listed)
    if rule.lift_low_listed is None or measures.known_lift(rule) is None:
        return lift
    return f"{lift} ({measures.between(rule.lift_low_listed, rule.lift_high_listed, share=False)})"


def point(rule: Rule, place: ForestRow, labels: Labels, url: RuleUrl) -> dict[str, Any]:
    lift = measures.drawn_lift(rule)
    outward = "triangle-right" if lift > 1 else "triangle-left"
    return {
        "lift": within(lift),
        "y": place.middle,
        "shape": "circle" if within(lift) == lift else outward,
        "fill": d.fill(rule),
        **d.link_to(rule, labels, url, _("lift %(lift)s") % {"lift": said(rule)}),
    }
