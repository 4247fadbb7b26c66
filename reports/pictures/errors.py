"""The expected error in this survey, against the keep probability and against the number of respondents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
from django.utils.translation import gettext as _, ngettext

from mining.document.report import About, Estimate
from privacy.designs import Design
from privacy.designs.labels import numbered
from privacy.guarantee.error import SectionParameters, Supposed, error_curve
from privacy.kinds.grouped.law import SectionLaw
from reports.pictures import drawing as d
from reports.pictures.picture import Picture, PictureColumn

SIZES = (1, 2, 3)
KEEPS = [step / 50 for step in range(2, 50)]
RESPONDENTS = [200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 20_000, 50_000, 100_000]
WIDEST = 0.5
"""The largest half-width that is drawn; a larger one means that nothing is known."""


@dataclass(frozen=True)
class ErrorLine:
    label: str
    points: tuple[tuple[float, float], ...]
    now: tuple[float, float] | None
    """The point of this survey."""


def supposed(shares: Sequence[Estimate], about: About) -> Supposed:
    """The mean share of this survey's sensitive answers, as if they were independent of one another."""
    known = [share.support for share in shares if share.support is not None]
    mean = min(max(sum(known) / len(known), 0.0), 1.0) if known else 0.1
    return Supposed(tuple(mean**size for size in SIZES), about.k)


def against_keep(design: Design, shares: Sequence[Estimate], about: About) -> Picture | None:
    laws = [(number, law) for number, section in numbered(design.sections) if (law := section.itemset_law)]
    if not laws:
        return None
    guess = supposed(shares, about)
    lines = [
        line
        for number, law in laws
        for line in keep_lines(law, number if len(laws) > 1 else 0, guess, about.records)
    ]
    return picture(
        "error-keep",
        _("Margin of error by probability of sending the true answers (p)"),
        _(
            "The margin of error (95 %) with as many respondents as now, for other probabilities "
            "of sending the true answers (p). The dot marks the one in use. A higher p gives "
            "smaller errors and less protection."
        )
        + of_stratified(about),
        PictureColumn("keep", _("Probability of sending the true answers (p)"), "share"),
        merged(lines),
        alt.Scale(domain=[0, 1]),
        d.percent(),
    )


def merged(lines: Sequence[ErrorLine]) -> list[ErrorLine]:
    """Sections with the same errors become one line, which names them all."""
    distinct: dict[tuple[object, ...], ErrorLine] = {}
    for line in lines:
        same = distinct.get((line.points, line.now))
        label = f"{same.label}, {line.label}" if same else line.label
        distinct[line.points, line.now] = replace(line, label=label)
    return list(distinct.values())


def keep_lines(law: SectionLaw, number: int, guess: Supposed, respondents: int) -> list[ErrorLine]:
    part = SectionParameters.of(law)
    lines = []
    for size in SIZES[:1] if number else SIZES:
        at = [
            (keep, width)
            for keep in KEEPS
            if (
                width := half_width(SectionParameters(keep, part.noise, part.asked), size, guess, respondents)
            )
        ]
        now = half_width(part, size, guess, respondents)
        if at:
            label = _("section %(number)s") % {"number": number} if number else answers(size)
            lines.append(ErrorLine(label, tuple(at), (part.keep, now) if now else None))
    return lines


def half_width(part: SectionParameters, size: int, guess: Supposed, respondents: int) -> float | None:
    curve = error_curve([part], size, guess) if size <= part.asked else None
    width = curve.at(respondents).half_width if curve and respondents else None
    return width if width is not None and width <= WIDEST else None


def answers(size: int) -> str:
    return ngettext("%(count)s answer", "%(count)s answers together", size) % {"count": size}


def against_respondents(design: Design, shares: Sequence[Estimate], about: About) -> Picture | None:
    parts = [SectionParameters.of(law) for section in design.sections if (law := section.itemset_law)]
    if not parts or not about.records:
        return None
    guess = supposed(shares, about)
    lines = []
    for size in SIZES:
        curve = error_curve(parts, size, guess)
        if curve is None:
            continue
        errors = [(float(n), curve.at(n)) for n in RESPONDENTS]
        at = [(n, error.half_width) for n, error in errors if error.half_width <= WIDEST and error.enough]
        now = curve.at(about.records)
        if at:
            here = (float(about.records), now.half_width) if now.half_width <= WIDEST else None
            lines.append(ErrorLine(answers(size), tuple(at), here))
    return picture(
        "error-respondents",
        _("Error against the number of respondents"),
        _(
            "The margin of error (95 %) by the number of respondents, for one, two and three "
            "sensitive answers together. The dot marks this survey."
        )
        + of_stratified(about),
        PictureColumn("respondents", _("Respondents"), "count"),
        lines,
        alt.Scale(type="log", nice=False),
        {"format": ",d"},
    )


def of_stratified(about: About) -> str:
    if about.estimator == "stratified":
        return ""
    return " " + _("These are errors of the stratified estimator, which this run did not use.")


def picture(
    name: str,
    title: str,
    about: str,
    across: PictureColumn,
    lines: Sequence[ErrorLine],
    scale: alt.Scale,
    labels: dict[str, str],
) -> Picture | None:
    if not lines:
        return None
    return Picture(
        name=name,
        title=title,
        about=about,
        columns=[
            PictureColumn("of", _("Of"), "words"),
            across,
            PictureColumn("half_width", _("Margin of error")),
        ],
        rows=[[line.label, *point] for line in lines for point in line.points],
        draw=lambda width: draw(lines, across, scale, labels, width),
    )


def draw(
    lines: Sequence[ErrorLine], across: PictureColumn, scale: alt.Scale, labels: dict[str, str], width: int
) -> dict[str, Any]:
    points = [{"of": line.label, "x": x, "y": y} for line in lines for x, y in line.points]
    here = [{"x": line.now[0], "y": line.now[1]} for line in lines if line.now]
    lowest = min(lines, key=lambda line: line.points[-1][1])
    above = [line for line in lines if line is not lowest]
    x = alt.X("x:Q", scale=scale, axis=d.x_axis(across.label, **labels))
    points_apart = {"labelExpr": "format(datum.value * 100, '~g')"}
    y = alt.Y(
        "y:Q",
        axis=d.y_axis(_("margin of error (± points)"), **points_apart),
        scale=alt.Scale(zero=True, nice=True),
    )
    layers = [
        d.base(points)
        .mark_line(stroke=d.INK, strokeWidth=2)
        .encode(
            x=x,
            y=y,
            detail=alt.Detail("of:N"),
            strokeDash=alt.StrokeDash("of:N", legend=None, sort=[line.label for line in lines]),
        ),
        d.base(here).mark_circle(fill=d.INK, size=110, opacity=1).encode(x=x, y=y),
        *d.text_with_halo(
            line_labels(above, [2 * place for place in range(len(above))]).encode(
                x=x, y=y, text=alt.Text("label:N")
            ),
            align="left",
            dx=8,
            fontSize=d.SMALL + 1,
        ),
        *d.text_with_halo(
            line_labels([lowest], [len(lowest.points) // 3]).encode(x=x, y=y, text=alt.Text("label:N")),
            align="right",
            dx=-6,
            dy=10,
            fontSize=d.SMALL + 1,
        ),
    ]
    return d.finished(alt.layer(*layers), width, 320, "")


def line_labels(lines: Sequence[ErrorLine], places: Sequence[int]) -> alt.Chart:
    """The labels of these lines, each at one of its points."""
    at = [line.points[min(place, len(line.points) - 1)] for line, place in zip(lines, places, strict=True)]
    return d.base({"label": line.label, "x": x, "y": y} for line, (x, y) in zip(lines, at, strict=True))
