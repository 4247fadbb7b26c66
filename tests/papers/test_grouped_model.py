"""The paper's experiment and the figure that it does not have."""

import csv
from io import StringIO
from math import nan, pi, sqrt
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from papers import grouped_model
from papers.drawing import Curve, Figure, runs, svg, ticks

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("papers") / "new"
    call_command("reproduce", "grouped-model", "-o", str(into), stderr=StringIO())
    return into


def table(
    folder: Path, name: str, itemset: str = "all"
) -> dict[tuple[float, str], tuple[float, float, float]]:
    with (folder / f"{name}.csv").open(newline="") as file:
        return {
            (float(row[name]), row["estimator"]): (float(row["mean"]), float(row["low"]), float(row["high"]))
            for row in csv.DictReader(file)
            if row["itemset"] == itemset
        }


def test_it_writes_a_text_and_three_figures_with_their_numbers(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "bias.csv",
        "bias.svg",
        "grouped-model.md",
        "w-by-k.csv",
        "w-by-k.svg",
        "w-by-p.csv",
        "w-by-p.svg",
    ]
    text = (folder / "grouped-model.md").read_text()
    for name in ("w-by-k", "w-by-p", "bias"):
        assert f"({name}.svg)" in text
        assert ET.parse(folder / f"{name}.svg").getroot().tag == f"{SVG}svg"


def test_the_grids_run_from_0_to_1(folder: Path) -> None:
    for name in ("w-by-k", "w-by-p"):
        steps = sorted({step for step, _ in table(folder, name)})
        assert steps == [pytest.approx(place / 20) for place in range(21)]


def test_who_answers_openly_leaves_no_error(folder: Path) -> None:
    found = table(folder, "w-by-k")
    for estimator in grouped_model.ESTIMATORS:
        assert found[1, estimator] == (0, 0, 0)
        assert found[0, estimator] == found[0, "pooled"]


ITEMSETS = ("a", "b", "c", "ab", "ac", "bc", "abc")


@pytest.mark.parametrize("name", ["w-by-k", "w-by-p"])
def test_w_of_each_itemset_stands_beside_the_mean_of_all(folder: Path, name: str) -> None:
    found = table(folder, name)
    alone = [table(folder, name, itemset) for itemset in ITEMSETS]
    for at, (mean, *_) in found.items():
        of_each = [of[at][0] for of in alone]
        assert mean == pytest.approx(sum(of_each) / 7, abs=1e-6)
        # With everybody open nothing is wrong; else rarer answers are not equally hard to estimate.
        assert len({round(w, 5) for w in of_each}) > 1 or mean == 0


def test_with_nobody_open_the_error_is_the_expected_w(folder: Path) -> None:
    # Per itemset sqrt(2/pi) times the square root of (E z^2 - P) / n, with E z^2 = (sent (1 - 2c) + c^2) / p^2.
    supports = [0.44, 0.36, 0.26, 0.22, 0.16, 0.14, 0.10]
    sizes = [1, 1, 1, 2, 2, 2, 3]
    expected = []
    for itemset, support, size in zip(ITEMSETS, supports, sizes, strict=True):
        c = 0.7 * 0.6**size
        sent = 0.3 * support + c
        second = (sent * (1 - 2 * c) + c**2) / 0.09
        expected.append(sqrt(2 / pi) * sqrt((second - support) / 10_000))
        alone = table(folder, "w-by-k", itemset)[0, "pooled"]
        assert alone[0] == pytest.approx(expected[-1], rel=0.25)
        assert alone[1] < expected[-1] < alone[2]
    assert table(folder, "w-by-k")[0, "pooled"][0] == pytest.approx(sum(expected) / 7, rel=0.06)


def test_without_kept_answers_only_pooled_is_defined(folder: Path) -> None:
    found = table(folder, "w-by-p")
    assert (0, "pooled") in found
    assert (0, "stratified") not in found
    assert (0, "combined") not in found
    assert (0.05, "stratified") in found
    assert "| 0 | 0.0" in (folder / "grouped-model.md").read_text()
    assert "| not defined | not defined |" in (folder / "grouped-model.md").read_text()


def test_the_bands_hold_the_mean_and_alike_groups_favour_those_who_assume_it(folder: Path) -> None:
    found = table(folder, "w-by-p")
    for mean, low, high in found.values():
        assert low <= mean <= high
    assert found[0.3, "combined"][0] < found[0.3, "pooled"][0] < found[0.3, "stratified"][0]


def test_pooled_is_off_where_open_answerers_differ(folder: Path) -> None:
    found = table(folder, "bias")
    # .1 and .4: (.5 * .1 + .5 * .12) / .65 = .1692.
    assert found[0.3, "pooled"][0] == pytest.approx(0.1692, abs=0.003)
    for (_, estimator), (mean, *_) in found.items():
        if estimator == "stratified":
            assert mean == pytest.approx(0.25, abs=0.004)


def test_a_seed_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    call_command("reproduce", "grouped-model", "-o", str(tmp_path), stderr=StringIO())
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_an_unknown_paper_is_a_mistake_in_use(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("reproduce", "another", "-o", str(tmp_path))


def test_where_nothing_can_be_written_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CommandError, match=r"file: cannot be written \(File exists\)"):
        call_command("reproduce", "grouped-model", "-o", str(tmp_path / "file"))


def test_a_curve_is_broken_where_it_has_no_value() -> None:
    assert runs([nan, 1, 2, nan, 3]) == [[1, 2], [4]]
    broken = Curve("a", [nan, 1, 2], [nan, 1, 2], [nan, 1, 2])
    drawn = ET.fromstring(svg(Figure("<b> & c", "x", "y", [0, 1, 2], [broken])))
    assert drawn.findtext(f"{SVG}title") == "<b> & c"
    assert "nan" not in ET.tostring(drawn, "unicode")


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


def test_every_respondent_is_in_one_group() -> None:
    sent = grouped_model.survey((grouped_model.SHARES,) * 2, 0.2, 0.3, np.random.default_rng(1))
    assert (sent.tallies[0].base == np.array([[2_000], [8_000]])).all()
    assert (sent.tallies[0].supersets[1] <= sent.tallies[0].base).all()
