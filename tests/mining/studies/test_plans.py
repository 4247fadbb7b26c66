"""Decisions on the hypotheses of a plan."""

import numpy as np
import pytest

from mining.document.comparisons import decide_hypotheses
from mining.document.study_nodes import HypothesisResult
from tests.mining.studies.simulated_plans import false_plans


def result(p: float | None) -> HypothesisResult:
    return HypothesisResult("more steal", "share", p=p)


def test_holm_within_the_plan() -> None:
    found = decide_hypotheses([*map(result, (0.01, 0.04, 0.03, 0.005))])
    # .005 x 4, .01 x 3, .03 x 2, then never less.
    assert [of.holm for of in found] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [of.met for of in found] == [True, False, False, True]


def test_a_hypothesis_that_cannot_be_computed_counts_as_one() -> None:
    found = decide_hypotheses([*map(result, (0.02, None, float("nan")))])
    assert [of.holm for of in found] == pytest.approx([0.06, 1, 1])
    assert not any(of.met for of in found)
    assert [of.p for of in found] == [0.02, None, None]


@pytest.mark.proof
@pytest.mark.parametrize(
    ("plans", "keep"),
    [
        (1_000, 0.9),
        pytest.param(8_000, 0.9, marks=pytest.mark.night),
        pytest.param(8_000, 0.6923, marks=pytest.mark.night),
    ],
)
def test_a_plan_of_twenty_true_hypotheses_of_no_effect_finds_one_in_at_most_six_percent(
    plans: int, keep: float
) -> None:
    assert false_plans(keep, 1_000, plans, np.random.default_rng(19)) <= 0.06
