"""The rules as a graph: antecedents on the left, consequents on the right, a node for each rule between."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from mining.document.report import Rule
from reports import measures
from reports.labels import Labels
from reports.pictures import drawing as d
from reports.pictures.labels import wrapped
from reports.pictures.picture import Picture, PictureColumn, RuleUrl
from reports.pictures.rules import not_drawn

MOST = 20
STEP = 40
LINES, LINE = 3, 15
"""The most lines of a label, and their pixels."""
ROUNDS = 6
LEFT, MIDDLE, RIGHT = 0.34, 0.5, 0.66
"""Where the three columns stand, as shares of the width."""

Places = dict[str, float]


def picture(rules: Sequence[Rule], more: int, labels: Labels, url: RuleUrl) -> Picture | None:
    """`rules` have a lift; the report has so many `more`."""
    if not rules:
        return None
    return Picture(
        name="graph",
        title=_("The rules as a graph"),
        about=_(
            "On the left the answers that rules start from, on the right those that follow, between them one dot "
            "for each rule, the larger the higher its lift; the number is the rule’s. Rules that say no more than "
            "a shorter one are left out."
        )
        + not_drawn(more),
        columns=[
            PictureColumn("number", _("Rule"), "rule"),
            PictureColumn("if", _("If"), "words"),
            PictureColumn("then", _("then"), "words"),
            PictureColumn("lift", _("Lift"), "number"),
        ],
        rows=[
            [
                rule.number,
                labels.in_full(rule.antecedent),
                labels.in_full(rule.consequent),
                measures.known_lift(rule),
            ]
            for rule in rules
        ],
        draw=lambda width: draw(rules, labels, url, width),
    )


def layout(rules: Sequence[Rule]) -> tuple[Places, list[float], Places]:
    """Heights from 0 to 1 of the left answers, the rules and the right answers, with few crossings.

    Each column in turn is sorted by the mean height of its neighbours, a few times.
    """
    middle = spaced(range(len(rules)))
    left, right = dict[str, float](), dict[str, float]()
    for _round in range(ROUNDS):
        left = by_neighbours([rule.antecedent for rule in rules], middle)
        right = by_neighbours([rule.consequent for rule in rules], middle)
        wished = [
            mean([*(left[name] for name in rule.antecedent), *(right[name] for name in rule.consequent)])
            for rule in rules
        ]
        order = sorted(range(len(rules)), key=lambda place: (wished[place], place))
        middle = spaced(order)
    return left, middle, right


def by_neighbours(sides: Sequence[Sequence[str]], middle: Sequence[float]) -> Places:
    heights: dict[str, list[float]] = {}
    for side, height in zip(sides, middle, strict=True):
        for name in side:
            heights.setdefault(name, []).append(height)
    order = sorted(heights, key=lambda name: (mean(heights[name]), name))
    return dict(zip(order, evenly(len(order)), strict=True))


def spaced(order: Sequence[int]) -> list[float]:
    heights = [0.0] * len(order)
    for place, height in zip(order, evenly(len(order)), strict=True):
        heights[place] = height
    return heights


def evenly(count: int) -> list[float]:
    return [(place + 0.5) / count for place in range(count)]


def draw(rules: Sequence[Rule], labels: Labels, url: RuleUrl, width: int) -> dict[str, Any]:
    left, middle, right = layout(rules)
    height = STEP * max(len(left), len(rules), len(right))
    edges = [
        {"x": start[0], "y": start[1], "x2": stop[0], "y2": stop[1]}
        for rule, at in zip(rules, middle, strict=True)
        for start, stop in ends(rule, at, left, right)
    ]
    dots = [
        {
            "x": MIDDLE,
            "y": at,
            "number": str(rule.number),
            "size": round(60 + 110 * min(max(measures.drawn_lift(rule) - 1, 0), 3), 1),
            **d.link_to(
                rule,
                labels,
                url,
                _("lift %(lift)s")
                % {"lift": measures.lift(rule.lift, rule.lift_low_listed, rule.lift_high_listed)},
            ),
        }
        for rule, at in zip(rules, middle, strict=True)
    ]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[1, 0], nice=False))
    layers = [
        d.base(edges)
        .mark_rule(stroke=d.SOFT, strokeWidth=1.25)
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")),
        d.linked(dots, shape="circle", fill=d.INK, stroke=d.GROUND, strokeWidth=2).encode(
            x=x, y=y, size=alt.Size("size:Q", scale=None)
        ),
        *d.text_with_halo(d.base(dots).encode(x=x, y=y, text=alt.Text("number:N")), fontSize=d.SMALL, dy=-15),
        *node_labels(left, labels, LEFT, width, x, y, align="right", dx=-8),
        *node_labels(right, labels, RIGHT, width, x, y, align="left", dx=8),
        nodes(left, LEFT, x, y).mark_circle(fill=d.GROUND, stroke=d.INK, size=40, opacity=1),
        nodes(right, RIGHT, x, y).mark_circle(fill=d.GROUND, stroke=d.INK, size=40, opacity=1),
    ]
    return d.finished(alt.layer(*layers), width, height, "")


Point = tuple[float, float]


def ends(
    rule: Rule, at: float, left: Mapping[str, float], right: Mapping[str, float]
) -> list[tuple[Point, Point]]:
    incoming = [((LEFT, left[name]), (MIDDLE, at)) for name in rule.antecedent]
    outgoing = [((MIDDLE, at), (RIGHT, right[name])) for name in rule.consequent]
    return incoming + outgoing


def nodes(places: Places, column: float, x: alt.X, y: alt.Y) -> alt.Chart:
    return d.base({"x": column, "y": at} for at in places.values()).encode(x=x, y=y)


def node_labels(
    places: Places, labels: Labels, column: float, width: int, x: alt.X, y: alt.Y, **how: Any
) -> list[alt.Chart]:
    """In one line or in two, around the middle of their places."""
    room = width * LEFT - 14
    lines = {name: wrapped(labels.answer(name).marked, room, d.SMALL + 1, LINES) for name in places}
    return [
        d.base(
            {"x": column, "y": at, "label": lines[name][line], "says": labels.answer(name).marked}
            for name, at in places.items()
            if len(lines[name]) == line_count
        )
        .mark_text(
            baseline="middle",
            dy=LINE * (line - (line_count - 1) / 2),
            limit=room,
            fontSize=d.SMALL + 1,
            **how,
        )
        .encode(x=x, y=y, text=alt.Text("label:N"), tooltip=alt.Tooltip("says:N"))
        for line_count in range(1, LINES + 1)
        if any(len(those) == line_count for those in lines.values())
        for line in range(line_count)
    ]
