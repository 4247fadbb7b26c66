"""Expected squared errors for even points: one region in the middle, one in each corner, several, and rivals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from papers.location.corollary import CornerErrors, TiledErrors, at_corner, tiled
from papers.location.people import PeopleErrors, people_errors
from papers.location.piecewise import piecewise_error
from papers.location.plane.grid_response import GridResponse
from papers.location.plane.planar_laplace import PlanarLaplace
from papers.location.plane.square_law import SquareLaw
from papers.location.settings import COUNTS, EPSILONS, LAYOUTS, MAP, SEVERAL_EPSILONS, draws
from papers.location.widths import Widths, square, widths, with_documents_width, with_own_width
from papers.tables import csv_of

CONSTANT = MAP.variance
"""The error of sending the middle of the map whatever is true."""

PRINTED = {5: 48_239.0, 10: 3_458.7, 15: 267.8, 20: 21.57}
"""Figure 5 of the document by epsilon: the error in the corners, recomputed independently to these digits."""


@dataclass(frozen=True)
class Spread:
    """Over runs: the mean, the smallest and the largest."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, laws: Sequence[SquareLaw]) -> "Spread":
        values = [law.error() for law in laws]
        return cls(float(np.mean(values)), min(values), max(values))


@dataclass(frozen=True)
class LayoutErrors:
    """`documents` with the square mechanism's w, `own` with the best of the utility-optimised one."""

    layout: str
    epsilon: int
    square: float
    documents: Spread
    own: Spread
    width: float
    own_width: float


@dataclass(frozen=True)
class RivalErrors:
    """Of mechanisms with the same gamma between any two places. The best grid has as many rows as `columns`."""

    epsilon: int
    square: float
    planar_laplace: float
    piecewise: float
    grid: float
    columns: int


@dataclass(frozen=True)
class SeveralErrors:
    """Of this number of regions, over draws of where they are."""

    count: int
    epsilon: int
    square: float
    documents: Spread
    own: Spread


def layouts() -> Iterator[LayoutErrors]:
    for layout, runs in LAYOUTS.items():
        for epsilon in EPSILONS:
            documents = [with_documents_width(regions, epsilon, EPSILONS[0]) for regions in runs]
            own = [with_own_width(regions, epsilon) for regions in runs]
            errors = square(epsilon).error(), Spread.of(documents), Spread.of(own)
            yield LayoutErrors(layout, epsilon, *errors, documents[0].width, own[0].width)


def rivals() -> Iterator[RivalErrors]:
    for epsilon in EPSILONS:
        grid = GridResponse.best(MAP, epsilon)
        noise = PlanarLaplace(MAP, epsilon).error(), piecewise_error(epsilon)
        yield RivalErrors(epsilon, square(epsilon).error(), *noise, grid.error(), grid.columns)


def several() -> Iterator[SeveralErrors]:
    for count in COUNTS:
        for epsilon in SEVERAL_EPSILONS:
            documents = [
                with_documents_width(regions, epsilon, SEVERAL_EPSILONS[0]) for regions in draws(count)
            ]
            own = [with_own_width(regions, epsilon) for regions in draws(count)]
            yield SeveralErrors(count, epsilon, square(epsilon).error(), Spread.of(documents), Spread.of(own))


@dataclass(frozen=True)
class LocationResults:
    widths: list[Widths]
    rivals: list[RivalErrors]
    layouts: list[LayoutErrors]
    several: list[SeveralErrors]
    people: list[PeopleErrors]
    tiled: list[TiledErrors]
    corner: list[CornerErrors]

    def tables(self) -> dict[str, str]:
        """Every table as CSV, by its name."""
        return {field.name: csv_of(getattr(self, field.name)) for field in fields(self)}


def results() -> LocationResults:
    return LocationResults(
        list(widths()),
        list(rivals()),
        list(layouts()),
        list(several()),
        list(people_errors()),
        list(tiled()),
        list(at_corner()),
    )
