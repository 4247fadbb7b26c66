"""The density of a square mechanism, written out from its definition."""

from math import exp

import numpy as np

from papers.location.plane.regions import Floats, Points, region_indexes
from papers.location.plane.square_mechanism import SquareLaw


def square_density(law: SquareLaw, points: Points, received: Points) -> Floats:
    """The density of each received point given its true point; places that are sent unchanged have none."""
    home = region_indexes(law.regions, points)
    centres = points.astype(np.float64)
    for index, region in enumerate(law.regions):
        centres[home == index] = region.nearest_square_centres(points[home == index], law.width)
    near = (home >= 0) & (np.abs(received - centres).max(axis=-1) <= law.width / 2)
    anywhere = region_indexes(law.regions, received) >= 0
    return np.asarray(law.base_density * anywhere * np.where(near, exp(law.epsilon), 1.0))
