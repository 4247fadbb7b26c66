"""`reproduce privacy-breach`: the paper's numbers, and what is said beyond them."""

import csv
import json
import xml.etree.ElementTree as ET
from collections import Counter
from fractions import Fraction
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from papers.privacy_breach.beside_classes import Errors, beside_classes
from papers.privacy_breach.breaches import FACTS, Extremes, age_example, extremes, with_background
from papers.privacy_breach.constructed import CONDITIONS, constructed, mean_errors
from papers.privacy_breach.settings import LAWS, R3, prior
from papers.privacy_breach.worst_properties import HIGH, LOW, TYPICAL, worst, worst_properties
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.inverse import modes

pytestmark = pytest.mark.proof


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    call_command("reproduce", "privacy-breach", "-o", str(tmp_path / "new"), stderr=StringIO())
    return tmp_path / "new"


def test_it_writes_a_text_a_figure_and_the_numbers(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "posterior.svg",
        "posteriors.csv",
        "privacy-breach.json",
        "privacy-breach.md",
    ]
    text = (folder / "privacy-breach.md").read_text()
    assert "| X = 0 | 1.0 % | 71.6 % | 4.8 % | 2.9 % |" in text
    assert "| X outside [200, 800] | 40.5 % | 83.0 % | 100.0 % | 70.8 % |" in text
    assert "gamma of R3 is 1202/201" in text
    assert "so R3 has\nno such breach" in text
    assert ET.parse(folder / "posterior.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    found = json.loads((folder / "privacy-breach.json").read_text())
    assert [row["R3"] for row in found["table"]] == [0.0293738, 0.7077452]
    assert "| R3 | nothing | from 14.3 % to 42.8 % | no | from 50.1 % to 24.6 % | no |" in text
    assert len(found["beside_classes"]) == 3
    with (folder / "posteriors.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(found["extremes"] + found["background"])


def by_hand(row: Extremes, y: int) -> float:
    """The posterior of X outside [200, 800] after one record, from the definition of the law."""
    law = LAWS[row.law]
    joint = [float(belief * law.probability(x, y)) for x, belief in enumerate(prior())]
    return (sum(joint[:200]) + sum(joint[801:])) / sum(joint)


@pytest.mark.parametrize("law", LAWS)
def test_the_extremes_are_over_all_records(law: str) -> None:
    (row,) = [row for row in extremes() if (row.law, row.name) == (law, "X outside [200, 800]")]
    some = [by_hand(row, y) for y in range(0, 1001, 100)]
    assert min(some) >= row.least - 1e-12
    assert max(some) <= row.most + 1e-12
    assert row.most == pytest.approx(by_hand(row, 0))
    assert row.least == pytest.approx(by_hand(row, 500))


def test_nothing_that_is_known_beforehand_breaks_the_bound_of_gamma() -> None:
    assert len(with_background()) == 4
    for row in with_background():
        assert row.bound is not None
        assert row.least <= row.before <= row.most <= row.bound + 1e-12


def test_r3_admits_no_breach_from_a_seventh_to_a_half_and_one_from_a_little_less() -> None:
    assert GammaLimit.never_reaches(Fraction(1, 7), Fraction(1, 2)).admits(R3.gamma)
    assert not GammaLimit.never_reaches(Fraction(1, 7), Fraction(49, 100)).admits(R3.gamma)


def test_120_proves_an_age_of_70_or_more() -> None:
    assert age_example() == (70, 100)


def test_a_law_is_constructed_for_each_condition() -> None:
    found = list(constructed())
    assert [(row.rho1, row.rho2) for row in found] == list(CONDITIONS)
    for row in found:
        assert GammaLimit.never_reaches(row.rho1, row.rho2).admits(row.law.law.gamma or Fraction(0))
        assert modes(row.law) >= modes(R3)
    assert found[0].error < found[1].error < found[2].error


def test_no_window_tells_a_mean_and_classes_do() -> None:
    """About 1.4, .6 and .16 of the range against sqrt(.928), sqrt(.389) and sqrt(.184) hundredths."""
    found = list(mean_errors())
    assert [row.window for row in found] == pytest.approx([1.47, 0.59, 0.16], abs=0.01)
    assert [row.classes for row in found] == pytest.approx([0.00963, 0.00624, 0.00429], abs=0.00002)


@pytest.fixture(scope="module")
def beside() -> list[Errors]:
    return list(beside_classes())


def test_errors_beside_classes_are_those_of_simulated_surveys(beside: list[Errors]) -> None:
    for row in beside:
        assert row.window_simulated == pytest.approx(row.window, rel=0.1)
        assert row.classes_simulated == pytest.approx(row.classes, rel=0.1)


def test_r3_shows_the_shape_and_classes_the_rest(beside: list[Errors]) -> None:
    shape, mean, share = beside
    assert shape.window < shape.classes
    assert mean.classes < mean.window / 100
    assert share.classes < share.window / 100
    # One limit in the middle, keep (1202 - 201) / (1202 + 201) = .7134: n se^2 = 1 / (4 p^2).
    assert share.classes == pytest.approx(1 / (2 * 0.7134) / np.sqrt(10_000), rel=1e-3)


def test_breaches_are_found_where_the_paper_has_them() -> None:
    found = {(row.law, row.known): row for row in worst_properties()}
    verdicts = {of: (row.positive, row.negative) for of, row in found.items()}
    assert verdicts["R1", "nothing"] == (True, False)
    assert verdicts["R2", "nothing"] == (True, True)
    assert [verdicts[of] for of in found if of[0] == "R3"] == [(False, False)] * 4


@pytest.mark.parametrize("law", LAWS)
def test_the_worst_properties_are_worse_than_any_interval(law: str) -> None:
    """Every interval of numbers (round the circle, with 0 and without it), from the definition of the law."""
    found = worst(law, FACTS[0])
    before = np.array([float(belief) for belief in prior()])
    rises, falls = 0.0, 1.0
    for y in (0, 500):
        joint = before * [float(LAWS[law].probability(x, y)) for x in range(1001)]
        after = joint / joint.sum()
        for start in range(1001):
            had, has = (np.cumsum(np.roll(each, -start)) for each in (before, after))
            rises = max(rises, has[had <= float(LOW)].max(initial=0))
            falls = min(falls, has[had >= float(HIGH)].min(initial=1))
    assert float(found.raised_to) >= rises - 1e-9
    assert float(found.lowered_to) <= falls + 1e-9
    assert found.raised_from <= LOW
    assert found.lowered_from >= HIGH
    if law != "R1":
        assert float(found.raised_to) == pytest.approx(rises, abs=0.01)


def test_every_record_says_as_much_as_a_typical_one() -> None:
    """How many numbers have which prior and which chance to send it is as for a record near 0, or far off."""
    before = prior()
    for law in LAWS.values():
        kinds = {
            y: Counter((before[x], law.probability(x, y)) for x in range(1001))
            for y in (*TYPICAL, 1, 60, 100, 101, 150, 750, 899, 900, 901, 1000)
        }
        assert all(kind in (kinds[TYPICAL[0]], kinds[TYPICAL[1]]) for kind in kinds.values())


@pytest.mark.parametrize("place", range(3))
def test_a_constructed_law_keeps_its_condition_for_priors_chosen_against_it(place: int) -> None:
    """All belief on a number inside the window of a record and one outside it, for each record the worst there is."""
    row = list(constructed())[place]
    inside, outside = (row.law.law.probability(x, 0) for x in (0, 500))
    after = row.rho1 * inside / (row.rho1 * inside + (1 - row.rho1) * outside)
    assert Fraction(99, 100) * row.rho2 < after < row.rho2
    fallen = row.rho2 * outside / (row.rho2 * outside + (1 - row.rho2) * inside)
    assert row.rho1 < fallen < Fraction(101, 100) * row.rho1
