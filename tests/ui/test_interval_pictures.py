import re
from xml.etree import ElementTree as ET

import pytest
from django.utils import translation
from hypothesis import given, strategies as st

from tests.ui.test_components import render
from ui.interval_pictures import Interval, Scale, Size, draw_axis, draw_intervals

SEVENTY = Scale(end=0.7, step=0.2)
PUBLIC_SERVICE = Interval(low=0.49, high=0.595, estimate=0.54, base=0.38)


def shapes_of_kind(svg: str, kind: str) -> list[ET.Element]:
    return [shape for shape in ET.fromstring(svg).iter() if shape.get("class", "").split()[:1] == [kind]]


def x_positions(svg: str) -> list[float]:
    return [float(at) for at in re.findall(r' (?:x|x1|x2|cx)="([\d.-]+)%"', svg)]


def test_a_bar_goes_from_low_to_high_with_a_dot_at_the_estimate_and_a_line_at_the_share_of_all() -> None:
    svg = draw_intervals([PUBLIC_SERVICE], SEVENTY)
    (bar,), (dot,), (base,) = (shapes_of_kind(svg, kind) for kind in ("bar", "dot", "base"))
    assert (bar.get("x"), bar.get("width"), bar.get("height")) == ("70.0%", "15.0%", "7")
    assert (dot.get("cx"), dot.get("cy")) == ("77.1%", "12.0")
    assert base.get("x1") == base.get("x2") == "54.3%"


def test_a_dot_is_larger_beside_a_sentence_and_small_where_the_bar_is_under_six_percent() -> None:
    sizes: dict[Size, str] = {"sentence": "5", "row": "4", "key": "4"}
    for size, radius in sizes.items():
        assert shapes_of_kind(draw_intervals([PUBLIC_SERVICE], SEVENTY, size), "dot")[0].get("r") == radius, (
            size
        )
    for high, radius in {0.259: "3", 0.26: "4"}.items():
        svg = draw_intervals([Interval(low=0.2, high=high, estimate=0.23)], Scale(end=1, step=0.2))
        assert shapes_of_kind(svg, "dot")[0].get("r") == radius, high


def test_what_is_received_hollow_planned_or_true_has_a_mark_of_its_own() -> None:
    # What was received is three points above each other and never a bar.
    svg = draw_intervals([Interval(0.35, 0.41, 0.38, received=0.47)], SEVENTY)
    points = [(point.get("cx"), point.get("cy")) for point in shapes_of_kind(svg, "recv")]
    assert points == [("67.1%", height) for height in ("7.0", "12.0", "17.0")]
    assert len(shapes_of_kind(svg, "bar")) == 1
    # An interval that shows nothing is hollow, and a forecast is dashed without a dot.
    hollow = draw_intervals([Interval(0.17, 0.45, 0.31, state="hollow")], SEVENTY)
    planned = draw_intervals([Interval(0.21, 0.39, 0.3, state="dashed")], SEVENTY)
    assert (len(shapes_of_kind(hollow, "none")), len(shapes_of_kind(hollow, "dot"))) == (1, 1)
    assert (len(shapes_of_kind(planned, "plan")), len(shapes_of_kind(planned, "dot"))) == (1, 0)
    # The truth of a rehearsal is a diamond on the same line.
    (truth,) = shapes_of_kind(draw_intervals([Interval(0.2, 0.3, 0.26, truth=0.35)], SEVENTY), "truth")
    assert (truth.get("x"), truth.get("y")) == ("50.0%", "12.0")


def test_a_scale_ends_at_a_round_number_above_everything_and_that_of_nothing_is_the_whole() -> None:
    ends = {0.64: (0.7, 0.2), 0.7: (0.8, 0.2), 0.98: (1.0, 0.2), 0.3: (0.4, 0.1), 0.031: (0.04, 0.01)}
    for largest, (end, step) in ends.items():
        scale = Scale.covering([0.01, None, largest], most=1.0)
        assert (scale.start, scale.end, scale.step) == pytest.approx((0, end, step)), largest
    hours = Scale.covering([22.4])
    assert (hours.end, hours.ticks) == (25, (0, 5, 10, 15, 20, 25))
    nothing: list[list[float | None]] = [[], [None], [0.0]]
    assert [Scale.covering(values, most=1.0) for values in nothing] == [Scale(end=1.0, step=0.2)] * 3


def test_what_a_scale_does_not_hold_is_refused_and_never_cut() -> None:
    with pytest.raises(ValueError, match=r"0.71 is outside the scale from 0.0 to 0.7"):
        draw_intervals([Interval(0.5, 0.71, 0.6)], SEVENTY)


def test_grid_lines_stand_at_the_steps_between_the_ends_and_that_of_zero_where_zero_is() -> None:
    [grid] = shapes_of_kind(draw_intervals([PUBLIC_SERVICE], SEVENTY), "grid")
    assert [line.get("x1") for line in grid] == ["28.6%", "57.1%", "85.7%"]
    assert len(shapes_of_kind(draw_intervals([PUBLIC_SERVICE], SEVENTY, "key"), "grid")) == 0
    scale = Scale(start=-0.2, end=0.2, step=0.1)
    assert list(scale.ticks) == [-0.2, -0.1, 0, 0.1, 0.2]
    assert shapes_of_kind(draw_intervals([Interval(-0.1, 0.05, 0)], scale), "zero")[0].get("x1") == "50.0%"


def test_from_right_to_left_each_place_is_mirrored() -> None:
    svg = draw_intervals([PUBLIC_SERVICE], SEVENTY, mirrored=True)
    (bar,) = shapes_of_kind(svg, "bar")
    assert bar.get("x") == bar.get("width") == "15.0%"
    assert shapes_of_kind(svg, "dot")[0].get("cx") == "22.9%"
    assert shapes_of_kind(svg, "base")[0].get("x1") == "45.7%"
    assert ET.fromstring(svg).get("direction") == "rtl"


def test_words_at_an_end_start_or_end_there_so_that_they_are_not_cut() -> None:
    def anchor(estimate: float) -> str | None:
        svg = draw_intervals([Interval(0, 0.7, estimate, label="a label")], SEVENTY, size="sentence")
        return shapes_of_kind(svg, "strong")[0].get("text-anchor")

    assert [anchor(at) for at in (0.02, 0.35, 0.69)] == ["start", "middle", "end"]


def test_two_words_below_that_are_close_turn_away_from_each_other() -> None:
    for base, received, anchors in ((0.38, 0.47, ["end", "start"]), (0.12, 0.57, ["middle", "middle"])):
        of = Interval(0.3, 0.4, 0.35, base, received, base_label="all", received_label="received")
        drawn = shapes_of_kind(draw_intervals([of], SEVENTY, "sentence"), "soft")
        assert [words.text for words in drawn] == ["all", "received"]
        assert [words.get("text-anchor") for words in drawn] == anchors


def test_words_name_two_intervals_on_one_line_and_the_end_of_the_scale_unless_words_are_there() -> None:
    taken = Interval(0.5, 0.7, 0.6, base=0.6, base_label="of all")
    for of, said in ((Interval(0.3, 0.4, 0.35), "70 %"), (taken, "of all")):
        svg = draw_intervals([of], SEVENTY, "sentence", end_label="70 %")
        assert [words.text for words in shapes_of_kind(svg, "soft")] == [said]
    two = [Interval(1, 3, 2, label="2 hours", below="half"), Interval(6.5, 8, 7, below="a quarter")]
    svg = draw_intervals(two, Scale(end=12, step=4), "sentence")
    assert [words.text for words in shapes_of_kind(svg, "soft")] == ["half", "a quarter"]
    assert len(shapes_of_kind(svg, "bar")) == len(shapes_of_kind(svg, "dot")) == 2
    # They are text and no markup.
    svg = draw_intervals([Interval(0.1, 0.2, 0.15, label="<b>&")], SEVENTY, "sentence")
    assert "&lt;b&gt;&amp;" in svg


SHARES = st.floats(0, 1)


@given(
    st.lists(SHARES, min_size=3, max_size=3).map(sorted), SHARES, SHARES, st.booleans(),
    st.sampled_from(["sentence", "row", "key"]),
)  # fmt: skip
def test_nothing_lies_outside_of_its_picture(
    ends: list[float], base: float, received: float, mirrored: bool, size: Size
) -> None:
    low, estimate, high = ends
    of = Interval(low, high, estimate, base, received, truth=base)
    svg = draw_intervals([of], Scale.covering(of.values, most=1.0), size, mirrored=mirrored)
    assert all(0 <= at <= 100 for at in x_positions(svg))
    bar = shapes_of_kind(svg, "bar")[0]
    width = float(bar.get("width", "").rstrip("%"))
    assert 0 <= float(bar.get("x", "").rstrip("%")) + width <= 100.001


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5))
def test_a_scale_holds_all_it_was_made_for_and_few_steps(values: list[float]) -> None:
    scale = Scale.covering(values)
    assert scale.end > max(values)
    assert 3 <= len(scale.ticks) <= 9
    assert scale.end <= 3.1 * max(values)


def test_the_tag_draws_a_row_that_screen_readers_skip() -> None:
    page = render('{% interval .49 .595 scale estimate=.54 base=.38 state="hollow" %}', scale=SEVENTY)
    assert page == draw_intervals([Interval(0.49, 0.595, 0.54, 0.38, state="hollow")], SEVENTY)
    assert page.startswith('<svg class="iv" height="24" aria-hidden="true">')
    # It mirrors where the page is read from right to left.
    with translation.override("ar"):
        page = render("{% interval .49 .595 scale %}", scale=SEVENTY)
    assert page == draw_intervals([Interval(0.49, 0.595)], SEVENTY, mirrored=True)


def test_the_axis_names_its_ticks_and_marks_those_that_a_phone_leaves_out() -> None:
    svg = render("{% interval_axis scale %}", scale=SEVENTY)
    assert svg == draw_axis(SEVENTY, ["0 %", "20 %", "40 %", "60 %"])
    middle = [words.text for words in shapes_of_kind(svg, "soft") if "mid" in words.get("class", "")]
    assert middle == ["20 %", "40 %"]
    # That of numbers has no per cent.
    svg = render("{% interval_axis scale False %}", scale=Scale(end=3_000, step=1_000))
    assert [words.text for words in shapes_of_kind(svg, "soft")] == ["0", "1,000", "2,000", "3,000"]


def test_an_interval_without_an_upper_end_ends_in_an_arrow_towards_the_end_of_the_scale() -> None:
    endless = Interval(1.3, 2.0, base=1.0, is_endless=True)
    (arrow,) = shapes_of_kind(draw_intervals([endless], Scale(end=2.0, step=1.0)), "endless")
    assert (arrow.get("x"), arrow[0].get("d")) == ("100.0%", "M-8-7L0 0 -8 7")
    (arrow,) = shapes_of_kind(draw_intervals([endless], Scale(end=2.0, step=1.0), mirrored=True), "endless")
    assert (arrow.get("x"), arrow[0].get("d")) == ("0.0%", "M8-7L0 0 8 7")
    assert not shapes_of_kind(draw_intervals([Interval(1.3, 2.0)], Scale(end=2.0, step=1.0)), "endless")


def test_the_axis_of_differences_labels_0_and_keeps_signs_left_of_their_digits() -> None:
    scale = Scale(start=-0.5, end=0.4, step=0.1)
    labels = [f"{100 * tick:.0f}".replace("-", "−") for tick in scale.ticks]
    plain, mirrored = (
        [each.text for each in shapes_of_kind(draw_axis(scale, labels, of), "soft")] for of in (False, True)
    )
    assert plain == ["−40", "−20", "0", "20", "40"]
    assert mirrored == ["\u200e−40", "\u200e−20", "0", "20", "40"]
