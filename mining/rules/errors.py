"""The errors of rules: intervals of confidence, lift and leverage, p, and p against the least confidence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.inference.intervals import (
    NORMAL_95,
    lift_interval,
    one_sided,
    share_interval,
    two_sided,
)
from mining.inference.score import SIDES, SplitTests, Test, batches
from mining.reconstruction.laws import Floats
from mining.reconstruction.supports import Estimator
from mining.rules.sides import Eligible, Split
from mining.rules.weighted import WeightedSides

Rows = NDArray[np.intp]

OF_RULES = (
    "confidence_low",
    "confidence_high",
    "confidence_low_after",
    "confidence_high_after",
    "p_confidence",
)
OF_SPLITS = (
    "lift_low",
    "lift_high",
    "lift_low_after",
    "lift_high_after",
    "leverage_low",
    "leverage_high",
    "p",
)


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


def confidence_columns(
    pieces: Sequence[Piece], rows: int, estimator: Estimator, threshold: float, level: float
) -> Columns:
    """The errors of confidences, one row per rule; `threshold`: the least confidence, `level`: z0 after the search."""
    found = {name: np.full(rows, np.nan) for name in OF_RULES}
    if estimator == "stratified":
        for of, test in batches(_confidences(pieces)):
            found["confidence_low"][of], found["confidence_high"][of] = share_interval(test)
            after = share_interval(test, level)
            found["confidence_low_after"][of], found["confidence_high_after"][of] = after
            found["p_confidence"][of] = one_sided(test.z(np.full(len(of), threshold)))
        return found
    for piece in pieces:
        sides = WeightedSides(piece.eligible.table(piece.of), estimator)
        for side, rule in zip(SIDES, piece.rule, strict=True):
            reported = np.flatnonzero(rule >= 0)
            ratio, of = sides.confidence(side), rule[reported]
            for suffix, at in (("", NORMAL_95), ("_after", level)):
                low, high = ratio.interval(at)
                found[f"confidence_low{suffix}"][of] = np.clip(low, 0.0, 1.0)[reported]
                found[f"confidence_high{suffix}"][of] = np.clip(high, 0.0, 1.0)[reported]
            found["p_confidence"][of] = one_sided(ratio.z(threshold))[reported]
    return found


def _confidences(pieces: Iterable[Piece]) -> Iterator[tuple[Rows, Test]]:
    for piece in pieces:
        tests = SplitTests(piece.eligible.table(piece.of))
        for side, rule in zip(SIDES, piece.rule, strict=True):
            reported = np.flatnonzero(rule >= 0)
            if len(reported):
                test = tests.confidence(side)
                yield rule[reported], test if len(reported) == len(rule) else test.take(reported)


def lift_columns(pieces: Sequence[Piece], rows: int, estimator: Estimator, level: float | None) -> Columns:
    """The errors of lifts, one row per split; `level` None: without intervals after a search."""
    found = {name: np.full(rows, np.nan) for name in OF_SPLITS}
    if estimator == "stratified":
        lacking = np.empty(rows)
        for of, test in batches(_lifts(pieces, found, lacking)):
            found["lift_low"][of], found["lift_high"][of] = lift_interval(test, lacking[of])
            if level is not None:
                after = lift_interval(test, lacking[of], level)
                found["lift_low_after"][of], found["lift_high_after"][of] = after
            found["p"][of] = two_sided(test.z(np.ones(len(of))))
        return found
    for piece in pieces:
        sides = WeightedSides(piece.eligible.table(piece.of), estimator)
        of, lift = piece.split, sides.lift()
        found["lift_low"][of], found["lift_high"][of] = lift.interval()
        if level is not None:
            found["lift_low_after"][of], found["lift_high_after"][of] = lift.interval(level)
        found["leverage_low"][of], found["leverage_high"][of] = leverage_interval(sides)
        found["p"][of] = two_sided(lift.z(1.0))
    return found


def _lifts(pieces: Iterable[Piece], found: Columns, lacking: Floats) -> Iterator[tuple[Rows, Test]]:
    """The tests of lift; also fills in the intervals of leverage and the number of records that lack a side."""
    for piece in pieces:
        tests = SplitTests(piece.eligible.table(piece.of))
        lacking[piece.split] = tests.lacking()
        leverage = leverage_interval(tests)
        found["leverage_low"][piece.split], found["leverage_high"][piece.split] = leverage
        yield piece.split, tests.lift()


def leverage_interval(sides: SplitTests | WeightedSides) -> tuple[Floats, Floats]:
    """By the delta method: the variance of the mean of z(S) - P_C z(A) - P_A z(C)."""
    a, c, s = sides.supports
    alone = sides.covariance(2, 2) + c**2 * sides.covariance(0, 0) + a**2 * sides.covariance(1, 1)
    shared = a * c * sides.covariance(0, 1) - c * sides.covariance(0, 2) - a * sides.covariance(1, 2)
    either_side = NORMAL_95 * np.sqrt(np.maximum(alone + 2 * shared, 0.0))
    leverage = s - a * c
    return leverage - either_side, leverage + either_side
