"""Plots the expected error of this survey by the keep probability, and by the number of respondents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from mining.nodes.report_nodes import About, Estimate
from privacy.designs import Design
from privacy.designs.labels import number_sections
from privacy.guarantee.expected_error import SectionParameters, SupposedSupports, error_curve
from privacy.kinds.grouped.law import SectionLaw
from reports.pictures.picture import Picture, PictureColumn
from reports.pictures.plot import LINES, Axis, Dots, Drawing, Line, percent_decimal_places, round_steps
from ui.number_format import format_count, format_percent

SIZES = (1, 2, 3)
KEEPS = [step / 50 for step in range(2, 50)]
RESPONDENTS = [200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 20_000, 50_000, 100_000]
LABELLED = (200, 1000, 5000, 20_000, 100_000)
WIDEST = 0.5
"""Largest half-width that is drawn; a larger one means that nothing is known."""


@dataclass(frozen=True)
class ErrorLine:
    """A line of the plot: its points, and `now`, the point of this survey."""

    label: str
    points: tuple[tuple[float, float], ...]
    now: tuple[float, float] | None
    """The point of this survey."""


def supposed_supports(shares: Sequence[Estimate], about: About) -> SupposedSupports:
    """Returns supports for the error formula: the mean share of the sensitive answers, as if they were independent."""
    known = [share.support for share in shares if share.support is not None]
    mean = min(max(sum(known) / len(known), 0.0), 1.0) if known else 0.1
    return SupposedSupports(tuple(mean**size for size in SIZES), about.k)


def error_by_keep_picture(design: Design, shares: Sequence[Estimate], about: About) -> Picture | None:
    """Plots the margin of error over the probability of sending true answers, with as many respondents as now."""
    laws = [
        (number, law) for number, section in number_sections(design.sections) if (law := section.itemset_law)
    ]
    if not laws:
        return None
    guess = supposed_supports(shares, about)
    lines = [
        line
        for number, law in laws
        for line in error_lines_by_keep(law, number if len(laws) > 1 else 0, guess, about.records)
    ]
    return expected_error_picture(
        "error-keep",
        _("Margin of error by probability of sending the true answers (p)"),
        _(
            "The margin of error (95 %) with as many respondents as now, for other probabilities "
            "of sending the true answers (p). The dot marks the one in use. A higher p gives "
            "smaller errors and less protection."
        )
        + unused_estimator_note(about),
        PictureColumn("keep", _("Probability of sending the true answers (p)"), "share"),
        merge_equal_lines(lines),
        Axis(
            _("Probability of sending the true answers (p)"),
            0.0,
            1.0,
            [(fifth / 5, format_percent(fifth / 5, 0)) for fifth in range(6)],
        ),
    )


def merge_equal_lines(lines: Sequence[ErrorLine]) -> list[ErrorLine]:
    """Merges sections with equal errors into one line that names them all."""
    distinct: dict[tuple[object, ...], ErrorLine] = {}
    for line in lines:
        same = distinct.get((line.points, line.now))
        label = f"{same.label}, {line.label}" if same else line.label
        distinct[line.points, line.now] = replace(line, label=label)
    return list(distinct.values())


def error_lines_by_keep(
    law: SectionLaw, number: int, guess: SupposedSupports, respondents: int
) -> list[ErrorLine]:
    part = SectionParameters.from_law(law)
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
            label = _("section %(number)s") % {"number": number} if number else answers_label(size)
            lines.append(ErrorLine(label, tuple(at), (part.keep, now) if now else None))
    return lines


def half_width(part: SectionParameters, size: int, guess: SupposedSupports, respondents: int) -> float | None:
    """Returns half the width of the 95 % interval; None if it is unknown or wider than `WIDEST`."""
    curve = error_curve([part], size, guess) if size <= part.asked else None
    width = curve.error_for(respondents).half_width if curve and respondents else None
    return width if width is not None and width <= WIDEST else None


def answers_label(size: int) -> str:
    return ngettext("%(count)s answer", "%(count)s answers together", size) % {"count": size}


def error_by_respondents_picture(design: Design, shares: Sequence[Estimate], about: About) -> Picture | None:
    """Plots the margin of error over the number of respondents, for one to three answers together."""
    parts = [SectionParameters.from_law(law) for section in design.sections if (law := section.itemset_law)]
    if not parts or not about.records:
        return None
    guess = supposed_supports(shares, about)
    lines = []
    for size in SIZES:
        curve = error_curve(parts, size, guess)
        if curve is None:
            continue
        errors = [(float(n), curve.error_for(n)) for n in RESPONDENTS]
        at = [
            (n, error.half_width)
            for n, error in errors
            if error.half_width <= WIDEST and error.has_enough_people
        ]
        now = curve.error_for(about.records)
        if at:
            here = (float(about.records), now.half_width) if now.half_width <= WIDEST else None
            lines.append(ErrorLine(answers_label(size), tuple(at), here))
    return expected_error_picture(
        "error-respondents",
        _("Error against the number of respondents"),
        _(
            "The margin of error (95 %) by the number of respondents, for one, two and three "
            "sensitive answers together. The dot marks this survey."
        )
        + unused_estimator_note(about),
        PictureColumn("respondents", _("Respondents"), "count"),
        lines,
        Axis(
            _("Respondents"),
            RESPONDENTS[0],
            RESPONDENTS[-1],
            [(n, format_count(n)) for n in LABELLED],
            logarithmic=True,
        ),
    )


def unused_estimator_note(about: About) -> str:
    if about.estimator == "stratified":
        return ""
    return " " + _("These are errors of the stratified estimator, which this run did not use.")


def expected_error_picture(
    name: str,
    title: str,
    about: str,
    across: PictureColumn,
    lines: Sequence[ErrorLine],
    x: Axis,
) -> Picture | None:
    if not lines:
        return None
    marks = round_steps(0.0, max(y for line in lines for _x, y in line.points), 5)
    y = Axis(
        _("margin of error (± points)"), 0.0, marks[-1], [(mark, points_text(mark, marks)) for mark in marks]
    )
    kinds = [LINES[index % len(LINES)] for index in range(len(lines))]
    drawn = [Line(kind, line.points) for kind, line in zip(kinds, lines, strict=True)]
    here = Dots([line.now for line in lines if line.now])
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
        drawing=Drawing(
            x,
            y,
            [("", [*drawn, here])],
            [(kind, line.label) for kind, line in zip(kinds, lines, strict=True)],
        ),
    )


def points_text(share: float, marks: Sequence[float]) -> str:
    return number_format(share * 100, percent_decimal_places(marks))
