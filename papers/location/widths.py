"""Which w the mechanisms use: the document's, which is the square mechanism's, or the utility-optimised one's own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from papers.location.plane.best_width import best_width
from papers.location.plane.rectangle import Rectangle
from papers.location.plane.square_law import SquareLaw, widest
from papers.location.settings import CENTRE, CORNERS, MAP, WIDTH_EPSILONS

Regions = tuple[Rectangle, ...]


@dataclass(frozen=True)
class Widths:
    """By epsilon: the square mechanism's best w with its error for even points, and the own w in middle and corner."""

    epsilon: int
    square: float
    square_error: float
    centre: float
    corner: float


def widths() -> Iterator[Widths]:
    for epsilon in WIDTH_EPSILONS:
        law = square(epsilon)
        own = (best_width(MAP, regions, epsilon) for regions in (CENTRE, CORNERS[0]))
        yield Widths(epsilon, law.width, law.error(), *own)


def square(epsilon: float) -> SquareLaw:
    """The square mechanism with its best w for even points."""
    return SquareLaw.over_all(MAP, epsilon, best_width(MAP, [MAP], epsilon))


def with_documents_width(regions: Regions, epsilon: float, lowest: float) -> SquareLaw:
    """The document's: step 1 enlarges regions to w', the square mechanism's best w at the lower bound of the budget."""
    return SquareLaw(MAP, enlarged(regions, square(lowest).width), epsilon, square(epsilon).width)


def with_own_width(regions: Regions, epsilon: float) -> SquareLaw:
    return SquareLaw(MAP, regions, epsilon, best_width(MAP, regions, epsilon))


def with_common_width(regions: Regions, epsilon: float) -> tuple[SquareLaw, SquareLaw]:
    """The square mechanism and the utility-optimised one with one w: the former's best, if it fits the regions."""
    width = min(square(epsilon).width, widest(regions))
    return SquareLaw.over_all(MAP, epsilon, width), SquareLaw(MAP, regions, epsilon, width)


def enlarged(regions: Sequence[Rectangle], width: float) -> Regions:
    """Every side shorter than `width` gets this length, about the same middle, moved back onto the map."""
    return tuple(_enlarged(region, width) for region in regions)


def _enlarged(region: Rectangle, width: float) -> Rectangle:
    spans = []
    for axis in range(2):
        low, high = float(region.low[axis]), float(region.high[axis])
        if high - low < width:
            bottom, top = float(MAP.low[axis]), float(MAP.high[axis])
            low = min(max((low + high - width) / 2, bottom), top - width)
            high = min(low + width, top)
        spans.append((low, high))
    (left, right), (lower, upper) = spans
    return Rectangle(left, lower, right, upper)
