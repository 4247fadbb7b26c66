"""The distribution behind R3: floors, bands from their one place, and the likeliest distribution."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mining.inference.contingency_table import Floats
from mining.kinds.minimum_record_counts import Counts
from mining.kinds.number.window_distribution import WindowEstimate, estimate_window, likeliest_distribution
from privacy.kinds.number.window.law import WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import blur_distribution

pytestmark = pytest.mark.proof
R3 = WindowLaw(1001, 100, 5000)
SMALL = WindowLaw(7, 1, 4000)
FOLDER = Path(__file__).parents[3] / "vectors"
VECTORS = json.loads((FOLDER / "windows.json").read_text())
CORRECTED = json.loads((FOLDER / "corrections.json").read_text())["likeliest"]


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
        [np.bincount(x[is_open], minlength=law.values), np.bincount(y[~is_open], minlength=law.values)]
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
    fejer = blur_distribution(R3, counts[1].astype(float), counts[0].astype(float))
    for one, other in ((found.blurred, fejer.share), (found.low, fejer.low), (found.high, fejer.high)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.illustration, likeliest_distribution(R3, counts).share)
    for shares in (found.received, found.blurred, found.illustration):
        assert shares.sum() == pytest.approx(1)
    assert found.illustration.min() >= 0


def test_nothing_is_estimated_below_the_floors(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, bool]] = [
        (0, 49, False),
        (0, 50, True),
        (9, 60, False),
        (10, 40, True),
        (60, 9, False),
        (50, 0, True),
    ]
    for opened, disguised, is_enough in cases:
        with subtests.test(f"{opened} {disguised}"):
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


def test_the_vectors(subtests: pytest.Subtests) -> None:
    for vector in CORRECTED:
        with subtests.test(f"{vector!r:.60}"):
            law = WindowLaw(vector["values"], vector["half"], round(10_000 * (1 - vector["windowed"])))
            counts = np.array([[0] * law.values, vector["records"]])
            found = likeliest_distribution(law, counts, vector["steps"])
            assert found.misfit == pytest.approx(vector["x2_last"], rel=1e-8)
            assert found.share == pytest.approx(vector["share"], abs=1e-9)


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "two hills": lambda at: np.exp(-((at - 0.3) ** 2) / 0.005) + 0.7 * np.exp(-((at - 0.7) ** 2) / 0.005),
    "even": np.ones_like,
    "incomes": lambda at: np.exp(-((np.log(at + 0.01) - np.log(0.25)) ** 2) / 0.5),
    "low end": lambda at: np.exp(-at / 0.05),
    "steps": lambda at: np.where(at < 0.3, 1.0, np.where(at < 0.7, 3.0, 0.5)),
}


@pytest.mark.at_push(2)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "law",
    [
        WindowLaw(31, 3, 4000),
        *(pytest.param(law, marks=pytest.mark.night) for law in (R3, WindowLaw(101, 7, 6000))),
    ],
    ids=str,
)
def test_it_is_nearer_to_the_truth_than_what_was_received(law: WindowLaw, shape: str) -> None:
    """Total variation, ten samples of 1,000 and of 20,000 records each."""
    true = np.asarray(SHAPES[shape](np.arange(law.values) / law.values))
    true = true / true.sum()
    near = np.minimum(np.arange(law.values), law.values - np.arange(law.values)) <= law.half
    around = np.real(np.fft.ifft(np.fft.fft(true) * np.fft.fft(near / near.sum())))
    part = law.uniform_parts / 10_000
    chances = (1 - part) * around + part / law.values
    rng = np.random.default_rng(11)
    for n in (1_000, 20_000):
        received, found = [], []
        for _sample in range(10):
            records = rng.multinomial(n, chances)
            received.append(np.abs(records / n - true).sum() / 2)
            share = likeliest_distribution(law, np.stack([0 * records, records])).share
            assert share.sum() == pytest.approx(1)
            assert share.min() >= 0
            found.append(np.abs(share - true).sum() / 2)
        assert np.mean(found) < np.mean(received)


def test_steps_that_fit_the_open_answers_are_taken() -> None:
    """200 disguised records fit even shares; the open ones do not."""
    counts = simulated(R3, 2_000, 3, open_share=0.9)
    found = likeliest_distribution(R3, counts)
    assert found.steps >= 1
    assert np.abs(found.share - 1 / 1001).sum() > 0.5


def test_the_same_records_are_drawn_alike() -> None:
    counts = simulated(R3, 2_000, 4)
    first, again = (likeliest_distribution(R3, counts) for _turn in range(2))
    np.testing.assert_array_equal(first.share, again.share)
    assert 0 < first.steps < 1_000


def test_few_records_that_fit_even_shares_leave_them_even() -> None:
    counts = np.stack([np.zeros(31, np.int64), np.full(31, 3)])
    found = likeliest_distribution(WindowLaw(31, 3, 4000), counts)
    assert found.steps == 0
    assert found.share == pytest.approx(np.full(31, 1 / 31))
