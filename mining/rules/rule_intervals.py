"""Computes the errors of rules: z of the test of no association, and intervals of confidence, lift and base rates at
several critical z."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.distinct_rows import distinct_rows
from mining.inference.intervals import (
    NORMAL_95,
    intervals_by_critical_z,
    lift_interval_ends_by_row,
    share_interval,
    share_interval_ends_by_row,
)
from mining.inference.score_test import OF_LIFT, SIDES, SplitTests, support_test, z_values
from mining.queries_and_counters import Numbers, stack_tables
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import ItemsetGroup
from mining.rules.itemset_splits import Split
from mining.rules.pooled_and_combined_estimates import WeightedSides

Rows = NDArray[np.intp]

LIFT, CONFIDENCE = 0, 1
"""Indexes of the intervals that a list widens: the lift, then the confidence of each side."""


@dataclass(frozen=True)
class SplitGroup:
    """Itemsets of one shape that are split into antecedent A and consequent C in the same way.

    `group`: the itemsets. `of`: the positions of A and C. `sides`: the estimates of both sides. `rows`: the number of
    each split among all splits. `questions`: the number of questions of the design.
    """

    group: ItemsetGroup
    of: Split
    sides: SplitTests | WeightedSides
    rows: Rows
    questions: int

    def base_rate_keys(self, side: int, rows: Rows) -> Numbers:
        """Returns, for the itemsets `rows`, keys that are equal if the base rates of one side are equal: its items, and
        which records count."""
        queries = self.group.take(rows).queries(self.of[side])
        groups = np.full((len(queries), 1), self.group.shape.uses_disguised_only)
        many = self.questions
        columns = (groups, queries.asked, queries.applies + many, queries.items + 2 * many)
        return np.concatenate(columns, axis=1, dtype=np.int32)


KEPT = 1 << 15
"""Largest number of splits whose tests stay in memory (80 MB); for more, each kind of interval makes them anew."""


@dataclass(frozen=True)
class SplitGroups:
    """All splits, numbered from 0, in pieces (`SplitGroup`). `kept`: the tests of the splits, if they stay in memory.

    The functions of this module return a row for each split; functions with an `order` return a row for each split in
    it.
    """

    pieces: Sequence[SplitGroup]
    kept: "SplitTestRows | None" = None

    def __len__(self) -> int:
        return sum(len(piece.rows) for piece in self.pieces)

    def with_tests_in_memory(self) -> "SplitGroups":
        """Returns these pieces with their tests computed and kept in memory, unless there are too many."""
        return replace(self, kept=_make_tests(self._tested_pieces)) if len(self) <= KEPT else self

    def tests(self) -> "Iterator[SplitTestRows]":
        """Yields the score tests of all splits whose intervals come from score tests."""
        if self.kept:
            yield self.kept
        else:
            yield from map(_make_tests, ([piece] for piece in self._tested_pieces))

    def weighted_sides(self) -> Iterator[tuple[Rows, WeightedSides]]:
        """Yields split numbers and estimates of the pieces estimated by weighted groups (`pooled`, `combined`)."""
        for piece in self.pieces:
            if isinstance(piece.sides, WeightedSides):
                yield piece.rows, piece.sides

    @property
    def _tested_pieces(self) -> list[SplitGroup]:
        return [piece for piece in self.pieces if isinstance(piece.sides, SplitTests)]


class SplitTestRows(NamedTuple):
    """Score tests of some `splits`: the `rows` of the tests (as in `mining.inference.score_test`), and the number of
    records that lack a side (`lacking`)."""

    splits: Rows
    rows: Floats
    lacking: Floats


def _make_tests(pieces: Sequence[SplitGroup]) -> SplitTestRows:
    from mining.inference.score_test_kernel import WIDTH  # late for cost

    many = sum(len(piece.rows) for piece in pieces)
    tests = SplitTestRows(np.empty(many, np.intp), np.empty((many, OF_LIFT + 1, WIDTH)), np.empty(many))
    start = 0
    for piece in pieces:
        assert isinstance(piece.sides, SplitTests)
        rows = slice(start, start + len(piece.rows))
        tests.splits[rows] = piece.rows
        piece.sides.fill_split_test_rows(tests.rows[rows])
        tests.lacking[rows] = piece.sides.fewest_records_lacking_side()
        start = rows.stop
    return tests


def _listed_splits_and_positions(splits: Rows, place: Rows) -> tuple[Rows, Rows]:
    """Returns the indexes of the `splits` that are in the list order, and the index of each in the order (from
    `place`)."""
    chosen = np.flatnonzero(place[splits] >= 0)
    return chosen, place[splits[chosen]]


def _positions_in_order(pieces: SplitGroups, order: Rows) -> Rows:
    """Returns, for each split, its index in `order`; -1 if it is not in it."""
    place = np.full(len(pieces), -1)
    place[order] = np.arange(len(order))
    return place


def lift_zs(pieces: SplitGroups) -> Floats:
    """Returns, for each split, z of the test lift = 1: above 0 where both sides go together more often than by
    chance."""
    zs = np.full(len(pieces), np.nan)
    for tests in pieces.tests():
        many = len(tests.splits)
        zs[tests.splits] = z_values(tests.rows, np.arange(many), OF_LIFT, np.ones(many))
    for splits, sides in pieces.weighted_sides():
        zs[splits] = sides.lift().z(1.0)
    return zs


def confidence_intervals(pieces: SplitGroups, side: int, critical_zs: Floats, order: Rows) -> Floats:
    """Returns the intervals of the confidence of A -> C (`side` 0) or C -> A: row by critical z by end; `critical_zs`
    are by row and column."""
    ends, place = np.full((*critical_zs.shape, 2), np.nan), _positions_in_order(pieces, order)
    for tests in pieces.tests():
        chosen, at = _listed_splits_and_positions(tests.splits, place)
        ends[at] = share_interval_ends_by_row(tests.rows, chosen, side, critical_zs[at])
    for splits, sides in pieces.weighted_sides():
        chosen, at = _listed_splits_and_positions(splits, place)
        ratio = sides.confidence(side).take(chosen)
        ends[at] = np.clip(intervals_by_critical_z(ratio.interval, critical_zs[at]), 0.0, 1.0)
    return ends


def confidence_intervals_contain(pieces: SplitGroups, side: int, order: Rows, t: Floats) -> NDArray[np.bool_]:
    """Returns, for each split of `order`, whether the 95 % interval of its confidence contains its value in `t`; faster
    than computing the interval."""
    contain, place = np.zeros(len(order), np.bool_), _positions_in_order(pieces, order)
    for tests in pieces.tests():
        chosen, at = _listed_splits_and_positions(tests.splits, place)
        contain[at] = ~(np.abs(z_values(tests.rows, chosen, side, t[at])) > NORMAL_95)
    for splits, sides in pieces.weighted_sides():
        chosen, at = _listed_splits_and_positions(splits, place)
        low, high = sides.confidence(side).take(chosen).interval()
        contain[at] = (low <= t[at]) & (t[at] <= high)
    return contain & (t >= 0) & (t <= 1)


def lift_intervals(pieces: SplitGroups, critical_zs: Floats, order: Rows) -> Floats:
    """Returns the intervals of lifts: row by critical z by end; `critical_zs` are by row and column."""
    ends, place = np.full((*critical_zs.shape, 2), np.nan), _positions_in_order(pieces, order)
    for tests in pieces.tests():
        chosen, at = _listed_splits_and_positions(tests.splits, place)
        ends[at] = lift_interval_ends_by_row(
            tests.rows, chosen, OF_LIFT, tests.lacking[chosen], critical_zs[at]
        )
    for splits, sides in pieces.weighted_sides():
        chosen, at = _listed_splits_and_positions(splits, place)
        # No answer is given less often than never.
        ends[at] = np.maximum(
            intervals_by_critical_z(sides.lift().take(chosen).interval, critical_zs[at]), 0.0
        )
    return ends


def base_rate_intervals(pieces: SplitGroups, needed: NDArray[np.bool_]) -> Floats:
    """Returns the 95 % intervals of the `needed` base rates: side by split by end, NaN for others. They are not
    corrected for the list. A base rate that several splits share is computed once."""
    ends = np.full((len(SIDES), len(pieces), 2), np.nan)
    for side in SIDES:
        for splits, sides in pieces.weighted_sides():
            ends[side, splits] = np.stack(sides.parabola(side).interval(), axis=-1)
    asked = [
        (side, piece, rows)
        for side in SIDES
        for piece in pieces.pieces
        if isinstance(piece.sides, SplitTests)
        for rows in [np.flatnonzero(needed[side, piece.rows])]
        if len(rows)
    ]
    if not asked:
        return ends
    keys = stack_tables([piece.base_rate_keys(side, rows) for side, piece, rows in asked])
    places = distinct_rows(keys, int(keys.max()) + 1).places
    distinct, is_known = np.empty((places.max() + 1, 2)), np.zeros(places.max() + 1, np.bool_)
    start = 0
    for side, piece, rows in asked:
        at = places[start : start + len(rows)]
        start += len(rows)
        _distinct, first = np.unique(at, return_index=True)
        first = first[~is_known[at[first]]]
        if len(first):
            test = support_test(piece.sides.table.take(rows[first]).reduce_to_side(side))
            distinct[at[first]] = np.stack(share_interval(test), axis=-1)
            is_known[at[first]] = True
        ends[side, piece.rows[rows]] = distinct[at]
    return ends


AT_ONCE = 2_000
"""Number of splits at the head of a list whose ends are computed at once; those of others are computed when read."""


@dataclass(frozen=True)
class ListIntervals:
    """The intervals of the splits of a list. The first AT_ONCE are computed at once, the others when they are first
    read, by the same function.

    `order` has the number of each split of the list, `critical_zs` its critical z. `known_base_ends`: base rates
    that are known (side by split by end), NaN where they are computed here.
    """

    pieces: SplitGroups
    order: Rows
    critical_zs: Floats
    known_base_ends: Floats
    first: tuple[Floats, Floats]

    @classmethod
    def compute_first(
        cls, pieces: SplitGroups, order: Rows, critical_zs: Floats, known_base_ends: Floats
    ) -> "ListIntervals":
        """Makes the intervals of a list, and computes those of its first AT_ONCE splits; the others are computed when
        they are read."""
        head = slice(AT_ONCE)
        first = _ends_and_base_ends(pieces, order[head], critical_zs[head], known_base_ends[:, head])
        return cls(pieces, order, critical_zs, known_base_ends, first)

    @property
    def computed_count(self) -> int:
        """The number of splits whose ends are computed already."""
        return len(self.first[0][0])

    @cached_property
    def all_ends(self) -> tuple[Floats, Floats]:
        """The interval ends of all lifts and confidences (kind by split by critical z by end), and of all base rates
        (side by split by end)."""
        if len(self.order) == self.computed_count:
            return self.first
        tail = slice(self.computed_count, None)
        rest = _ends_and_base_ends(
            self.pieces, self.order[tail], self.critical_zs[tail], self.known_base_ends[:, tail]
        )
        ends, base_ends = (np.concatenate(parts, axis=1) for parts in zip(self.first, rest, strict=True))
        return ends, base_ends

    def ends_covering(self, rows: Rows) -> tuple[Floats, Floats]:
        """Returns the interval ends of all splits; of the first splits alone if all `rows` are among these."""
        return self.first if rows.max(initial=-1) < self.computed_count else self.all_ends


def _ends_and_base_ends(
    pieces: SplitGroups, order: Rows, critical_zs: Floats, known_base_ends: Floats
) -> tuple[Floats, Floats]:
    ends = [
        lift_intervals(pieces, critical_zs, order),
        *(confidence_intervals(pieces, side, critical_zs, order) for side in SIDES),
    ]
    unknown = np.isnan(known_base_ends[..., 0])
    wanted = np.zeros((len(SIDES), len(pieces)), np.bool_)
    wanted[:, order] = unknown
    base_ends = np.where(unknown[..., None], base_rate_intervals(pieces, wanted)[:, order], known_base_ends)
    return np.stack(ends), base_ends
