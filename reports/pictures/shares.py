"""The share of every answer: as received, reconstructed with its interval, and true where a rehearsal knows it."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from mining.document.report import Estimate
from reports.labels import Labels
from reports.measures import is_outside, possible_part
from reports.pictures import drawing as d
from reports.pictures.axes import share_marks
from reports.pictures.labels import interval, wrapped
from reports.pictures.picture import Picture, PictureColumn

Labelled = tuple[Estimate, str]
"""A share and its denominator in words, empty where there is only one."""

MOST = 60
STEP = 58
LABEL, RECEIVED, ESTIMATE = -19, -4, 11
"""Offsets in a row of STEP pixels, from its middle."""
LINES, LINE = 2, 17
"""The most lines of a label, and the pixels of one; a second one makes each row so much higher."""
BARS, GRID = 30, 5
"""The height of both bars together, where the grid lines run, and its offset."""


def picture(shares: Sequence[Estimate], labels: Labels) -> Picture | None:
    known = estimated_shares(shares)
    if not known:
        return None
    drawn = known[:MOST]
    return Picture(
        name="shares",
        title=_("Estimated shares with 95 % intervals"),
        about=_(
            "Dotted bar: share observed in the disguised records. Solid bar: estimated share. Line:"
            " 95 % interval."
        )
        + hidden_about(drawn)
        + truth_about(drawn)
        + noise_about([share for share, _words in drawn]),
        columns=columns(known),
        rows=[row(one, labels) for one in known],
        draw=lambda width: draw(drawn, labels, width),
        omitted=len(known) - len(drawn),
    )


def estimated_shares(shares: Sequence[Estimate]) -> list[Labelled]:
    """The estimated shares: each of all who were asked and, where a rule hid it, of those shown."""
    return [
        (one, words if share.is_hidden else "")
        for share in shares
        for one, words in zip(share.by_denominator, (_("of all asked"), _("of those shown")), strict=False)
        if one.support is not None
    ]


def hidden_about(shares: Sequence[Labelled]) -> str:
    if not any(words for _share, words in shares):
        return ""
    return " " + _(
        "Where a rule hides a question from some, the answer has a row for all who were asked and one for those shown."
    )


def truth_about(shares: Sequence[Labelled]) -> str:
    known = any(share.truth is not None for share, _words in shares)
    return " " + _("A diamond marks the true value (simulated).") if known else ""


def noise_about(shares: Sequence[Estimate]) -> str:
    if not any(is_outside(share.support or 0.0, share.low, share.high) for share in shares):
        return ""
    return impossible_about()


def impossible_about() -> str:
    return " " + _("An estimate that is impossible is drawn at the end of its interval.")


def columns(shares: Sequence[Labelled]) -> list[PictureColumn]:
    result = [
        PictureColumn("answer", _("Answer"), "words"),
        PictureColumn("among", _("Share"), "words"),
        PictureColumn("records", _("Records"), "count"),
        PictureColumn("observed", _("Observed (disguised)")),
        PictureColumn("support", _("Estimate")),
        PictureColumn("low", _("From")),
        PictureColumn("high", _("To")),
    ]
    if any(share.truth is not None for share, _words in shares):
        result.append(PictureColumn("truth", _("Truth")))
    return result


def row(labelled: Labelled, labels: Labels) -> list[Any]:
    share, words = labelled
    said, whose = labels.in_full(share.items), words or _("of all asked")
    return [
        said,
        whose,
        share.n_asked,
        share.observed,
        known_support(share),
        share.low,
        share.high,
        share.truth,
    ]


def known_support(share: Estimate) -> float | None:
    """None where it is impossible."""
    return None if is_outside(share.support or 0.0, share.low, share.high) else share.support


def draw(shares: Sequence[Labelled], labels: Labels, width: int) -> dict[str, Any]:
    known = ((one, one[0].support) for one in shares if one[0].support is not None)
    rows = [facts(place, one, support, labels, width - 8) for place, (one, support) in enumerate(known)]
    extra = LINE * (max(len(one["label"]) for one in rows) - 1)
    received, estimate = RECEIVED + extra / 2, ESTIMATE + extra / 2
    y = alt.Y("row:O", axis=None, sort=None)
    marks = share_marks([value for one in rows for value in (one["low"], one["high"], one["observed"])])
    scale = alt.Scale(domain=[marks[0], marks[-1]], nice=False, clamp=True)
    axis = d.x_axis("", orient="top", offset=6, values=marks, **d.percent())
    x = alt.X("support:Q", axis=axis, scale=scale)
    grid = d.base({"row": one["row"], "support": mark} for one in rows for mark in marks)
    texts = [text for one in rows for text in lines(one.pop("label"), one["row"])]
    bars = d.base(rows)
    whiskers = d.base(piece for one in rows for piece in one.pop("pieces"))
    ends = d.base(end for one in rows for end in one.pop("ends"))
    ink = alt.condition("datum.over", alt.value(d.ON_INK), alt.value(d.INK))
    layers = [
        grid.mark_tick(thickness=1, size=BARS, yOffset=GRID + extra / 2, color=d.RULE).encode(x=x, y=y),
        d.base(one for one in rows if one["observed"] is not None)
        .mark_bar(fill=d.STIPPLE, stroke=d.INK, strokeWidth=1, height=11, yOffset=received)
        .encode(x=alt.X("observed:Q", scale=scale), y=y),
        bars.mark_bar(fill=d.INK, height=15, yOffset=estimate).encode(
            x=x, y=y, tooltip=alt.Tooltip("says:N")
        ),
        whiskers.mark_rule(strokeWidth=2, yOffset=estimate).encode(
            x=alt.X("from:Q"), x2=alt.X2("to:Q"), y=y, color=ink
        ),
        ends.mark_tick(thickness=2, size=9, yOffset=estimate).encode(x=alt.X("at:Q"), y=y, color=ink),
        *d.truth_marks(bars, alt.X("truth:Q"), y, yOffset=estimate),
        *label_layers(texts, y, LABEL + extra / 2, width - 8),
    ]
    return d.finished(alt.layer(*layers), width, (STEP + extra) * len(rows), "")


def lines(label: Sequence[str], row: int) -> list[dict[str, Any]]:
    """`up`: how many lines a line is above the last one, which is next to the bars."""
    return [{"row": row, "label": text, "up": len(label) - 1 - place} for place, text in enumerate(label)]


def label_layers(texts: Sequence[dict[str, Any]], y: alt.Y, offset: float, room: int) -> list[alt.Chart]:
    return [
        d.base(one for one in texts if one["up"] == up)
        .mark_text(align="left", baseline="middle", yOffset=offset - LINE * up, limit=room)
        .encode(x=alt.value(0), y=y, text=alt.Text("label:N"))
        for up in sorted({one["up"] for one in texts})
    ]


def facts(place: int, labelled: Labelled, support: float, labels: Labels, room: int) -> dict[str, Any]:
    share, words = labelled
    support = possible_part(support, share.low, share.high)
    low = support if share.low is None else share.low
    high = support if share.high is None else share.high
    pieces = [{"row": place, **piece} for piece in d.whisker_segments(support, low, high)]
    ends = [{"row": place, **end} for end in d.end_marks(support, low, high)]
    label = labels.marked(share.items)
    # The denominator comes first, since a narrow page leaves out the end.
    label = f"{words}: {label}" if words else label
    return {
        "row": place,
        "label": wrapped(label, room, d.TEXT, LINES),
        "observed": share.observed,
        "support": support,
        "low": low,
        "high": high,
        "truth": share.truth,
        "says": f"{label}: {interval(share.support, share.low, share.high)}",
        "pieces": pieces,
        "ends": ends,
    }
