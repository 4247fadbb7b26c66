"""Finds the position of a region's name on a map: a point inside the region, far from its border.

Pole of inaccessibility: the inner point with the largest distance to the border. In a strip many points are
equally far, so a point near the middle of the region's cells is preferred.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privacy.kinds.place.section import PlaceQuestion, Ring

GRID = 32
"""Points tried along each side of a region; afterwards a grid around the best point is halved ROUNDS times."""
ROUNDS, FINER = 6, 5
NEARLY = 0.05
"""Fraction of its depth that a point loses if its distance to the middle equals the region's width."""
AT_ONCE = 256
"""Number of points whose distances are computed at once, to bound memory."""
DIGITS = 1

Floats = NDArray[np.float64]
LabelPosition = tuple[float, float]


@lru_cache(maxsize=16)
def region_label_positions(question: PlaceQuestion) -> tuple[LabelPosition, ...]:
    """Returns the position of each region's name, in the question's coordinates; takes at most half a second for 4,096
    cells.

    Two cells of a region count as adjacent only if both have the edge between them with the same two corners.
    """
    return tuple(_label_position(question, region.cells) for region in question.regions)


def _label_position(question: PlaceQuestion, numbers: Sequence[int]) -> LabelPosition:
    points = np.array([question.cells[number].at for number in numbers], np.float64)
    rings = [question.cells[number].shape for number in numbers]
    if all(rings) and (border := outer_edges([ring for shape in rings for ring in shape])).size:
        return _deepest_point_in_shape(border, points)
    own = set(numbers)
    others = [cell.at for number, cell in enumerate(question.cells) if number not in own]
    return _most_remote_cell_position(points, np.array(others, np.float64).reshape(-1, 2))


def outer_edges(rings: Sequence[Ring]) -> Floats:
    """Returns the edges (x1, y1, x2, y2) around the union of these shapes, without edges that two shapes share."""
    edges = Counter(edge for ring in rings for edge in _undirected_edges(ring))
    return np.array([(*a, *b) for (a, b), times in edges.items() if times % 2], np.float64).reshape(-1, 4)


def _undirected_edges(ring: Ring) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yields the edges of a ring as (smaller corner, larger corner), so that neighbouring cells yield equal edges."""
    corners = list(zip(ring[::2], ring[1::2], strict=True))
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        if a != b:
            yield min(a, b), max(a, b)


def signed_distance_to_border(border: Floats, points: Floats) -> Floats:
    """Returns the distance of each point to the border, negative outside of it (even-odd rule)."""
    parts = [
        _signed_distance_of_chunk(border, points[at : at + AT_ONCE]) for at in range(0, len(points), AT_ONCE)
    ]
    return np.concatenate(parts)


def _signed_distance_of_chunk(border: Floats, points: Floats) -> Floats:
    """Computes `signed_distance_to_border` for at most AT_ONCE points."""
    (x1, y1, x2, y2), (x, y) = border.T, points.T[..., None]
    wide, high = x2 - x1, y2 - y1
    along = np.clip(((x - x1) * wide + (y - y1) * high) / (wide**2 + high**2), 0.0, 1.0)
    distance = np.hypot(x - x1 - along * wide, y - y1 - along * high).min(axis=1)
    crossed = (y1 > y) != (y2 > y)
    at = x1 + wide * np.divide(y - y1, high, out=np.zeros(crossed.shape), where=crossed)
    inside = (crossed & (x < at)).sum(axis=1) % 2 == 1
    signed: Floats = np.where(inside, distance, -distance)
    return signed


def _deepest_point_in_shape(border: Floats, points: Floats) -> LabelPosition:
    corners = border.reshape(-1, 2)
    low, sides = corners.min(axis=0), np.ptp(corners, axis=0)
    middle, reach = points.mean(axis=0), float(np.hypot(*sides))
    lattice = low + sides * _grid_points((np.arange(GRID) + 0.5) / GRID)
    tried = np.concatenate([middle[None], points, lattice])
    best = _deepest_central_point(signed_distance_to_border(border, tried), tried, middle, reach)
    steps = sides / GRID
    for _round in range(ROUNDS):
        tried = np.concatenate([best[None], best + steps * _grid_points(np.linspace(-1.0, 1.0, FINER))])
        best = _deepest_central_point(signed_distance_to_border(border, tried), tried, middle, reach)
        steps = steps / 2
    return _rounded_point(best)


def _most_remote_cell_position(points: Floats, other_cells: Floats) -> LabelPosition:
    """Returns the position of the cell that is farthest from the cells outside its region and from the region's
    bounding box; for cells without shapes."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = float(np.sqrt(np.prod(np.maximum(high - low, 1.0)) / len(points))) / 2
    distance = np.minimum(points - low, high - points).min(axis=1) + half
    for at in range(0, len(points) if len(other_cells) else 0, AT_ONCE):
        near = points[at : at + AT_ONCE, None] - other_cells
        between = np.hypot(near[..., 0], near[..., 1]).min(axis=1) / 2
        distance[at : at + AT_ONCE] = np.minimum(distance[at : at + AT_ONCE], between)
    reach = float(np.hypot(*(high - low))) or 1.0
    return _rounded_point(_deepest_central_point(distance, points, points.mean(axis=0), reach))


def _grid_points(steps: Floats) -> Floats:
    """Returns the points (x, y) of a square grid, for all x and y in `steps`."""
    return np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)


def _deepest_central_point(depths: Floats, points: Floats, middle: Floats, reach: float) -> Floats:
    """Returns the point with the largest depth (distance to the border), after depths are reduced with the distance
    from `middle`."""
    far = np.hypot(*(points - middle).T) / reach
    best: Floats = points[np.argmax(depths * (1.0 - NEARLY * np.sign(depths) * far))]
    return best


def _rounded_point(point: Floats) -> LabelPosition:
    x, y = (round(number, DIGITS) + 0.0 for number in point.tolist())
    return x, y
