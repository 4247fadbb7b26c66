"""`reproduce location`: the tables of the paper on sensitive places, and where its corollary 3 fails."""

import csv
import json
import re
import xml.etree.ElementTree as ET
from io import StringIO
from math import expm1
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from papers.location.corollary import AT_CORNER, at_corner, tiled
from papers.location.errors import CONSTANT, baselines, layouts, several
from papers.location.people import people_errors
from papers.location.settings import CENTRE, CORNERS, COUNTS, MAP, TILES, clustered, clusters, draws
from papers.location.widths import enlarged, with_common_width, with_papers_width
from privacy.kinds.place.plane.rectangle import Rectangle
from tests import servers

pytestmark = pytest.mark.proof

TABLES = ("widths", "layouts", "baselines", "several", "people", "tiled", "corner")
FIGURES = ("widths", "baselines", "centre", "corners", "own-width", "several", "tiled", "corner")
Line = dict[str, str]


def reproduced(into: Path) -> Path:
    call_command("reproduce", "location", "-o", str(into), stderr=StringIO())
    return into


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reproduced(tmp_path_factory.mktemp("papers") / "new")


def table(folder: Path, name: str) -> list[Line]:
    with (folder / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_it_writes_a_text_tables_and_figures(folder: Path) -> None:
    expected = [f"{name}.csv" for name in TABLES] + [f"{name}.svg" for name in FIGURES]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*expected, "location.md", "location.json"]
    )
    text = (folder / "location.md").read_text()
    for name in FIGURES:
        assert f"({name}.svg)" in text
        assert ET.parse(folder / f"{name}.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
        assert "nan" not in (folder / f"{name}.svg").read_text()
    assert max(map(len, text.splitlines())) <= 120


def test_two_runs_write_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = reproduced(tmp_path / "again")
    for path in folder.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes()


def test_the_json_holds_the_tables_and_where_the_regions_lie(folder: Path) -> None:
    found = json.loads((folder / "location.json").read_text())
    for name in TABLES:
        assert len(found[name]) == len(table(folder, name))
    assert found["regions"]["centre"] == [[-500, -500, 500, 500]]
    assert [len(of) for of in found["regions"]["drawn"].values()] == [10, 10, 10]


def test_w_and_its_error_are_those_worked_out_for_d_1000(folder: Path) -> None:
    found = {line["epsilon"]: line for line in table(folder, "widths")}
    assert list(found) == [str(epsilon) for epsilon in range(1, 21)]
    for epsilon, width, error in (
        ("1", 1271.685, 967508.3),
        ("5", 601.5733, 165985.1),
        ("10", 188.418, 13227.35),
    ):
        assert f"{float(found[epsilon]['square']):.7g}" == f"{width:.7g}"
        assert f"{float(found[epsilon]['square_error']):.7g}" == f"{error:.7g}"
    assert float(found["5"]["centre"]) == pytest.approx(519.5366, rel=1e-7)
    assert float(found["5"]["corners"]) == 500


def test_the_square_mechanism_is_worse_than_a_constant_answer_at_epsilon_1_only(folder: Path) -> None:
    assert pytest.approx(2 * 1000**2 / 3) == CONSTANT
    errors = [float(line["square_error"]) for line in table(folder, "widths")]
    assert [error > CONSTANT for error in errors[:3]] == [True, False, False]
    assert "Up to epsilon 1 the square mechanism is worse" in (folder / "location.md").read_text()


def by_hand(epsilon: float, w: float, regions: tuple[Rectangle, ...]) -> float:
    """The error for even points on the map of d = 1000, from the formula of several regions written out."""
    k, area = expm1(epsilon), 4e6
    halves = [((r.right - r.left) / 2, (r.top - r.bottom) / 2) for r in regions]
    middles = [((r.right + r.left) / 2, (r.top + r.bottom) / 2) for r in regions]
    sizes = [4 * a * b for a, b in halves]
    g = sum(s / area * (1 / a + 1 / b) for s, (a, b) in zip(sizes, halves, strict=True)) / 24
    k0 = sum(
        s * (x**2 + y**2 + (a**2 + b**2 + 2e6) / 3)
        for s, (x, y), (a, b) in zip(sizes, middles, halves, strict=True)
    )
    inside = sum(sizes) / area
    return (k0 + k * (inside * w**4 / 6 + g * w**5)) / (sum(sizes) + k * w**2)


def test_errors_of_both_layouts_are_those_of_the_formula_and_the_own_w_is_never_worse() -> None:
    rows = list(layouts())
    assert [row.epsilon for row in rows if row.who == "even points"] == 2 * list(range(5, 21))
    for row in rows:
        regions = {"centre": CENTRE, "corners": CORNERS}[row.layout]
        if row.who == "even points":
            assert row.own == pytest.approx(by_hand(row.epsilon, row.own_width, regions))
            larger = enlarged(regions, row.paper_width)
            assert row.paper == pytest.approx(by_hand(row.epsilon, row.paper_width, larger))
            assert row.own <= row.paper < row.square


def test_a_region_that_is_too_small_is_enlarged_and_stays_on_the_map() -> None:
    """At epsilon 5, w is 601.57: corners of 500 x 500 grow to it, away from the map's edge."""
    law = with_papers_width(CORNERS, 5)
    assert law.width == pytest.approx(601.5733, rel=1e-6)
    assert law.regions[0].low.tolist() == [-1000, -1000]
    assert law.regions[3].high.tolist() == [1000, 1000]
    assert [region.shorter_side for region in law.regions] == pytest.approx([law.width] * 4)
    middle, narrow = Rectangle.around(0, 0, 50, 50), Rectangle(-10, 0, 10, 400)
    assert enlarged([middle, narrow], 300) == (Rectangle(-150, -150, 150, 150), Rectangle(-150, 0, 150, 400))
    assert with_papers_width(CENTRE, 5).regions == CENTRE


def test_the_grid_is_at_least_as_good_as_the_square_mechanism_and_planar_laplace_is_not() -> None:
    for row in baselines():
        assert row.grid < row.square < row.planar_laplace


def test_regions_are_drawn_ten_times_apart_from_each_other_on_the_map() -> None:
    for count in COUNTS:
        assert len(draws(count)) == 10
        assert len(set(draws(count))) == 10
        for regions in draws(count):
            assert len(regions) == count
            for place, region in enumerate(regions):
                assert region.sides == pytest.approx([250, 250])
                assert MAP.contains(region)
                assert not any(region.overlaps(other) for other in regions[:place])


def test_errors_of_several_regions_are_means_over_the_draws() -> None:
    rows = list(several())
    assert [(row.count, row.epsilon) for row in rows] == [(n, e) for n in (2, 4, 6) for e in range(10, 21)]
    for row in rows:
        some = [by_hand(row.epsilon, with_papers_width(of, row.epsilon).width, of) for of in draws(row.count)]
        assert row.paper.mean == pytest.approx(np.mean(some))
        assert row.paper.least == pytest.approx(min(some))
        assert row.paper.most == pytest.approx(max(some))
        assert row.own.least <= row.own.mean <= row.own.most
        assert row.own.mean <= row.paper.mean < row.square


def test_fitting_w_to_people_helps_those_who_are_clustered_and_agrees_with_simulation() -> None:
    rows = list(people_errors())
    assert len(rows) == 16
    for row in rows:
        assert row.fitted_error <= row.even_error
        assert abs(row.simulated - row.fitted_error) < 1.8 * row.simulated_reach
    gains = {
        people: max(1 - row.fitted_error / row.even_error for row in rows if row.people == people)
        for people in ("even", "clustered")
    }
    assert gains["even"] < 0.001
    assert gains["clustered"] > 0.2


def test_clustered_people_are_on_the_map_around_their_middles() -> None:
    points = clustered().points
    assert MAP.holds(points).all()
    for place, square in enumerate(clusters()):
        mine = points[place * 2500 : (place + 1) * 2500]
        assert np.abs(mine.mean(axis=0) - square.centre).max() < 10
        assert mine.std(axis=0) == pytest.approx([100, 100], rel=0.06)


def test_on_a_tiled_map_the_optimised_mechanism_is_worse_for_many_and_better_for_nobody() -> None:
    assert sum(tile.area for tile in TILES) == MAP.area
    for row in tiled():
        assert row.optimised > row.square
        assert row.optimised_best > row.square_best
    points = MAP.drawn(20_000, np.random.default_rng(1))
    one, other = with_common_width(TILES, 8)
    more = other.error_at(points) - one.error_at(points)
    assert more.min() > -1e-6
    assert (more > 1).mean() > 0.5
    # Simulated, too.
    rng = np.random.default_rng(2)
    squared = [((law.drawn(points, rng) - points) ** 2).sum(axis=1) for law in (one, other)]
    assert squared[1].mean() > squared[0].mean()


def test_somebody_at_the_corner_of_a_region_has_about_twice_the_error() -> None:
    """Both by the formula at a point: the square lies around them, or with its corner at them."""
    assert AT_CORNER.tolist() == [[500, 500]]
    for row in at_corner():
        k, w = expm1(row.epsilon), with_common_width(CENTRE, row.epsilon)[0].width
        squared, spread = 2 * 500**2, 2 * 1000**2 / 3
        assert row.square == pytest.approx((4e6 * (squared + spread) + k * w**4 / 6) / (4e6 + k * w**2))
        moved = 2 * (w / 2) ** 2
        inside = 1e6 * (squared + 2 * 500**2 / 3) + k * w**2 * (moved + w**2 / 6)
        assert row.optimised == pytest.approx(inside / (1e6 + k * w**2))
        assert row.optimised > row.own > 1.3 * row.square
        assert 0.01 < row.worse < 0.35


def test_the_text_says_what_of_the_paper_could_not_be_had(folder: Path) -> None:
    text = (folder / "location.md").read_text()
    assert "What of the paper could not be had" in text
    for word in ("Its data", "Its w", "Its regions", "seed 1", "Corollary 3 is read as"):
        assert word in text


def test_the_tables_of_the_documents_are_those_of_the_text(folder: Path) -> None:
    document = (servers.ROOT / "docs/mathematics.md").read_text().partition("## Places on the plane")[2]
    rows = re.findall(r"^\| .+ \|$", document.partition("\n## ")[0], re.MULTILINE)
    written = (folder / "location.md").read_text().splitlines()
    assert len(rows) > 20
    assert [row for row in rows if row not in written] == []
