"""The curve of a number by classes: how many are at each limit or above, with intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from mining.numbers.finding import NumberEstimates, NumberShare
from privacy.kinds.number.form import ClassesQuestion
from reports.pictures import drawing as d
from reports.pictures.labels import interval
from reports.pictures.panels import MOST, Panels
from reports.pictures.picture import Picture, PictureColumn
from reports.shown_numbers import NumberGroup, ShownNumber

Truth = Mapping[str, float | None]
"""The true share by answer; empty where nobody knows it."""


def picture(number: ShownNumber, truth: Truth) -> Picture | None:
    known = estimated(number.everybody)
    if not known or number.classes is None:
        return None
    knows_truth = any(truth.get(number.item(one)) is not None for one in known)
    said = _("A diamond marks the true value (simulated).")
    question = number.classes
    return Picture(
        name=f"number-{number.place}",
        title=title(number.text),
        about=about() + (f" {said}" if knows_truth else ""),
        columns=columns() + ([PictureColumn("truth", _("Truth"))] if knows_truth else []),
        rows=[[*row(number, one), truth.get(number.item(one))] for one in known],
        draw=lambda width: draw(question, [("", points(number, known, truth))], number.unit, width),
    )


def title(*of: str) -> str:
    return " · ".join([_("Shares above limits"), *of])


def by_group(group: NumberGroup) -> Picture | None:
    number = group.number
    known = [(one, shares) for one in group.classes if (shares := estimated(one.estimates))]
    if not known or number.classes is None:
        return None
    drawn, question = known[:MOST], number.classes
    return Picture(
        name=f"number-{number.place}-{group.place}",
        title=title(number.text, group.text),
        about=about() + " " + _("One plot for each class."),
        columns=[PictureColumn("class", group.text, "words"), *columns()],
        rows=[[one.words, *row(number, share)] for one, shares in known for share in shares],
        draw=lambda width: draw(
            question, [(one.words, points(number, shares, {})) for one, shares in drawn], number.unit, width
        ),
        omitted=sum(len(shares) for _one, shares in known[MOST:]),
    )


def about() -> str:
    return _(
        "One point for each limit: the estimated share of people whose number is at the limit or above, with "
        "its 95 % interval. The line between the points only guides the eye."
    )


def estimated(found: NumberEstimates) -> list[NumberShare]:
    return [one for one in found.shares if one.share is not None]


def columns() -> list[PictureColumn]:
    return [
        PictureColumn("limit", _("Limit"), "count"),
        PictureColumn("answer", _("Answer"), "words"),
        PictureColumn("records", _("Records"), "count"),
        PictureColumn("support", _("Estimate")),
        PictureColumn("low", _("From")),
        PictureColumn("high", _("To")),
    ]


def row(number: ShownNumber, one: NumberShare) -> list[Any]:
    return [one.at_least, number.said(one).choice, one.base, one.share, one.low, one.high]


def points(number: ShownNumber, shares: Sequence[NumberShare], truth: Truth) -> list[dict[str, Any]]:
    return [
        {
            "at": one.at_least,
            "share": one.share,
            "low": one.low,
            "high": one.high,
            "truth": truth.get(number.item(one)),
            "says": f"{number.said(one).choice}: {interval(one.share, one.low, one.high)}",
        }
        for one in shares
    ]


def draw(
    question: ClassesQuestion,
    curves: Sequence[tuple[str, list[dict[str, Any]]]],
    unit: str,
    width: int,
) -> dict[str, Any]:
    values = [
        one[end]
        for _label, found in curves
        for one in found
        for end in ("share", "low", "high", "truth")
        if one[end] is not None
    ]
    panels = Panels([label for label, _found in curves], min(0.0, *values), 1.0)
    rows = [placed(panels, panel, one) for panel, (_label, found) in enumerate(curves) for one in found]
    whiskers = [one for one in rows if one["low"] is not None]
    ends = [{**one, "y": one[end]} for one in whiskers for end in ("low", "high")]
    y = panels.encoded(_("share of people"))
    bounds = question.ends or (question.limits[0], question.limits[-1])
    scale = alt.Scale(domain=list(bounds), nice=False, zero=False)
    axis = d.x_axis(unit, values=sorted({*bounds, *question.limits}), format=",d")
    x = alt.X("at:Q", axis=axis, scale=scale)
    of = d.base(rows)
    layers = [
        *panels.label_layers(y, width),
        of.mark_line(stroke=d.SOFT, strokeWidth=1.5).encode(x=x, y=y, detail=alt.Detail("panel:N")),
        d.base(whiskers)
        .mark_rule(stroke=d.INK, strokeWidth=2)
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        d.base(ends).mark_tick(color=d.INK, orient="horizontal", thickness=2, size=9).encode(x=x, y=y),
        of.mark_circle(fill=d.INK, size=60, opacity=1).encode(x=x, y=y, tooltip=alt.Tooltip("says:N")),
        *d.truth_marks(of, x, alt.Y("truth:Q")),
        *d.beyond_marks([{**one, "shape": "triangle-up"} for one in rows if one["beyond"]], x, y),
    ]
    return d.finished(alt.layer(*layers), width, panels.height, "")


def placed(panels: Panels, panel: int, point: dict[str, Any]) -> dict[str, Any]:
    def y(share: float | None) -> float | None:
        return None if share is None else panels.y(panel, share)

    return {
        "panel": panel,
        "at": point["at"],
        "y": y(point["share"]),
        **{end: y(point[end]) for end in ("low", "high", "truth")},
        "beyond": point["share"] > 1,
        "says": point["says"],
    }
