"""Decisions on the hypotheses of a plan."""

import numpy as np
import pytest

from mining.inference.selection_correction import LEVEL, ChosenLevels, critical_z
from mining.report.group_comparisons import decide_hypotheses
from mining.report.study_nodes import HypothesisResult
from mining.studies.single_answer_estimates import AnswerLaw, answer_side
from mining.studies.waves import compare_sides

HYPOTHESES = 20


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
        (400, 0.9),
        pytest.param(8_000, 0.9, marks=pytest.mark.night),
        pytest.param(8_000, 0.6923, marks=pytest.mark.night),
    ],
)
def test_a_plan_of_twenty_true_hypotheses_of_no_effect_finds_one_in_at_most_six_percent(
    plans: int, keep: float
) -> None:
    """Each hypothesis compares two versions of a question that half of 1,000 respondents get, without a difference."""
    n, rng, law = 1_000, np.random.default_rng(19), AnswerLaw.from_probabilities(keep, 0.5)
    size = plans * HYPOTHESES
    first = rng.binomial(n, 0.5, size)
    received = keep * np.tile(rng.uniform(0.05, 0.5, HYPOTHESES), plans) + float(law.chance)
    nobody = np.zeros(size)
    versions = [
        answer_side(np.stack([nobody, records]), np.stack([nobody, rng.binomial(records, received)]), law)
        for records in (first, n - first)
    ]
    levels = ChosenLevels(np.ones(size, np.bool_), critical_z(LEVEL / HYPOTHESES))
    tested = compare_sides(*versions, shared=False, levels=levels)
    results = [
        HypothesisResult("", "version", p=p, low=low, high=high)
        for p, low, high in zip(tested.p.tolist(), tested.low.tolist(), tested.high.tolist(), strict=True)
    ]
    every = (results[start : start + HYPOTHESES] for start in range(0, size, HYPOTHESES))
    assert np.mean([any(of.met for of in decide_hypotheses(plan)) for plan in every]) <= 0.06
