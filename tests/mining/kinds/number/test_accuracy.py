"""What is promised of estimated numbers, in simulated surveys whose open answerers are other people."""

import json
from functools import cache

import numpy as np
import pytest

from mining.document.numbers import NumberEstimates
from mining.kinds.number import finding
from mining.kinds.number.window import estimate_window
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.inverse import blurred, modes
from privacy.kinds.number.window.law import BANDED, WindowLaw
from tests.mining.kinds.number.drawn import ByClasses, ByWindow, People, covered, shapes
from tests.privacy.questionnaires import classes, design

pytestmark = pytest.mark.proof
LAWS = {"of the paper": WindowLaw(1001, 100, 5000), "a narrow window": WindowLaw(101, 7, 4000)}
OPEN = 0.2


@pytest.mark.parametrize(
    ("law", "shape", "n"),
    [
        ("of the paper", "smooth", 10_000),
        ("of the paper", "spike", 10_000),
        ("of the paper", "block", 1_000),
        ("a narrow window", "smooth", 1_000),
        ("a narrow window", "spike", 1_000),
        ("a narrow window", "block", 10_000),
    ],
)
def test_bands_hold_the_blurred_truth_in_95_of_100_surveys_at_every_value(
    law: str, shape: str, n: int
) -> None:
    """In 1,500 surveys a cell's share has a standard error of .6 %: the bounds are five of them."""
    survey = ByWindow(People.differing(shapes(LAWS[law].values)[shape], OPEN), LAWS[law])
    counts = survey.draw(n, 1_500, np.random.default_rng(n)).astype(np.float64)
    found = blurred(survey.law, counts[:, 1], counts[:, 0])
    held = covered(found.low, found.high, survey.blurred(modes(survey.law)))
    assert held.min() >= 0.92
    assert held.max() <= 0.98


def test_the_simulated_bands_are_those_of_an_estimate() -> None:
    survey = ByWindow(People.differing(shapes(101)["smooth"], OPEN), LAWS["a narrow window"])
    counts = survey.draw(BANDED, 3, np.random.default_rng(1))
    together = blurred(survey.law, counts[:, 1].astype(float), counts[:, 0].astype(float))
    for place, one in enumerate(counts):
        found = estimate_window(survey.law, one)
        assert found is not None
        assert found.low == pytest.approx(together.low[place], abs=1e-12)
        assert found.high == pytest.approx(together.high[place], abs=1e-12)


LIMITS = (40, 80, 120, 160, 200)
KEEPS = {3: ("0.4", "0.5"), 19: ("0.8181", "0.9")}
"""By gamma the keep with two of the limits drawn, and that of the rest."""


def by_classes(gamma: int, shape: str, cuts: int = 2) -> tuple[ByClasses, ClassesSection]:
    keep, keep_rest = KEEPS[gamma]
    people = People.differing(shapes(201)[shape], OPEN)
    source = classes("n", keep, 0, *LIMITS, cuts=cuts, rest=2, keep_rest=keep_rest)
    (section,) = design(source).sections
    assert isinstance(section, ClassesSection)
    written = json.loads(design(source).canonical)["sections"][0]
    return ByClasses(people, written), section


@cache
def found_in(gamma: int, shape: str, n: int) -> list[NumberEstimates]:
    survey, section = by_classes(gamma, shape)
    return [finding.estimates(section, counts) for counts in survey.draw(n, 400, np.random.default_rng(n))]


CELLS = [(3, "smooth", 2_000), (3, "spike", 1_000), (19, "block", 2_000), (19, "smooth", 500)]


@pytest.mark.parametrize(("gamma", "shape", "n"), CELLS)
class TestClasses:
    """In 400 surveys a coverage has a standard error of 1.1 %; the bounds are three of them below 95 %."""

    def test_shares_are_unbiased_and_their_intervals_hold_them(self, gamma: int, shape: str, n: int) -> None:
        survey, _section = by_classes(gamma, shape)
        for place, limit in enumerate(LIMITS):
            truth = min(1.0, float(survey.people.everybody[limit:].sum()))
            rows = [one.shares[place] for one in found_in(gamma, shape, n)]
            values = np.array([row.share for row in rows])
            assert abs(values.mean() - truth) <= 4.5 * values.std() / np.sqrt(len(values))
            assert np.mean([row.se for row in rows]) == pytest.approx(values.std(), rel=0.12)
            assert (
                np.mean(
                    [
                        row.low <= truth <= row.high
                        for row in rows
                        if row.low is not None and row.high is not None
                    ]
                )
                >= 0.915
            )

    def test_the_mean_is_unbiased_and_its_interval_holds_it(self, gamma: int, shape: str, n: int) -> None:
        survey, _section = by_classes(gamma, shape)
        means = [one.mean for one in found_in(gamma, shape, n) if one.mean]
        assert len(means) == 400
        values = np.array([mean.value for mean in means])
        assert abs(values.mean() - survey.mean) <= 4.5 * values.std() / np.sqrt(len(values))
        assert np.mean([mean.low <= survey.mean <= mean.high for mean in means]) >= 0.915

    def test_statements_about_quantiles_are_true(self, gamma: int, shape: str, n: int) -> None:
        survey, _section = by_classes(gamma, shape)
        for place in range(3):
            true = [survey.is_true(one.quantiles[place]) for one in found_in(gamma, shape, n)]
            assert np.mean(true) >= 0.93
