"""A rival: the piecewise law on each axis, with half of epsilon each (docs/references.md: wang-2019).

With s = e^(eps/4) and C = (s+1)/(s-1), somebody at t of [-1, 1] sends a point of [-C, C] with density

    p = (s^2 - s) / (2s + 2)   on [l, r],  l = (C+1) t/2 - (C-1)/2,  r = l + C - 1,      p / s^2 elsewhere

It is unbiased; what leaves the map is moved to its edge here, which keeps the guarantee and makes the error smaller.
See docs/mathematics.md, Places on the plane.
"""

from math import exp

import numpy as np

from papers.location.plane.rectangle import Floats
from papers.location.settings import HALF

NODES = np.polynomial.legendre.leggauss(200)


def piecewise_error(epsilon: float) -> float:
    """Expected squared distance for even points on the map, both axes together."""
    t, weights = NODES
    return float(2 * HALF**2 * (weights @ axis_error(t, epsilon / 2)) / 2)


def axis_error(t: Floats, epsilon: float) -> Floats:
    """E (clip(y, -1, 1) - t)^2 by axis, at each true t."""
    s = exp(epsilon / 2)
    far = (s + 1) / (s - 1)
    high = (s * s - s) / (2 * s + 2)
    low = high / (s * s)
    left = (far + 1) / 2 * t - (far - 1) / 2
    right = left + far - 1
    a, b = np.maximum(left, -1), np.minimum(right, 1)
    within = low * (_cube(1 - t) - _cube(-1 - t)) + (high - low) * (_cube(b - t) - _cube(a - t))
    above = low * (far - 1) + (high - low) * np.maximum(right - 1, 0)
    below = low * (far - 1) + (high - low) * np.maximum(-1 - left, 0)
    return np.asarray(within + above * (1 - t) ** 2 + below * (1 + t) ** 2)


def _cube(x: Floats) -> Floats:
    return x**3 / 3
