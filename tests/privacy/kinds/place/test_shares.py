"""The shares of regions from simulated records, by the score of an unrelated question."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceSection
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from tests.privacy.questionnaires import design, grid, place

Floats = NDArray[np.float64]
REPETITIONS, RESPONDENTS = 2_000, 1_000

COLUMNS = grid(6, 4)
LEFT = [cell for cell, (x, _) in enumerate(COLUMNS) if x < 2]
RIGHT = [cell for cell, (x, _) in enumerate(COLUMNS) if 2 <= x < 5]
TOUCHING = place("home", COLUMNS, LEFT, RIGHT, near=2, odds="20.09")
"""Two regions side by side, of 8 and 12 cells, and a column outside."""
SECOND = {"near": 2, "odds": "16.95"}
APART = place("home", COLUMNS, (0, 7, 12, 23), RIGHT[:6], near=4, odds="3")
LEVELS = place("home", COLUMNS, LEFT, RIGHT, near=5, odds="7.38")
LEVELS["questions"][0]["regions"][1] |= SECOND

BORDER = [{0: 0.13 / 8, 1: 0.13 / 8, 2: 0.80 / 4, 3: 0.07 / 4}.get(x, 0.0) for x, _ in COLUMNS]
"""13 in 100 live on the left, nearly all others in the column that touches it."""
EVEN = [1 / 24] * 24


def law_of(section: dict[str, Any]) -> PlaceLaw:
    (found,) = design(section).sections
    assert isinstance(found, PlaceSection)
    return found.law


def estimates(law: PlaceLaw, received: NDArray[Any], region: int) -> tuple[Floats, Floats]:
    """By row of records a region's share and its standard error: the mean of z, with keep b and noise |A_j|/|A|."""
    keep, noise = float(law.keep), float(law.shares[region])
    z = (np.isin(received, law.regions[region]) - (1 - keep) * noise) / keep
    share = z.mean(axis=1)
    return share, np.sqrt(((z**2).mean(axis=1) - share**2) / received.shape[1])


def true_cells(shares: list[float], rng: np.random.Generator) -> NDArray[np.uint8]:
    return rng.choice(len(shares), REPETITIONS * RESPONDENTS, p=shares).astype(np.uint8)


@pytest.mark.proof
@pytest.mark.parametrize("section", [TOUCHING, APART, LEVELS], ids=["touching", "in pieces", "two levels"])
@pytest.mark.parametrize("shares", [BORDER, EVEN], ids=["at the border", "everywhere"])
def test_intervals_of_regions_cover(section: dict[str, Any], shares: list[float]) -> None:
    of, law, rng = design(section), law_of(section), np.random.default_rng(36)
    true = true_cells(shares, rng)[None]
    sent = disguise(of, np.full(true.shape[1], DISGUISED, np.uint8), true, rng)
    received = sent.reshape(REPETITIONS, RESPONDENTS)
    for region, cells in enumerate(law.regions):
        share = sum(shares[cell] for cell in cells)
        estimate, se = estimates(law, received, region)
        assert np.abs(estimate - share).mean() < 1.1 * se.mean()
        covered = np.abs(estimate - share) <= 1.96 * se
        assert 0.92 <= covered.mean() <= 0.98
        # Unbiased: the mean of 2,000 estimates errs by less than five of its standard errors.
        assert abs(estimate.mean() - share) < 5 * estimate.std() / REPETITIONS**0.5


def nearest_of_all(law: PlaceLaw) -> NDArray[np.int64]:
    """The law that was not built: near cells by distance alone, from whichever region. Sides of the coin by cell."""
    points = np.array(law.points)
    weights = np.zeros((len(points), len(points)), np.int64)
    weights[:, law.inside] = 100
    for true in law.inside:
        distance = ((points[list(law.inside)] - points[true]) ** 2).sum(axis=1)
        near = np.array(law.inside)[np.argsort(distance, kind="stable")[: law.levels[0].near]]
        weights[true, near] = law.levels[0].odds
    for true in law.outside:
        weights[true, true] = law.excess
    return weights


@pytest.mark.proof
def test_near_cells_of_the_own_region_come_first_since_shares_of_touching_regions_are_wrong_otherwise() -> (
    None
):
    """With near cells taken from all regions, .13 becomes .23, and no interval covers it."""
    law, rng = law_of(TOUCHING), np.random.default_rng(36)
    weights = nearest_of_all(law)
    assert (weights.sum(axis=1) == law.sides).all()
    # One in eight near cells of the column at the border lies on the left: .13 + .80 / 8.
    shares = np.array(BORDER)
    expected = shares @ weights[:, LEFT].sum(axis=1) / law.sides
    noise = float((1 - law.keep) * law.shares[0])
    assert (expected - noise) / float(law.keep) == pytest.approx(0.23)
    sent = rng.choice(24, (REPETITIONS, 4 * RESPONDENTS), p=shares @ weights / law.sides)
    estimate, se = estimates(law, sent, 0)
    assert estimate.mean() == pytest.approx(0.23, abs=0.005)
    assert not (np.abs(estimate - 0.13) <= 1.96 * se).any()
    # The law that was built gives .13 exactly.
    rows = [sum(law.probability(x, y) for y in LEFT) for x in range(24)]
    built = sum(Fraction(share) * row for share, row in zip(BORDER, rows, strict=True))
    assert float(built) == pytest.approx(float(law.keep) * 0.13 + noise)
