"""Estimates the lifts of pairs of answers, whether or not they make a confident rule."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.selection_correction import list_critical_z
from mining.queries_and_counters import Numbers
from mining.reconstruction import CachedCounter
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.supports import Estimator
from mining.rules import measures
from mining.rules.rule_intervals import lift_intervals, lift_zs
from mining.rules.rules_from_frequent_itemsets import confident_splits


@dataclass(frozen=True)
class PairLifts:
    """Lifts of pairs of answers, without pairs with too few records.

    `itemset` is a row of the given pairs, `eligible` the records shown both answers. The intervals allow for the place
    in the list of all given pairs, sorted by p, since they are looked at together.
    """

    itemset: NDArray[np.intp]
    eligible: NDArray[np.int64]
    lift: Floats
    low: Floats
    high: Floats


def pair_lifts(counter: CachedCounter, pairs: Numbers, estimator: Estimator) -> PairLifts:
    """Returns the lift of each pair of items, with its interval."""
    pieces, columns = confident_splits(counter, pairs, -np.inf, estimator)
    pieces = pieces.with_tests_in_memory()
    z = np.nan_to_num(lift_zs(pieces))
    places = np.argsort(np.argsort(-np.abs(z), kind="stable")) + 1
    ends = lift_intervals(pieces, list_critical_z(places, len(z))[:, None], np.arange(len(z)))[:, 0]
    return PairLifts(
        columns["itemset"],
        columns["eligible"],
        measures.lift(columns["share"], *columns["supports"]),
        *ends.T,
    )
