"""Support against confidence: one point for each rule, which leads to its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

import altair as alt
from django.utils.translation import gettext as _, ngettext

from look.numbers import count
from mining.document.report import About, Rule
from reports.labels import Labels
from reports.measures import possible_part
from reports.pictures import drawing as d
from reports.pictures.axes import helps_log, log_ticks, share_marks
from reports.pictures.labels import interval
from reports.pictures.numbers_beside import CORNERS, Corner, corners
from reports.pictures.picture import Picture, PictureColumn, RuleUrl
from reports.pictures.shares import impossible_about

MOST = 40
HIGHEST, LOWEST = 1.0, 0.0
"""The ends of both axes."""
AXIS = 46
"""Pixels of the labels of the vertical axis, about."""
MARGIN = 0.85
"""A logarithmic axis starts at this part of the smallest support, and ends as far beyond the largest."""


def picture(rules: Sequence[Rule], more: int, about: About, labels: Labels, url: RuleUrl) -> Picture | None:
    """The first rules of a report's list; the report has so many `more`."""
    if not rules:
        return None
    return Picture(
        name="rules",
        title=_("Support against confidence"),
        about=_(
            "One point for each rule: support to the right, confidence upwards. The broken lines are the minimums of "
            "the run. Select a point to open its rule; the table shows the 95 % intervals."
        )
        + filled_about()
        + log_about(rules)
        + " "
        + _("Confidence is among the people who could give all answers of the rule.")
        + beyond(rules)
        + not_drawn(more),
        columns=[
            PictureColumn("number", _("Rule"), "rule"),
            PictureColumn("rule", _("If … then"), "words"),
            PictureColumn("support", _("Support")),
            PictureColumn("support_low", _("From")),
            PictureColumn("support_high", _("To")),
            PictureColumn("confidence", _("Confidence")),
            PictureColumn("confidence_low", _("From")),
            PictureColumn("confidence_high", _("To")),
            PictureColumn("eligible", _("Could give all"), "count"),
        ],
        rows=[
            [
                rule.number,
                labels.rule_in_full(rule.antecedent, rule.consequent),
                None if support_of(rule) != rule.support else rule.support,
                rule.support_low_listed,
                rule.support_high_listed,
                None if confidence_of(rule) != rule.confidence else rule.confidence,
                rule.confidence_low_listed,
                rule.confidence_high_listed,
                rule.n_shown_all,
            ]
            for rule in rules
        ],
        draw=lambda width: draw(rules, about, labels, url, width),
    )


def filled_about() -> str:
    return " " + _("Filled: an association is shown. Empty: none is.")


def log_about(rules: Sequence[Rule]) -> str:
    if not helps_log([rule.support or 0.0 for rule in rules]):
        return ""
    return " " + _("The axis of support is logarithmic: equal distances are equal ratios.")


def beyond(rules: Sequence[Rule]) -> str:
    return impossible_about() if any(is_beyond(rule) for rule in rules) else ""


def not_drawn(more: int) -> str:
    if not more:
        return ""
    words = ngettext(
        "%(count)s more rule is not drawn; “Rules” lists it, and the files of a published report hold it.",
        "%(count)s more rules are not drawn; “Rules” lists them, and the files of a published report hold them.",
        more,
    )
    return " " + words % {"count": count(more)}


def within(share: float) -> float:
    return min(max(share, LOWEST), HIGHEST)


def confidence_of(rule: Rule) -> float:
    low, high = rule.confidence_low_listed, rule.confidence_high_listed
    return within(possible_part(rule.confidence or 0.0, low, high))


def support_of(rule: Rule) -> float:
    low, high = rule.support_low_listed, rule.support_high_listed
    return within(possible_part(rule.support or 0.0, low, high))


def is_beyond(rule: Rule) -> bool:
    return confidence_of(rule) != rule.confidence or support_of(rule) != rule.support


# --- the drawing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SupportAxis:
    """Supports from `low` to `high`."""

    low: float
    high: float
    is_log: bool

    @classmethod
    def of(cls, supports: Sequence[float], least: float) -> "SupportAxis":
        """`least` is the minimum support of the run, which is drawn as a line."""
        if helps_log(supports):
            ends = [*supports, least] if least > 0 else supports
            return cls(min(ends) * MARGIN, min(max(ends) / MARGIN, HIGHEST), is_log=True)
        marks = share_marks([*supports, least])
        return cls(marks[0], marks[-1], is_log=False)

    @property
    def encoded(self) -> alt.X:
        if not self.is_log:
            scale = alt.Scale(domain=[self.low, self.high], nice=False, clamp=True)
            return alt.X("support:Q", axis=d.x_axis(_("support"), **d.percent()), scale=scale)
        ticks = log_ticks(self.low, self.high)
        axis = d.x_axis(_("support"), values=ticks, **d.percent("~g"))
        scale = alt.Scale(type="log", domain=[self.low, self.high], nice=False, clamp=True)
        return alt.X("support:Q", axis=axis, scale=scale)

    def part(self, support: float) -> float:
        """How far to the right, from 0 to 1."""
        if self.is_log:
            return log10(support / self.low) / log10(self.high / self.low)
        return (support - self.low) / (self.high - self.low)


def draw(rules: Sequence[Rule], about: About, labels: Labels, url: RuleUrl, width: int) -> dict[str, Any]:
    height = min(width, 440)
    rows = [row(rule, labels, url) for rule in rules]
    across = SupportAxis.of([one["support"] for one in rows], about.min_support)
    x = across.encoded
    y = alt.Y(
        "confidence:Q",
        axis=d.y_axis(_("confidence"), titleY=-28, **d.percent()),
        scale=alt.Scale(domain=[LOWEST, HIGHEST], nice=False, clamp=True),
    )
    asked = d.base([{"support": about.min_support, "confidence": about.min_confidence}])
    layers = [
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(x=x),
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(y=y),
        *numbers(rows, across, x, y, width - AXIS, height),
        d.linked(rows).encode(x=x, y=y, fill=alt.Fill("fill:N", scale=None)),
    ]
    return d.finished(alt.layer(*layers), width, height, "")


def row(rule: Rule, labels: Labels, url: RuleUrl) -> dict[str, Any]:
    measured = _("support %(support)s, confidence %(confidence)s") % {
        "support": interval(rule.support, rule.support_low_listed, rule.support_high_listed),
        "confidence": interval(rule.confidence, rule.confidence_low_listed, rule.confidence_high_listed),
    }
    return {
        "number": rule.number,
        "support": support_of(rule),
        "confidence": confidence_of(rule),
        "fill": d.fill(rule),
        **d.link_to(rule, labels, url, measured),
    }


def numbers(
    rows: Sequence[dict[str, Any]], across: SupportAxis, x: alt.X, y: alt.Y, width: float, height: float
) -> list[alt.Chart]:
    """The numbers of the rules beside their points, where there is room."""
    points = [(across.part(one["support"]) * width, (1 - one["confidence"]) * height) for one in rows]
    whole = (0.0, -AXIS / 2, float(width), float(height))
    at = corners(points, [str(one["number"]) for one in rows], d.SMALL, whole)
    return [
        layer
        for corner in CORNERS
        if any(corner == one for one in at)
        for layer in beside(
            [one for one, where in zip(rows, at, strict=True) if where == corner], corner, x, y
        )
    ]


def beside(rows: Sequence[dict[str, Any]], corner: Corner, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    known = (
        {"support": one["support"], "confidence": one["confidence"], "label": str(one["number"])}
        for one in rows
    )
    return d.text_with_halo(
        d.base(known).encode(x=x, y=y, text=alt.Text("label:N")),
        align="left" if corner.x > 0 else "right",
        baseline="top" if corner.y > 0 else "bottom",
        dx=6 * corner.x,
        dy=6 * corner.y,
        fontSize=d.SMALL,
    )
