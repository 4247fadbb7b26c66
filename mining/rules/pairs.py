"""The lifts of pairs of answers, whether or not they make a confident rule."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.counts import Numbers
from mining.inference.intervals import NORMAL_95
from mining.reconstruction import CachedCounter
from mining.reconstruction.laws import Floats
from mining.reconstruction.supports import Estimator
from mining.rules import measures
from mining.rules.errors import lift_columns
from mining.rules.table import confident_rules


@dataclass(frozen=True)
class Lifts:
    """`itemset` is a row of the given pairs, `eligible` the number of records shown both answers; pairs with too few of
    these are left out."""

    itemset: NDArray[np.intp]
    eligible: NDArray[np.int64]
    lift: Floats
    low: Floats
    high: Floats


def lifts(known: CachedCounter, pairs: Numbers, estimator: Estimator) -> Lifts:
    """The lift of each of these itemsets of two items, with its interval."""
    pieces, rules = confident_rules(known, pairs, -np.inf, estimator)
    splits = sum(len(piece.split) for piece in pieces)
    columns = lift_columns(pieces, splits, estimator, np.full(splits, NORMAL_95))
    # Both rules of a pair have the same lift.
    first = np.flatnonzero(rules["antecedent"] == 1)
    split = rules["split"][first]
    return Lifts(
        rules["itemset"][first],
        rules["eligible"][first],
        measures.lift(
            rules["share"][first], rules["antecedent_support"][first], rules["consequent_support"][first]
        ),
        columns["lift_low"][split],
        columns["lift_high"][split],
    )
