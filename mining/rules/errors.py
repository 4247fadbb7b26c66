"""The errors of rules: z of no association, and intervals of confidence and lift, alone and in the list."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.inference.intervals import NORMAL_95, Interval, lift_ends, share_ends
from mining.inference.score import SIDES, SplitTests, Test, batches, support_test
from mining.reconstruction.laws import Floats
from mining.reconstruction.supports import Estimator
from mining.rules.sides import Eligible, Split
from mining.rules.weighted import Ratio, WeightedSides

Rows = NDArray[np.intp]

OF_RULES = ("confidence_low", "confidence_high", "confidence_low_listed", "confidence_high_listed")
OF_BASES = ("consequent_low", "consequent_high", "consequent_low_listed", "consequent_high_listed")
OF_LIFTS = ("lift_low", "lift_high", "lift_low_listed", "lift_high_listed")


@dataclass(frozen=True)
class Piece:
    """Itemsets of one shape split in one way. `split` is the row of each among all splits, `rule` the rows of A -> C
    and of C -> A among all rules, -1 where a rule is not reported."""

    eligible: Eligible
    of: Split
    split: Rows
    rule: tuple[Rows, Rows]

    def later(self, splits: int, rules: int) -> "Piece":
        """The same piece, numbered after so many splits and rules."""
        forward, backward = (np.where(rule >= 0, rule + rules, -1) for rule in self.rule)
        return replace(self, split=self.split + splits, rule=(forward, backward))


Columns = dict[str, Floats]


def confidence_columns(pieces: Sequence[Piece], rows: int, estimator: Estimator, levels: Floats) -> Columns:
    """The intervals of confidences, one row per rule; `levels`: z0 of each in the list."""
    found = {name: np.full(rows, np.nan) for name in OF_RULES}
    if estimator == "stratified":
        for of, test in batches(_confidences(pieces)):
            _fill(found, OF_RULES, of, share_ends(test, _both(levels[of])))
        return found
    for piece in pieces:
        sides = WeightedSides(piece.eligible.table(piece.of), estimator)
        for side, rule in zip(SIDES, piece.rule, strict=True):
            reported = np.flatnonzero(rule >= 0)
            ratio, of = sides.confidence(side).take(reported), rule[reported]
            low, high = _ends(ratio, levels[of])
            _fill(found, OF_RULES, of, (np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)))
    return found


def base_columns(pieces: Sequence[Piece], rows: int, estimator: Estimator, levels: Floats) -> Columns:
    """The intervals of how common the consequent of each rule is among all, one row per rule."""
    found = {name: np.full(rows, np.nan) for name in OF_BASES}
    if estimator == "stratified":
        for of, test in batches(_bases(pieces)):
            _fill(found, OF_BASES, of, share_ends(test, _both(levels[of])))
        return found
    for piece in pieces:
        sides = WeightedSides(piece.eligible.table(piece.of), estimator)
        for side, rule in zip(SIDES, piece.rule, strict=True):
            reported = np.flatnonzero(rule >= 0)
            parabola, of = sides.parabola(1 - side).take(reported), rule[reported]
            both = [parabola.interval(), parabola.interval(levels[of])]
            low, high = (np.stack([one[end] for one in both], axis=1) for end in range(2))
            _fill(found, OF_BASES, of, (low, high))
    return found


def _bases(pieces: Iterable[Piece]) -> Iterator[tuple[Rows, Test]]:
    for piece in pieces:
        table = piece.eligible.table(piece.of)
        for side, rule in zip(SIDES, piece.rule, strict=True):
            reported = np.flatnonzero(rule >= 0)
            if len(reported):
                yield rule[reported], support_test(table.of_side(1 - side).take(reported))


def _both(levels: Floats) -> Floats:
    """The level of each alone, and that of its place in the list."""
    return np.stack([np.full(len(levels), NORMAL_95), levels], axis=1)


def _ends(ratio: Ratio, levels: Floats) -> Interval:
    ends = [ratio.interval(), ratio.interval(levels)]
    low, high = (np.stack([one[end] for one in ends], axis=1) for end in range(2))
    return low, high


def _fill(found: Columns, names: Sequence[str], of: Rows, ends: Interval) -> None:
    low, high = ends
    for name, values in zip(names, (low[:, 0], high[:, 0], low[:, 1], high[:, 1]), strict=True):
        found[name][of] = values


def _confidences(pieces: Iterable[Piece]) -> Iterator[tuple[Rows, Test]]:
    for piece in pieces:
        tests = _sides(piece)
        for side, rule in zip(SIDES, piece.rule, strict=True):
            reported = np.flatnonzero(rule >= 0)
            if len(reported):
                test = tests.confidence(side)
                yield rule[reported], test if len(reported) == len(rule) else test.take(reported)


def lift_zs(pieces: Sequence[Piece], rows: int, estimator: Estimator) -> Floats:
    """z of lift = 1, one row per split: above 0 where both sides go together more often than by chance."""
    found = np.full(rows, np.nan)
    if estimator == "stratified":
        for of, test in batches((piece.split, _sides(piece).lift()) for piece in pieces):
            found[of] = test.z(np.ones(len(of)))
    else:
        for piece in pieces:
            found[piece.split] = WeightedSides(piece.eligible.table(piece.of), estimator).lift().z(1.0)
    return found


def lift_columns(pieces: Sequence[Piece], rows: int, estimator: Estimator, levels: Floats) -> Columns:
    """The intervals of lifts, one row per split; `levels`: z0 of each in the list."""
    found = {name: np.full(rows, np.nan) for name in OF_LIFTS}
    if estimator == "stratified":
        lacking = np.empty(rows)
        for of, test in batches(_lifts(pieces, lacking)):
            _fill(found, OF_LIFTS, of, lift_ends(test, lacking[of], _both(levels[of])))
        return found
    for piece in pieces:
        lift = WeightedSides(piece.eligible.table(piece.of), estimator).lift()
        _fill(found, OF_LIFTS, piece.split, _ends(lift, levels[piece.split]))
    return found


def _sides(piece: Piece) -> SplitTests:
    return SplitTests(piece.eligible.table(piece.of))


def _lifts(pieces: Iterable[Piece], lacking: Floats) -> Iterator[tuple[Rows, Test]]:
    """The tests of lift; also fills in the number of records that lack a side."""
    for piece in pieces:
        tests = _sides(piece)
        lacking[piece.split] = tests.lacking()
        yield piece.split, tests.lift()
