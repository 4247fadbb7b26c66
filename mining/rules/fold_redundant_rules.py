"""Finds redundant rules: a longer rule is shown beneath a shorter one that says as much ("folds"; docs/mathematics.md,
Measures of rules).

The shorter rules of A, B -> C are A -> C and B -> C. The longer rule folds beneath the shorter one with the nearest
confidence inside the longer rule's own 95 % interval (of a rule chosen before the survey); beneath none if there is no
such rule.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.distinct_rows import pack_row_keys
from mining.queries_and_counters import NONE, Numbers
from mining.reconstruction.disguise_probabilities import Floats

UNFOLDED = -1


def in_antecedent(antecedent: NDArray[Any], width: int) -> NDArray[np.bool_]:
    """Returns, by row and position in the itemset, whether the item is in the antecedent; `antecedent` has a bit mask
    per row."""
    return (antecedent[:, None] >> np.arange(width) & 1).astype(np.bool_)


def find_shorter_rules(
    itemsets: Numbers,
    bound: int,
    row: NDArray[Any],
    antecedent: NDArray[Any],
    confidence: Floats,
    contains: Callable[[NDArray[np.intp], Floats], NDArray[np.bool_]],
) -> NDArray[np.intp]:
    """Returns, for each reported rule, the index of the shorter rule beneath which it is shown, or UNFOLDED.

    A rule is a row of `itemsets` and its antecedent, a mask of positions, with its confidence; `contains` says whether
    the interval of a rule's confidence has a value inside.
    """
    under = np.full(len(row), UNFOLDED, np.intp)
    items = itemsets[row] if len(row) else itemsets[:0]
    inside = in_antecedent(antecedent, itemsets.shape[1])
    is_item = items != NONE
    many_first = (inside & is_item).sum(axis=1)
    many_second = (~inside & is_item).sum(axis=1)
    reported: dict[tuple[int, int], _ReportedRuleIndex] = {}
    for first in range(1, itemsets.shape[1]):
        for second in range(1, itemsets.shape[1] - first + 1):
            mine = np.flatnonzero((many_first == first) & (many_second == second))
            if not len(mine):
                continue
            own_items = items[mine]
            a = own_items[inside[mine] & is_item[mine]].reshape(-1, first)
            c = own_items[~inside[mine] & is_item[mine]].reshape(-1, second)
            shorter = [
                reported[size, second].find_rules(a[:, list(chosen)], c, bound)
                for size in range(1, first)
                if (size, second) in reported
                for chosen in combinations(range(first), size)
            ]
            if shorter:
                _assign_shorter_rules(under, mine, np.array(shorter), confidence, contains)
            reported[first, second] = _ReportedRuleIndex(a, c, mine, bound)
    return under


def _assign_shorter_rules(
    under: NDArray[np.intp],
    mine: NDArray[np.intp],
    shorter: NDArray[np.intp],
    confidence: Floats,
    contains: Callable[[NDArray[np.intp], Floats], NDArray[np.bool_]],
) -> None:
    """Writes to `under`, in place, the rule beneath which each of the rules `mine` is shown.

    `shorter` has the shorter rules to choose from: a row per choice, a column per rule of `mine`. The nearest is
    tried first, since most rules fold beneath it.
    """
    distance = np.where(shorter == UNFOLDED, np.nan, np.abs(confidence[shorter] - confidence[mine]))
    nearest_first = np.argsort(distance, axis=0, kind="stable")
    waiting = np.arange(len(mine))
    for choice in nearest_first:
        waiting = waiting[~np.isnan(distance[choice[waiting], waiting])]
        rules = shorter[choice[waiting], waiting]
        is_inside = contains(mine[waiting], confidence[rules])
        under[mine[waiting[is_inside]]] = rules[is_inside]
        waiting = waiting[~is_inside]


class _ReportedRuleIndex:
    """Index for finding reported rules by antecedent and consequent; all have the same sizes of both."""

    def __init__(self, a: Numbers, c: Numbers, rules: NDArray[np.intp], bound: int) -> None:
        keys = _rule_keys(a, c, bound)
        order = np.argsort(keys, kind="stable")
        self.keys, self.rules = keys[order], rules[order]

    def find_rules(self, a: Numbers, c: Numbers, bound: int) -> NDArray[np.intp]:
        """Returns the numbers of the reported rules with these antecedents `a` and consequents `c`; UNFOLDED where a
        rule is not reported."""
        keys = _rule_keys(a, c, bound)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.rules[places], UNFOLDED)


def _rule_keys(a: Numbers, c: Numbers, bound: int) -> NDArray[Any]:
    return pack_row_keys(np.concatenate([a, c], axis=1), bound)
