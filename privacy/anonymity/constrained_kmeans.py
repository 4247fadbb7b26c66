"""k-means whose clusters have at least so many rows each (Bradley, Bennett and Demiriz, Constrained k-means, 2000)."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ENOUGH = 1e-12
"""A step that saves less than this is the last."""


def constrained_clusters(rows: Floats, least: int) -> Integers:
    """The cluster of each row: len(rows) // least clusters with at least `least` rows each.

    Cubic in the rows. The first centre is the row farthest from the mean, each next one the row farthest from those
    that are centres.
    """
    count = len(rows) // least
    labels, cost = _assigned(rows, _first_centres(rows, count), least)
    while True:
        centres = np.stack([rows[labels == cluster].mean(0) for cluster in range(count)])
        better, less = _assigned(rows, centres, least)
        if less >= cost - ENOUGH:
            return labels
        labels, cost = better, less


def _first_centres(rows: Floats, count: int) -> Floats:
    distances = _squares(rows, rows.mean(0)[None]).ravel()
    chosen = [int(distances.argmax())]
    while len(chosen) < count:
        distances = _squares(rows, rows[chosen]).min(1)
        chosen.append(int(distances.argmax()))
    return rows[chosen]


def _assigned(rows: Floats, centres: Floats, least: int) -> tuple[Integers, float]:
    """The assignment of least cost: each cluster has `least` seats, and the other seats are free in all clusters."""
    from scipy.optimize import linear_sum_assignment  # type: ignore[attr-defined]  # late for cost

    costs = _squares(rows, centres)
    seats = np.repeat(np.arange(len(centres)), least)
    free = np.repeat(costs.min(1, keepdims=True), len(rows) - len(seats), axis=1)
    _rows, taken = linear_sum_assignment(np.concatenate([costs[:, seats], free], axis=1))
    labels = np.concatenate([seats, np.full(len(rows) - len(seats), -1)])[taken]
    labels = np.where(labels < 0, costs.argmin(1), labels)
    return labels, float(costs[np.arange(len(rows)), labels].sum())


def _squares(rows: Floats, centres: Floats) -> Floats:
    """Squared distances of rows and centres."""
    return np.asarray(np.stack([((rows - centre) ** 2).sum(1) for centre in centres], axis=1))
