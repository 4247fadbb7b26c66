"""Even and clustered people: w for even points against w fitted to the people, by formula and simulated."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from papers.location.plane.best_width import best_width
from papers.location.plane.point_prior import EmpiricalPrior
from papers.location.plane.square_law import SquareLaw
from papers.location.settings import CENTRE, CORNERS, MAP, PEOPLE, RECORDS, SEED, clustered, clusters, even
from papers.location.widths import Regions

REGIONS: dict[str, Regions] = {
    "the whole map": (MAP,),
    "centre": CENTRE,
    "a corner": CORNERS[0],
    "two of the clusters": clusters()[:2],
}
EPSILONS = (5, 10)


@dataclass(frozen=True)
class PeopleErrors:
    """Errors of these people with w for even points and with w fitted to them; the simulated one with 1.96 se."""

    people: str
    regions: str
    epsilon: int
    inside: float
    """The share of the people in a region."""
    even_width: float
    even_error: float
    fitted_width: float
    fitted_error: float
    simulated: float
    simulated_reach: float


def people_errors() -> Iterator[PeopleErrors]:
    people = {"even": even(), "clustered": clustered()}
    for setting, (name, region, epsilon) in enumerate(product(people, REGIONS, EPSILONS)):
        rng = np.random.default_rng([SEED, PEOPLE, RECORDS, setting])
        yield _of(name, people[name], region, epsilon, rng)


def _of(
    name: str, prior: EmpiricalPrior, region: str, epsilon: int, rng: np.random.Generator
) -> PeopleErrors:
    regions = REGIONS[region]
    usual = SquareLaw(MAP, regions, epsilon, best_width(MAP, regions, epsilon))
    fitted = SquareLaw(MAP, regions, epsilon, best_width(MAP, regions, epsilon, prior))
    inside = prior.moments(MAP, regions).inside
    words = name, region, epsilon, inside
    errors = usual.width, usual.error(prior), fitted.width, fitted.error(prior)
    return PeopleErrors(*words, *errors, *_simulated(fitted, prior, rng))


def _simulated(law: SquareLaw, prior: EmpiricalPrior, rng: np.random.Generator) -> tuple[float, float]:
    points = np.tile(prior.points, (RECORDS, 1))
    squared = ((law.drawn(points, rng) - points) ** 2).sum(axis=1)
    return float(squared.mean()), float(1.96 * squared.std() / np.sqrt(len(points)))
