"""k-means whose clusters have at least n rows each (Bradley, Bennett and Demiriz, Constrained k-means, 2000)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ENOUGH = 1e-12
"""A step that saves less than this is the last."""


def squares(rows: Floats, centres: Floats) -> Floats:
    """Squared distances of rows and centres."""
    return np.asarray(np.stack([((rows - centre) ** 2).sum(1) for centre in centres], axis=1))


def absolute(rows: Floats, centres: Floats) -> Floats:
    """Sums of absolute differences of rows and centres."""
    return np.asarray(np.stack([np.abs(rows - centre).sum(1) for centre in centres], axis=1))


def constrained_clusters(
    rows: Floats, least: int, distances: Callable[[Floats, Floats], Floats] = squares
) -> Integers:
    """The cluster of each row: len(rows) // least clusters with at least `least` rows each.

    Cubic in the rows. The first centre is the row farthest from the mean, each next one the row farthest from those
    that are centres.
    """
    count = len(rows) // least
    labels, cost = _assigned(distances(rows, _first_centres(rows, count, distances)), least)
    while True:
        centres = np.stack([rows[labels == cluster].mean(0) for cluster in range(count)])
        better, less = _assigned(distances(rows, centres), least)
        if less >= cost - ENOUGH:
            return labels
        labels, cost = better, less


def _first_centres(rows: Floats, count: int, distances: Callable[[Floats, Floats], Floats]) -> Floats:
    chosen = [int(distances(rows, rows.mean(0)[None]).argmax())]
    while len(chosen) < count:
        chosen.append(int(distances(rows, rows[chosen]).min(1).argmax()))
    return rows[chosen]


def _assigned(costs: Floats, least: int) -> tuple[Integers, float]:
    """The assignment of least cost, of rows to centres: each has `least` seats, and the other seats are free in all."""
    from scipy.optimize import linear_sum_assignment  # type: ignore[attr-defined]  # late for cost

    rows, centres = costs.shape
    seats = np.repeat(np.arange(centres), least)
    free = np.repeat(costs.min(1, keepdims=True), rows - len(seats), axis=1)
    _rows, taken = linear_sum_assignment(np.concatenate([costs[:, seats], free], axis=1))
    labels = np.concatenate([seats, np.full(rows - len(seats), -1)])[taken]
    labels = np.where(labels < 0, costs.argmin(1), labels)
    return labels, float(costs[np.arange(rows), labels].sum())
