"""The price of the stratified estimator, worked out by hand and drawn."""

from math import sqrt

import numpy as np
import pytest

from mining.studies.single_answer_estimates import estimator_errors
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

AGE = {"name": "age", "choices": ["young", "old"]}
ONE = design(plain(AGE), sensitive("0.5", question("theft", *HALF)))


def test_the_errors_are_those_of_both_formulas() -> None:
    """Keep .5, noise .5, share .1: lambda = .25 + .05 = .3, lambda (1 - lambda) = .21; a fifth of 1,000 are open."""
    found = estimator_errors(ONE, 1_000, 0.2)
    assert found
    assert found.stratified == pytest.approx(sqrt((0.2 * 0.09 + 0.8 * 0.21 / 0.25) / 1_000))
    assert found.pooled == pytest.approx(sqrt((0.2 * 0.09 + 0.8 * 0.21) / 0.6**2 / 1_000))


def test_without_open_records_both_are_one() -> None:
    found = estimator_errors(ONE, 1_000, 0.0)
    assert found
    assert found.stratified == pytest.approx(found.pooled)


def test_drawn_surveys_spread_as_much() -> None:
    """20,000 surveys of 300 open and 700 disguised, both groups alike."""
    rng = np.random.default_rng(1)
    opened, sent = rng.binomial(300, 0.1, 20_000), rng.binomial(700, 0.3, 20_000)
    stratified = (opened + (sent - 700 * 0.25) / 0.5) / 1_000
    pooled = ((opened + sent) / 1_000 - 0.7 * 0.25) / (0.3 + 0.7 * 0.5)
    found = estimator_errors(ONE, 1_000, 0.3)
    assert found
    assert found.stratified == pytest.approx(stratified.std(), rel=0.02)
    assert found.pooled == pytest.approx(pooled.std(), rel=0.02)


def test_a_survey_without_sensitive_choices_has_none() -> None:
    assert estimator_errors(design(plain(AGE)), 1_000, 0.2) is None
