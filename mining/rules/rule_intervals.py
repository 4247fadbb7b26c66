"""Computes the errors of rules: z of no association, and intervals of confidence, lift and base rates, by level."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.counts import Numbers, stack_tables
from mining.inference.intervals import intervals_by_level, lift_ends, share_ends, share_interval
from mining.inference.score_test import SIDES, SplitTests, Test, join_tests, support_test
from mining.reconstruction.laws import Floats
from mining.reconstruction.supports import Estimator
from mining.row_index import distinct_rows
from mining.rules.sides import Eligible, Split
from mining.rules.weighted_estimates import WeightedSides

Rows = NDArray[np.intp]

LIFT, CONFIDENCE = 0, 1
"""The kinds of intervals that a list widens: a confidence is that of each of the two sides."""


@dataclass(frozen=True)
class Piece:
    """Itemsets of one shape that are split into A and C in the same way; `rows` has the index of each among all
    splits.
    """

    eligible: Eligible
    of: Split
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

    def tests(self) -> SplitTests:
        return SplitTests(self.eligible.contingency_table(self.of))

    def weighted_sides(self, estimator: Estimator) -> WeightedSides:
        return WeightedSides(self.eligible.contingency_table(self.of), estimator)


def split_by_test(pieces: Sequence[Piece], estimator: Estimator) -> tuple[list[Piece], list[Piece]]:
    """Divides the pieces into those with errors by score test and those of weighted groups; scores have no weights."""
    is_tested = [estimator == "stratified" or bool(piece.eligible.scores) for piece in pieces]
    both = list(zip(pieces, is_tested, strict=True))
    return [piece for piece, tested in both if tested], [piece for piece, tested in both if not tested]


def lift_zs(pieces: Sequence[Piece], rows: int, estimator: Estimator) -> Floats:
    """Returns, for each split, z of the test lift = 1: above 0 where both sides go together more often than by
    chance.
    """
    zs = np.full(rows, np.nan)
    tested, weighted = split_by_test(pieces, estimator)
    for row, test in join_tests((piece.rows, piece.tests().lift()) for piece in tested):
        zs[row] = test.z(np.ones(len(row)))
    for piece in weighted:
        zs[piece.rows] = piece.weighted_sides(estimator).lift().z(1.0)
    return zs


def confidence_intervals(pieces: Sequence[Piece], levels: Floats, estimator: Estimator) -> Floats:
    """Returns the intervals of both confidences: side by split by level by end; `levels` is the critical z by
    split and level.
    """
    ends = np.full((len(SIDES), *levels.shape, 2), np.nan)
    tested, weighted = split_by_test(pieces, estimator)
    for side in SIDES:
        for row, test in join_tests((piece.rows, piece.tests().confidence(side)) for piece in tested):
            ends[side, row] = np.stack(share_ends(test, levels[row]), axis=-1)
        for piece in weighted:
            confidence = intervals_by_level(
                piece.weighted_sides(estimator).confidence(side).interval, levels[piece.rows]
            )
            ends[side, piece.rows] = np.clip(confidence, 0.0, 1.0)
    return ends


def base_intervals(pieces: Sequence[Piece], rows: int, estimator: Estimator) -> Floats:
    """Returns the 95 % intervals of base rates, which no list selects: side by split by end."""
    ends = np.full((len(SIDES), rows, 2), np.nan)
    tested, weighted = split_by_test(pieces, estimator)
    if tested:
        _fill_in_base_intervals(ends, tested)
    for side in SIDES:
        for piece in weighted:
            parabola = piece.weighted_sides(estimator).parabola(side)
            ends[side, piece.rows] = np.stack(parabola.interval(), axis=-1)
    return ends


def lift_intervals(pieces: Sequence[Piece], levels: Floats, estimator: Estimator) -> Floats:
    """Returns the intervals of lifts: split by level by end; `levels` is the critical z by split and level."""
    ends = np.full((*levels.shape, 2), np.nan)
    tested, weighted = split_by_test(pieces, estimator)
    lacking = np.empty(len(levels))
    for row, test in join_tests(_lift_tests(tested, lacking)):
        ends[row] = np.stack(lift_ends(test, lacking[row], levels[row]), axis=-1)
    for piece in weighted:
        ends[piece.rows] = intervals_by_level(
            piece.weighted_sides(estimator).lift().interval, levels[piece.rows]
        )
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
    for batch, test in join_tests(_distinct_base_tests(asked, first)):
        ends[places[batch]] = np.stack(share_interval(test), axis=-1)
    all_ends[of_side, row] = ends[places]


def _distinct_base_tests(asked: Sequence[tuple[int, Piece]], first: Rows) -> Iterator[tuple[Rows, Test]]:
    """Yields the score tests of the distinct base rates; `first`: their positions among all base rates asked for."""
    is_first = np.zeros(sum(len(piece.rows) for _side, piece in asked), np.bool_)
    is_first[first] = True
    start = 0
    for side, piece in asked:
        rows = np.flatnonzero(is_first[start : start + len(piece.rows)])
        if len(rows):
            table = piece.eligible.take(rows).contingency_table(piece.of)
            yield start + rows, support_test(table.reduce_to_side(side))
        start += len(piece.rows)


def _lift_tests(pieces: Sequence[Piece], lacking: Floats) -> Iterator[tuple[Rows, Test]]:
    """Yields the tests of lift, and fills in `lacking` in place: the number of records that lack a side."""
    for piece in pieces:
        tests = piece.tests()
        lacking[piece.rows] = tests.records_lacking_side()
        yield piece.rows, tests.lift()
