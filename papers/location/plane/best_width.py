"""The width of the square with the least expected squared error (docs/mathematics.md, Places on the plane).

With the moments M, P and Q(w) of a prior, and S the area of the regions, the error is

    E(w) = ( M + K (P w^4/6 + w^2 Q(w)) ) / ( S + K w^2 )

and its slope has the sign of

    h(w) = (2/3) P S w^2 + (1/3) K P w^4 + S (2 Q(w) + w Q'(w)) + K w^3 Q'(w) - 2 M

Q and Q' do not fall, so h rises: E has one minimum, at the root of h, or at the largest width that fits. For even
points Q(w) = G w^3, and h is the quintic of the paper.
"""

from collections.abc import Sequence

from papers.location.plane.point_prior import EvenPrior, PointPrior
from papers.location.plane.rectangle import Rectangle, excess_odds
from papers.location.plane.square_law import check_regions, widest


def best_width(
    domain: Rectangle, regions: Sequence[Rectangle], epsilon: float, prior: PointPrior | None = None
) -> float:
    """The best common width, to the last digit of a double; where no prior is given, for even points of the domain.

    If nobody is expected inside a region, the largest that fits.
    """
    check_regions(domain, regions)
    odds, area = excess_odds(epsilon), sum(region.area for region in regions)
    moments = (prior or EvenPrior()).moments(domain, regions)

    def slope(w: float) -> float:
        pushed, rising = moments.pushed(w)
        own = moments.inside * w**2 * (2 * area + odds * w**2) / 3
        return own + area * (2 * pushed + w * rising) + odds * w**3 * rising - 2 * moments.anywhere

    low, high = 0.0, widest(regions)
    if slope(high) <= 0:
        return high
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return high
