"""What pictures are drawn from. How they look is seen in the browser's tests; what they say is held here."""

from dataclasses import replace
from itertools import combinations
from math import sqrt
from typing import Any

import altair as alt
import pytest

from mining.document.report import About, Estimate, Pair, Rule
from reports.labels import Labels
from reports.pictures import drawing, errors, forest, graph, matrix, observed, pairs, rules, shares
from reports.pictures.axes import share_marks
from reports.pictures.picture import Picture
from tests.intake import asked
from tests.reports import made

pytestmark = pytest.mark.page
LABELS = Labels(made.design())
ABOUT = About(
    run=1,
    fingerprint="f" * 64,
    rehearsal=False,
    last_batch=2,
    records=1000,
    n_open=200,
    disguised=800,
    estimator="stratified",
    engine="bitmap",
    exact=False,
    min_support=0.1,
    min_confidence=0.5,
    max_size=3,
    absences=False,
    version="mining 1",
    rules=4,
)


def estimate(*names: str, support: float | None = 0.25, truth: float | None = None) -> Estimate:
    low, high = (None, None) if support is None else (support - 0.05, support + 0.05)
    values: dict[str, Any] = {
        "observed": 0.3,
        "se": 0.02,
        "low": low,
        "high": high,
        "pooled": 0.26,
        "expected_w": 0.01,
    }
    return Estimate(names, 1000, 200, support=support, shown=1000, truth=truth, **values)


def rule(number: int, antecedent: tuple[str, ...], consequent: tuple[str, ...], **more: Any) -> Rule:
    nothing: dict[str, Any] = dict.fromkeys(Rule.__dataclass_fields__)
    known = {"n_asked": 1000, "support": 0.2, "confidence": 0.6, "lift": 1.5, "q": 0.01, "redundant": False}
    sides = {"number": number, "antecedent": antecedent, "consequent": consequent, "association": 1}
    return Rule(**{**nothing, **known, **sides, **more})


def url(number: int) -> str:
    return f"/rules/{number}"


THEFT, LATE, CASH = "theft=yes", "late=yes", "cash=yes"
SHARES = [estimate(THEFT, truth=0.24), estimate(LATE, support=0.4), estimate(CASH, support=None)]
RULES = [
    rule(1, (THEFT,), (LATE,)),
    rule(2, (LATE,), (THEFT, CASH), q=0.3),
    rule(3, (CASH,), (LATE,), redundant=True),
]
PAIRS = [
    Pair((THEFT, LATE), 4.0, 2.0, 8.0, 1000),
    Pair((LATE, CASH), 0.5, 0.2, 1.2, 1000),
    Pair((THEFT, CASH), None, None, None, 1000),
]


def every() -> list[Picture]:
    found = [
        shares.picture(SHARES, LABELS),
        observed.picture(SHARES, [estimate(THEFT, LATE, support=0.1)], 0, LABELS),
        rules.picture(RULES, 0, ABOUT, LABELS, url),
        forest.picture(RULES, 0, LABELS, url),
        matrix.picture(RULES, 0, LABELS, url),
        pairs.picture(PAIRS, LABELS),
        graph.picture(RULES[:2], 0, LABELS, url),
        errors.against_keep(made.design(), SHARES, ABOUT),
        errors.against_respondents(made.design(), SHARES, ABOUT),
    ]
    assert all(found)
    return [picture for picture in found if picture]


def named(name: str) -> Picture:
    return next(picture for picture in every() if picture.name == name)


def drawn(picture: Picture, width: int = 700) -> list[dict[str, Any]]:
    """The rows that the layers are drawn from, each set once."""
    return [row for rows in picture.draw(width)["datasets"].values() for row in rows]


# --- what holds for all ---------------------------------------------------------------------------------


def test_each_is_valid_vega_lite_of_the_width_there_is_that_needs_nothing_from_elsewhere() -> None:
    """Nothing is validated as it is drawn. A narrow drawing has all the parts of a wide one."""
    for picture in every():
        for width in (240, 358, 700, 1200):
            specification = picture.draw(width)
            if width == 240:  # to validate takes a tenth of a second
                alt.Chart.from_dict(specification)
            if width == 700:
                assert "url" not in {key for key in keys(specification) if key != "$schema"}, picture.name
                assert_the_pages_own_colours(specification)
            assert specification["width"] == width or picture.name == "pairs"
            assert specification["width"] <= width


def test_each_has_a_table_with_as_many_cells_as_columns() -> None:
    for picture in every():
        assert picture.rows
        for row in picture.rows:
            assert len(row) >= len(picture.columns)


def assert_the_pages_own_colours(specification: dict[str, Any]) -> None:
    for key, value in leaves(specification):
        if key in ("fill", "stroke", "color", "labelColor", "titleColor", "gridColor"):
            assert str(value).startswith(("var(--", "url(#", "transparent"))


def keys(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set(node) | {key for value in node.values() for key in keys(value)}
    return {key for value in node for key in keys(value)} if isinstance(node, list) else set()


def leaves(node: Any) -> list[tuple[str, Any]]:
    if isinstance(node, dict):
        own = [(key, value) for key, value in node.items() if isinstance(value, str)]
        return own + [leaf for value in node.values() for leaf in leaves(value)]
    return [leaf for value in node for leaf in leaves(value)] if isinstance(node, list) else []


def test_where_nothing_is_known_nothing_is_drawn() -> None:
    nothing = [estimate(THEFT, support=None)]
    assert shares.picture(nothing, LABELS) is None
    assert observed.picture(nothing, nothing, 0, LABELS) is None
    assert rules.picture([], 0, ABOUT, LABELS, url) is None
    assert forest.picture([], 0, LABELS, url) is None
    assert matrix.picture([], 0, LABELS, url) is None
    assert pairs.picture([PAIRS[2]], LABELS) is None
    assert graph.picture([], 0, LABELS, url) is None
    plain = asked.design()
    assert errors.against_keep(plain, SHARES, ABOUT) is None
    assert errors.against_respondents(plain, SHARES, ABOUT) is None


# --- shares ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("support", "low", "high", "pieces"),
    [
        (0.3, 0.2, 0.4, [(0.2, 0.3, True), (0.3, 0.4, False)]),
        (0.3, -0.1, 0.4, [(-0.1, 0.0, False), (0.0, 0.3, True), (0.3, 0.4, False)]),
        (-0.2, -0.3, -0.1, [(-0.3, -0.2, False), (-0.2, -0.1, True)]),
        (0.0, -0.1, 0.1, [(-0.1, 0.1, False)]),
    ],
)
def test_a_whisker_is_drawn_apart_over_its_bar_and_beyond_it(
    support: float, low: float, high: float, pieces: list[tuple[float, float, bool]]
) -> None:
    found = drawing.whisker_segments(support, low, high)
    assert [(piece["from"], piece["to"], piece["over"]) for piece in found] == pieces


def test_an_estimate_below_nothing_stays_on_the_axis() -> None:
    low, high = drawing.share_scale([-0.08, 0.2]).to_dict()["domain"]
    assert (low, high) == (-0.08, 0.2)
    assert share_marks([-0.08, 0.2]) == pytest.approx([-0.1, -0.05, 0, 0.05, 0.1, 0.15, 0.2])


def test_nothing_above_all_of_them_makes_an_axis_longer() -> None:
    scale = drawing.share_scale([0.4, 1.7]).to_dict()
    assert (scale["domain"], scale["clamp"]) == ([0.0, 1.0], True)
    assert share_marks([0.4, 43.0])[-1] == pytest.approx(1)


@pytest.mark.parametrize("of", ["shares", "observed"])
def test_an_impossible_estimate_is_drawn_at_the_end_of_its_interval(of: str) -> None:
    noisy = [replace(estimate(THEFT, support=1.3), low=0.7, high=1.0), estimate(LATE)]
    make: dict[str, Picture | None] = {
        "shares": shares.picture(noisy, LABELS),
        "observed": observed.picture(noisy, [], 0, LABELS),
    }
    picture = make[of]
    assert picture
    assert "An estimate that is impossible is drawn at the end of its interval." in picture.about
    alt.Chart.from_dict(picture.draw(700))
    assert 1.0 in [row.get("support") for row in drawn(picture)]
    assert any("too noisy to say: at least 70.0 %" in str(row.get("says")) for row in drawn(picture))
    assert 1.3 not in [cell for row in picture.rows for cell in row]
    assert "impossible" not in named(of).about


def test_grid_lines_run_behind_the_bars_and_not_through_the_labels() -> None:
    specification = named("shares").draw(700)
    axis = [
        layer["encoding"]["x"].get("axis") for layer in specification["layer"] if "x" in layer["encoding"]
    ]
    assert not any(one["grid"] for one in axis if one)
    grid, label = specification["layer"][0]["mark"], specification["layer"][-1]["mark"]
    assert (grid["type"], label["type"]) == ("tick", "text")
    assert label["yOffset"] + 8 <= grid["yOffset"] - grid["size"] / 2


def test_the_table_of_shares_leaves_out_what_could_not_be_estimated() -> None:
    picture = named("shares")
    assert [row[0] for row in picture.rows] == ["Have you taken something home? Yes", "Do you come late: Yes"]
    assert [column.name for column in picture.columns][-1] == "truth"
    assert "diamond" in picture.about


def test_without_a_truth_no_diamond_is_promised() -> None:
    picture = shares.picture([replace(SHARES[0], truth=None)], LABELS)
    assert picture
    assert "diamond" not in picture.about
    assert "truth" not in [column.name for column in picture.columns]


def test_very_many_answers_are_all_in_the_table_and_the_rest_is_counted() -> None:
    picture = shares.picture([SHARES[0]] * 75, LABELS)
    assert picture
    assert (len(picture.rows), picture.omitted) == (75, 15)


def test_itemsets_that_a_picture_has_no_room_for_are_counted_and_where_they_are_is_said() -> None:
    picture = observed.picture(SHARES, [estimate(THEFT, LATE, support=0.1)], 1102, LABELS)
    assert picture
    assert [row[4] for row in picture.rows] == [0.4, 0.25, 0.1]
    assert "1,102 rarer itemsets are left out; “Itemsets” lists them." in picture.about


# --- rules ----------------------------------------------------------------------------------------------


def test_the_table_of_rules_is_what_is_drawn_and_the_rest_is_counted() -> None:
    for picture in (
        rules.picture(RULES, 12_297, ABOUT, LABELS, url),
        forest.picture(RULES, 12_297, LABELS, url),
        graph.picture(RULES, 12_297, LABELS, url),
    ):
        assert picture
        assert [row[0] for row in picture.rows] == [1, 2, 3]
        assert picture.omitted == 0
        assert "12,297 more rules are not drawn; “Rules” lists them" in picture.about


def test_the_graphs_layout_has_fewer_crossings_than_the_order_of_the_rules() -> None:
    names = ["age=18-39", "age=40+", THEFT, LATE, CASH]
    shuffled = [rule(n, (names[n % 5],), (names[(n * 2 + 1) % 5],)) for n in range(10)]
    left, middle, right = graph.layout(shuffled)
    before = crossings(shuffled, dict(zip(names, range(5), strict=True)), [float(n) for n in range(10)])
    assert crossings(shuffled, left, middle, right) < before
    assert sorted(middle) == pytest.approx([0.05 + n / 10 for n in range(10)])


def crossings(found: list[Rule], left: Any, middle: list[float], right: Any = None) -> int:
    """Pairs of lines between two columns whose ends are in opposite orders."""
    right = right or left
    columns = [
        [(left[one.antecedent[0]], at) for one, at in zip(found, middle, strict=True)],
        [(right[one.consequent[0]], at) for one, at in zip(found, middle, strict=True)],
    ]
    return sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for lines in columns for a, b in combinations(lines, 2))


# --- labels ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["graph", "matrix"])
def test_on_a_phone_answers_have_their_labels_too(name: str) -> None:
    labels = {row["label"] for row in drawn(named(name), 358) if "label" in row}
    assert {"Yes · Theft", "Yes · Late"} <= labels
    assert THEFT not in labels


# --- errors ---------------------------------------------------------------------------------------------


def test_the_error_of_one_answer_is_the_one_of_the_stratified_mean_at_this_keep() -> None:
    """By hand: E z^2 = (1-2c)/p P + c(1-c)/p^2 if disguised, P if open; c = (1-p) .4; P the mean share .325."""
    p, mean, k, n = 0.5, 0.325, 0.2, 1000
    c = (1 - p) * 0.4
    second = (1 - k) * ((1 - 2 * c) / p * mean + c * (1 - c) / p**2) + k * mean
    half_width = 1.96 * sqrt((second - mean**2) / n)
    rows = [row for row in named("error-keep").rows if row[0] == "1 answer"]
    assert dict(zip([row[1] for row in rows], [row[2] for row in rows], strict=True))[0.5] == pytest.approx(
        half_width
    )
    here = [row for row in drawn(named("error-keep")) if set(row) == {"x", "y"}]
    assert here[0] == {"x": 0.5, "y": pytest.approx(half_width)}


def test_the_error_falls_with_the_square_root_of_respondents() -> None:
    rows = {(row[0], row[1]): row[2] for row in named("error-respondents").rows}
    assert rows["1 answer", 500] / rows["1 answer", 2000] == pytest.approx(2)


def test_three_answers_are_not_drawn_where_only_two_are_ever_asked_together() -> None:
    section = {
        "kind": "unrelated-question",
        "keep": "0.5",
        "asked": 2,
        "questions": [{"name": name, "choices": ["no", "yes"]} for name in "abc"],
    }
    picture = errors.against_respondents(asked.written(section), SHARES, ABOUT)
    assert picture
    assert {row[0] for row in picture.rows} == {"1 answer", "2 answers together"}


def test_with_several_sections_each_has_its_own_line() -> None:
    section = {
        "kind": "unrelated-question",
        "keep": "0.3",
        "questions": [{"name": "a", "choices": ["no", "yes"]}],
    }
    other = {
        "kind": "unrelated-question",
        "keep": "0.6",
        "questions": [{"name": "b", "choices": ["no", "yes"]}],
    }
    plain = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
    picture = errors.against_keep(asked.written(section, plain, other), SHARES, ABOUT)
    assert picture
    # The plain one counts, as it does for whoever builds and whoever answers.
    assert {row[0] for row in picture.rows} == {"section 1", "section 3"}
    assert [row["x"] for row in drawn(picture) if set(row) == {"x", "y"}] == [0.3, 0.6]


def test_a_line_has_the_number_that_its_section_has_everywhere() -> None:
    plain = {"kind": "plain", "questions": [{"name": "p", "choices": ["no", "yes"]}]}
    sections = [
        {"kind": "unrelated-question", "keep": keep, "questions": [{"name": name, "choices": ["no", "yes"]}]}
        for name, keep in (("a", "0.3"), ("b", "0.6"))
    ]
    picture = errors.against_keep(
        asked.written(
            plain, sections[0], plain | {"questions": [{"name": "r", "choices": ["no", "yes"]}]}, sections[1]
        ),
        SHARES,
        ABOUT,
    )
    assert picture
    assert {row[0] for row in picture.rows} == {"section 2", "section 4"}


def test_sections_that_err_alike_are_one_line_that_names_them_both() -> None:
    section = {"kind": "unrelated-question", "keep": "0.3"}
    alike = [section | {"questions": [{"name": name, "choices": ["no", "yes"]}]} for name in "ab"]
    picture = errors.against_keep(asked.written(*alike), SHARES, ABOUT)
    assert picture
    assert {row[0] for row in picture.rows} == {"section 1, section 2"}
