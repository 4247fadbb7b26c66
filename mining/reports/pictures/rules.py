"""Support against confidence, each rule with its errors."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _, ngettext

from look.templatetags.look import count
from mining.reports.content import About, ReportedRule
from mining.reports.naming import Naming
from mining.reports.pictures import drawing as d
from mining.reports.pictures.labels import interval
from mining.reports.pictures.picture import Picture, PictureColumn

MOST = 40
HIGHEST, LOWEST = 1.5, -0.5
"""The limits of drawn confidences."""
NUMBERED = 25
"""The most points that are drawn with their numbers."""


def picture(rules: Sequence[ReportedRule], more: int, about: About, naming: Naming) -> Picture | None:
    """The first rules of a report's list; the report has so many `more`."""
    if not rules:
        return None
    return Picture(
        name="rules",
        title=_("Support against confidence"),
        about=_(
            "One point for each rule: to the right its support, upwards its confidence, both with their 95 % "
            "intervals. The broken lines are the minimums of the run."
        )
        + eligible_about(rules)
        + beyond(rules)
        + cut_off(rules)
        + not_drawn(more),
        columns=[
            PictureColumn("number", _("Rule"), "count"),
            PictureColumn("rule", _("If … then"), "words"),
            PictureColumn("support", _("Support")),
            PictureColumn("support_low", _("From")),
            PictureColumn("support_high", _("To")),
            PictureColumn("confidence", _("Confidence")),
            PictureColumn("confidence_low", _("From")),
            PictureColumn("confidence_high", _("To")),
            *([PictureColumn("eligible", _("Could give all"), "count")] if eligible_about(rules) else []),
        ],
        rows=[
            [
                rule.number,
                naming.rule(rule.antecedent, rule.consequent),
                rule.support,
                rule.support_low,
                rule.support_high,
                rule.confidence,
                rule.confidence_low,
                rule.confidence_high,
                rule.eligible,
            ]
            for rule in rules
        ],
        draw=lambda width: draw(rules, about, naming, width),
    )


def eligible_about(rules: Sequence[ReportedRule]) -> str:
    """Empty for rules from before mining 5, whose eligible records were not counted."""
    if all(rule.eligible is None for rule in rules):
        return ""
    return " " + _("Confidence is among the people who could give all answers of the rule.")


def beyond(rules: Sequence[ReportedRule]) -> str:
    if not any(outside(rule.confidence) for rule in rules):
        return ""
    return " " + _(
        "A filled triangle at the edge is a rule whose confidence lies further out; the table has it."
    )


def cut_off(rules: Sequence[ReportedRule]) -> str:
    if not any(row["cut_low"] or row["cut_high"] for row in map(ends, rules)):
        return ""
    return " " + _(
        "An open triangle is the end of an interval that reaches further out than is drawn; the table has it."
    )


def not_drawn(more: int) -> str:
    if not more:
        return ""
    words = ngettext(
        "%(count)s more rule is not drawn; “Rules” lists it, and the files of a published report hold it.",
        "%(count)s more rules are not drawn; “Rules” lists them, and the files of a published report hold them.",
        more,
    )
    return " " + words % {"count": count(more)}


def draw(rules: Sequence[ReportedRule], about: About, naming: Naming, width: int) -> dict[str, Any]:
    rows = [row(rule, naming) for rule in rules]
    x = alt.X(
        "support:Q",
        axis=d.x_axis(_("support"), **d.percent()),
        scale=d.share_scale([value for one in rows for value in (one["support"], one["left"], one["right"])]),
    )
    y = alt.Y(
        "confidence:Q",
        axis=d.y_axis(_("confidence"), **d.percent()),
        scale=d.share_scale(
            [value for one in rows for value in (one["confidence"], one["low"], one["high"])]
        ),
    )
    points = d.base(rows)
    asked = d.base([{"support": about.min_support, "confidence": about.min_confidence}])
    layers = [
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(x=x),
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(y=y),
        points.transform_filter("!datum.beyond")
        .mark_rule(stroke=d.INK)
        .encode(x="left:Q", x2="right:Q", y=y),
        points.mark_rule(stroke=d.INK).encode(y="low:Q", y2="high:Q", x=x),
        points.transform_filter("!datum.beyond")
        .mark_circle(fill=d.INK, size=60, opacity=1)
        .encode(x=x, y=y, tooltip="says:N"),
        *triangles(points, "beyond_high", "beyond_low", x, y, y, fill=d.INK, size=90),
        *triangles(points, "cut_high", "cut_low", x, "high:Q", "low:Q", fill=d.PAPER, size=55),
    ]
    if any(one["confidence"] > 1 for one in rows):
        layers += noise_line(y, width)
    if len(rules) <= NUMBERED:
        numbers = points.encode(x=x, y=y, text="number:N")
        layers += d.text_with_halo(numbers, align="left", baseline="bottom", dx=6, dy=-5, fontSize=d.SMALL)
    return d.finished(alt.layer(*layers), width, min(width, 440), "")


def row(rule: ReportedRule, naming: Naming) -> dict[str, Any]:
    words = naming.rule(rule.antecedent, rule.consequent)
    confidence = rule.confidence or 0.0
    return {
        "number": rule.number,
        "support": rule.support,
        "left": rule.support_low,
        "right": rule.support_high,
        "confidence": within(confidence),
        "low": within(rule.confidence_low),
        "high": within(rule.confidence_high),
        "beyond": outside(confidence),
        "says": f"{words}: {interval(rule.confidence, rule.confidence_low, rule.confidence_high)}",
    } | ends(rule)


def ends(rule: ReportedRule) -> dict[str, bool]:
    """Whether the confidence, or only an end of its interval, is outside the drawn limits."""
    above, below = (rule.confidence or 0) > HIGHEST, (rule.confidence or 0) < LOWEST
    return {
        "beyond_high": above,
        "beyond_low": below,
        "cut_high": not above and (rule.confidence_high or 0) > HIGHEST,
        "cut_low": not below and (rule.confidence_low or 0) < LOWEST,
    }


def outside(confidence: float | None) -> bool:
    return confidence is not None and within(confidence) != confidence


def triangles(
    points: alt.Chart, up: str, down: str, x: alt.X, high: Any, low: Any, **how: Any
) -> list[alt.Chart]:
    """Triangles at the limits that point to values outside."""
    return [
        points.transform_filter(f"datum.{wanted}")
        .mark_point(shape=shape, stroke=d.INK, opacity=1, **how)
        .encode(x=x, y=at, tooltip="says:N")
        for wanted, shape, at in ((up, "triangle-up", high), (down, "triangle-down", low))
    ]


def within(confidence: float | None) -> float | None:
    """Clipped to the drawn limits: one interval of thousands of per cent would flatten all others."""
    return None if confidence is None else min(max(confidence, LOWEST), HIGHEST)


def noise_line(y: alt.Y, width: int) -> list[alt.Chart]:
    beyond = d.base([{"confidence": 1, "words": _("above 100 %: noise")}])
    words = beyond.encode(y=y, x=alt.value(width - 60), text="words:N")
    return [
        beyond.mark_rule(stroke=d.SOFT).encode(y=y),
        *d.text_with_halo(
            words, align="right", baseline="bottom", dy=-4, fontSize=d.SMALL, fontStyle="italic"
        ),
    ]
