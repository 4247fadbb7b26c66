"""Expected squared errors: with regions in the middle, in the corners, and where a draw puts them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from papers.location.settings import COUNTS, EPSILONS, LAYOUTS, MAP, SEVERAL_EPSILONS, at, draws
from papers.location.widths import square, with_own_width, with_papers_width
from privacy.kinds.place.plane.grid_response import GridResponse
from privacy.kinds.place.plane.planar_laplace import PlanarLaplace
from privacy.kinds.place.plane.square_law import SquareLaw

CONSTANT = MAP.variance
"""The error, for even points, of sending the middle of the map whatever is true."""

PERSONS = {"centre of the map": at((0, 0)), "corner of the map": at((1000, 1000))}
EVERYBODY = "even points"


@dataclass(frozen=True)
class LayoutErrors:
    """Of people at even points, or of one person; each w is the best for even points."""

    layout: str
    who: str
    epsilon: int
    square: float
    paper: float
    own: float
    paper_width: float
    own_width: float
    paper_share: float
    """The part of the map that is in a region once regions are enlarged."""


@dataclass(frozen=True)
class BaselineErrors:
    """For even points."""

    epsilon: int
    square: float
    planar_laplace: float
    grid: float
    columns: int
    """Of the best grid, which has as many rows."""


@dataclass(frozen=True)
class Spread:
    """Over the draws of where regions lie."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(float(np.mean(values)), min(values), max(values))


@dataclass(frozen=True)
class SeveralErrors:
    """For even points and so many regions."""

    count: int
    epsilon: int
    square: float
    paper: Spread
    own: Spread


def layouts() -> Iterator[LayoutErrors]:
    for layout, regions in LAYOUTS.items():
        for epsilon in EPSILONS:
            usual, paper, own = (
                square(epsilon),
                with_papers_width(regions, epsilon),
                with_own_width(regions, epsilon),
            )
            more = paper.width, own.width, paper.area / MAP.area
            yield LayoutErrors(layout, EVERYBODY, epsilon, usual.error(), paper.error(), own.error(), *more)
            for who, at_one in PERSONS.items():
                one, two, three = (float(law.error_at(at_one)[0]) for law in (usual, paper, own))
                yield LayoutErrors(layout, who, epsilon, one, two, three, *more)


def baselines() -> Iterator[BaselineErrors]:
    for epsilon in EPSILONS:
        grid = GridResponse.best(MAP, epsilon)
        others = PlanarLaplace(MAP, epsilon).error(), grid.error(), grid.columns
        yield BaselineErrors(epsilon, square(epsilon).error(), *others)


def several() -> Iterator[SeveralErrors]:
    for count in COUNTS:
        for epsilon in SEVERAL_EPSILONS:
            paper = _errors([with_papers_width(regions, epsilon) for regions in draws(count)])
            own = _errors([with_own_width(regions, epsilon) for regions in draws(count)])
            yield SeveralErrors(count, epsilon, square(epsilon).error(), paper, own)


def _errors(laws: Sequence[SquareLaw]) -> Spread:
    return Spread.of([law.error() for law in laws])
