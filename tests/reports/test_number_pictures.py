"""What the pictures of numbers are drawn from."""

from dataclasses import replace
from typing import Any

import altair as alt
import pytest

from mining.document.numbers import NumberDistribution, NumberNode, NumberTruth
from privacy.designs import Design
from privacy.kinds.number.number import NumberQuestion
from privacy.kinds.number.window.section import WindowQuestion
from reports.kinds.number import window_picture as distribution
from reports.kinds.number.cells import DistributionCell, cells, joined
from reports.kinds.number.shown import ShownNumber
from reports.labels import Labels
from reports.pictures.panels import Panels, places, ticks
from reports.pictures.picture import Picture
from tests.reports import made_numbers

pytestmark = pytest.mark.page
DEBT, OVERTIME, INCOME = range(3)


def shown(place: int, finding: NumberNode | None = None, design: Design | None = None) -> ShownNumber:
    design = design or made_numbers.design()
    finding = finding or made_numbers.numbers()[place]
    question = next(one for one in design.questions if one.name == finding.question)
    assert isinstance(question, NumberQuestion)
    return ShownNumber(place + 1, question, Labels(design.mined), finding)


def made(picture: Picture | None) -> Picture:
    assert picture is not None
    return picture


def data(picture: Picture, width: int = 900) -> list[list[dict[str, Any]]]:
    """The rows of each layer."""
    drawn = picture.draw(width)
    sets = drawn.get("datasets", {})
    found = []
    for layer in drawn["layer"]:
        own = layer.get("data") or drawn["data"]
        found.append(sets[own["name"]] if "name" in own else own["values"])
    return found


# --- panels ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "most", "marks"),
    [
        (0.0, 1.0, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 1.02, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 0.043, 5, [0.0, 0.01, 0.02, 0.03, 0.04]),
        (-0.1, 1.0, 2, [0.0, 1.0]),
        (0.0, 0.0008, 2, [0.0, 0.0005]),
    ],
)
def test_an_axis_has_round_values(low: float, high: float, most: int, marks: list[float]) -> None:
    assert ticks(low, high, most) == pytest.approx(marks)


def test_the_values_of_an_axis_have_as_many_places_as_they_differ_in() -> None:
    assert [places(marks) for marks in ([0.0, 0.2], [0.0, 0.01], [0.0, 0.0005], [0.0])] == [0, 0, 2, 0]


def test_panels_follow_each_other_and_all_have_one_scale() -> None:
    of_two = Panels(["a", "b"], 0.0, 0.5)
    assert of_two.y(0, 0.5) < of_two.y(0, 0.0) < of_two.y(1, 0.5) < of_two.y(1, 0.0)
    assert of_two.y(1, 0.0) == of_two.height
    heights = [of_two.y(panel, 0.0) - of_two.y(panel, 0.25) for panel in (0, 1)]
    assert heights[0] == pytest.approx(heights[1])
    assert Panels([""], 0.0, 1.0).y(0, 1.0) == 0


# --- the distribution -----------------------------------------------------------------------------------


def test_each_is_a_valid_vega_lite_specification_of_the_width_there_is() -> None:
    even = (1 / 101,) * 101
    truth = NumberTruth(None, (1.0,) + (0.0,) * 100, even)
    income = shown(INCOME, replace(made_numbers.numbers()[INCOME], truth=truth))
    for picture in (
        distribution.picture(income),
        distribution.by_group(income.groups[0]),
    ):
        specification = made(picture).draw(358)
        alt.Chart.from_dict(specification)
        assert specification["width"] == 358


def window(values: int, width: int) -> tuple[WindowQuestion, NumberDistribution]:
    """Every number is equally likely."""
    question = WindowQuestion("q", lowest=10, step=5, values=values, half=1)
    sizes = [min(width, values - start) / values for start in range(0, values, width)]
    even = tuple(sizes)
    return question, NumberDistribution(width, even, even, even, 3, even, even)


def test_a_cell_says_its_numbers_and_the_last_may_have_fewer() -> None:
    found = list(cells(*window(10, 4)))
    assert [(one.first, one.last, one.size) for one in found] == [(10, 25, 4), (30, 45, 4), (50, 55, 2)]
    assert sum(one.blurred for one in found) == pytest.approx(1)


def test_cells_are_joined_until_there_are_few_enough() -> None:
    found = joined(list(cells(*window(10, 1))), 4)
    assert [(one.first, one.last, one.size) for one in found] == [
        (10, 20, 3),
        (25, 35, 3),
        (40, 50, 3),
        (55, 55, 1),
    ]
    assert [one.received for one in found] == pytest.approx([0.3, 0.3, 0.3, 0.1])
    assert [one.truth for one in found] == [None] * 4


def test_a_last_cell_with_fewer_numbers_is_drawn_as_high_as_equally_likely_ones() -> None:
    question, of = window(10, 4)
    panels = Panels([""], 0.0, 1.0)
    ys = {one["y"] for one in distribution.lines(panels, [("", list(cells(question, of)))], 4)}
    assert ys == {panels.y(0, 0.4)}


def test_the_illustration_is_cut_off_where_it_would_flatten_all_else() -> None:
    tall = [DistributionCell(0, 0, 1, 0.1, 0.05, 0.15, 0.2, share, None, None) for share in (0.1, 0.9)]
    low, high = distribution.extent([("", tall)], 1)
    assert low == 0
    assert high == pytest.approx(1.04 * 0.4)
    *_rest, last = distribution.lines(Panels([""], low, high), [("", tall)], 1)
    assert last["illustration"] == 0


def test_noise_below_zero_lies_inside_the_plot() -> None:
    one = DistributionCell(0, 0, 1, 0.1, -0.05, 0.15, 0.2, 0.1, None, None)
    assert distribution.extent([("", [one])], 1)[0] == -0.05


def test_without_a_band_no_band_is_drawn_or_listed() -> None:
    found = made_numbers.numbers()[INCOME]
    bare = replace(made_numbers.shape(), low=None, high=None)
    picture = made(
        distribution.picture(
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
    assert "band" not in str(picture.draw(900)["layer"])


def test_a_narrow_page_gets_fewer_cells() -> None:
    picture = made(distribution.picture(shown(INCOME)))
    assert len(picture.rows) == 101
    wide, narrow = (max(map(len, data(picture, width))) for width in (900, 300))
    assert (wide, narrow) == (102, 52)


def test_the_truth_of_a_distribution_is_listed_as_it_is_and_blurred_and_drawn_blurred() -> None:
    even = (1 / 101,) * 101
    truth = NumberTruth(None, (1.0,) + (0.0,) * 100, even)
    picture = made(distribution.picture(shown(INCOME, replace(made_numbers.numbers()[INCOME], truth=truth))))
    assert [column.name for column in picture.columns][-2:] == ["truth", "truth_blurred"]
    assert picture.rows[0][-2:] == [1.0, 1 / 101]
    diamonds = [
        layer
        for layer in data(picture)
        if layer and "truth" in layer[0] and len(layer) <= 2 * distribution.DIAMONDS
    ]
    assert len(diamonds) == 2
    assert "Diamonds" in picture.about


def test_every_class_with_a_distribution_has_a_panel_of_one_scale() -> None:
    picture = made(distribution.by_group(shown(INCOME).groups[0]))
    assert [one["label"] for one in data(picture)[0]] == ["18-39", "40-59"]
    assert len(picture.rows) == 202
    assert {row[0] for row in picture.rows} == {"18-39", "40-59"}
