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

MOST = 60
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
        ),
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


def draw(rules: Sequence[Rule], about: About, naming: Naming, width: int) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [
        {
            "number": rule.number,
            "support": rule.support,
            "left": rule.support_low,
            "right": rule.support_high,
            "confidence": rule.confidence,
            "low": rule.confidence_low,
            "high": rule.confidence_high,
            "says": f"{naming.rule(rule.antecedent, rule.consequent)}: "
            f"{interval(rule.confidence, rule.confidence_low, rule.confidence_high)}",
        }
        for rule in rules
    ]
    x = alt.X(
        "support:Q",
        axis=d.across(_("support"), **d.percent()),
        scale=d.share_scale([v for row in rows for v in (row["support"], row["left"], row["right"])]),
    )
    y = alt.Y(
        "confidence:Q",
        axis=d.upwards(_("confidence"), **d.percent()),
        scale=d.share_scale([v for row in rows for v in (row["confidence"], row["low"], row["high"])]),
    )
    points = d.base(rows)
    asked = d.base([{"support": about.min_support, "confidence": about.min_confidence}])
    layers = [
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(x=x),
        asked.mark_rule(stroke=d.SOFT, strokeDash=[4, 4]).encode(y=y),
        points.mark_rule(stroke=d.INK).encode(x="left:Q", x2="right:Q", y=y),
        points.mark_rule(stroke=d.INK).encode(y="low:Q", y2="high:Q", x=x),
        points.mark_circle(fill=d.INK, size=60, opacity=1).encode(x=x, y=y, tooltip="says:N"),
    ]
    if len(rules) <= NUMBERED:
        numbers = points.encode(x=x, y=y, text="number:N")
        layers += d.written(numbers, align="left", baseline="bottom", dx=6, dy=-5, fontSize=d.SMALL)
    return d.finished(alt.layer(*layers), width, min(width, 440), "")
