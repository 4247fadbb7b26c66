"""The distribution of a number behind a window: as received, blurred with its band, and the illustration."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from mining.document.numbers import NumberDistribution
from privacy.kinds.number.window.section import WindowQuestion
from reports.kinds.number.cells import DistributionCell, cells, joined
from reports.kinds.number.shown import NumberGroup, ShownNumber
from reports.pictures import drawing as d
from reports.pictures.panels import MOST, Panels
from reports.pictures.picture import Picture, PictureColumn
from ui.numbers import percent

WIDE_CELLS, NARROW_CELLS = 160, 80
"""The most cells that are drawn; the table has all."""
HIGHEST = 2.0
"""The illustration is cut off at this multiple of all else: it may put nearly everybody into one cell."""
DIAMONDS = 12
KEY, SAMPLE = 20, 30
"""Pixels of a line of the key, and of the mark in it."""


def picture(number: ShownNumber) -> Picture | None:
    question, distribution = number.window, number.all_records.distribution
    if question is None or distribution is None:
        return None
    truth = number.node.truth
    shape = list(cells(question, distribution, truth))
    knows_truth = truth is not None and truth.distribution is not None
    said = _("Diamonds mark the true values (simulated), blurred likewise.")
    return Picture(
        name=f"number-{number.place}",
        title=title(number.text),
        about=_(
            "Dotted: the observed numbers (disguised). Solid line: the estimated distribution, "
            "blurred; around it its 95 % band, point by point. Broken line: an illustration without intervals, "
            "which spreads a single value with many people over its neighbours."
        )
        + (f" {said}" if knows_truth else ""),
        columns=[
            *columns(),
            PictureColumn("received", _("Observed (disguised)"), "small-share"),
            *shape_columns(distribution),
            PictureColumn("illustration", _("Illustration"), "small-share"),
            *(true_columns() if knows_truth else []),
        ],
        rows=[
            [
                one.first,
                one.last,
                one.received,
                *shape_row(one, distribution),
                one.illustration,
                one.truth,
                one.truth_blurred,
            ]
            for one in shape
        ],
        draw=lambda width: draw(question, [("", shape)], number, width),
    )


def title(*of: str) -> str:
    return " · ".join([_("Distribution"), *of])


def by_group(group: NumberGroup) -> Picture | None:
    number, question = group.number, group.number.window
    known = [
        (one.words, distribution)
        for one in group.classes
        if (distribution := one.node.distribution) is not None
    ]
    if question is None or not known:
        return None
    shapes = [(words, list(cells(question, distribution))) for words, distribution in known]
    banded = next(
        (distribution for _words, distribution in known if distribution.low is not None), known[0][1]
    )
    return Picture(
        name=f"number-{number.place}-{group.place}",
        title=title(number.text, group.text),
        about=_(
            "One plot for each class, all of one scale: the estimated distribution, blurred, with its 95 % band, point "
            "by point. A class of fewer than 1,000 records has no band."
        ),
        columns=[PictureColumn("class", group.text, "words"), *columns(), *shape_columns(banded)],
        rows=[
            [words, one.first, one.last, *shape_row(one, banded)] for words, shape in shapes for one in shape
        ],
        draw=lambda width: draw(question, shapes[:MOST], number, width),
        omitted=sum(len(shape) for _words, shape in shapes[MOST:]),
    )


def columns() -> list[PictureColumn]:
    return [PictureColumn("from", _("From"), "count"), PictureColumn("to", _("To"), "count")]


def shape_columns(distribution: NumberDistribution) -> list[PictureColumn]:
    columns = [PictureColumn("blurred", _("Blurred"), "small-share")]
    if distribution.low is not None:
        columns.append(PictureColumn("low", _("Band from"), "small-share"))
        columns.append(PictureColumn("high", _("Band to"), "small-share"))
    return columns


def shape_row(one: DistributionCell, distribution: NumberDistribution) -> list[float | None]:
    return [one.blurred, one.low, one.high] if distribution.low is not None else [one.blurred]


def true_columns() -> list[PictureColumn]:
    return [
        PictureColumn("truth", _("Truth"), "small-share"),
        PictureColumn("truth_blurred", _("Truth, blurred"), "small-share"),
    ]


# --- the drawing ----------------------------------------------------------------------------------------


def draw(
    question: WindowQuestion,
    shapes: Sequence[tuple[str, Sequence[DistributionCell]]],
    number: ShownNumber,
    width: int,
) -> dict[str, Any]:
    most = WIDE_CELLS if width >= d.NARROW else NARROW_CELLS
    joined_shapes = [(label, joined(shape, most)) for label, shape in shapes]
    size = max(one.size for _label, shape in joined_shapes for one in shape)
    panels = Panels([label for label, _shape in joined_shapes], *extent(joined_shapes, size))
    y = panels.encoded(_("share of people per %(span)s") % {"span": number.quantity(size * question.step)})
    half = question.step / 2
    ends = [question.low - half, question.high + half]
    x = alt.X(
        "at:Q",
        axis=d.x_axis(number.unit, format=",d", tickMinStep=question.step),
        scale=alt.Scale(domain=ends, nice=False, zero=False),
    )
    middles, steps = (
        list(lines(panels, joined_shapes, size)),
        list(outline(panels, joined_shapes[0][1], size, half)),
    )
    layers = [
        *panels.label_layers(y, width),
        *([received(steps, x, y)] if steps else []),
        *band(middles, x, y),
        d.base(middles)
        .mark_line(stroke=d.GROUND, strokeWidth=5)
        .encode(x=x, y=y, detail=alt.Detail("panel:N")),
        d.base(middles)
        .mark_line(stroke=d.INK, strokeWidth=2.5)
        .encode(x=x, y=y, detail=alt.Detail("panel:N")),
        *illustration(middles, x),
        *true_marks(middles, x),
        *(key(has_band=any(one["low"] is not None for one in middles)) if steps else []),
    ]
    return d.finished(alt.layer(*layers), width, panels.height, "")


def extent(shapes: Sequence[tuple[str, Sequence[DistributionCell]]], size: int) -> tuple[float, float]:
    """From 0, or from the noise below it, to the largest share; the illustration may be cut off."""
    every = [one for _label, shape in shapes for one in shape]
    values = [
        value * size / one.size
        for one in every
        for value in (one.blurred, one.low, one.high, one.received)
        if value is not None
    ]
    drawn = [one.illustration * size / one.size for one in every if one.illustration is not None]
    most = min(max(values), 1.0)
    return min(0.0, *values), 1.04 * max(most, min(HIGHEST * most, max(drawn, default=0.0)))


def lines(
    panels: Panels, shapes: Sequence[tuple[str, Sequence[DistributionCell]]], size: int
) -> Iterator[dict[str, Any]]:
    for panel, (_label, shape) in enumerate(shapes):
        for one in shape:
            scaled = size / one.size

            def y(share: float | None, panel: int = panel, scaled: float = scaled) -> float | None:
                return None if share is None else panels.y(panel, min(share * scaled, panels.high))

            yield {
                "panel": panel,
                "at": (one.first + one.last) / 2,
                "y": y(one.blurred),
                "low": y(one.low),
                "high": y(one.high),
                "illustration": y(one.illustration),
                "truth": y(one.truth_blurred),
                "says": _("Truth, blurred: %(share)s") % {"share": percent(one.truth_blurred, 2)},
            }


def outline(
    panels: Panels, shape: Sequence[DistributionCell], size: int, half: float
) -> Iterator[dict[str, Any]]:
    """The corners of the received shares' area; the last cell ends at the right edge."""
    if shape[0].received is None:
        return
    zero = panels.y(0, max(0.0, panels.low))
    for one in shape:
        y = panels.y(0, (one.received or 0.0) * size / one.size)
        yield {"at": one.first - half, "y": y, "zero": zero}
    yield {"at": shape[-1].last + half, "y": y, "zero": zero}


def received(steps: Sequence[dict[str, Any]], x: alt.X, y: alt.Y) -> alt.Chart:
    area: alt.Chart = d.base(steps).mark_area(
        interpolate="step-after", fill=d.STIPPLE, stroke=d.SOFT, strokeWidth=1, opacity=1
    )
    return area.encode(x=x, y=y, y2=alt.Y2("zero:Q"))


def band(middles: Sequence[dict[str, Any]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Pale, with a thin line at each end."""
    rows = d.base(one for one in middles if one["low"] is not None)
    edge = rows.mark_line(stroke=d.INK, strokeWidth=1)
    return [
        rows.mark_area(fill=d.GROUND, opacity=0.6).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), detail=alt.Detail("panel:N")
        ),
        rows.mark_area(fill=d.INK, opacity=0.22).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), detail=alt.Detail("panel:N")
        ),
        *(edge.encode(x=x, y=alt.Y(f"{end}:Q"), detail=alt.Detail("panel:N")) for end in ("low", "high")),
    ]


def illustration(middles: Sequence[dict[str, Any]], x: alt.X) -> list[alt.Chart]:
    rows = [one for one in middles if one["illustration"] is not None]
    if not rows:
        return []
    line = d.base(rows).mark_line(stroke=d.INK, strokeWidth=1.25, strokeDash=[2, 3])
    return [line.encode(x=x, y=alt.Y("illustration:Q"))]


def true_marks(middles: Sequence[dict[str, Any]], x: alt.X) -> list[alt.Chart]:
    """Some diamonds, far enough from each other."""
    known = [one for one in middles if one["truth"] is not None]
    some = known[len(known) // (2 * DIAMONDS) :: max(1, len(known) // DIAMONDS)]
    return d.truth_marks(d.base(some), x, alt.Y("truth:Q")) if some else []


def key(*, has_band: bool) -> list[alt.Chart]:
    """A line for each sort of mark, above the plot."""
    blurred = _("blurred, with its 95 % band") if has_band else _("blurred")
    words = [_("observed"), blurred, _("illustration")]
    at = [-(len(words) - place) * KEY - 26 for place in range(len(words))]

    def rule(place: int, **how: Any) -> Any:
        rows = d.base([{}]).mark_rule(stroke=d.INK, **how)
        return rows.encode(x=alt.value(0), x2=alt.value(SAMPLE), y=alt.value(at[place]))

    def box(place: int, height: int, **how: Any) -> Any:
        ends = {"y": alt.value(at[place] - height / 2), "y2": alt.value(at[place] + height / 2)}
        return d.base([{}]).mark_rect(**how).encode(x=alt.value(0), x2=alt.value(SAMPLE), **ends)

    texts = [
        d.base([{"label": text}])
        .mark_text(align="left", baseline="middle")
        .encode(x=alt.value(SAMPLE + 10), y=alt.value(y), text=alt.Text("label:N"))
        for text, y in zip(words, at, strict=True)
    ]
    pale = [box(1, 12, fill=d.INK, opacity=0.22)] if has_band else []
    return [
        box(0, 12, fill=d.STIPPLE, stroke=d.SOFT),
        *pale,
        rule(1, strokeWidth=2.5),
        rule(2, strokeWidth=1.25, strokeDash=[2, 3]),
        *texts,
    ]
