"""Places on grids, drawn at random, and what a device does with them, cell by cell.

Nothing here knows the code under test but the class that holds a law.
"""

from dataclasses import dataclass
from math import lcm

from hypothesis import strategies as st

from privacy.kinds.place.law import PlaceLaw, PlaceLevel


@dataclass(frozen=True, slots=True)
class GridPlace:
    """A law, and by true cell the weight of every cell that may go out, in hundredths."""

    law: PlaceLaw
    weights: list[list[int]]


@st.composite
def grid_places(draw: st.DrawFn, largest: int = 12) -> GridPlace:
    """Regions of cells drawn one by one: they touch, are in pieces, and may leave no cell outside."""
    width, height = draw(st.integers(1, largest)), draw(st.integers(2, largest))
    count = width * height
    seeded = draw(st.randoms(use_true_random=False))
    first = 0 if draw(st.booleans()) else -1
    most = draw(st.integers(1, min(5, count)))
    # Cells 0 .. most - 1 belong to one region each, so that none is empty.
    homes = [*range(most), *(seeded.randint(first, most - 1) for _ in range(count - most))]
    order = seeded.sample(range(count), count)
    regions = [sorted(order[i] for i in range(count) if homes[i] == region) for region in range(most)]
    least = min(map(len, regions))
    near, other = draw(st.integers(1, least)), draw(st.integers(1, least))
    excess = lcm(near, other) * draw(st.integers(1, 900))
    both = draw(st.booleans())
    levels = [
        PlaceLevel(m, 100 + excess // m)
        for m in (other if both and seeded.random() < 1 / 2 else near for _ in regions)
    ]
    points = [(i % width, i // width) for i in range(count)]
    law = PlaceLaw(tuple(points), tuple(map(tuple, regions)), tuple(levels))
    return GridPlace(law, weights_by_definition(points, regions, levels))


def weights_by_definition(
    points: list[tuple[int, int]], regions: list[list[int]], levels: list[PlaceLevel]
) -> list[list[int]]:
    inside = {cell for region in regions for cell in region}
    found = []
    for true, (x, y) in enumerate(points):
        weights = [100 if cell in inside else 0 for cell in range(len(points))]
        if true not in inside:
            weights[true] = levels[0].near * (levels[0].odds - 100)
        for region, level in zip(regions, levels, strict=True):
            if true in region:
                by_distance = sorted(
                    ((points[cell][0] - x) ** 2 + (points[cell][1] - y) ** 2, cell) for cell in region
                )
                for _, cell in by_distance[: level.near]:
                    weights[cell] = level.odds
        found.append(weights)
    return found
