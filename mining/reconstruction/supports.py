"""Supports of itemsets, reconstructed from counts, and how wrong each may be."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import pi
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mining.counts import Counter, Item, Numbers
from mining.reconstruction.cells import either, exactly, quotient
from mining.reconstruction.combined import combined
from mining.reconstruction.counted import Counted, Counts, counted
from mining.reconstruction.intervals import combined_bounds, exact_bounds, pooled_bounds, stratified_bounds
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Tally, moments, tallies
from mining.reconstruction.pooled import influences, pooled
from mining.reconstruction.shapes import CHUNK, as_numbers, grouped

Estimator = Literal["stratified", "pooled", "combined"]
ESTIMATORS: tuple[Estimator, ...] = ("stratified", "pooled", "combined")


@dataclass(frozen=True)
class Supports:
    """One row per itemset, in the order they were given.

    `base` counts the records asked all of S, `groups` the open and the disguised of them; `observed` is P*(S).
    Where there are not `enough` nothing is estimated: NaN. Nothing is clipped to [0, 1].
    """

    itemsets: Numbers
    support: Floats
    se: Floats
    low: Floats
    high: Floats
    pooled: Floats
    expected_w: Floats
    observed: Floats
    base: Counts
    groups: Counts
    enough: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.support)

    def take(self, rows: NDArray[Any]) -> "Supports":
        """The rows at these places, or where this is true."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Supports(*(getattr(self, name)[places] for name in COLUMNS))


COLUMNS = tuple(column.name for column in fields(Supports))


def reconstruct(
    counter: Counter | Counted,
    itemsets: Sequence[tuple[Item, ...]] | Numbers,
    estimator: Estimator = "stratified",
) -> Supports:
    """Supports of these itemsets, none of them with two items of one question. Counts everything in one go.

    Handed a `Counted`, it counts only what no earlier call has counted.
    """
    known = counted(counter)
    numbers = as_numbers(known.numbering, itemsets)
    groups = list(grouped(known, numbers))
    pieces = []
    for group, tally in zip(groups, tallies(known, groups), strict=True):
        for start in range(0, len(tally), CHUNK):
            rows = slice(start, start + CHUNK)
            part = tally if len(tally) <= CHUNK else tally.take(rows)
            pieces.append((group.rows[rows], estimates(part, estimator, sum(known.n))))
    return _in_order(numbers, pieces)


def _in_order(
    itemsets: Numbers, pieces: Sequence[tuple[NDArray[np.intp], dict[str, NDArray[Any]]]]
) -> Supports:
    if len(pieces) == 1:
        return Supports(itemsets, **pieces[0][1])
    rows = len(itemsets)
    support, se, low, high, pooled_, expected_w, observed = (np.full(rows, np.nan) for _ in range(7))
    base, groups, enough = np.zeros(rows, np.int64), np.zeros((rows, 2), np.int64), np.zeros(rows, np.bool_)
    found = Supports(itemsets, support, se, low, high, pooled_, expected_w, observed, base, groups, enough)
    for of, estimates in pieces:
        for name, values in estimates.items():
            getattr(found, name)[of] = values
    return found


def estimates(tally: Tally, estimator: Estimator, n: int) -> dict[str, NDArray[Any]]:
    """The columns of `Supports` for what was counted of some itemsets of one shape, among n records."""
    of = moments(tally)
    base = of.everybody
    stratified = either(of.weight * of.mean)
    parts = pooled(tally.supersets, tally.applying, tally.keep, tally.chance)
    by_inversion = parts[-1] * quotient(either(tally.applying), base)
    if estimator == "pooled":
        support, se = by_inversion, _pooled_error(tally, parts)
    elif estimator == "combined":
        support, variance = combined(stratified, of)
        se = np.sqrt(quotient(np.ones(len(support)), (1 / variance).sum(axis=0)))
    else:
        support = stratified
        square = either(of.weight * of.second) - support**2
        se = np.sqrt(np.maximum(square, 0.0) / np.maximum(base, 1))
    containing = either(tally.supersets[-1])
    if not len(tally.keep):
        low, high = exact_bounds(containing, base)
    elif estimator == "stratified":
        low, high = stratified_bounds(support, of)
    elif estimator == "combined":
        low, high = combined_bounds(support, variance, of)
    else:
        low, high = pooled_bounds(support, se, tally.keep, of)
    # What the disguise and the drawing of questions do, without the chance of who these people are.
    disguise = np.maximum(se**2 - support * (1 - support) / max(n, 1), 0.0)
    found = {
        "support": support,
        "se": se,
        "low": low,
        "high": high,
        "pooled": by_inversion,
        "expected_w": np.sqrt(2 / pi * disguise),
    }
    if not tally.enough.all():
        found = {name: np.where(tally.enough, values, np.nan) for name, values in found.items()}
    return found | {
        "observed": quotient(containing, base),
        "base": base,
        "groups": tally.base.T,
        "enough": tally.enough,
    }


def _pooled_error(tally: Tally, parts: Floats) -> Floats:
    """sqrt(mean psi^2 / n); where S does not apply to all, with what its share adds."""
    psi = influences(parts, tally.applying, tally.keep, tally.chance)
    without = tally.applying - tally.supersets[0]
    records = np.concatenate([exactly(tally.supersets), without[None]])
    base, applying = either(tally.base), either(tally.applying)
    shown = parts[-1]
    hidden = shown * quotient(applying, base)
    squares = (records * (psi + shown - hidden) ** 2).sum(axis=(0, 1))
    squares += (base - applying) * hidden**2
    return np.asarray(np.sqrt(squares) / np.maximum(base, 1))
