"""What pictures are drawn from. How they look is seen in the browser's tests; what they say is held here."""

from math import sqrt
from typing import Any

import altair as alt
import pytest

from mining.document.report import About, Estimate
from reports.labels import Labels
from reports.pictures import errors
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


THEFT, LATE, CASH = "theft=yes", "late=yes", "cash=yes"
SHARES = [estimate(THEFT, truth=0.24), estimate(LATE, support=0.4), estimate(CASH, support=None)]


def every() -> list[Picture]:
    found = [
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
            assert specification["width"] == width


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
    plain = asked.design()
    assert errors.against_keep(plain, SHARES, ABOUT) is None
    assert errors.against_respondents(plain, SHARES, ABOUT) is None


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
