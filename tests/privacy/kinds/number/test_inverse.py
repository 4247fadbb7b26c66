"""The blurred distribution against worked numbers, an inverse matrix and simulated surveys."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privacy.kinds.number.window.law import WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import (
    blur_distribution,
    count_modes,
    difference_scores,
    eigenvalues,
)

R3, FEJER, EDGE = json.loads((Path(__file__).parents[3] / "vectors" / "windows.json").read_text())


def law_of(vector: dict[str, Any]) -> WindowLaw:
    inputs = vector["inputs"]
    uniform = (
        10_000 - round(10_000 * inputs["u"]) if "u" in inputs else int(10_000 * float(inputs["uniform"]))
    )
    return WindowLaw(inputs["V"], inputs["h"], uniform)


def test_the_law_of_the_paper() -> None:
    law = law_of(R3)
    assert law.gamma == Fraction(R3["expected"]["gamma"])
    assert count_modes(law) == R3["expected"]["M"]
    assert eigenvalues(law)[:5] == pytest.approx(R3["expected"]["lambda_"], abs=1e-9)


def test_worked_scores() -> None:
    law, expected = law_of(FEJER), FEJER["expected"]
    assert count_modes(law) == expected["M"]
    for key, is_open in (("z_at_difference", False), ("open_at_difference", True)):
        z = difference_scores(law, count_modes(law), is_open=is_open)
        assert {at: z[int(at)] for at in expected[key]} == pytest.approx(expected[key], abs=1e-9)


def test_there_are_at_most_half_as_many_modes_as_values() -> None:
    assert count_modes(law_of(EDGE)) == EDGE["expected"]["M"]


def matrix(law: WindowLaw) -> NDArray[np.float64]:
    circle = law.law
    places = range(law.values)
    return np.array([[float(circle.probability(x, y)) for y in places] for x in places])


def test_gamma_and_eigenvalues_are_those_of_the_matrix() -> None:
    law = WindowLaw(31, 4, 3500)
    assert law.gamma == law.law.gamma
    waves = np.fft.fft(matrix(law)[0]).real[1:16]
    assert eigenvalues(law) == pytest.approx(waves, abs=1e-12)


def fejer(values: int, kept: int) -> NDArray[np.float64]:
    m = np.arange(1, kept + 1)
    apart = np.subtract.outer(np.arange(values), np.arange(values))
    waves = np.cos(2 * np.pi * apart[..., None] * m / values) @ (1 - m / (kept + 1))
    return np.asarray((1 + 2 * waves) / values)


@pytest.mark.parametrize("is_open", [False, True])
def test_the_mean_score_of_an_answer_is_its_kernel(is_open: bool) -> None:
    law = WindowLaw(31, 4, 3500)
    z = difference_scores(law, count_modes(law), is_open=is_open)
    received = np.eye(31) if is_open else matrix(law)
    expected = np.array([[z[(x - y) % 31] for y in range(31)] for x in range(31)]) @ received
    assert expected == pytest.approx(fejer(31, count_modes(law)), abs=1e-12)


def test_a_law_that_hides_everything_is_refused() -> None:
    with pytest.raises(ValueError, match="hides every frequency"):
        blur_distribution(WindowLaw(1001, 100, 9000), np.ones(1001), np.zeros(1001))


SHAPES = {
    "smooth": np.exp(-((np.arange(101) - 30) ** 2) / 400),
    "spike": np.where(np.arange(101) == 12, 60.0, 1.0),
    "block": np.where(np.arange(101) < 40, 1.0, 0.0),
}


@pytest.mark.at_push(3)
@pytest.mark.proof
@pytest.mark.parametrize("n", [1_000, 10_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_bands_cover_95_of_100_surveys_at_every_value(shape: str, n: int) -> None:
    """Over 1,500 surveys the share of a single value has a standard error of .6 %; the bounds are five of them."""
    law, rng = WindowLaw(101, 7, 4000), np.random.default_rng(n)
    truth = SHAPES[shape] / SHAPES[shape].sum()
    target = fejer(101, count_modes(law)) @ (0.8 * truth + 0.2 * truth[::-1])
    # A fifth answers openly, and differs: it has the truth turned round.
    opened = rng.multinomial(n // 5, truth[::-1], 1_500)
    disguised = rng.multinomial(n - n // 5, matrix(law).T @ truth, 1_500)
    found = blur_distribution(law, disguised.astype(np.float64), opened.astype(np.float64))
    covered = ((found.low <= target) & (target <= found.high)).mean(axis=0)
    assert covered.min() >= 0.92
    assert covered.max() <= 0.98


def test_surveys_together_have_the_bands_of_each() -> None:
    law = WindowLaw(31, 4, 3500)
    counts = np.random.default_rng(1).multinomial(1_000, np.full(31, 1 / 31), (2, 3)).astype(np.float64)
    together = blur_distribution(law, *counts)
    for place, (disguised, opened) in enumerate(zip(*counts, strict=True)):
        alone = blur_distribution(law, disguised, opened)
        for column, of in zip((together.low, together.high), (alone.low, alone.high), strict=True):
            assert column[place] == pytest.approx(of, abs=1e-12)
