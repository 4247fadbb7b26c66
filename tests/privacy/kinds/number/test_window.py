"""A window: its law against the paper on privacy breaches and its definition; the blurred distribution."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privacy.kinds.number.window import smoothed_distribution_estimate as estimate
from privacy.kinds.number.window.circular_law import CircularLaw
from privacy.kinds.number.window.law import WindowLaw
from tests.privacy.strategies import amplification, exact_law

F = Fraction
VECTORS = Path(__file__).parents[3] / "vectors" / "windows.json"
R3, FEJER, EDGE = json.loads(VECTORS.read_text())


# --- R1, R2 and R3 of the paper; its posteriors: tests/papers/test_privacy_breach.py


def test_r3_is_what_its_coins_give() -> None:
    """Every value of xi that leads from x to y."""
    for half in (0, 1, 2):
        for values in (5, 8, 11):
            law = CircularLaw.mixed(values, half, F(7, 10))
            for x, y in np.ndindex(values, values):
                reaching = sum((x + xi) % values == y for xi in range(-half, half + 1))
                by_coins = F(7, 10) * F(reaching, 2 * half + 1) + F(3, 10) / values
                assert law.probability(x, y) == by_coins, (half, values, x, y)


def test_gamma_is_the_largest_ratio_of_two_probabilities_of_a_record() -> None:
    retentions = [CircularLaw.retention(6, share) for share in (F(1, 3), F(1, 20))]
    for law in [*retentions, CircularLaw.window(7, 2), CircularLaw.mixed(7, 2, F(1, 2))]:
        rows = [[law.probability(x, y) for y in range(law.values)] for x in range(law.values)]
        assert law.gamma == amplification(exact_law(rows)), law


def test_a_window_that_overlaps_itself_and_a_posterior_of_what_is_never_sent_are_refused() -> None:
    for half in (-1, 4):
        with pytest.raises(ValueError, match="does not fit 7 values"):
            CircularLaw.window(7, half)
    with pytest.raises(ValueError, match="never sent"):
        CircularLaw.window(7, 1).posterior([F(1), *[F(0)] * 6], 3)


# --- the blurred distribution against worked numbers, an inverse matrix and simulated surveys


def law_of(vector: dict[str, Any]) -> WindowLaw:
    given = vector["inputs"]
    uniform = 10_000 - round(10_000 * given["u"]) if "u" in given else int(10_000 * float(given["uniform"]))
    return WindowLaw(given["V"], given["h"], uniform)


def test_worked_laws_and_scores() -> None:
    law, stated = law_of(R3), R3["expected"]
    assert (law.gamma, estimate.count_shown_modes(law)) == (F(stated["gamma"]), stated["M"])
    assert estimate.eigenvalues(law)[:5] == pytest.approx(stated["lambda_"], abs=1e-9)
    law, stated = law_of(FEJER), FEJER["expected"]
    assert estimate.count_shown_modes(law) == stated["M"]
    for key, is_open in (("z_at_difference", False), ("open_at_difference", True)):
        z = estimate.difference_scores(law, estimate.count_shown_modes(law), is_open=is_open)
        assert {at: z[int(at)] for at in stated[key]} == pytest.approx(stated[key], abs=1e-9)
    # There are at most half as many modes as values.
    assert estimate.count_shown_modes(law_of(EDGE)) == EDGE["expected"]["M"]


def matrix(law: WindowLaw) -> NDArray[np.float64]:
    places, exact = range(law.values), law.law
    return np.array([[float(exact.probability(x, y)) for y in places] for x in places])


def test_gamma_and_eigenvalues_are_those_of_the_matrix() -> None:
    law = WindowLaw(31, 4, 3500)
    assert law.gamma == law.law.gamma
    waves = np.fft.fft(matrix(law)[0]).real[1:16]
    assert estimate.eigenvalues(law) == pytest.approx(waves, abs=1e-12)


def fejer(values: int, kept: int) -> NDArray[np.float64]:
    m = np.arange(1, kept + 1)
    apart = np.subtract.outer(np.arange(values), np.arange(values))
    waves = np.cos(2 * np.pi * apart[..., None] * m / values) @ (1 - m / (kept + 1))
    return np.asarray((1 + 2 * waves) / values)


def test_the_mean_score_of_an_answer_is_its_kernel() -> None:
    law = WindowLaw(31, 4, 3500)
    for is_open, received in ((False, matrix(law)), (True, np.eye(31))):
        z = estimate.difference_scores(law, estimate.count_shown_modes(law), is_open=is_open)
        expected = np.array([[z[(x - y) % 31] for y in range(31)] for x in range(31)]) @ received
        assert expected == pytest.approx(fejer(31, estimate.count_shown_modes(law)), abs=1e-12)


def test_a_law_that_hides_everything_is_refused() -> None:
    with pytest.raises(ValueError, match="hides every frequency"):
        estimate.estimate_distribution(WindowLaw(1001, 100, 9000), np.ones(1001), np.zeros(1001))


def test_surveys_together_have_the_bands_of_each() -> None:
    law = WindowLaw(31, 4, 3500)
    counts = np.random.default_rng(1).multinomial(1_000, np.full(31, 1 / 31), (2, 3)).astype(np.float64)
    together = estimate.estimate_distribution(law, *counts)
    for place, (disguised, opened) in enumerate(zip(*counts, strict=True)):
        alone = estimate.estimate_distribution(law, disguised, opened)
        for column, of in zip((together.low, together.high), (alone.low, alone.high), strict=True):
            assert column[place] == pytest.approx(of, abs=1e-12)
