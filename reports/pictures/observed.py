"""Shares as received against reconstructed shares, for every answer and itemset."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _, ngettext

from look.numbers import count
from mining.document.report import Estimate
from reports.labels import Labels
from reports.measures import possible_part
from reports.pictures import drawing as d
from reports.pictures.labels import interval
from reports.pictures.picture import Picture, PictureColumn
from reports.pictures.shares import columns, estimated_shares, noise_about, row, truth_about


def picture(
    shares: Sequence[Estimate], itemsets: Sequence[Estimate], rarer: int, labels: Labels
) -> Picture | None:
    """These shares and the first itemsets of the list; there are so many `rarer` ones."""
    common = sorted(shares, key=lambda one: -(one.support or 0))
    drawn = [one for one in (*common, *itemsets) if None not in (one.support, one.observed)]
    if not drawn:
        return None
    rows = estimated_shares(drawn)
    return Picture(
        name="observed",
        title=_("Observed against estimated"),
        about=_(
            "One point for each answer and each itemset. Across: its observed share (disguised). "
            "Upwards: its estimated share of all who were asked, with its 95 % interval. On the "
            "broken line the disguise would have changed nothing."
        )
        + truth_about(rows)
        + noise_about(drawn)
        + left_out(rarer),
        columns=[PictureColumn("answers", _("Answers"), "words"), *columns(rows)[1:]],
        rows=[row(one, labels) for one in rows],
        draw=lambda width: draw(drawn, labels, width),
    )


def left_out(many: int) -> str:
    if not many:
        return ""
    words = ngettext(
        "%(count)s rarer itemset is left out; “Itemsets” lists it.",
        "%(count)s rarer itemsets are left out; “Itemsets” lists them.",
        many,
    )
    return " " + words % {"count": count(many)}


def draw(estimates: Sequence[Estimate], labels: Labels, width: int) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [
        {
            "observed": one.observed,
            "support": possible_part(one.support or 0.0, one.low, one.high),
            "low": one.low,
            "high": one.high,
            "truth": one.truth,
            "says": f"{labels.marked(one.items)}: {interval(one.support, one.low, one.high)}",
        }
        for one in estimates
    ]
    up = d.share_scale([row[name] for row in rows for name in ("support", "low", "high")])
    along = d.share_scale([one.observed for one in estimates])
    x = alt.X("observed:Q", axis=d.x_axis(_("observed"), **d.percent()), scale=along)
    y = alt.Y("support:Q", axis=d.y_axis(_("estimate"), **d.percent()), scale=up)
    most = min(max(along.domain), max(up.domain))
    points = d.base(rows)
    layers = [
        d.base([{"observed": 0, "support": 0}, {"observed": most, "support": most}])
        .mark_line(stroke=d.SOFT, strokeDash=[4, 4], strokeWidth=1)
        .encode(x=x, y=y),
        points.mark_rule(stroke=d.INK, strokeWidth=1.5).encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        points.mark_circle(fill=d.INK, size=45, opacity=1).encode(x=x, y=y, tooltip=alt.Tooltip("says:N")),
        points.transform_filter("datum.truth != null")
        .mark_point(shape="diamond", size=90, fill="transparent", stroke=d.INK, strokeWidth=1.5, opacity=1)
        .encode(x=x, y=alt.Y("truth:Q"), tooltip=alt.Tooltip("says:N")),
    ]
    return d.finished(alt.layer(*layers), width, min(width, 420), "")
