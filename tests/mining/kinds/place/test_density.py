"""The likeliest density by cell, against the law written out."""

import numpy as np
import pytest

from mining.kinds.place.density import likeliest_density
from privacy.kinds.place.law import PlaceLaw, PlaceLevel

pytestmark = pytest.mark.proof
POINTS = tuple((x, y) for y in range(4) for x in range(5))
REGIONS = (tuple(range(6)), (6, 7, 8, 11, 12, 13), (9, 14))
ONE = PlaceLaw(POINTS, REGIONS, (PlaceLevel(2, 900),) * 3)
TWO = PlaceLaw(POINTS, REGIONS, (PlaceLevel(2, 900), PlaceLevel(4, 500), PlaceLevel(2, 900)))


def written_out(law: PlaceLaw) -> np.ndarray:
    cells = range(len(law.points))
    return np.array([[float(law.probability(x, y)) for y in cells] for x in cells])


@pytest.mark.parametrize("law", [ONE, TWO])
def test_a_step_is_that_of_expectation_maximisation(law: PlaceLaw) -> None:
    counts = np.random.default_rng(1).integers(0, 30, (2, 20))
    sent = written_out(law)
    opened, disguised = counts / counts.sum()
    share = np.full(20, 1 / 20)
    for _step in range(3):
        share = opened + share * (sent @ (disguised / (share @ sent)))
    assert likeliest_density(law, counts, 3).share == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("law", [ONE, TWO])
def test_with_many_records_the_density_comes_back(law: PlaceLaw) -> None:
    people = np.random.default_rng(2).dirichlet(np.ones(20))
    received = people @ written_out(law)
    found = likeliest_density(law, np.stack([np.zeros(20), 1e9 * received]), 20_000)
    assert found.misfit < 1e-6
    assert found.share.sum() == pytest.approx(1)
    assert found.share @ written_out(law) == pytest.approx(received, abs=1e-4)
    assert found.share == pytest.approx(people, abs=0.02)


def test_open_answers_count_as_they_are() -> None:
    opened = np.arange(20)
    found = likeliest_density(ONE, np.stack([opened, np.zeros(20, np.int64)]))
    assert found.share == pytest.approx(opened / opened.sum())


def test_cells_that_nobody_sends_have_no_share() -> None:
    disguised = np.zeros(20, np.int64)
    disguised[list(ONE.cells_in_regions)] = 50
    assert (
        likeliest_density(ONE, np.stack([0 * disguised, disguised]))
        .share[list(ONE.cells_outside_regions)]
        .max()
        < 1e-9
    )
