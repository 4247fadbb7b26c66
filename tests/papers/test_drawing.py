"""Figures as SVG."""

from dataclasses import replace
from math import nan
from xml.etree import ElementTree as ET

import pytest

from papers.drawing import LEFT, RIGHT, WIDTH, Curve, Figure, finite_runs, svg, ticks

SVG = "{http://www.w3.org/2000/svg}"
ONE = Curve("a", [1, 2, 3], [0.5, 1.5, 2.5], [1.5, 2.5, 3.5])


def drawn(
    *curves: Curve, title: str = "title", span: tuple[float, float] | None = None, band: bool = False
) -> ET.Element:
    return ET.fromstring(svg(Figure(title, "x", "y", [0, 1, 2], curves, span=span, band=band)))


def paths(root: ET.Element, colour: str = "#a8481e") -> list[str]:
    return [of.attrib["d"] for of in root.iter(f"{SVG}path") if of.attrib.get("stroke") == colour]


def test_a_curve_is_broken_where_it_has_no_value() -> None:
    assert finite_runs([nan, 1, 2, nan, 3]) == [[1, 2], [4]]
    root = drawn(Curve("a", [nan, 1, 2], [nan, 1, 2], [nan, 1, 2]), title="<b> & c", band=True)
    assert root.findtext(f"{SVG}title") == "<b> & c"
    assert "nan" not in ET.tostring(root, "unicode")


def test_points_have_whiskers_and_are_joined_where_there_is_no_theory() -> None:
    root = drawn(ONE)
    joined, *whiskers = paths(root)[:4]
    assert joined.count("L") == 2
    assert all("V" in whisker for whisker in whiskers)
    # One more in the legend.
    assert len(list(root.iter(f"{SVG}circle"))) == 4


def test_theory_is_the_line_where_there_is_one() -> None:
    theory = [(place / 4, 1.0) for place in range(9)]
    line = paths(drawn(replace(ONE, theory=theory)))[0]
    heights = {point.split()[1] for point in line.removeprefix("M").split("L")}
    assert line.count("L") == 8
    assert len(heights) == 1


def test_points_of_several_curves_stand_side_by_side() -> None:
    root = drawn(ONE, replace(ONE, name="b"), replace(ONE, name="c"))
    (left, *_), (middle, *_) = (
        [path for path in paths(root, colour) if "V" in path] for colour in ("#a8481e", "#1b2431")
    )
    assert float(middle.split()[0][1:]) - float(left.split()[0][1:]) == pytest.approx(4)


def test_four_curves_differ_in_colour_dashes_and_shape() -> None:
    root = drawn(*(replace(ONE, name=name) for name in "abcd"))
    assert {"a", "b", "c", "d"} <= {of.text for of in root.iter(f"{SVG}text")}
    lines = {
        (of.attrib["stroke"], of.attrib["stroke-dasharray"])
        for of in root.iter(f"{SVG}path")
        if "stroke-dasharray" in of.attrib
    }
    assert len({colour for colour, _ in lines}) == len({dashes for _, dashes in lines}) == 4


def test_an_axis_can_be_longer_than_what_is_drawn_on_it() -> None:
    x = [float(of.attrib["cx"]) for of in drawn(ONE, span=(-2, 4)).iter(f"{SVG}circle")][:3]
    wide = WIDTH - LEFT - RIGHT
    assert x == pytest.approx([LEFT + wide / 3, LEFT + wide / 2, LEFT + wide * 2 / 3], abs=0.1)


def test_where_everything_is_0_there_still_is_an_axis() -> None:
    root = drawn(Curve("a", [0, 0, 0], [0, 0, 0], [0, 0, 0]))
    assert "1" in {of.text for of in root.iter(f"{SVG}text")}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-0.5, 0.5, [-0.4, -0.2, 0, 0.2, 0.4]),
        (0, 0.023, [0, 0.005, 0.01, 0.015, 0.02]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


def test_a_logarithmic_axis_goes_from_one_power_of_ten_to_another() -> None:
    curve = Curve("a", [5, 50, 500], [5, 50, 500], [5, 50, 500])
    root = ET.fromstring(svg(Figure("title", "x", "y", [0, 1, 2], [curve], logarithmic=True)))
    words = [of.text for of in root.iter(f"{SVG}text")]
    assert [word for word in words if word in {"10⁻¹", "10⁰", "10¹", "10²", "10³", "10⁴"}] == [
        "10⁰",
        "10¹",
        "10²",
        "10³",
    ]
    heights = [float(of.attrib["cy"]) for of in root.iter(f"{SVG}circle")][:3]
    # A factor of ten is the same distance everywhere, a third of the axis.
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.11)


def test_points_of_several_curves_can_stand_above_each_other() -> None:
    figure = Figure("title", "x", "y", [0, 1, 2], [ONE, replace(ONE, name="b")], apart=0)
    root = ET.fromstring(svg(figure))
    (left, *_), (right, *_) = (
        [path for path in paths(root, colour) if "V" in path] for colour in ("#a8481e", "#1b2431")
    )
    assert left.split()[0] == right.split()[0]
