"""The distribution behind R3: floors, bands from their one place, and the likeliest distribution."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from mining.inference.contingency_table import Floats
from mining.numbers.floors import Counts
from mining.numbers.window import (
    GAP,
    WindowEstimate,
    estimate_window,
    likeliest_distribution,
    log_likelihood,
)
from privacy.kinds.number.inverse import blurred
from privacy.kinds.number.window import WindowLaw

pytestmark = pytest.mark.proof
R3 = WindowLaw(1001, 100, 5000)
SMALL = WindowLaw(7, 1, 4000)
VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "windows.json").read_text())


def matrix(law: WindowLaw) -> Floats:
    """P(y|x), from the law's own fractions."""
    places = range(law.values)
    return np.array([[float(law.law.probability(x, y)) for y in places] for x in places])


def simulated(law: WindowLaw, n: int, seed: int, open_share: float = 0.0) -> Counts:
    """Numbers in two hills, by the coins of R3."""
    rng = np.random.default_rng(seed)
    places = np.where(rng.random(n) < 0.6, 0.3, 0.7) * law.values
    x = np.clip(rng.normal(places, 0.05 * law.values), 0, law.values - 1).astype(int)
    moved = (x + rng.integers(-law.half, law.half + 1, n)) % law.values
    any_number = rng.integers(0, 10_000, n) < law.uniform_parts
    y = np.where(any_number, rng.integers(0, law.values, n), moved)
    is_open = rng.random(n) < open_share
    return np.stack(
        [
            np.bincount(x[is_open], minlength=law.values),
            np.bincount(y[~is_open], minlength=law.values),
        ]
    )


def estimate(law: WindowLaw, counts: Counts) -> WindowEstimate:
    found = estimate_window(law, counts)
    assert found is not None
    return found


def test_an_estimate_holds_what_was_received_its_blurred_bands_and_an_illustration() -> None:
    counts = simulated(R3, 2_000, 1, open_share=0.2)
    found = estimate(R3, counts)
    assert found.modes == VECTORS[0]["expected"]["M"]
    assert found.received == pytest.approx(counts.sum(axis=0) / 2_000)
    fejer = blurred(R3, counts[1].astype(float), counts[0].astype(float))
    for one, other in ((found.blurred, fejer.share), (found.low, fejer.low), (found.high, fejer.high)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.illustration, likeliest_distribution(R3, counts).share)
    for shares in (found.received, found.blurred, found.illustration):
        assert shares.sum() == pytest.approx(1)
    assert found.illustration.min() >= 0


@pytest.mark.parametrize(
    ("opened", "disguised", "is_enough"),
    [(0, 49, False), (0, 50, True), (9, 60, False), (10, 40, True), (60, 9, False), (50, 0, True)],
)
def test_nothing_is_estimated_below_the_floors(opened: int, disguised: int, is_enough: bool) -> None:
    counts = np.zeros((2, 7), np.int64)
    counts[0, 3], counts[1, 3] = opened, disguised
    assert (estimate_window(SMALL, counts) is not None) is is_enough


@pytest.mark.parametrize(("n", "banded"), [(999, False), (1_000, True)])
def test_there_are_no_bands_below_a_thousand_records(n: int, banded: bool) -> None:
    found = estimate(R3, simulated(R3, n, 2, open_share=0.1))
    assert np.isfinite(found.blurred).all()
    assert np.isfinite(found.low).all() == np.isfinite(found.high).all() == banded
    assert np.isnan(found.low).all() == np.isnan(found.high).all() == (not banded)


def test_open_answers_alone_are_their_own_distribution() -> None:
    counts = np.array([[0, 5, 10, 20, 10, 5, 0], [0] * 7])
    found = estimate(SMALL, counts)
    assert found.illustration == pytest.approx(counts[0] / 50, abs=1e-9)
    assert found.illustration == pytest.approx(found.received, abs=1e-9)


@pytest.mark.parametrize("law", [SMALL, WindowLaw(8, 3, 2500), WindowLaw(5, 0, 9000), WindowLaw(9, 4, 1)])
def test_the_likelihood_is_that_of_the_laws_matrix(law: WindowLaw) -> None:
    rng = np.random.default_rng(law.values)
    share = rng.dirichlet(np.ones(law.values))
    counts = rng.integers(0, 20, (2, law.values))
    chances = np.stack([share, share @ matrix(law)])
    assert log_likelihood(law, counts, share) == pytest.approx(
        (counts * np.log(chances)).sum() / counts.sum()
    )


@settings(max_examples=25)
@given(
    st.sampled_from([SMALL, WindowLaw(5, 0, 9000), WindowLaw(31, 7, 500), WindowLaw(64, 20, 6000)]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.3]),
)
def test_the_likelihood_never_falls(law: WindowLaw, seed: int, open_share: float) -> None:
    counts = simulated(law, 300, seed, open_share)
    found = [
        log_likelihood(law, counts, likeliest_distribution(law, counts, steps).share) for steps in range(30)
    ]
    assert np.diff(found).min() >= -1e-13


def test_the_likelihood_never_falls_over_a_thousand_values() -> None:
    counts = simulated(R3, 10_000, 5)
    steps = (0, 1, 2, 3, 10, 30, 100, 300, 301, 302, 1000)
    found = [log_likelihood(R3, counts, likeliest_distribution(R3, counts, taken).share) for taken in steps]
    assert np.diff(found).min() > 0


@settings(max_examples=50)
@given(arrays(np.int64, (2, 7), elements=st.integers(0, 200)), st.integers(0, 40))
def test_no_distribution_is_likelier_by_more_than_the_gap(counts: Counts, steps: int) -> None:
    """Compared with single values, even shares, and the same counts after many more steps."""
    counts[1, 0] += 1
    found = likeliest_distribution(SMALL, counts, steps)
    reached = log_likelihood(SMALL, counts, found.share)
    others = [np.full(7, 1 / 7), likeliest_distribution(SMALL, counts, 3_000).share]
    best = max(log_likelihood(SMALL, counts, share) for share in others)
    assert best <= reached + found.gap + 1e-12
    assert found.steps <= steps
    assert found.steps == steps or found.gap < GAP


def by_optimiser(law: WindowLaw, counts: Counts) -> Floats:
    """The likeliest shares by sequential quadratic programming, which knows nothing of the steps or of the circle."""
    through = matrix(law)
    n = counts.sum()
    known = counts[0] > 0

    def badness(share: Floats) -> float:
        opened = (counts[0][known] * np.log(np.maximum(share[known], 1e-300))).sum()
        return float(-(opened + (counts[1] * np.log(share @ through)).sum()) / n)

    def slope(share: Floats) -> Floats:
        found = through @ (counts[1] / (share @ through))
        found[known] += counts[0][known] / np.maximum(share[known], 1e-300)
        return np.asarray(-found / n)

    even = np.full(law.values, 1 / law.values)
    found = minimize(  # type: ignore[no-untyped-call]
        badness,
        even,
        jac=slope,
        method="SLSQP",
        bounds=[(0, 1)] * law.values,
        constraints={"type": "eq", "fun": lambda share: share.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-16, "maxiter": 1_000},
    )
    return np.asarray(found.x)


OPTIMISED = {
    "all shares positive": (SMALL, [[0] * 7, [110, 150, 130, 100, 90, 80, 95]]),
    "some shares zero": (SMALL, [[0] * 7, [10, 200, 300, 200, 10, 12, 9]]),
    "open answers": (SMALL, [[9, 1, 0, 0, 4, 0, 6], [60, 90, 80, 50, 40, 45, 70]]),
    "a wide window": (WindowLaw(5, 1, 1000), [[0] * 5, [200, 180, 150, 160, 170]]),
    "eleven values": (WindowLaw(11, 1, 3000), [[2] * 11, [50, 90, 140, 90, 60, 40, 60, 80, 70, 50, 40]]),
}


@pytest.mark.parametrize("name", OPTIMISED)
def test_the_likeliest_distribution_is_that_of_a_general_optimiser(name: str) -> None:
    law, records = OPTIMISED[name]
    counts = np.array(records)
    found = likeliest_distribution(law, counts, 100_000)
    expected = by_optimiser(law, counts)
    assert found.gap < GAP
    assert log_likelihood(law, counts, found.share) == pytest.approx(
        log_likelihood(law, counts, expected), abs=1e-6
    )
    assert found.share == pytest.approx(expected, abs=1e-6)


def test_a_thousand_steps_over_a_thousand_values_take_less_than_a_fifth_of_a_second() -> None:
    """Of the processor's time: other tests run beside this one."""
    counts = simulated(R3, 10_000, 7)
    seconds = []
    for _turn in range(5):
        start = time.process_time()
        assert likeliest_distribution(R3, counts).steps == 1_000
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.2
