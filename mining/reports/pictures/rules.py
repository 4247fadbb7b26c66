"""Support against confidence, each rule with its errors."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from mining.reports.content import About, Rule
from mining.reports.naming import Naming
from mining.reports.pictures import drawing as d
from mining.reports.pictures.picture import Column, Picture
from mining.reports.pictures.words import interval

MOST = 40
HIGHEST, LOWEST = 1.5, -0.5
"""How far above 1 and below 0 confidences are drawn."""
NUMBERED = 25
"""So many points can carry their numbers and stay legible."""


def surest(rules: Sequence[Rule], most: int) -> list[Rule]:
    """Those least likely to be chance, then those that say most."""
    return sorted(
        rules, key=lambda rule: (2.0 if rule.q is None else rule.q, -(rule.lift or 0), rule.number)
    )[:most]


def picture(rules: Sequence[Rule], about: About, naming: Naming) -> Picture | None:
    known = [rule for rule in rules if rule.support is not None and rule.confidence is not None]
    if not known:
        return None
    drawn = surest(known, MOST)
    return Picture(
        name="rules",
        title=_("Support against confidence"),
        about=_(
            "One point for each rule: to the right its support, upwards its confidence, both with their 95 % "
            "intervals. The broken lines are what the run asked for."
        )
        + beyond(drawn),
        columns=[
            Column("number", _("Rule"), "count"),
            Column("rule", _("If … then"), "words"),
            Column("support", _("Support")),
            Column("support_low", _("From")),
            Column("support_high", _("To")),
            Column("confidence", _("Confidence")),
            Column("confidence_low", _("From")),
            Column("confidence_high", _("To")),
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
            ]
            for rule in surest(known, len(known))
        ],
        draw=lambda width: draw(drawn, about, naming, width),
        omitted=len(known) - len(drawn),
    )


def beyond(rules: Sequence[Rule]) -> str:
    if not any((rule.confidence or 0) > HIGHEST for rule in rules):
        return ""
    return " " + _(
        "A triangle at the upper edge is a rule whose confidence lies further out; the table has it."
    )


def draw(rules: Sequence[Rule], about: About, naming: Naming, width: int) -> dict[str, Any]:
    rows = [row(rule, naming) for rule in rules]
    x = alt.X(
        "support:Q",
        axis=d.across(_("support"), **d.percent()),
        scale=d.share_scale([value for one in rows for value in (one["support"], one["left"], one["right"])]),
    )
    y = alt.Y(
        "confidence:Q",
        axis=d.upwards(_("confidence"), **d.percent()),
        scale=d.share_scale(
            [value for one in rows for value in (one["confidence"], one["low"], one["high"])]
        ),
    )
    points = d.base(rows)
    asked = d.base([{"support": about.min_support, "confidence": about.min_confidence}])
    layers = [
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(x=x),
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(y=y),
        points.mark_rule(stroke=d.INK).encode(x="left:Q", x2="right:Q", y=y),
        points.mark_rule(stroke=d.INK).encode(y="low:Q", y2="high:Q", x=x),
        points.transform_filter("!datum.beyond")
        .mark_circle(fill=d.INK, size=60, opacity=1)
        .encode(x=x, y=y, tooltip="says:N"),
        points.transform_filter("datum.beyond")
        .mark_point(shape="triangle-up", filled=True, fill=d.INK, size=90, opacity=1)
        .encode(x=x, y=y, tooltip="says:N"),
    ]
    if any(one["confidence"] > 1 for one in rows):
        layers += noise_line(y, width)
    if len(rules) <= NUMBERED:
        numbers = points.encode(x=x, y=y, text="number:N")
        layers += d.written(numbers, align="left", baseline="bottom", dx=6, dy=-5, fontSize=d.SMALL)
    return d.finished(alt.layer(*layers), width, min(width, 440), "")


def row(rule: Rule, naming: Naming) -> dict[str, Any]:
    words = naming.rule(rule.antecedent, rule.consequent)
    confidence = rule.confidence or 0.0
    return {
        "number": rule.number,
        "support": rule.support,
        "left": rule.support_low,
        "right": rule.support_high,
        "confidence": min(confidence, HIGHEST),
        "low": within(rule.confidence_low),
        "high": within(rule.confidence_high),
        "beyond": confidence > HIGHEST,
        "says": f"{words}: {interval(rule.confidence, rule.confidence_low, rule.confidence_high)}",
    }


def within(confidence: float | None) -> float | None:
    """One interval of thousands of per cent would press all others flat; its ends stand in the table."""
    return None if confidence is None else min(max(confidence, LOWEST), HIGHEST)


def noise_line(y: alt.Y, width: int) -> list[alt.Chart]:
    beyond = d.base([{"confidence": 1, "words": _("above 100 %: noise")}])
    words = beyond.encode(y=y, x=alt.value(width - 60), text="words:N")
    return [
        beyond.mark_rule(stroke=d.SOFT).encode(y=y),
        *d.written(words, align="right", baseline="bottom", dy=-4, fontSize=d.SMALL, fontStyle="italic"),
    ]
