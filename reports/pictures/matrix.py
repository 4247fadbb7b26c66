"""A grouped matrix: the rules by the answers of their antecedents and of their consequents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from string import ascii_uppercase
from typing import Any

import altair as alt
from django.utils.translation import gettext as _, ngettext

from look.numbers import count
from mining.document.report import Rule
from reports import measures
from reports.labels import Labels
from reports.pictures import drawing as d
from reports.pictures.labels import wrapped
from reports.pictures.pairs import depth
from reports.pictures.picture import Picture, PictureColumn, RuleUrl
from reports.pictures.rules import not_drawn

MOST = 12
"""The most answers on a side."""
READ = 1_000
"""The most rules that are grouped."""
ROW, LINE, HEAD, GAP = 36, 16, 24, 18
"""Pixels of a row, of a line of text, of the letters above the columns, and between the matrix and its key."""
SMALLEST = 0.3
"""The radius of the smallest circle, as a part of the largest."""


@dataclass(frozen=True)
class MatrixCell:
    """All rules that lead from an answer to another, with what else they have on either side; the strongest first."""

    antecedent: str
    consequent: str
    rules: tuple[Rule, ...]

    @property
    def lift(self) -> float:
        """The median."""
        return median(map(measures.drawn_lift, self.rules))

    @property
    def strongest(self) -> Rule:
        return self.rules[0]


def groups(rules: Sequence[Rule]) -> list[MatrixCell]:
    """`rules` in the order of the list; a rule with several answers on a side is in several groups."""
    by_sides: dict[tuple[str, str], list[Rule]] = {}
    for rule in rules:
        for antecedent in rule.antecedent:
            for consequent in rule.consequent:
                by_sides.setdefault((antecedent, consequent), []).append(rule)
    return [MatrixCell(*sides, tuple(those)) for sides, those in by_sides.items()]


def picture(rules: Sequence[Rule], more: int, labels: Labels, url: RuleUrl) -> Picture | None:
    """`rules` have a lift, in the order of the list; the report has so many `more`."""
    if not rules:
        return None
    cells = groups(rules)
    rows, columns = sides(cells)
    drawn = [one for one in cells if one.antecedent in rows and one.consequent in columns]
    return Picture(
        name="matrix",
        title=_("Rules grouped by their answers"),
        about=_(
            "One row for each answer in “if”, one column for each answer in “then”. A circle groups all rules with "
            "both: the larger, the more rules; the darker, the higher their median lift. Empty circle: the lift is "
            "below 1. Select a circle to open its strongest rule."
        )
        + not_drawn(more),
        columns=[
            PictureColumn("antecedent", _("If"), "words"),
            PictureColumn("consequent", _("then"), "words"),
            PictureColumn("rules", _("Rules"), "count"),
            PictureColumn("median_lift", _("Median lift"), "number"),
            PictureColumn("strongest", _("Strongest rule"), "rule"),
            PictureColumn("strongest_lift", _("Its lift"), "number"),
        ],
        rows=[
            [
                labels.in_full([one.antecedent]),
                labels.in_full([one.consequent]),
                len(one.rules),
                one.lift,
                one.strongest.number,
                measures.known_lift(one.strongest),
            ]
            for one in cells
        ],
        draw=lambda width: draw(drawn, rows, columns, labels, url, width),
        omitted=len(cells) - len(drawn),
    )


def sides(cells: Sequence[MatrixCell]) -> tuple[list[str], list[str]]:
    """The answers of the rows and of the columns, those of the strongest rules first."""
    rows = list(dict.fromkeys(one.antecedent for one in cells))
    columns = list(dict.fromkeys(one.consequent for one in cells))
    return rows[:MOST], columns[:MOST]


# --- the drawing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatrixLayout:
    """All in pixels: `room` for the labels of rows, `side` between two columns, `height` of the matrix alone."""

    width: int
    rows: Sequence[str]
    columns: Sequence[str]

    @property
    def room(self) -> float:
        return self.width * (0.5 if self.width >= d.NARROW else 0.38)

    @property
    def side(self) -> float:
        return min((self.width - self.room) / len(self.columns), 2.0 * ROW)

    @property
    def radius(self) -> float:
        return min(self.side, ROW) / 2 - 2

    @property
    def height(self) -> float:
        return HEAD + ROW * len(self.rows)

    def x(self, consequent: str) -> float:
        return self.room + self.side * (self.columns.index(consequent) + 0.5)

    def y(self, antecedent: str) -> float:
        return HEAD + ROW * (self.rows.index(antecedent) + 0.5)


def draw(
    drawn: Sequence[MatrixCell],
    rows: Sequence[str],
    columns: Sequence[str],
    labels: Labels,
    url: RuleUrl,
    width: int,
) -> dict[str, Any]:
    layout = MatrixLayout(width, rows, columns)
    letters = dict(zip(columns, ascii_uppercase, strict=False))
    texts = [*row_texts(layout, labels), *head_texts(layout, letters), *key_texts(layout, letters, labels)]
    height = round(max(one["y"] for one in texts) + LINE)
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], range=[0, width], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False))
    most = max(len(one.rules) for one in drawn)
    circles = [circle(one, layout, most, labels, url) for one in drawn]
    layers = [
        d.base(grid(layout)).mark_rule(stroke=d.RULE).encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")),
        *(
            d.base(some)
            .mark_text(align=align, baseline="middle", fontSize=d.SMALL + 1)
            .encode(x=x, y=y, text=alt.Text("label:N"))
            for align in ("left", "right", "center")
            if (some := [one for one in texts if one["align"] == align])
        ),
        d.linked(circles, shape="circle").encode(
            x=x,
            y=y,
            size=alt.Size("size:Q", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            fillOpacity=alt.FillOpacity("depth:Q", scale=None),
        ),
    ]
    return d.finished(alt.layer(*layers), width, height, "")


def circle(one: MatrixCell, layout: MatrixLayout, most: int, labels: Labels, url: RuleUrl) -> dict[str, Any]:
    radius = layout.radius * max((len(one.rules) / most) ** 0.5, SMALLEST)
    rule = one.strongest
    strongest = {"number": count(rule.number), "rule": labels.rule_in_full(rule.antecedent, rule.consequent)}
    many = ngettext("%(count)s rule", "%(count)s rules", len(one.rules)) % {"count": count(len(one.rules))}
    said = {"rules": many, "lift": measures.decimal(one.lift)}
    return {
        "x": round(layout.x(one.consequent), 1),
        "y": layout.y(one.antecedent),
        "size": round(3.1416 * radius**2, 1),
        "fill": d.INK if one.lift >= 1 else d.GROUND,
        "depth": depth(one.lift) if one.lift >= 1 else 1.0,
        "href": url(rule.number),
        "says": _("%(rules)s, median lift %(lift)s; strongest: rule %(number)s, %(rule)s")
        % (said | strongest),
    }


def grid(layout: MatrixLayout) -> Iterator[dict[str, float]]:
    """A line below each row: none runs through a label."""
    for place in range(len(layout.rows) + 1):
        at = HEAD + ROW * place
        yield {"x": 0, "x2": layout.room + layout.side * len(layout.columns), "y": at, "y2": at}


def row_texts(layout: MatrixLayout, labels: Labels) -> Iterator[dict[str, Any]]:
    for name in layout.rows:
        lines = wrapped(labels.answer(name).marked, layout.room - 10, d.SMALL + 1, 2)
        for number, words in enumerate(lines):
            y = layout.y(name) + LINE * (number - (len(lines) - 1) / 2)
            yield {"x": 0, "y": y, "label": words, "align": "left"}


def head_texts(layout: MatrixLayout, letters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for name, letter in letters.items():
        yield {"x": layout.x(name), "y": HEAD / 2, "label": letter, "align": "center"}


def key_texts(layout: MatrixLayout, letters: Mapping[str, str], labels: Labels) -> Iterator[dict[str, Any]]:
    """What the letters mean, below the matrix."""
    y = layout.height + GAP
    for name, letter in letters.items():
        words = labels.answer(name).marked
        for number, line in enumerate(wrapped(words, layout.width - 24, d.SMALL + 1, 2)):
            if not number:
                yield {"x": 0, "y": y, "label": letter, "align": "left"}
            yield {"x": 20, "y": y, "label": line, "align": "left"}
            y += LINE
