"""The pictures of rules: support against confidence, the forest plot of lift and the grouped matrix."""

from itertools import pairwise
from typing import Any

import altair as alt
import pytest

from mining.document.report import Rule
from reports.pictures import drawing, forest, matrix, rules
from reports.pictures.labels import text_width, wrapped
from reports.pictures.numbers_beside import Corner, corners
from reports.pictures.picture import Picture
from tests.reports.test_pictures import ABOUT, CASH, LABELS, LATE, RULES, THEFT, drawn, rule, url

pytestmark = pytest.mark.page


def against(*found: Rule) -> Picture:
    picture = rules.picture(found, 0, ABOUT, LABELS, url)
    assert picture
    return picture


def points(picture: Picture, width: int = 700) -> list[dict[str, Any]]:
    return [row for row in drawn(picture, width) if "href" in row]


# --- support against confidence ---------------------------------------------------------------------------


def test_each_point_names_its_rule_and_leads_to_it() -> None:
    (row,) = points(
        against(rule(7, (THEFT,), (LATE,), confidence_low_listed=0.5, confidence_high_listed=0.7))
    )
    assert row["href"] == "/rules/7"
    assert row["says"] == (
        "Rule 7: Have you taken something home? Yes → Do you come late: Yes; "
        "support 20.0 %, confidence 60.0 %, from 50.0 % to 70.0 %"
    )


def test_no_whisker_is_drawn() -> None:
    intervals = {
        "support_low": 0.1,
        "support_high": 0.3,
        "confidence_low_listed": 0.5,
        "confidence_high_listed": 0.7,
    }
    specification = against(rule(1, (THEFT,), (LATE,), **intervals)).draw(700)
    marks = [layer["mark"] for layer in specification["layer"]]
    assert all(mark["strokeDash"] for mark in marks if mark["type"] == "rule")
    assert len([mark for mark in marks if mark["type"] == "point"]) == 1


def test_at_most_forty_rules_are_points() -> None:
    assert rules.MOST == 40


@pytest.mark.parametrize(
    ("more", "at"),
    [
        ({"confidence": 2.8, "confidence_low_listed": 0.4, "confidence_high_listed": 1.0}, (0.2, 1.0)),
        ({"confidence": -0.9, "confidence_low_listed": 0.0, "confidence_high_listed": 0.3}, (0.2, 0.0)),
        ({"confidence": 2.8}, (0.2, 1.0)),
        ({"support": 1.4, "support_low_listed": 0.2, "support_high_listed": 0.9}, (0.9, 0.6)),
        ({"support": -0.1, "support_low_listed": 0.05, "support_high_listed": 0.3}, (0.05, 0.6)),
        ({}, (0.2, 0.6)),
    ],
)
def test_an_impossible_estimate_is_drawn_at_the_end_of_its_interval(
    more: dict[str, float], at: tuple[float, float]
) -> None:
    picture = against(RULES[0], rule(7, (THEFT,), (LATE,), **more))
    row = points(picture)[1]
    assert (row["support"], row["confidence"]) == at
    assert ("impossible is drawn at the end of its interval" in picture.about) == bool(more)
    assert all(
        value not in picture.rows[1] for name, value in more.items() if name in ("confidence", "support")
    )


def test_an_axis_ends_at_all_of_them_whatever_noise_says() -> None:
    noise = rule(7, (THEFT,), (LATE,), confidence=43.0, confidence_high_listed=90.0, support=1.4)
    specification = against(RULES[0], noise).draw(700)
    alt.Chart.from_dict(specification)
    for layer in specification["layer"]:
        for of in ("x", "y"):
            domain = layer["encoding"].get(of, {}).get("scale", {}).get("domain", [1])
            assert domain[-1] <= 1


def test_supports_that_differ_many_times_have_a_logarithmic_axis() -> None:
    def scale(*supports: float) -> dict[str, Any]:
        found = [rule(n, (THEFT,), (LATE,), support=support) for n, support in enumerate(supports, 1)]
        picture = against(*found)
        first: dict[str, Any] = picture.draw(700)["layer"][0]["encoding"]["x"]
        assert ("logarithmic" in picture.about) == (first["scale"].get("type") == "log")
        return first

    far = scale(0.12, 0.6)
    assert far["scale"]["type"] == "log"
    # The minimum of the run, .1, is on the axis too.
    assert far["scale"]["domain"] == pytest.approx([0.085, 0.6 / 0.85])
    assert far["axis"]["values"] == [0.1, 0.2, 0.5]
    assert "type" not in scale(0.13, 0.6)["scale"]
    assert "type" not in scale(-0.01, 0.6)["scale"]


def test_a_filled_point_shows_an_association() -> None:
    picture = against(RULES[0], rule(2, (THEFT,), (LATE,), association=0))
    assert [row["fill"] for row in points(picture)] == [drawing.INK, drawing.GROUND]
    assert "Filled: an association is shown" in picture.about


def test_a_number_takes_the_first_corner_that_is_free_or_none() -> None:
    whole = (0.0, 0.0, 200.0, 100.0)
    assert corners([(50, 50)], ["1"], 12, whole) == [Corner(1, -1)]
    # At the right edge it goes to the left, at the top left below.
    assert corners([(199, 50)], ["12"], 12, whole) == [Corner(-1, -1)]
    assert corners([(3, 3)], ["12"], 12, whole) == [Corner(1, 1)]
    five = corners([(50, 50)] * 5, ["10"] * 5, 12, whole)
    assert five[4] is None
    assert len(set(five[:4])) == 4


def test_on_a_page_that_is_too_small_a_number_is_left_out() -> None:
    assert corners([(5, 5)], ["123456"], 12, (0.0, 0.0, 20.0, 20.0)) == [None]


# --- the forest plot ----------------------------------------------------------------------------------------


def forest_of(*found: Rule) -> Picture:
    picture = forest.picture(found, 0, LABELS, url)
    assert picture
    return picture


def test_lift_is_drawn_with_its_interval_in_the_list_and_written_beside_it() -> None:
    pointwise = {"lift_low": 1.6, "lift_high": 2.0}
    one = rule(3, (THEFT,), (LATE,), lift=1.8, lift_low_listed=1.4, lift_high_listed=2.3, **pointwise)
    rows = drawn(forest_of(one))
    lines = [(row["lift"], row["to"]) for row in rows if "to" in row]
    assert sorted(lines) == [(1.4, 2.3)]
    assert "1.80 (1.40 to 2.30)" in [row.get("label") for row in rows]
    (point,) = points(forest_of(one))
    assert (point["lift"], point["shape"], point["href"]) == (1.8, "circle", "/rules/3")
    assert point["says"].endswith("; lift 1.80 (1.40 to 2.30)")
    assert "at its place in the list" in forest_of(one).about


def test_its_axis_is_of_ratios_around_one() -> None:
    assert forest.ticks([rule(1, (THEFT,), (LATE,), lift=1.1)]) == [0.5, 1, 2]
    assert forest.ticks(
        [rule(1, (THEFT,), (LATE,), lift=3.0, lift_low_listed=0.3, lift_high_listed=9.0)]
    ) == [
        0.25,
        0.5,
        1,
        2,
        4,
        8,
        16,
    ]
    assert forest.draw(RULES, LABELS, url, 700)["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"


@pytest.mark.parametrize(
    ("low", "high", "shapes"),
    [(1.5, None, ["triangle-right"]), (-0.4, 90.0, ["triangle-left", "triangle-right"]), (0.5, 3.0, [])],
)
def test_an_interval_that_goes_on_ends_in_a_triangle(
    low: float, high: float | None, shapes: list[str]
) -> None:
    picture = forest_of(rule(1, (THEFT,), (LATE,), lift_low_listed=low, lift_high_listed=high))
    alt.Chart.from_dict(picture.draw(700))
    rows = drawn(picture)
    assert [row["shape"] for row in rows if "shape" in row and "href" not in row] == shapes
    assert ("A triangle at the edge" in picture.about) == bool(shapes)
    assert all(1 / 16 <= row["lift"] <= 16 for row in rows if "lift" in row)


def test_without_an_interval_only_the_lift_is_drawn() -> None:
    rows = drawn(forest_of(rule(1, (THEFT,), (LATE,))))
    assert not [row for row in rows if "to" in row]
    assert "1.50" in [row.get("label") for row in rows]


@pytest.mark.parametrize("width", [240, 358, 700, 1200])
def test_labels_and_grid_lines_are_apart(width: int) -> None:
    rows = drawn(forest_of(*RULES), width)
    labels = [
        row["y"] for row in rows if "label" in row and "(" not in row["label"] and row["label"] != "1.50"
    ]
    grid = [(row["y"], row["y2"]) for row in rows if "is_one" in row]
    layout = forest.ForestLayout(width, is_beside=width >= forest.BESIDE)
    assert labels
    if layout.is_beside:
        assert layout.room < layout.left
    else:
        assert not [y for y in labels for top, bottom in grid if top - 6 < y < bottom + 6]


def test_twenty_rules_fit_on_a_printed_page() -> None:
    """Of 680 pixels by 812; text of 13 pixels then has at least 9."""
    words = "Have you ever stopped to take a prescribed medicine without telling your doctor or anybody else?"
    layout = forest.ForestLayout(896, is_beside=True)
    *_rest, last = layout.places([(f"20. If {words} + {words}", f"then {words}")] * forest.MOST)
    assert forest.MOST == 20
    assert 13 * min(680 / 896, 812 / last.bottom) > 9


def test_each_side_of_a_rule_has_a_line() -> None:
    words = "many words " * 40
    found = forest.both_wrapped(f"If {words}", f"then {words}", 300)
    assert [line.split()[0] for line in found] == ["If", "words", "then"]
    assert found[1].endswith("…")
    assert found[2].endswith("…")
    assert len(forest.both_wrapped("If short", f"then {words}", 300)) == 3


# --- the grouped matrix -------------------------------------------------------------------------------------


def test_a_circle_groups_all_rules_with_an_answer_on_either_side() -> None:
    found = [
        rule(1, (THEFT,), (LATE,), lift=4.0),
        rule(2, (THEFT, CASH), (LATE,), lift=1.0),
        rule(3, (LATE,), (CASH,), lift=0.5),
    ]
    picture = matrix.picture(found, 5, LABELS, url)
    assert picture
    assert [row[2:] for row in picture.rows] == [[2, 2.5, 1, 4.0], [1, 1.0, 2, 1.0], [1, 0.5, 3, 0.5]]
    circles = points(picture)
    assert [row["href"] for row in circles] == ["/rules/1", "/rules/2", "/rules/3"]
    assert circles[0]["size"] == pytest.approx(2 * circles[1]["size"], rel=0.01)
    assert circles[0]["says"].startswith("2 rules, median lift 2.50; strongest: rule 1, Have you taken")
    assert [row["fill"] for row in circles] == [drawing.INK, drawing.INK, drawing.GROUND]
    assert circles[0]["depth"] > circles[1]["depth"]
    assert "5 more rules are not drawn" in picture.about


def test_beyond_twelve_answers_the_rest_is_in_the_table() -> None:
    names = LABELS.names
    found = [rule(n, sides[:1], sides[1:]) for n, sides in enumerate(pairwise(names), 1)]
    picture = matrix.picture(found * 3, 0, LABELS, url)
    assert picture
    assert picture.omitted == 0
    assert matrix.sides(matrix.groups(found)) == (names[:-1][:12], names[1:][:12])
    many = [matrix.MatrixCell(f"a{n}", f"c{n}", (RULES[0],)) for n in range(30)]
    assert [len(side) for side in matrix.sides(many)] == [12, 12]


@pytest.mark.parametrize("width", [240, 358, 700])
def test_no_line_of_the_matrix_runs_through_a_label(width: int) -> None:
    picture = matrix.picture(RULES, 0, LABELS, url)
    assert picture
    rows = drawn(picture, width)
    lines = {row["y"] for row in rows if "y2" in row}
    assert lines
    assert not [row for row in rows if "label" in row and any(abs(row["y"] - line) < 7 for line in lines)]


def test_each_letter_above_a_column_is_explained_below() -> None:
    picture = matrix.picture(RULES, 0, LABELS, url)
    assert picture
    labels = [row["label"] for row in drawn(picture) if "label" in row]
    assert labels.count("A") == labels.count("B") == 2
    assert labels[labels.index("A") + 1] == "Yes · Late"


# --- labels ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "room", "most", "lines"),
    [
        ("one two three", 1000, 1, ["one two three"]),
        ("one two three", 45, 3, ["one two", "three"]),
        ("one two three", 45, 1, ["one…"]),
        ("三个汉字和另外三个", 60, 2, ["三个汉字和", "另外三个"]),
        ("三个汉字和另外三个", 60, 1, ["三个汉字…"]),
        ("undivided", 10, 2, ["undivided"]),
    ],
)
def test_a_label_wraps_between_words_and_is_cut_only_there(
    text: str, room: float, most: int, lines: list[str]
) -> None:
    assert wrapped(text, room, 12, most) == lines
    assert all(text_width(line, 12) <= room for line in lines if " " in line)
