"""The square mechanism and its utility-optimised form: somebody inside a region sends a point near, or any of a region.

docs/mathematics.md, Places on the plane; docs/references.md: 002, hong-2021, murakami-2019. A domain D and regions A_1,
A_2, ... in it, of area S together; K = e^eps - 1; C(p) is the square of width w around p, moved by as little as makes
it fit into p's own region:

    p inside:   density a e^eps on C(p), a on the rest of the regions         a = 1 / (K w^2 + S)
    p outside:  p itself with probability b, else density a on the regions    b = K w^2 / (K w^2 + S)

which is: with probability b a point near (of C(p), or p itself), else any point of the regions. The square mechanism is
the case of one region that is all of D. Coordinates are doubles: this is for computing and simulating, since doubles
leak; a device draws among cells.

The best width. With the moments M, P and Q(w) of a prior (regions.py), and S the area of the regions, the error is

    E(w) = ( M + K (P w^4/6 + w^2 Q(w)) ) / ( S + K w^2 )

and its slope has the sign of

    h(w) = (2/3) P S w^2 + (1/3) K P w^4 + S (2 Q(w) + w Q'(w)) + K w^3 Q'(w) - 2 M

Q and Q' do not fall, so h rises: E has one minimum, at the root of h, or at the largest width that fits. For even
points Q(w) = G w^3, and h is the quintic of the paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privacy.plane.regions import (
    EvenPrior,
    Floats,
    Places,
    PointPrior,
    Points,
    Rectangle,
    check_points,
    excess_odds,
    region_indexes,
)

ROUNDED = 1 + 1e-12
"""Factor by which w may exceed a side, since the edges of a region are rounded."""
MOST_REGIONS = 10_000
"""Most regions: each is compared with all others, in half a second."""


@dataclass(frozen=True, slots=True)
class SquareLaw:
    """The square mechanism (one region, the whole domain), or its utility-optimised form (several regions)."""

    domain: Rectangle
    regions: tuple[Rectangle, ...]
    epsilon: float
    width: float

    def __post_init__(self) -> None:
        excess_odds(self.epsilon)
        check_regions(self.domain, self.regions)
        most = largest_width(self.regions)
        if not 0 < self.width <= most * ROUNDED:
            raise ValueError(
                f"a square of width {self.width:g} does not fit: w is above 0 and at most {most:g}, the shortest side "
                f"of a region; a square that leaves its region would send what no other place can send, and one that "
                f"is cut off there has another density"
            )

    @classmethod
    def over_whole_domain(cls, domain: Rectangle, epsilon: float, width: float) -> "SquareLaw":
        """Returns the square mechanism: its single region is the whole domain."""
        return cls(domain, (domain,), epsilon, width)

    @property
    def area(self) -> float:
        """The area S of all regions."""
        return sum(region.area for region in self.regions)

    @property
    def base_density(self) -> float:
        """The density a of each point of the regions."""
        return 1 / (excess_odds(self.epsilon) * self.width**2 + self.area)

    @property
    def near_probability(self) -> float:
        """The probability b that a near point is sent (for somebody outside: the place itself)."""
        return excess_odds(self.epsilon) * self.width**2 * self.base_density

    def _centres(self, points: Points, home: Places) -> Points:
        """Returns the centres of the squares of people inside the regions `home`; people outside keep their place."""
        centres = points.astype(np.float64)
        for index, region in enumerate(self.regions):
            mine = home == index
            centres[mine] = region.nearest_square_centres(points[mine], self.width)
        return centres

    def draw(self, points: Points, rng: np.random.Generator) -> Points:
        """Draws one received point for each point."""
        check_points(self.domain, points)
        home = region_indexes(self.regions, points)
        inside = home >= 0
        near, sent = rng.random(len(points)) < self.near_probability, self._centres(points, home)
        sent[inside] += rng.uniform(-self.width / 2, self.width / 2, (int(inside.sum()), 2))
        shares = np.array([region.area for region in self.regions]) / self.area
        chosen = rng.choice(len(self.regions), len(points), p=shares)
        for index, region in enumerate(self.regions):
            here = ~near & (chosen == index)
            sent[here] = region.draw(int(here.sum()), rng)
        return sent

    def error_at(self, points: Points) -> Floats:
        """Returns the expected squared error at each true point: a (I(p) + K w^2 (|p-c|^2 + w^2/6))."""
        check_points(self.domain, points)
        home = region_indexes(self.regions, points)
        inside = home >= 0
        anywhere = sum(region.integrated_squared_distances(points) for region in self.regions)
        pushed = ((points - self._centres(points, home)) ** 2).sum(axis=-1)
        from_near = np.where(inside, pushed + self.width**2 / 6, 0)
        return np.asarray(self.base_density * anywhere + self.near_probability * from_near)

    def error(self, prior: PointPrior | None = None) -> float:
        """Returns the mean squared error over a distribution of people, by default an even one."""
        moments = (prior or EvenPrior()).moments(self.domain, self.regions)
        pushed, _ = moments.pushed(self.width)
        return self.base_density * moments.anywhere + self.near_probability * (
            pushed + moments.inside * self.width**2 / 6
        )


def largest_width(regions: Sequence[Rectangle]) -> float:
    """Returns the largest width whose square fits into every region: the shortest side of all regions."""
    return min(region.shorter_side for region in regions)


def check_regions(domain: Rectangle, regions: Sequence[Rectangle]) -> None:
    """Raises ValueError if there is no region, or if regions overlap or extend beyond the domain."""
    if not regions:
        raise ValueError("there is no region to protect")
    for region in regions:
        if not domain.contains(region):
            raise ValueError(f"the region {region} reaches beyond {domain}")
    if len(regions) > MOST_REGIONS:
        raise ValueError(f"{len(regions)} regions, more than {MOST_REGIONS}")
    lows, highs = (np.array(ends) for ends in zip(*((each.low, each.high) for each in regions), strict=True))
    for number, region in enumerate(regions, 1):
        # Touching edges have no area in common.
        meets = np.maximum(lows[number:], region.low) < np.minimum(highs[number:], region.high)
        for other in np.flatnonzero(meets.all(axis=1))[:1]:
            raise ValueError(f"the regions {region} and {regions[number + other]} overlap")


def best_width(
    domain: Rectangle, regions: Sequence[Rectangle], epsilon: float, prior: PointPrior | None = None
) -> float:
    """Returns the width of squares with the least expected error; without `prior` for evenly spread people.

    It is exact to the last digit of a double. If nobody is expected inside a region, it is the largest that fits.
    """
    check_regions(domain, regions)
    odds, area = excess_odds(epsilon), sum(region.area for region in regions)
    moments = (prior or EvenPrior()).moments(domain, regions)

    def error_slope(w: float) -> float:
        pushed, rising = moments.pushed(w)
        own = moments.inside * w**2 * (2 * area + odds * w**2) / 3
        return own + area * (2 * pushed + w * rising) + odds * w**3 * rising - 2 * moments.anywhere

    low, high = 0.0, largest_width(regions)
    if error_slope(high) <= 0:
        return high
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if error_slope(middle) > 0 else (middle, high)
    return high
