"""Figures as SVG."""

import re
from dataclasses import replace
from math import nan
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.template.loader import render_to_string

from papers.svg_figures import STYLES, VARIABLES, Curve, Figure

pytestmark = pytest.mark.page
ONE = Curve("a", [1, 2, 3], [0.5, 1.5, 2.5], [1.5, 2.5, 3.5])
DIGIT = 0.1
"""Lengths in figures have one decimal."""
COLOURS = [VARIABLES[colour] for colour, _dashes, _shape in STYLES]


def figure(*curves: Curve, title: str = "title", **options: Any) -> Figure:
    return Figure(title, "x", "y", [0, 1, 2], curves, **options)


def draw_figure(*curves: Curve, **options: Any) -> ET.Element:
    return ET.fromstring(figure(*curves, **options).svg)


def lines(root: ET.Element, colour: str = COLOURS[0]) -> list[list[tuple[float, float]]]:
    """The points of each line of this colour."""
    paths = [of.attrib["d"] for of in root.findall("path") if of.get("stroke") == colour]
    numbers = [iter(map(float, part.split())) for path in paths for part in path.split("M")[1:]]
    return [list(zip(of, of, strict=True)) for of in numbers]


def marks(root: ET.Element, colour: str = COLOURS[0]) -> list[tuple[float, float]]:
    """Where the points of a curve stand."""
    found = [of for of in root.iter("use") if of.get("fill") == colour]
    return [(float(of.attrib["x"]), float(of.attrib["y"])) for of in found]


def figure_html(shown: Figure) -> str:
    """What stands around the picture."""
    return render_to_string("papers/figure.html", {"figure": shown})


def words(root: ET.Element) -> list[str]:
    return ["".join(of.itertext()) for of in root.iter("text")]


def test_the_same_numbers_give_the_same_bytes_without_a_date() -> None:
    first = figure(ONE).svg
    assert figure(ONE).svg == first
    assert first.startswith("<svg ")
    assert "metadata" not in first
    # Two figures of a page share no id.
    figures = (draw_figure(ONE, title=title).iter() for title in "ab")
    one, other = ({of.attrib["id"] for of in figure if "id" in of.attrib} for figure in figures)
    assert one
    assert not one & other


def test_a_curve_is_broken_where_it_has_no_value() -> None:
    values = [nan, 1, 2]
    broken = figure(Curve("a", values, values, values), title="<b> & c", band=True)
    assert "<b>&lt;b&gt; &amp; c</b>" in figure_html(broken)
    assert "nan" not in broken.svg


def test_points_are_marked_and_joined_where_there_is_no_theory() -> None:
    root = draw_figure(ONE)
    assert len(marks(root)) == 3
    assert max(map(len, lines(root))) == 3
    theory = [(place / 4, 1.0 + place % 2) for place in range(9)]
    assert max(map(len, lines(draw_figure(replace(ONE, theory=theory))))) == 9
    assert sum(len({x for x, _y in line}) == 1 for line in lines(root)) == 3


def test_four_curves_differ_in_colour_and_dashes_and_are_named() -> None:
    four = figure(*(replace(ONE, name=name) for name in "abcd"))
    assert re.findall(r"</svg>(\w+)</li>", figure_html(four)) == ["a", "b", "c", "d"]
    assert all(lines(ET.fromstring(four.svg), colour) for colour in COLOURS)
    assert len({str(dashes) for _colour, dashes, _shape in STYLES}) == len(COLOURS)
    # Points of several curves stand side by side, or above each other; a hundred pixels are 72 points.
    for apart in (0, 4):
        root = draw_figure(ONE, replace(ONE, name="b"), replace(ONE, name="c"), apart=apart)
        left, right = (marks(root, COLOURS[place])[0][0] for place in (0, 2))
        assert right - left == pytest.approx(2 * apart * 0.72, abs=DIGIT)


def test_an_axis_can_be_longer_than_what_is_drawn_on_it() -> None:
    alone, within = ([x for x, _y in marks(draw_figure(ONE, span=span))[:3]] for span in (None, (-2, 4)))
    assert within[2] - within[0] == pytest.approx((alone[2] - alone[0]) / 3, abs=DIGIT)
    # Where everything is 0 there still is an axis.
    assert "1" in words(draw_figure(Curve("a", [0, 0, 0], [0, 0, 0], [0, 0, 0])))


def test_a_logarithmic_axis_goes_from_one_power_of_ten_to_another() -> None:
    curve = Curve("a", [5, 50, 500], [5, 50, 500], [5, 50, 500])
    root = ET.fromstring(Figure("title", "x", "y", [0, 1, 2], [curve], logarithmic=True).svg)
    assert [word for word in words(root) if word.startswith("10")] == ["10⁰", "10¹", "10²", "10³"]
    heights = [y for _x, y in marks(root)[:3]]
    # A factor of ten is the same distance everywhere.
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=DIGIT)


def test_a_strict_policy_of_the_page_takes_a_figure_as_it_is() -> None:
    """No style of its own, in an attribute or an element, and no colour but the page's variables and the ink."""
    for band in (False, True):
        picture = figure(ONE, replace(ONE, name="b"), band=band).svg
        assert "style" not in picture
        assert not re.search(r"#[0-9a-f]{6}", picture)
        assert "currentColor" in picture
    assert "<b>标题</b>" in figure_html(figure(ONE, title="标题"))
