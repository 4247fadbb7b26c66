"""Computes the expected squared errors of document 002's mechanisms, in its settings except for the people.

Layouts are one region in the middle, one in each corner, and several at random places. Compared are rivals with the
same gamma, even and clustered people, and where corollary 3 fails. All is in closed form but one column
(docs/mathematics.md, Places on the plane).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from papers.csv_and_example_tables import csv_from_rows
from papers.location.rival_mechanisms import GridResponse, PlanarLaplace, piecewise_error
from privacy.plane.regions import EmpiricalPrior, Points, Rectangle
from privacy.plane.square_mechanism import SquareLaw, best_width, largest_width

Regions = tuple[Rectangle, ...]
HALF = 1000
"""Half of the map's side, the document's d: the map is [-d, d] x [-d, d]."""
MAP = Rectangle.around(0, 0, HALF, HALF)
CONSTANT = MAP.variance
"""Expected squared error if always the middle of the map is sent."""

WIDTH_EPSILONS, EPSILONS, SEVERAL_EPSILONS, PEOPLE_EPSILONS = (
    range(1, 21),
    range(5, 21),
    range(10, 21),
    (5, 10),
)

CENTRE: Regions = (Rectangle.around(0, 0, 500, 500),)
CORNERS: tuple[Regions, ...] = tuple(
    (Rectangle.around(x, y, 500, 500),) for x in (-500, 500) for y in (-500, 500)
)
"""Four layouts with one region each, in one corner; its side is half of the map's, as in the middle."""
LAYOUTS = {"centre": (CENTRE,), "corners": CORNERS}
"""Layouts of regions by name; the errors are means over the layouts of a name."""
TILES = tuple(
    Rectangle(left, bottom, left + 500, bottom + 500)
    for left, bottom in product((-1000.0, -500.0, 0.0, 500.0), repeat=2)
)
"""Sixteen regions that cover the whole map."""
AT_CORNER: Points = np.array([[500.0, 500.0]])
"""The point at a corner of the region in the middle."""

SEED, DRAWS, COUNTS = 1, 10, (2, 4, 6)
EIGHTH = 2 * HALF / 8
"""Side of the regions at random places: an eighth of the map's."""
PEOPLE, CLUSTERS, CLUSTER_SIDE, CLUSTER_SD = 10_000, 4, 500.0, 100.0
RECORDS = 50
"""Number of simulated records per person."""
CORNER_LINES = 200
"""Points along each side of the region, for the share of people with a larger error."""


def draw_regions(count: int, side: float, rng: np.random.Generator) -> Regions:
    """Draws non-overlapping squares of this side at random places of the map."""
    squares: list[Rectangle] = []
    while len(squares) < count:
        x, y = rng.uniform(-HALF + side / 2, HALF - side / 2, 2).tolist()
        candidate = Rectangle.around(x, y, side / 2, side / 2)
        if not any(map(candidate.overlaps, squares)):
            squares.append(candidate)
    return tuple(squares)


@cache
def ten_random_layouts(regions_per_layout: int) -> list[Regions]:
    """Returns ten random layouts of non-overlapping regions."""
    return [
        draw_regions(regions_per_layout, EIGHTH, np.random.default_rng([SEED, regions_per_layout, draw]))
        for draw in range(DRAWS)
    ]


@cache
def cluster_squares() -> Regions:
    """Returns a square around the middle of each cluster of people."""
    return draw_regions(CLUSTERS, CLUSTER_SIDE, np.random.default_rng([SEED, CLUSTERS, DRAWS]))


def clustered_people() -> EmpiricalPrior:
    """Draws people in clusters of equal size, normally distributed around the middles and kept on the map."""
    rng = np.random.default_rng([SEED, PEOPLE])
    middles = np.array([area.centre for area in cluster_squares()])
    points = np.repeat(middles, PEOPLE // CLUSTERS, axis=0) + rng.normal(0, CLUSTER_SD, (PEOPLE, 2))
    return EmpiricalPrior(np.clip(points, MAP.low, MAP.high))


# --- which w ----------------------------------------------------------------------------------------


def square_mechanism_with_best_width(epsilon: float) -> SquareLaw:
    """Returns the square mechanism with the width w of least expected error for evenly spread people."""
    return SquareLaw.over_whole_domain(MAP, epsilon, best_width(MAP, [MAP], epsilon))


def optimised_with_printed_width(regions: Regions, epsilon: float, lowest: float) -> SquareLaw:
    """Returns the utility-optimised mechanism with the width that the document prescribes.

    Its regions are first enlarged to w', the square mechanism's best w at the lower bound of the budget.
    """
    return SquareLaw(
        MAP,
        enlarge_regions_to_width(regions, square_mechanism_with_best_width(lowest).width),
        epsilon,
        square_mechanism_with_best_width(epsilon).width,
    )


def optimised_with_best_width(regions: Regions, epsilon: float) -> SquareLaw:
    return SquareLaw(MAP, regions, epsilon, best_width(MAP, regions, epsilon))


def both_mechanisms_with_one_width(regions: Regions, epsilon: float) -> tuple[SquareLaw, SquareLaw]:
    """Returns the square and the utility-optimised mechanism, both with the square mechanism's best width.

    If that does not fit into the regions, both have the largest width that fits.
    """
    width = min(square_mechanism_with_best_width(epsilon).width, largest_width(regions))
    return SquareLaw.over_whole_domain(MAP, epsilon, width), SquareLaw(MAP, regions, epsilon, width)


def enlarge_regions_to_width(regions: Sequence[Rectangle], width: float) -> Regions:
    """Enlarges sides shorter than `width` to `width`, and moves the region back onto the map."""
    larger = []
    for region in regions:
        low = np.clip(region.centre - width / 2, MAP.low, MAP.high - width)
        short = region.sides < width
        low = np.where(short, low, region.low)
        high = np.where(short, np.minimum(low + width, MAP.high), region.high)
        larger.append(Rectangle(*map(float, (*low, *high))))
    return tuple(larger)


def width_by_cobyla(epsilon: float) -> float:
    """Returns the square mechanism's best width as the document finds it, by the algorithm COBYLA."""

    def error(width: NDArray[np.float64]) -> float:
        inside = float(np.clip(width[0], 1e-6, 2)) * HALF
        return SquareLaw.over_whole_domain(MAP, epsilon, inside).error() / CONSTANT

    within = [{"type": "ineq", "fun": lambda w: w[0]}, {"type": "ineq", "fun": lambda w: 2 - w[0]}]
    found = minimize(error, [0.5], method="COBYLA", constraints=within, options={"rhobeg": 0.2, "tol": 1e-8})
    return float(found.x[0]) * HALF


def errors_by_region_side(epsilon: float, steps: int = 12) -> list[float]:
    """Returns the errors of a region in the middle as it grows to the whole map, with the printed w."""
    width = square_mechanism_with_best_width(epsilon).width
    sides = np.linspace(width, 2 * HALF, steps)
    return [
        SquareLaw(MAP, (Rectangle.around(0, 0, side / 2, side / 2),), epsilon, width).error()
        for side in sides
    ]


# --- the tables -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Widths:
    """Best widths for one epsilon: the best w of the square mechanism and its error, and the best w for two layouts.

    The people are spread evenly; the layouts are one region in the middle and one in the corner.
    """

    epsilon: int
    square: float
    square_error: float
    centre: float
    corner: float


@dataclass(frozen=True)
class Spread:
    """Mean, smallest and largest expected error of several layouts."""

    mean: float
    least: float
    most: float

    @classmethod
    def from_laws(cls, laws: Sequence[SquareLaw]) -> "Spread":
        values = [law.error() for law in laws]
        return cls(float(np.mean(values)), min(values), max(values))


@dataclass(frozen=True)
class LayoutErrors:
    """Expected errors of the square and the utility-optimised mechanism in one layout of regions.

    `documents`: with the square mechanism's w, `own`: with the utility-optimised mechanism's best w.
    """

    layout: str
    epsilon: int
    square: float
    documents: Spread
    own: Spread
    width: float
    own_width: float


@dataclass(frozen=True)
class RivalErrors:
    """Expected errors of rival mechanisms with the same gamma; the best grid is `columns` x `columns`."""

    epsilon: int
    square: float
    planar_laplace: float
    piecewise: float
    grid: float
    columns: int


@dataclass(frozen=True)
class SeveralErrors:
    """Expected errors with `count` regions at random places, over several random layouts."""

    count: int
    epsilon: int
    square: float
    documents: Spread
    own: Spread


@dataclass(frozen=True)
class PeopleErrors:
    """Expected errors for a distribution of people, with w for even people and w fitted to these people.

    `simulated`: error of simulated records, with 1.96 standard errors.
    """

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


@dataclass(frozen=True)
class TiledErrors:
    """Expected errors on a map covered by regions: with one w for both mechanisms, and each with its best."""

    epsilon: int
    width: float
    square: float
    optimised: float
    square_best: float
    optimised_best: float


@dataclass(frozen=True)
class CornerErrors:
    """Expected errors for a person at a corner of the region in the middle."""

    epsilon: int
    square: float
    optimised: float
    """Error of the utility-optimised mechanism with the w of the square mechanism."""
    own: float
    worse: float
    """Part of the region in which the optimised mechanism has a larger error than the square one."""


def best_widths() -> Iterator[Widths]:
    for epsilon in WIDTH_EPSILONS:
        law = square_mechanism_with_best_width(epsilon)
        own = (best_width(MAP, regions, epsilon) for regions in (CENTRE, CORNERS[0]))
        yield Widths(epsilon, law.width, law.error(), *own)


def layout_errors() -> Iterator[LayoutErrors]:
    for layout, runs in LAYOUTS.items():
        for epsilon in EPSILONS:
            documents = [optimised_with_printed_width(regions, epsilon, EPSILONS[0]) for regions in runs]
            own = [optimised_with_best_width(regions, epsilon) for regions in runs]
            errors = (
                square_mechanism_with_best_width(epsilon).error(),
                Spread.from_laws(documents),
                Spread.from_laws(own),
            )
            yield LayoutErrors(layout, epsilon, *errors, documents[0].width, own[0].width)


def rival_errors() -> Iterator[RivalErrors]:
    for epsilon in EPSILONS:
        grid = GridResponse.with_least_error(MAP, epsilon)
        noise = PlanarLaplace(MAP, epsilon).error(), HALF**2 * piecewise_error(epsilon)
        yield RivalErrors(
            epsilon, square_mechanism_with_best_width(epsilon).error(), *noise, grid.error(), grid.columns
        )


def several_region_errors() -> Iterator[SeveralErrors]:
    lowest = SEVERAL_EPSILONS[0]
    for count, epsilon in product(COUNTS, SEVERAL_EPSILONS):
        documents = [
            optimised_with_printed_width(regions, epsilon, lowest) for regions in ten_random_layouts(count)
        ]
        own = [optimised_with_best_width(regions, epsilon) for regions in ten_random_layouts(count)]
        yield SeveralErrors(
            count,
            epsilon,
            square_mechanism_with_best_width(epsilon).error(),
            Spread.from_laws(documents),
            Spread.from_laws(own),
        )


def even_and_clustered_errors() -> Iterator[PeopleErrors]:
    even = EmpiricalPrior(MAP.draw(PEOPLE, np.random.default_rng([SEED, PEOPLE, 0])))
    people = {"even": even, "clustered": clustered_people()}
    regions: dict[str, Regions] = {
        "the whole map": (MAP,),
        "centre": CENTRE,
        "a corner": CORNERS[0],
        "two of the clusters": cluster_squares()[:2],
    }
    for setting, (name, areas, epsilon) in enumerate(product(people, regions, PEOPLE_EPSILONS)):
        prior, inside_regions = people[name], regions[areas]
        usual = optimised_with_best_width(inside_regions, epsilon)
        fitted = SquareLaw(MAP, inside_regions, epsilon, best_width(MAP, inside_regions, epsilon, prior))
        points = np.tile(prior.points, (RECORDS, 1))
        sent = fitted.draw(points, np.random.default_rng([SEED, PEOPLE, RECORDS, setting]))
        squared = ((sent - points) ** 2).sum(axis=1)
        yield PeopleErrors(
            name,
            areas,
            epsilon,
            prior.moments(MAP, inside_regions).inside,
            usual.width,
            usual.error(prior),
            fitted.width,
            fitted.error(prior),
            float(squared.mean()),
            float(1.96 * squared.std() / np.sqrt(len(points))),
        )


def tiled_region_errors() -> Iterator[TiledErrors]:
    for epsilon in EPSILONS:
        square_law, optimised = both_mechanisms_with_one_width(TILES, epsilon)
        best = (
            square_mechanism_with_best_width(epsilon).error(),
            optimised_with_best_width(TILES, epsilon).error(),
        )
        yield TiledErrors(epsilon, square_law.width, square_law.error(), optimised.error(), *best)


def region_corner_errors() -> Iterator[CornerErrors]:
    (region,) = CENTRE
    along = region.left + (np.arange(CORNER_LINES) + 0.5) * region.shorter_side / CORNER_LINES
    inside = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    for epsilon in EPSILONS:
        square_law, optimised = both_mechanisms_with_one_width(CENTRE, epsilon)
        own = optimised_with_best_width(CENTRE, epsilon)
        laws = (square_law, optimised, own)
        of_square, common, best = (float(law.error_at(AT_CORNER)[0]) for law in laws)
        worse = float((optimised.error_at(inside) > square_law.error_at(inside)).mean())
        yield CornerErrors(epsilon, of_square, common, best, worse)


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
        """Returns every result table as CSV, by its name."""
        return {field.name: csv_from_rows(getattr(self, field.name)) for field in fields(self)}


def compute_results() -> LocationResults:
    return LocationResults(
        list(best_widths()),
        list(rival_errors()),
        list(layout_errors()),
        list(several_region_errors()),
        list(even_and_clustered_errors()),
        list(tiled_region_errors()),
        list(region_corner_errors()),
    )
