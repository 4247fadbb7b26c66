"""What the pictures of numbers are drawn from."""

from dataclasses import replace

import pytest

from mining.report.number_nodes import NumberDistribution, NumberNode, NumberTruth
from privacy.designs import Design
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.number.window.section import WindowQuestion
from reports.answer_labels import Labels
from reports.kinds.number import window_picture as distribution
from reports.kinds.number.distribution_bars import DistributionCell, distribution_cells, merge_cells
from reports.kinds.number.shown_number import ShownNumber
from reports.pictures.picture import Picture
from reports.pictures.plot import Axis, Band, Dots, Drawing, Line, Mark, Steps, decimal_places, round_steps
from tests.reports import made_nodes

pytestmark = pytest.mark.page
DEBT, OVERTIME, INCOME = range(3)


def shown(place: int, finding: NumberNode | None = None, design: Design | None = None) -> ShownNumber:
    design = design or made_nodes.numbers_design()
    finding = finding or made_nodes.numbers()[place]
    question = next(one for one in design.questions if one.name == finding.question)
    assert isinstance(question, NumberQuestion)
    return ShownNumber(place + 1, question, Labels(design.mined), finding)


def made(picture: Picture | None) -> Picture:
    assert picture is not None
    return picture


def marks(picture: Picture, plot: int = 0) -> list[Mark]:
    return list(picture.drawing.plots[plot][1])


def line(picture: Picture, kind: str) -> Line:
    return next(mark for mark in marks(picture) if isinstance(mark, Line) and mark.kind == kind)


# --- axes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "most", "values"),
    [
        (0.0, 1.0, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 0.043, 5, [0.0, 0.01, 0.02, 0.03, 0.04, 0.05]),
        (-0.1, 1.0, 2, [-1.0, 0.0, 1.0]),
        (-0.01, 0.09, 2, [-0.05, 0.0, 0.05, 0.1]),
        (0.0, 0.0008, 2, [0.0, 0.0005, 0.001]),
    ],
)
def test_an_axis_begins_and_ends_at_round_values(
    low: float, high: float, most: int, values: list[float]
) -> None:
    assert round_steps(low, high, most) == pytest.approx(values)


def test_the_values_of_an_axis_have_as_many_places_as_they_differ_in() -> None:
    assert [decimal_places(values) for values in ([0.0, 0.2], [0.0, 0.01], [0.0, 0.0005], [0.0])] == [
        0,
        0,
        2,
        0,
    ]


def test_a_position_is_a_percentage_of_the_axis_and_what_is_outside_lies_at_its_end() -> None:
    share = Axis("", 0.0, 0.5, [])
    assert [share.percent(value) for value in (0.0, 0.125, 0.5, 0.9, -1.0)] == [0, 25, 100, 100, 0]
    people = Axis("", 10, 1_000, [], logarithmic=True)
    assert [people.percent(value) for value in (10, 100, 1_000)] == [0, 50, 100]


def test_the_labels_of_an_axis_are_at_equal_distances_from_its_top_to_its_end() -> None:
    y = Axis("", 0.0, 0.2, [(0.0, "0 %"), (0.1, "10 %"), (0.2, "20 %")])
    drawing = Drawing(Axis("", 0, 1, []), y, [("a", []), ("b", [])])
    assert drawing.y_labels == ["20 %", "10 %", "0 %"]
    assert [drawing.y_pixels(value) for value, _label in y.ticks] == [88, 44, 0]


# --- the distribution -----------------------------------------------------------------------------------


def window(values: int, width: int) -> tuple[WindowQuestion, NumberDistribution]:
    """Every number is equally likely."""
    question = WindowQuestion("q", lowest=10, step=5, values=values, half=1)
    sizes = [min(width, values - start) / values for start in range(0, values, width)]
    even = tuple(sizes)
    return question, NumberDistribution(width, even, even, even, 3, even, even)


def test_a_distribution_is_drawn_as_its_table_lists_it() -> None:
    # A cell says its numbers and the last may have fewer.
    found = list(distribution_cells(*window(10, 4)))
    assert [(one.first, one.last, one.size) for one in found] == [(10, 25, 4), (30, 45, 4), (50, 55, 2)]
    assert sum(one.blurred for one in found) == pytest.approx(1)
    # Cells are joined until there are few enough.
    found = merge_cells(list(distribution_cells(*window(10, 1))), 4)
    assert [(one.first, one.last, one.size) for one in found] == [
        (10, 20, 3),
        (25, 35, 3),
        (40, 50, 3),
        (55, 55, 1),
    ]
    assert [one.received for one in found] == pytest.approx([0.3, 0.3, 0.3, 0.1])
    assert [one.truth for one in found] == [None] * 4
    # A last cell with fewer numbers is drawn as high as equally likely ones.
    question, of = window(10, 4)
    (blurred,) = (
        mark
        for mark in distribution.distribution_marks(list(distribution_cells(question, of)), 4, 2.5)
        if isinstance(mark, Line) and mark.kind == "line"
    )
    assert {y for _x, y in blurred.points} == {0.4}
    # The illustration is cut off where it would flatten all else.
    tall = [DistributionCell(0, 0, 1, 0.1, 0.05, 0.15, 0.2, share, None, None) for share in (0.1, 0.9)]
    assert distribution.share_range([tall], 1) == (0, 0.2)
    # Noise below zero lies inside the plot.
    one = DistributionCell(0, 0, 1, 0.1, -0.05, 0.15, 0.2, 0.1, None, None)
    assert distribution.share_range([[one]], 1)[0] == -0.05


def test_without_a_band_no_band_is_drawn_or_listed() -> None:
    found = made_nodes.numbers()[INCOME]
    bare = replace(made_nodes.shape(), low=None, high=None)
    picture = made(
        distribution.distribution_picture(
            shown(INCOME, replace(found, all_records=replace(found.all_records, distribution=bare)))
        )
    )
    assert [column.name for column in picture.columns] == [
        "from",
        "to",
        "received",
        "blurred",
        "illustration",
    ]
    assert not any(isinstance(mark, Band) for mark in marks(picture))
    assert "95 %" not in str(picture.drawing.key)


def test_every_cell_that_is_drawn_is_one_of_the_table() -> None:
    picture = made(distribution.distribution_picture(shown(INCOME)))
    assert len(picture.rows) == len(line(picture, "line").points) == 101
    (steps,) = (mark for mark in marks(picture) if isinstance(mark, Steps))
    assert [share for _first, _last, share in steps.steps] == [row[2] for row in picture.rows]
    # The truth of a distribution is listed as it is and blurred and drawn blurred.
    even = (1 / 101,) * 101
    truth = NumberTruth(None, (1.0,) + (0.0,) * 100, even)
    picture = made(
        distribution.distribution_picture(shown(INCOME, replace(made_nodes.numbers()[INCOME], truth=truth)))
    )
    assert [column.name for column in picture.columns][-2:] == ["truth", "truth_blurred"]
    assert picture.rows[0][-2:] == [1.0, 1 / 101]
    (diamonds,) = (mark for mark in marks(picture) if isinstance(mark, Dots))
    assert diamonds.is_truth
    assert distribution.DIAMONDS <= len(diamonds.points) <= 2 * distribution.DIAMONDS
    assert "Diamonds" in picture.about
    # Every class with a distribution has a panel of one scale.
    picture = made(distribution.class_distributions_picture(shown(INCOME).groups[0]))
    assert [label for label, _marks in picture.drawing.plots] == ["18-39", "40-59"]
    assert len(picture.rows) == 202
    assert {row[0] for row in picture.rows} == {"18-39", "40-59"}


def test_all_pictures_of_a_number_have_one_scale() -> None:
    number = shown(INCOME)
    pictures = [
        distribution.distribution_picture(number),
        *map(distribution.class_distributions_picture, number.groups),
    ]
    assert len(pictures) > 1
    assert (
        len(
            {(made(picture).drawing.x.ticks[0], tuple(made(picture).drawing.y.ticks)) for picture in pictures}
        )
        == 1
    )
