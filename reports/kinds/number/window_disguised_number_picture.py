"""Draws the distribution of a number that was disguised in a window of neighbouring numbers.

A drawing has the observed shares of the disguised answers, the smoothed ("blurred") estimate with its 95 % band, and an
illustration without intervals: the likeliest distribution.
"""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from mining.nodes.number_nodes import NumberDistribution
from privacy.kinds.number.window.section import WindowQuestion
from reports.kinds.number.distribution_cells import DistributionCell, distribution_cells, merge_cells
from reports.kinds.number.shown_number import NumberGroup, ShownNumber
from reports.pictures.picture import Picture, PictureColumn
from reports.pictures.plot import (
    Axis,
    Band,
    Dots,
    Drawing,
    Kind,
    Line,
    Mark,
    Steps,
    percent_decimal_places,
    round_steps,
)
from ui.number_format import format_count, format_percent

MOST_CELLS, MOST_PLOTS = 160, 8
"""Largest numbers of drawn cells and of drawn plots; the table has all."""
DIAMONDS = 12


def distribution_picture(number: ShownNumber) -> Picture | None:
    question, distribution = number.window, number.all_records.distribution
    if question is None or distribution is None:
        return None
    truth = number.node.truth
    shape = list(distribution_cells(question, distribution, truth))
    knows_truth = truth is not None and truth.distribution is not None
    said = _("Diamonds mark the true values (simulated), blurred likewise.")
    return Picture(
        name=f"number-{number.place}",
        title=distribution_title(number.text),
        about=_(
            "Dotted: the observed numbers (disguised). Solid line: the estimated distribution, "
            "blurred; around it its 95 % band, point by point. Broken line: an illustration without intervals, "
            "which spreads a single value with many people over its neighbours."
        )
        + (f" {said}" if knows_truth else ""),
        columns=[
            *number_range_columns(),
            PictureColumn("received", _("Observed (disguised)"), "small-share"),
            *smoothed_share_columns(distribution),
            PictureColumn("illustration", _("Illustration"), "small-share"),
            *(truth_columns() if knows_truth else []),
        ],
        rows=[
            [
                one.first,
                one.last,
                one.received,
                *smoothed_share_values(one, distribution),
                one.illustration,
                one.truth,
                one.truth_blurred,
            ]
            for one in shape
        ],
        drawing=draw_distributions(number, question, [("", shape)]),
    )


def distribution_title(*subjects: str) -> str:
    return " · ".join([_("Distribution"), *subjects])


def class_distributions_picture(group: NumberGroup) -> Picture | None:
    number, question = group.number, group.number.window
    known = [
        (one.words, distribution)
        for one in group.classes
        if (distribution := one.node.distribution) is not None
    ]
    if question is None or not known:
        return None
    shapes = [(words, list(distribution_cells(question, distribution))) for words, distribution in known]
    banded = next(
        (distribution for _words, distribution in known if distribution.low is not None), known[0][1]
    )
    return Picture(
        name=f"number-{number.place}-{group.place}",
        title=distribution_title(number.text, group.text),
        about=_(
            "One plot for each class, all of one scale: the estimated distribution, blurred, with its 95 % band, point "
            "by point. A class of fewer than 1,000 records has no band."
        ),
        columns=[
            PictureColumn("class", group.text, "words"),
            *number_range_columns(),
            *smoothed_share_columns(banded),
        ],
        rows=[
            [words, one.first, one.last, *smoothed_share_values(one, banded)]
            for words, shape in shapes
            for one in shape
        ],
        drawing=draw_distributions(number, question, shapes[:MOST_PLOTS]),
        omitted=sum(len(shape) for _words, shape in shapes[MOST_PLOTS:]),
    )


def number_range_columns() -> list[PictureColumn]:
    return [PictureColumn("from", _("From"), "count"), PictureColumn("to", _("To"), "count")]


def smoothed_share_columns(distribution: NumberDistribution) -> list[PictureColumn]:
    """Returns the table columns of the smoothed share and, if there is one, its 95 % band."""
    columns = [PictureColumn("blurred", _("Blurred"), "small-share")]
    if distribution.low is not None:
        columns.append(PictureColumn("low", _("Band from"), "small-share"))
        columns.append(PictureColumn("high", _("Band to"), "small-share"))
    return columns


def smoothed_share_values(cell: DistributionCell, distribution: NumberDistribution) -> list[float | None]:
    """Returns the smoothed share of a cell and, if the distribution has one, its 95 % band."""
    return [cell.blurred, cell.low, cell.high] if distribution.low is not None else [cell.blurred]


def truth_columns() -> list[PictureColumn]:
    return [
        PictureColumn("truth", _("Truth"), "small-share"),
        PictureColumn("truth_blurred", _("Truth, blurred"), "small-share"),
    ]


# --- the drawing ----------------------------------------------------------------------------------------

Shape = Sequence[DistributionCell]


def draw_distributions(
    number: ShownNumber, question: WindowQuestion, shapes: Sequence[tuple[str, Shape]]
) -> Drawing:
    """Draws one or more distributions on one scale, which fits all records and every class of this number."""
    everything = [
        merge_cells(list(distribution_cells(question, each)), MOST_CELLS)
        for each in all_distributions(number)
    ]
    size = max(cell.size for shape in everything for cell in shape)
    low, high = share_range(everything, size)
    marks = round_steps(low, high, 3)
    half = question.step / 2
    y = Axis(
        _("share of people per %(span)s") % {"span": number.with_unit(size * question.step)},
        marks[0],
        marks[-1],
        [(mark, format_percent(mark, percent_decimal_places(marks))) for mark in marks],
    )
    x = Axis(number.unit, question.low - half, question.high + half, number_ticks(question))
    drawn = [
        (label, list(distribution_marks(merge_cells(shape, MOST_CELLS), size, half)))
        for label, shape in shapes
    ]
    kinds = {type(mark) for mark in drawn[0][1]}
    words: dict[Kind, str] = (
        {"line": _("blurred")} if Band not in kinds else {"band": _("blurred, with its 95 % band")}
    )
    if Steps in kinds:
        words = {"observed": _("observed"), **words, "illustration": _("illustration")}
    if Dots in kinds:
        words["truth"] = _("truth, blurred")
    return Drawing(x, y, drawn, list(words.items()))


def all_distributions(number: ShownNumber) -> Iterator[NumberDistribution]:
    for estimates in (number.all_records, *(node for group in number.groups for node in group.node.classes)):
        if estimates.distribution is not None:
            yield estimates.distribution


def share_range(shapes: Sequence[Shape], size: int) -> tuple[float, float]:
    """Returns the lowest and the highest share of the y axis: at most 0, and at most 1.

    The illustration is not counted; it is cut off above the highest share.
    """
    values = [
        value * size / cell.size
        for shape in shapes
        for cell in shape
        for value in (cell.blurred, cell.low, cell.high, cell.received)
        if value is not None
    ]
    return min(0.0, *values), min(max(values), 1.0)


def number_ticks(question: WindowQuestion) -> list[tuple[float, str]]:
    inside = [at for at in round_steps(question.low, question.high, 5) if question.low <= at <= question.high]
    return [(at, format_count(round(at))) for at in inside if at == round(at)]


def distribution_marks(shape: Shape, size: int, half: float) -> Iterator[Mark]:
    """Yields the marks of a distribution from back to front: observed shares, band, line, illustration, truth."""
    middles = [((cell.first + cell.last) / 2, cell, size / cell.size) for cell in shape]
    if shape[0].received is not None:
        yield Steps(
            [(cell.first - half, cell.last + half, (cell.received or 0.0) * n) for _at, cell, n in middles]
        )
    band = [
        (at, cell.low * scaled, cell.high * scaled)
        for at, cell, scaled in middles
        if cell.low is not None and cell.high is not None
    ]
    if band:
        yield Band(band)
    yield Line("line", [(at, cell.blurred * scaled) for at, cell, scaled in middles])
    illustrated = [(at, cell.illustration * n) for at, cell, n in middles if cell.illustration is not None]
    if illustrated:
        yield Line("illustration", illustrated)
    known = [(at, cell.truth_blurred * n) for at, cell, n in middles if cell.truth_blurred is not None]
    if known:
        yield Dots(known[len(known) // (2 * DIAMONDS) :: max(1, len(known) // DIAMONDS)], is_truth=True)
