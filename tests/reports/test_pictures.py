"""What the pictures of errors draw. How they look is seen in the browser's tests; what they say is held here."""

import re
from math import sqrt
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from mining.report.report_nodes import About, Estimate
from reports.answer_labels import Labels
from reports.pictures import expected_error_plots
from reports.pictures.picture import Picture
from reports.pictures.plot import Dots, Line, svg_file
from tests.intake import asked
from tests.reports import made

pytestmark = pytest.mark.page
LABELS = Labels(made.design())
ABOUT = About(
    run=1,
    fingerprint="f" * 64,
    rehearsal=False,
    day="2026-07-01",
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


THEFT, LATE, CASH = "theft=yes", "late=yes", "cash=yes"
SHARES = [estimate(THEFT, truth=0.24), estimate(LATE, support=0.4), estimate(CASH, support=None)]


def every() -> list[Picture]:
    found = [
        expected_error_plots.error_by_keep_picture(made.design(), SHARES, ABOUT),
        expected_error_plots.error_by_respondents_picture(made.design(), SHARES, ABOUT),
    ]
    assert all(found)
    return [picture for picture in found if picture]


def named(name: str) -> Picture:
    return next(picture for picture in every() if picture.name == name)


def here(picture: Picture) -> list[tuple[float, float]]:
    """The points of this survey."""
    ((_label, marks),) = picture.drawing.plots
    (dots,) = (mark for mark in marks if isinstance(mark, Dots))
    return list(dots.points)


# --- what holds for all ---------------------------------------------------------------------------------


def test_pictures_are_whole_and_stay_within_their_plots() -> None:
    # The file is well formed and needs nothing from elsewhere.
    for picture in every():
        file = svg_file(picture.drawing, "Shares < 5 % & more")
        root = ET.fromstring(file)
        assert root.attrib["width"] == "720"
        assert "href" not in file
        assert set(re.findall(r"url\(([^)]*)\)", file)) <= {"#stipple"}
    # A drawing for a page has no colour of its own.
    for picture in every():
        for _label, svg in picture.drawing.rows():
            assert not re.search(r"style=|#[0-9a-f]{3,6}\b|rgb", svg)
    # No line leaves the plot.
    for picture in every():
        drawing = picture.drawing
        for _label, marks in drawing.plots:
            for line in (mark for mark in marks if isinstance(mark, Line)):
                assert all(drawing.x.low <= x <= drawing.x.high for x, _y in line.points)
                assert all(drawing.y.low <= y <= drawing.y.high for _x, y in line.points)
    # Each has a table with as many cells as columns.
    for picture in every():
        assert picture.rows
        for row in picture.rows:
            assert len(row) >= len(picture.columns)
    # Where nothing is known nothing is drawn.
    plain = asked.design()
    assert expected_error_plots.error_by_keep_picture(plain, SHARES, ABOUT) is None
    assert expected_error_plots.error_by_respondents_picture(plain, SHARES, ABOUT) is None


# --- errors ---------------------------------------------------------------------------------------------


def test_errors_are_those_of_the_design_of_a_survey() -> None:
    # The error of one answer is the one of the stratified mean at this keep. By hand: E z^2 = (1-2c)/p P +
    # c(1-c)/p^2 if disguised, P if open; c = (1-p) .4; P the mean share .325.
    p, mean, k, n = 0.5, 0.325, 0.2, 1000
    c = (1 - p) * 0.4
    second = (1 - k) * ((1 - 2 * c) / p * mean + c * (1 - c) / p**2) + k * mean
    half_width = 1.96 * sqrt((second - mean**2) / n)
    rows = [row for row in named("error-keep").rows if row[0] == "1 answer"]
    assert dict(zip([row[1] for row in rows], [row[2] for row in rows], strict=True))[0.5] == pytest.approx(
        half_width
    )
    (x, y), *_more = here(named("error-keep"))
    assert x == 0.5
    assert y == pytest.approx(half_width, rel=1e-9)


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
    picture = expected_error_plots.error_by_respondents_picture(asked.written(section), SHARES, ABOUT)
    assert picture
    assert {row[0] for row in picture.rows} == {"1 answer", "2 answers together"}
    # With several sections each has its own line.
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
    picture = expected_error_plots.error_by_keep_picture(asked.written(section, plain, other), SHARES, ABOUT)
    assert picture
    # The plain one counts, as it does for whoever builds and whoever answers.
    assert {row[0] for row in picture.rows} == {"section 1", "section 3"}
    assert [x for x, _y in here(picture)] == [0.3, 0.6]
    # A line has the number that its section has everywhere.
    plain = {"kind": "plain", "questions": [{"name": "p", "choices": ["no", "yes"]}]}
    sections = [
        {"kind": "unrelated-question", "keep": keep, "questions": [{"name": name, "choices": ["no", "yes"]}]}
        for name, keep in (("a", "0.3"), ("b", "0.6"))
    ]
    picture = expected_error_plots.error_by_keep_picture(
        asked.written(
            plain, sections[0], plain | {"questions": [{"name": "r", "choices": ["no", "yes"]}]}, sections[1]
        ),
        SHARES,
        ABOUT,
    )
    assert picture
    assert {row[0] for row in picture.rows} == {"section 2", "section 4"}
    # Sections that err alike are one line that names them both.
    section = {"kind": "unrelated-question", "keep": "0.3"}
    alike = [section | {"questions": [{"name": name, "choices": ["no", "yes"]}]} for name in "ab"]
    picture = expected_error_plots.error_by_keep_picture(asked.written(*alike), SHARES, ABOUT)
    assert picture
    assert {row[0] for row in picture.rows} == {"section 1, section 2"}
