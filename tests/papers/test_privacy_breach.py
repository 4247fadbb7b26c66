"""`reproduce privacy-breach`: the paper's numbers, and what is said beyond them."""

import csv
import json
import xml.etree.ElementTree as ET
from fractions import Fraction
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from papers.privacy_breach.breaches import Extremes, age_example, extremes, with_background
from papers.privacy_breach.constructed import CONDITIONS, constructed, mean_errors
from papers.privacy_breach.settings import LAWS, R3, prior
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.inverse import modes


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


def test_no_window_tells_a_mean_and_thresholds_do() -> None:
    """The figures of the design: about 1.4, .6 and .16 of the range against .010, .007 and .006."""
    found = list(mean_errors())
    assert [row.window for row in found] == pytest.approx([1.47, 0.59, 0.16], abs=0.01)
    assert [row.thresholds for row in found] == pytest.approx([0.010, 0.007, 0.0056], abs=0.0001)


def test_the_error_of_thresholds_is_that_of_the_worst_numbers() -> None:
    """Half of the people at each end, thresholds at 1 .. 9 and 10: the mean of 10 gap z over the records."""
    rng = np.random.default_rng(1)
    keep, n, surveys = 5 / 7, 10_000, 400
    high = rng.random((surveys, n)) < 0.5
    kept = rng.random((surveys, n)) < keep
    says = np.where(kept, high, rng.random((surveys, n)) < 0.5)
    means = ((says - (1 - keep) / 2) / keep).mean(axis=1)
    assert means.mean() == pytest.approx(0.5, abs=0.002)
    assert means.std() == pytest.approx(0.007, rel=0.15)
