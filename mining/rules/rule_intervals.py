"""Computes the errors of rules: z of no association, and intervals of confidence, lift and base rates, by level."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.counts import Numbers, stack_tables
from mining.inference.intervals import intervals_by_level, lift_ends, share_ends, share_interval
from mining.inference.score_test import SIDES, SplitTests, Test, support_test
from mining.reconstruction.laws import Floats
from mining.row_index import distinct_rows
from mining.rules.sides import Eligible, Split
from mining.rules.weighted_estimates import WeightedSides

Rows = NDArray[np.intp]

LIFT, CONFIDENCE = 0, 1
"""The kinds of intervals that a list widens: a confidence is that of each of the two sides."""


@dataclass(frozen=True)
class Piece:
    """Itemsets of one shape that are split into A and C in the same way, with what estimates their `sides`; `rows`
    has the index of each among all splits.
    """

    eligible: Eligible
    of: Split
    sides: SplitTests | WeightedSides
    rows: Rows

    def renumbered(self, places: Rows) -> "Piece":
        """Returns the piece with its rows renumbered: row i becomes `places[i]`."""
        return replace(self, rows=places[self.rows])

    def base_rate_keys(self, side: int) -> Numbers:
        """Returns, for each itemset, the key of the query behind the base rate of one side: its items, and the
        records E(S).
        """
        group = self.eligible.group
        queries = group.queries(self.of[side])
        questions = len(self.eligible.laws.section)
        groups = np.full((len(queries), 1), group.shape.disguised_only)
        columns = (groups, queries.asked, queries.applies + questions, queries.items + 2 * questions)
        return np.concatenate(columns, axis=1, dtype=np.int32)


KEPT = 1 << 15
"""The tests of so many splits stay in memory (80 MB); those of more are made anew for each kind of interval."""


def _tested(pieces: Sequence[Piece]) -> Iterator[tuple[Rows, SplitTests]]:
    """Yields the score tests of the pieces whose errors are by score test."""
    is_few = sum(len(piece.rows) for piece in pieces) <= KEPT
    for piece in pieces:
        if isinstance(piece.sides, SplitTests):
            yield piece.rows, piece.sides if is_few else SplitTests(piece.sides.table)


def _weighted(pieces: Sequence[Piece]) -> Iterator[tuple[Rows, WeightedSides]]:
    """Yields the estimates of the pieces whose groups are weighted; scores have no weights."""
    for piece in pieces:
        if isinstance(piece.sides, WeightedSides):
            yield piece.rows, piece.sides


def lift_zs(pieces: Sequence[Piece], rows: int) -> Floats:
    """Returns, for each split, z of the test lift = 1: above 0 where both sides go together more often than by
    chance.
    """
    zs = np.full(rows, np.nan)
    for row, tests in _tested(pieces):
        zs[row] = tests.lift().z(np.ones(len(row)))
    for row, sides in _weighted(pieces):
        zs[row] = sides.lift().z(1.0)
    return zs


def confidence_intervals(pieces: Sequence[Piece], levels: Floats) -> Floats:
    """Returns the intervals of both confidences: side by split by level by end; `levels` is the critical z by
    split and level.
    """
    ends = np.full((len(SIDES), *levels.shape, 2), np.nan)
    for row, tests in _tested(pieces):
        for side in SIDES:
            ends[side, row] = np.stack(share_ends(tests.confidence(side), levels[row]), axis=-1)
    for row, sides in _weighted(pieces):
        for side in SIDES:
            confidence = intervals_by_level(sides.confidence(side).interval, levels[row])
            ends[side, row] = np.clip(confidence, 0.0, 1.0)
    return ends


def base_intervals(pieces: Sequence[Piece], rows: int) -> Floats:
    """Returns the 95 % intervals of base rates, which no list selects: side by split by end."""
    ends = np.full((len(SIDES), rows, 2), np.nan)
    tested = [piece for piece in pieces if isinstance(piece.sides, SplitTests)]
    if tested:
        _fill_in_base_intervals(ends, tested)
    for row, sides in _weighted(pieces):
        for side in SIDES:
            ends[side, row] = np.stack(sides.parabola(side).interval(), axis=-1)
    return ends


def lift_intervals(pieces: Sequence[Piece], levels: Floats) -> Floats:
    """Returns the intervals of lifts: split by level by end; `levels` is the critical z by split and level."""
    ends = np.full((*levels.shape, 2), np.nan)
    for row, tests in _tested(pieces):
        ends[row] = np.stack(lift_ends(tests.lift(), tests.records_lacking_side(), levels[row]), axis=-1)
    for row, sides in _weighted(pieces):
        ends[row] = intervals_by_level(sides.lift().interval, levels[row])
    return ends


def _fill_in_base_intervals(all_ends: Floats, pieces: Sequence[Piece]) -> None:
    """Fills in the intervals of base rates in place; splits that share a base rate have it computed once."""
    asked = [(side, piece) for side in SIDES for piece in pieces]
    of_side = np.concatenate([np.full(len(piece.rows), side) for side, piece in asked])
    row = np.concatenate([piece.rows for _side, piece in asked])
    same = stack_tables([piece.base_rate_keys(side) for side, piece in asked])
    places = distinct_rows(same, int(same.max()) + 1).places
    first = np.full(places.max() + 1, len(places))
    np.minimum.at(first, places, np.arange(len(places)))
    ends = np.empty((len(first), 2))
    for chosen, test in _distinct_base_tests(asked, first):
        ends[places[chosen]] = np.stack(share_interval(test), axis=-1)
    all_ends[of_side, row] = ends[places]


def _distinct_base_tests(asked: Sequence[tuple[int, Piece]], first: Rows) -> Iterator[tuple[Rows, Test]]:
    """Yields the score tests of the distinct base rates; `first`: their positions among all base rates asked for."""
    is_first = np.zeros(sum(len(piece.rows) for _side, piece in asked), np.bool_)
    is_first[first] = True
    start = 0
    for side, piece in asked:
        rows = np.flatnonzero(is_first[start : start + len(piece.rows)])
        if len(rows):
            table = piece.sides.table.take(rows)
            yield start + rows, support_test(table.reduce_to_side(side))
        start += len(piece.rows)
